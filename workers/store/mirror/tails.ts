import type { Frontier } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { framesIn } from '../journal/blob.ts';
import { weightOf } from '../journal/compaction.ts';
import { decodeBody, type Entry, type OrderNote } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import type { FramePlace } from '../journal/journal.ts';
import type { Batch, PendingBatch } from '../store.ts';
import type { FileFolder } from './folder.ts';
import { FILLING, type LogIndex } from './log-index.ts';
import type { Waiting } from './waiting.ts';

/** Content of a file behind its offset: where its frames are, and what decides its place in the index. */
export interface TailContent extends Pick<Waiting, 'file' | 'end' | 'at' | 'less' | 'whole'> {
  readonly batch?: TailBatch;
  /** Place that the batch once had in the log. */
  readonly seq?: number | undefined;
  readonly hasRows: boolean;
  /** The batch of another file counts, and the rows of this content. */
  readonly rowsIn?: TailContent;
  readonly frames: readonly FramePlace[];
  /** The content itself, while little was read. */
  readonly content?: TailParts;
}

/** What decides the place of a batch. */
export interface TailBatch {
  readonly run_id: string;
  readonly run_seq: number;
  /** Records of the run behind the batch. */
  readonly records: number;
  readonly weight: number;
}

/** Batch and rows of a content. */
export type TailParts = Pick<Waiting, 'batch' | 'tables'>;

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
  /** Bytes of content that are kept while reading. The rest is read again when it is placed. */
  readonly keep: number;
}

/** Reads the files of a folder behind their offsets, and the log of the index that they continue. */
export async function readBehind(
  folder: FileFolder,
  index: Pick<LogIndex, 'records' | 'frontier'>,
  options: Omit<TailOptions, 'records'>,
): Promise<Outcome<Tails & { readonly log: Frontier }>> {
  const isGrown = options.offsets.has(FILLING) || (await hasGrown(folder, options));
  // for the counts, the index reads a row of each run that it has
  const records = isGrown ? await index.records() : pass(new Map<string, number>());
  if (!records.ok) return records;
  const tails = isGrown ? await readTails(folder, { ...options, records: records.value }) : NO_TAILS;
  // behind the files: a kernel notes what the index has, so a note that was read is in the index by now
  const log = await index.frontier();
  return log.ok ? pass({ ...tails, log: log.value }) : log;
}

const NO_TAILS: Tails = { contents: [], notes: [], ends: new Map() };

/** True if a file is longer than its offset. */
async function hasGrown(
  folder: FileFolder,
  { offsets, except }: Pick<TailOptions, 'offsets' | 'except'>,
): Promise<boolean> {
  for (const name of await folder.names()) {
    const blob = name === except ? undefined : await folder.blob(name);
    if (blob !== undefined && blob.size > (offsets.get(name) ?? 0)) return true;
  }
  return false;
}

/** Reads the files of a folder behind their offsets. A file that its writer changes meanwhile may be passed over. */
async function readTails(folder: FileFolder, options: TailOptions): Promise<Tails> {
  const contents: TailContent[] = [];
  const notes: OrderNote[] = [];
  const ends = new Map<string, number>();
  let { keep } = options;
  for (const name of await folder.names()) {
    if (name === options.except) continue;
    const tail = await readAgain(options.all ? ALL_TRIES : TRIES, () => readTail(folder, name, { ...options, keep }));
    if (tail === undefined) {
      if (options.all) throw new DOMException('A file is being written.', 'NotReadableError');
      continue;
    }
    contents.push(...tail.contents);
    notes.push(...tail.notes);
    ends.set(name, tail.end);
    keep -= tail.kept;
  }
  return { contents, notes, ends };
}

type Tail = Pick<Tails, 'contents' | 'notes'> & { readonly end: number; readonly kept: number };

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

async function readTail(folder: FileFolder, name: string, { offsets, records, keep }: TailOptions): Promise<Tail> {
  const [contents, notes]: [TailContent[], OrderNote[]] = [[], []];
  const blob = await folder.blob(name);
  const offset = offsets.get(name) ?? 0;
  // a file that is shorter than its offset has lost its end
  if (blob === undefined || blob.size <= offset) return { contents, notes, end: blob?.size ?? 0, kept: 0 };
  const isFilling = offsets.has(FILLING);
  let kept = 0;
  const found = framesIn(blob.slice(offset));
  let bound: FrameEntry[] = [];
  let next = await found.next();
  for (; next.done !== true; next = await found.next()) {
    const { at, length, header, body } = next.value;
    const place = { at: offset + at, length };
    if (!hasContents(header.state)) {
      // the rows of an erased batch stay
      if (bound.length > 0) contents.push(contentOf(name, bound, true));
      bound = [];
      continue;
    }
    const entry = decodeBody(body, header.state);
    if (entry.note !== undefined) notes.push(entry.note);
    kept += length;
    bound.push(frameEntry(place, entry, kept <= keep));
    if (header.state === 'bound') continue;
    const batch = bound.at(-1)?.batch;
    const isSeen = batch !== undefined && !entry.less && batch.run_seq < (records.get(batch.run_id) ?? 0);
    if (!isSeen) contents.push(contentOf(name, bound, true));
    // the rows of a fill that was cut come behind its batches
    else if (isFilling && bound.some(({ hasRows }) => hasRows)) contents.push(contentOf(name, bound, false));
    bound = [];
  }
  return { contents, notes, end: offset + next.value, kept };
}

interface FrameEntry {
  readonly place: FramePlace;
  readonly entry: Omit<Entry, 'batch' | 'pending' | 'tables'>;
  readonly batch: TailBatch | undefined;
  readonly seq: number | undefined;
  readonly hasRows: boolean;
  /** Absent where the frame is read again. */
  readonly parts: TailParts | undefined;
}

function frameEntry(
  place: FramePlace,
  { batch: placed, pending, tables, ...entry }: Entry,
  isKept: boolean,
): FrameEntry {
  const batch = pendingIn({ ...(placed && { batch: placed }), ...(pending && { pending }), tables });
  return {
    place,
    entry,
    batch: batch && tailBatch(batch),
    seq: placed?.seq,
    hasRows: tables.length > 0,
    parts: isKept ? { ...(batch && { batch }), tables } : undefined,
  };
}

/** Content of a frame and of the frames bound to it, with its batch or only its rows. */
function contentOf(file: string, found: readonly FrameEntry[], withBatch: boolean): TailContent {
  const frames = found.map(({ place }) => place);
  const { at, length } = frames.at(-1) ?? { at: 0, length: 0 };
  const { entry, batch, seq } = found.at(-1) ?? {};
  const parts = found.flatMap((each) => each.parts ?? []);
  const content = parts.length < found.length ? undefined : joined(parts, withBatch);
  const hasBatch = withBatch && batch !== undefined;
  return {
    file,
    end: at + length,
    ...(hasBatch && { batch, seq }),
    ...(withBatch && entry?.less && { less: true }),
    ...(found.some((each) => each.entry.whole) && { whole: true }),
    hasRows: found.some(({ hasRows }) => hasRows),
    at: entry?.at ?? 0,
    frames,
    ...(content && { content }),
  };
}

/** The rows of frames, with the batch of the last frame. */
function joined(parts: readonly TailParts[], withBatch: boolean): TailParts {
  const batch = withBatch ? parts.at(-1)?.batch : undefined;
  return { ...(batch && { batch }), tables: parts.flatMap(({ tables }) => tables) };
}

function tailBatch(batch: PendingBatch): TailBatch {
  const { run_id, run_seq, run } = batch;
  return { run_id, run_seq, records: run.records, weight: weightOf(batch) };
}

export function pendingIn({ batch, pending }: Entry): PendingBatch | undefined {
  return batch === undefined ? pending : withoutPlace(batch);
}

export function withoutPlace({ seq: _, after, ...contents }: Batch): PendingBatch {
  return { ...contents, run: after.run };
}
