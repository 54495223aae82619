import { type Outcome, pass } from '../../../core/outcome.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { type FrameAt, type FramePlace, frames, framesIn, wipeAll } from '../journal/journal.ts';
import { inParts } from '../rows.ts';
import type { LedgerStore } from '../store.ts';
import type { TableValue, TableWrite } from '../tables.ts';
import type { FileLog } from './file-log.ts';
import type { JournalFile } from './private-file.ts';
import { scanFiles } from './rewrite.ts';

/**
 * Overwrites row values that the index does not have any more, such as the heap of a call that has ended or a value that
 * was replaced, in the file of this kernel and in every file without a writer. A frame may hold other rows, too: their
 * current values are written again before the frame is overwritten. The caller keeps other rewrites of the file out.
 */
export async function eraseRows(log: FileLog, store: Pick<LedgerStore, 'get'>): Promise<Outcome<void>> {
  // content that the index does not have yet would look as if it were erased
  const gathered = await log.gather();
  if (!gathered.ok) return gathered;
  return log.exchange(async (own) => {
    const look = await rowsBeside(log, store, own);
    if (!look.ok) return look;
    const written = new Set<string>();
    for (const name of await log.folder.names()) {
      const file = name === own.name ? own.file : await log.folder.open(name);
      if (file === undefined) continue;
      try {
        const { places, rows } = await look.value.staleIn(name, frames(file));
        await writeAgain(
          own,
          rows.filter((row) => !written.has(nameOf(row))),
        );
        for (const row of rows) written.add(nameOf(row));
        if (places.length > 0) await wipeAll(file, places);
      } finally {
        if (file !== own.file) file.close();
      }
    }
    const set = await log.index.setOffsets(new Map([[own.name, own.file.size()]]));
    return set.ok ? pass(own) : set;
  });
}

/** Number of files that other kernels write, and that hold erased content. */
export async function countStaleFiles(log: FileLog, store: Pick<LedgerStore, 'get'>): Promise<number> {
  const { folder, own } = log;
  const look = await rowsBeside(log, store, own);
  if (!look.ok) return 0;
  const scan = await scanFiles(folder, own);
  let count = 0;
  for (const name of await folder.names()) {
    if (name === own.name) continue;
    const file = await folder.open(name);
    file?.close();
    const blob = file === undefined ? await folder.blob(name) : undefined;
    if (blob === undefined) continue;
    const isStale =
      (await look.value.staleIn(name, framesIn(blob))).places.length > 0 || (await holds(blob, scan.isStale));
    if (isStale) count++;
  }
  return count;
}

async function holds(blob: Blob, isStale: (entry: Entry) => boolean): Promise<boolean> {
  for await (const { header, body } of framesIn(blob))
    if (hasContents(header.state) && isStale(decodeBody(body, header.state, 'viewed'))) return true;
  return false;
}

/** Frames of a file with a stale row, and the current values of all rows in these frames. */
interface StaleRows {
  readonly places: readonly FramePlace[];
  readonly rows: readonly TableWrite[];
}

/** Finds stale rows in a file, up to the offset that the index has of it. */
interface RowLook {
  staleIn(name: string, found: Iterable<FrameAt> | AsyncIterable<FrameAt>): Promise<StaleRows>;
}

async function rowsBeside(log: FileLog, store: Pick<LedgerStore, 'get'>, own: JournalFile): Promise<Outcome<RowLook>> {
  const offsets = await log.index.offsets();
  if (!offsets.ok) return offsets;
  const seen = await countRows(log, own);
  /** Only a row that stands in the files twice can be stale in one of them, or be a removal without a value. */
  const isCandidate = (row: TableWrite, { bound }: Entry): boolean => {
    const { values, removals } = seen.rows.get(nameOf(row)) ?? { values: 0, removals: 0 };
    if (row.value !== undefined) return values + removals > 1;
    return values === 0 && bound !== true && seen.isComplete;
  };
  const current = async ({ table, key }: TableWrite): Promise<TableValue | undefined> => {
    const found = await store.get(table, key);
    if (!found.ok) throw new Error(found.refusal.message);
    return found.value;
  };
  const isStale = async (row: TableWrite): Promise<boolean> =>
    row.value === undefined || !isSame(row.value, await current(row));
  return pass({
    async staleIn(name, found) {
      const end = offsets.value.get(name) ?? 0;
      const places: FramePlace[] = [];
      const rows = new Map<string, TableWrite>();
      for await (const { at, length, header, body } of found) {
        if (at + length > end || !hasContents(header.state)) continue;
        const glance = decodeBody(body, header.state, 'viewed');
        if (!glance.tables.some((row) => isCandidate(row, glance))) continue;
        const entry = decodeBody(body, header.state);
        const candidates = entry.tables.filter((row) => isCandidate(row, entry));
        const stale = await Promise.all(candidates.map(isStale));
        if (!stale.includes(true)) continue;
        places.push({ at, length });
        for (const row of entry.tables) {
          const value = await current(row);
          if (row.value !== undefined && value !== undefined) rows.set(nameOf(row), { ...row, value });
        }
      }
      return { places, rows: [...rows.values()] };
    },
  });
}

interface RowCounts {
  readonly rows: ReadonlyMap<string, { readonly values: number; readonly removals: number }>;
  /** Every file was read to its end. */
  readonly isComplete: boolean;
}

/** Counts for each row how often its values and its removals stand in the files. */
async function countRows({ folder }: Pick<FileLog, 'folder'>, own: JournalFile): Promise<RowCounts> {
  const rows = new Map<string, { values: number; removals: number }>();
  let isComplete = true;
  const count = ({ header, body }: FrameAt): void => {
    if (!hasContents(header.state)) return;
    for (const row of decodeBody(body, header.state, 'viewed').tables) {
      const found = rows.get(nameOf(row)) ?? { values: 0, removals: 0 };
      found[row.value === undefined ? 'removals' : 'values']++;
      rows.set(nameOf(row), found);
    }
  };
  for (const name of await folder.names()) {
    const blob = name === own.name ? undefined : await folder.blob(name);
    const found: Iterable<FrameAt> | AsyncIterable<FrameAt> = blob === undefined ? frames(own.file) : framesIn(blob);
    try {
      for await (const frame of found) count(frame);
    } catch (reason) {
      // its writer has changed it meanwhile
      if (!(reason instanceof DOMException && reason.name === 'NotReadableError')) throw reason;
      isComplete = false;
    }
  }
  return { rows, isComplete };
}

async function writeAgain(own: JournalFile, rows: readonly TableWrite[]): Promise<void> {
  if (rows.length === 0) return;
  for (const tables of inParts(rows)) own.write({ tables, at: Date.now() });
  await own.flush();
}

function nameOf({ table, key }: Pick<TableWrite, 'table' | 'key'>): string {
  return `${table}\n${key}`;
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (one instanceof Uint8Array || other instanceof Uint8Array)
    return (
      one instanceof Uint8Array &&
      other instanceof Uint8Array &&
      one.length === other.length &&
      one.every((byte, at) => byte === other[at])
    );
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one, other] as { readonly [name: string]: unknown }[];
  return Object.keys({ ...left, ...right }).every((name) => isSame(left?.[name], right?.[name]));
}
