import { framesIn } from '../journal/blob.ts';
import { decodeBody, type Entry, hasContents, type OrderNote } from '../journal/frame.ts';
import type { PendingBatch } from '../store.ts';
import type { FileFolder } from './folder.ts';
import type { Waiting } from './plan.ts';

/** A batch that was read with the place it once had in the log. */
export interface TailContent extends Waiting {
  readonly seq?: number | undefined;
  /** Content of a copy that the version before wrote beside its database. */
  readonly isCopy?: true;
}

/** Contents of the files behind their offsets. */
export interface Tails {
  readonly contents: readonly TailContent[];
  readonly notes: readonly OrderNote[];
  /** Ends of the files that were read, as far as their frames are whole. */
  readonly ends: ReadonlyMap<string, number>;
}

/** How often a file that changes under the reader is read again, and the wait before each attempt, in ms. */
const TRIES: readonly number[] = [0, 0, 0];
/** As `TRIES`, for a reader that cannot pass a file over. */
const ALL_TRIES: readonly number[] = [0, 0, 0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128];

/** Files to read, and how. */
export interface TailOptions {
  readonly offsets: ReadonlyMap<string, number>;
  /** Own file, which this kernel has in memory. */
  readonly except?: string | undefined;
  /** No file may be passed over because its writer is busy. */
  readonly all: boolean;
  /** Records of each run that the index has: batches before them are skipped. */
  readonly records: ReadonlyMap<string, number>;
}

/** Reads the files of a folder behind their offsets. A file that its writer changes meanwhile may be passed over. */
export async function readTails(folder: FileFolder, options: TailOptions): Promise<Tails> {
  const contents: TailContent[] = [];
  const notes: OrderNote[] = [];
  const ends = new Map<string, number>();
  for (const name of await folder.names()) {
    if (name === options.except) continue;
    const tail = await readAgain(options.all ? ALL_TRIES : TRIES, () => readTail(folder, name, options));
    if (tail === undefined) {
      if (options.all) throw new DOMException('A file is being written.', 'NotReadableError');
      continue;
    }
    contents.push(...tail.contents);
    notes.push(...tail.notes);
    ends.set(name, tail.end);
  }
  return { contents: hasNews(contents, options) ? contents : contents.filter(({ isCopy }) => !isCopy), notes, ends };
}

/** False for copies that say nothing new: their rows may be older than the rows of the index, and are left out. */
function hasNews(contents: readonly TailContent[], { records }: TailOptions): boolean {
  return records.size === 0 || contents.some(({ batch }) => batch !== undefined);
}

/** True for a file that the version before wrote, and that the index does not know yet. */
function isOldCopy(name: string, offsets: ReadonlyMap<string, number>): boolean {
  return /^\d+\.journal$/.test(name) && !offsets.has(name);
}

type Tail = Pick<Tails, 'contents' | 'notes'> & { readonly end: number };

/** Undefined where each attempt met a file that was changed since the attempt began, as Chromium tells. */
async function readAgain(waits: readonly number[], read: () => Promise<Tail>): Promise<Tail | undefined> {
  for (const wait of waits) {
    try {
      if (wait > 0) await new Promise((next) => setTimeout(next, wait));
      return await read();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'NotReadableError')) throw error;
    }
  }
  return undefined;
}

async function readTail(folder: FileFolder, name: string, { offsets, records }: TailOptions): Promise<Tail> {
  const [contents, notes]: [TailContent[], OrderNote[]] = [[], []];
  const blob = await folder.blob(name);
  const offset = offsets.get(name) ?? 0;
  // a file that is shorter than its offset has lost its end
  if (blob === undefined || blob.size <= offset) return { contents, notes, end: blob?.size ?? 0 };
  const isCopy = isOldCopy(name, offsets);
  const mark = isCopy ? { isCopy: true as const } : {};
  const found = framesIn(blob.slice(offset));
  let bound: Entry[] = [];
  let next = await found.next();
  for (; next.done !== true; next = await found.next()) {
    const { at, length, header, body } = next.value;
    const place = { file: name, end: offset + at + length };
    if (!hasContents(header.state)) {
      // the rows of an erased batch stay
      if (bound.length > 0) contents.push({ ...contentOf(bound, place), ...mark });
      bound = [];
      continue;
    }
    const entry = decodeBody(body, header.state);
    if (entry.note !== undefined) notes.push(entry.note);
    if (header.state === 'bound') bound.push(entry);
    else {
      const { batch, ...rows } = contentOf([...bound, entry], place);
      const isSeen = batch !== undefined && !rows.less && batch.run_seq < (records.get(batch.run_id) ?? 0);
      if (!isSeen) contents.push({ ...rows, ...mark, ...(batch && { batch }) });
      // the rows of a copy count together, or not at all
      else if (isCopy && rows.tables.length > 0) contents.push({ ...rows, ...mark });
      bound = [];
    }
  }
  return { contents, notes, end: offset + next.value };
}

/** Content of a frame and of the frames bound to it. */
function contentOf(entries: readonly Entry[], place: Pick<Waiting, 'file' | 'end'>): TailContent {
  const last = entries.at(-1);
  const batch = last && pendingIn(last);
  const whole = entries.some((entry) => entry.whole);
  return {
    ...place,
    ...(batch && { batch }),
    ...(last?.less && { less: true }),
    ...(whole && { whole }),
    ...(last?.batch && { seq: last.batch.seq }),
    tables: entries.flatMap(({ tables }) => tables),
    at: last?.at ?? 0,
  };
}

function pendingIn({ batch, pending }: Entry): PendingBatch | undefined {
  if (batch === undefined) return pending;
  const { seq: _, after, ...contents } = batch;
  return { ...contents, run: after.run };
}
