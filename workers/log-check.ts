import {
  emptyFrontier,
  type Finding,
  type Frontier,
  finding,
  hashBytes,
  hashText,
  isHash,
  type LedgerRecord,
  NO_PREV,
  type Outcome,
  parseCheckpoint,
  pass,
  push,
  rootOf,
} from '../core/inner.ts';
import type { LogReport } from './api.ts';
import { type LedgerStore, type LogHead, PAGE } from './store.ts';

/** What a log is; each of its runs is an auditor's to check. */
export interface LogCheck extends Pick<LogReport, 'size' | 'root' | 'problems'> {
  readonly run_ids: readonly string[];
}

/**
 * Checks a local log: that the batches are one log without a gap whose tree is the one that the store keeps, and that
 * the log a checkpoint was taken of is its beginning. It is checked as it stood when that was asked for: a run may write
 * meanwhile, and what it adds is no more than said to be there.
 */
export async function checkLog(store: LedgerStore, checkpoint?: string): Promise<Outcome<LogCheck>> {
  const standing = await store.standing();
  if (!standing.ok) return standing;
  const placed = await placesOf(store);
  if (!placed.ok) return placed;
  const now = await store.head();
  if (!now.ok) return now;
  const { size, root, runs } = standing.value;
  const log = placed.value;
  const problems = [
    ...otherTree(log, standing.value, now.value),
    ...(checkpoint === undefined ? [] : otherLog(log, checkpoint)),
  ];
  return pass({ size, root: hashText(root), problems, run_ids: runs.map(({ run_id }) => run_id) });
}

/** A record's place in the log, and its hash. */
interface Place {
  readonly run_id: string;
  readonly seq: number;
  readonly hash: string;
}

/** Of a run that was deleted the hashes stay: the tree is the same, and so is what a checkpoint says of it. */
async function placesOf(store: LedgerStore): Promise<Outcome<readonly Place[]>> {
  const log: Place[] = [];
  for (let from = 0; ; ) {
    const page = await store.log(from, PAGE);
    if (!page.ok) return page;
    for (const { seq, run_id, records, gone } of page.value)
      log.push(...(gone ?? records.map(hashIn)).map((hash, nth) => ({ run_id, seq: seq + nth, hash })));
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < PAGE) return pass(log);
    from = last.after.log.size;
  }
}

/** The hash that a stored text says it has; that of nothing where it says none. */
export function hashIn(text: string): string {
  try {
    const { hash } = JSON.parse(text) as LedgerRecord;
    return isHash(hash) ? hash : NO_PREV;
  } catch {
    return NO_PREV;
  }
}

/** The tree over the records as they are stored has to be the one that was kept as they were written. */
function otherTree(log: readonly Place[], { size, root }: LogHead, now: LogHead): Finding[] {
  const gap = log.findIndex(({ seq }, place) => seq !== place);
  if (gap >= 0) return [broken(gap, `the log has no record at its place ${gap}`)];
  const count = log.length < size ? size : now.size;
  if (log.length < size || log.length > now.size)
    return [broken(log.length, `the log has ${log.length} records, and kept count of ${count}`)];
  return hashText(rootOf(treeOf(log.slice(0, size)))) === hashText(root)
    ? []
    : [broken(size, 'the log keeps another root')];
}

/** What a checkpoint saw must still be the beginning: no record cut off, no run deleted, none written anew. */
function otherLog(log: readonly Place[], text: string): Finding[] {
  const note = parseCheckpoint(text);
  if (!note.ok) return [disagrees(0, note.refusal.message)];
  const { size, root, runs: lines } = note.value.checkpoint;
  if (size > log.length) return [disagrees(log.length, `it was taken at ${size} records, the log has ${log.length}`)];
  const heads = byRun(log);
  for (const { run_id, count, head } of lines) {
    if (heads.get(run_id)?.[count - 1]?.hash !== head)
      return [disagrees(count, `run ${run_id} is not what it was at ${count} records`)];
  }
  const same = hashText(rootOf(treeOf(log.slice(0, size)))) === root;
  return same ? [] : [disagrees(size, `its first ${size} records are others`)];
}

function treeOf(log: readonly Place[]): Frontier {
  return log.reduce((tree, { hash }) => push(tree, hashBytes(hash)), emptyFrontier());
}

function broken(place: number, what: string): Finding {
  return finding(place, 'chain_broken', { what });
}

function disagrees(place: number, what: string): Finding {
  return finding(place, 'anchor_disagrees', { what });
}

function byRun(log: readonly Place[]): ReadonlyMap<string, readonly Place[]> {
  const runs = new Map<string, Place[]>();
  for (const place of log) {
    const run = runs.get(place.run_id);
    if (run === undefined) runs.set(place.run_id, [place]);
    else run.push(place);
  }
  return runs;
}
