import { refuse } from '../../../core/errors.ts';
import { hashText } from '../../../core/hash.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { foreignEntry } from '../../store/journal/foreign.ts';
import type { Entry } from '../../store/journal/frame.ts';
import { hasContents } from '../../store/journal/header.ts';
import { bodiesIn, type FramePlace, framesIn } from '../../store/journal/journal.ts';
import { PAGE } from '../../store/paging.ts';
import { follower, lastRows } from '../../store/restorable.ts';
import { type Batch, EMPTY_LOG, type Pages } from '../../store/store.ts';
import { SYSTEM } from '../../store/system-log.ts';
import type { TableWrite } from '../../store/tables.ts';
import { isBeyondEpochs } from './rows.ts';

/** Progress callback, called from time to time; false ends the work where it can be ended. */
export type BackupProgress = (done: number, all: number) => boolean | Promise<boolean>;

/** A frame with rows: their names, and the time of the write. */
interface RowFrame extends FramePlace {
  readonly names: readonly string[];
  readonly written: number;
  readonly whole: boolean;
}

/** Places of all frames in a backup. The contents are read again when they are needed. */
export interface BackupIndex {
  /** Places of the batches, in the order of the log. */
  readonly batches: readonly FramePlace[];
  /** Names of the rows whose last value is in a frame, by frame. */
  readonly rows: ReadonlyMap<FramePlace, ReadonlySet<string>>;
}

/** Frames between two calls of the progress callback. */
const PROGRESS_EVERY = 500;

/** Reads a backup once and keeps the places of its frames. Undefined if ended by the caller. `backup_refused`. */
export async function indexBackup(backup: Blob, tell: BackupProgress): Promise<Outcome<BackupIndex | undefined>> {
  const found = framesIn(backup);
  const batches: (FramePlace & { readonly seq: number })[] = [];
  const rows: RowFrame[] = [];
  let isWhole = false;
  let next = await found.next();
  for (let before = 0; next.done !== true; next = await found.next(), before++) {
    const { at, length, header, body } = next.value;
    isWhole = false;
    if (before % PROGRESS_EVERY === PROGRESS_EVERY - 1 && !(await tell(at, 2 * backup.size))) return pass(undefined);
    if (!hasContents(header.state)) continue;
    const entry = foreignEntry(body, header.state);
    if (entry === undefined) return refuse('backup_refused', { what: `unknown data at byte ${at}` });
    const { batch, tables, whole = false, at: written = 0 } = entry;
    isWhole = entry.end === before;
    if (batch !== undefined) batches.push({ at, length, seq: batch.seq });
    if (whole || tables.length > 0) rows.push({ at, length, names: tables.map(nameOf), written, whole });
  }
  if (next.value !== backup.size) return refuse('backup_refused', { what: `it is damaged at byte ${next.value}` });
  if (!isWhole) return refuse('backup_refused', { what: 'it is truncated, or was assembled from two backups' });
  return pass({ batches: batches.toSorted((one, other) => one.seq - other.seq), rows: lasting(rows) });
}

/** Finds the frame with the last value of each row, by the rule of `lastRows`, from names alone. */
function lasting(rows: readonly RowFrame[]): BackupIndex['rows'] {
  const owners = new Map<string, FramePlace>();
  for (const frame of rows.toSorted((one, other) => one.written - other.written)) {
    if (frame.whole) owners.clear();
    for (const name of frame.names) owners.set(name, frame);
  }
  const lasting = new Map<FramePlace, Set<string>>();
  for (const [name, frame] of owners) lasting.set(frame, (lasting.get(frame) ?? new Set()).add(name));
  return lasting;
}

function nameOf({ table, key }: TableWrite): string {
  return JSON.stringify([table, key]);
}

/** Size of a backup's log, and its root at record `from`. */
export interface VerifiedLog {
  readonly size: number;
  readonly root: string | undefined;
  /** Root of all of it. */
  readonly whole: string;
  readonly end: Frontier;
  /** Last batch of the records of the log about itself, as the file has it. */
  readonly system: Batch | undefined;
}

/** Verifies every hash of a backup's log. Undefined if ended by the caller. `backup_refused`. */
export async function verify(
  backup: Blob,
  { batches }: BackupIndex,
  from: number,
  tell: BackupProgress,
): Promise<Outcome<VerifiedLog | undefined>> {
  const read = readerOf(backup);
  const follow = follower(EMPTY_LOG, new Map());
  const rootAt = () => (follow.log.size === from ? hashText(rootOf(follow.log)) : undefined);
  let root = rootAt();
  let system: Batch | undefined;
  for (const [nth, place] of batches.entries()) {
    const { batch } = await read(place);
    if (batch === undefined || follow.take(batch) === undefined)
      return refuse('backup_refused', { what: `only ${follow.log.size} of its records are what their hashes say` });
    if (isBeyondEpochs(batch))
      return refuse('backup_refused', { what: `record ${batch.seq} of its log names an epoch that no log reaches` });
    root ??= rootAt();
    if (batch.run_id === SYSTEM) system = batch;
    if (nth % PROGRESS_EVERY === 0 && !(await tell(backup.size + place.at, 2 * backup.size))) return pass(undefined);
  }
  const goesOn = await tell(2 * backup.size, 2 * backup.size);
  if (!goesOn) return pass(undefined);
  const end = follow.log;
  return pass({ size: end.size, root, whole: hashText(rootOf(end)), end, system });
}

/** Pages of all rows, then of the batches behind record `from`: after a stop anywhere, the remainder can follow. */
export function pagesOf(backup: Blob, { batches, rows }: BackupIndex, from: number): Pages {
  const read = readerOf(backup);
  const frames = [...rows];
  let follow = follower(EMPTY_LOG, new Map());
  return async (nth) => {
    if (nth === 0) follow = follower(EMPTY_LOG, new Map());
    const [place, names] = frames[nth] ?? [];
    if (place !== undefined) {
      const tables = lastRows([await read(place)]).filter((row) => names?.has(nameOf(row)));
      return { batches: [], tables };
    }
    const start = (nth - frames.length) * PAGE;
    const page: Batch[] = [];
    for (const each of batches.slice(start, start + PAGE)) {
      const { batch } = await read(each);
      const right = batch && follow.take(batch);
      if (right === undefined) throw new Error('The backup was changed while it was read.');
      if (right.seq >= from) page.push(right);
    }
    return start < batches.length ? { batches: page, tables: [] } : undefined;
  };
}

/** Number of pages that `pagesOf` gives from the first record on. */
export function pageCount({ batches, rows }: BackupIndex): number {
  return rows.size + Math.ceil(batches.length / PAGE);
}

/** Reads a frame again that was sound before; the file may have changed meanwhile. */
function readerOf(backup: Blob): (place: FramePlace) => Promise<Entry> {
  const bodies = bodiesIn(backup);
  return async (place) => {
    const entry = foreignEntry(await bodies(place), 'live');
    if (entry === undefined) throw new Error('The backup was changed while it was read.');
    return entry;
  };
}
