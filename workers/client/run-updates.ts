import { refuse as refusePage } from '../../core/errors/page.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import { refusalError } from '../../core/sallyport-error.ts';
import type { RunEnd, RunView } from '../api.ts';
import { type Deferred, deferred, orAborted } from '../async.ts';
import type { RunListener } from '../ports.ts';
import { isOver } from '../run-view.ts';

/** Newest records that stay in memory. Older records are read from the ledger when they are asked for. */
const KEPT = 256;

/** Reads stored records of the run from record `from` on: all of them, or a first part. */
type ReadRecords = (from: number) => Promise<readonly LedgerRecord[]>;

/** State of a run on the caller's side: its latest view, its newest records, its end, and its watchers. */
export interface RunUpdates {
  readonly push: RunListener;
  readonly fail: (error: unknown) => void;
  /**
   * End of the current turn, or of the last turn. Rejects with `run_open` where another tab takes the run over, and with
   * `run_suspended` where the close of the runtime lets it go.
   */
  result(): Promise<RunEnd>;
  view(): RunView;
  watch(watcher: (view: RunView) => void): () => void;
  /** The program watches the run, so that it knows of its questions. */
  isWatched(): boolean;
  until(reached: (view: RunView) => unknown): Promise<void>;
  /** Yields to the end of the turn, until the signal aborts, or until the run goes on elsewhere. */
  records(signal?: AbortSignal): AsyncIterable<LedgerRecord>;
}

export function makeRunUpdates(run_id: string, dialect: Dialect, read: ReadRecords): RunUpdates {
  let view: RunView = { run_id, dialect, phase: 'INITIALIZING', mode: 'paused', steps: 0, records: 0 };
  const newest: LedgerRecord[] = [];
  /** Number of records that the kernel has told. */
  let told = 0;
  const watchers = new Set<(view: RunView) => void>();
  let turn = makeTurn();
  let isTurnOver = false;
  /** Waits that end with the turn. A reaction to the promise of the turn would stay in memory until its end. */
  const waits = new Set<Deferred<void>>();

  /** Watchers of the program, without the waits of this file. */
  let watching = 0;

  const add = (watcher: (view: RunView) => void) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  };

  function watch(watcher: (view: RunView) => void): () => void {
    const leave = add(watcher);
    watching++;
    return () => {
      if (watchers.has(watcher)) watching--;
      leave();
    };
  }

  async function until(reached: (view: RunView) => unknown): Promise<void> {
    if (reached(view)) return;
    if (isTurnOver) return void (await turn.promise);
    const wait = deferred<void>();
    const leave = add((next) => {
      if (reached(next)) wait.resolve();
    });
    waits.add(wait);
    await wait.promise.finally(() => {
      leave();
      waits.delete(wait);
    });
  }

  function endTurn(end: RunEnd): void {
    isTurnOver = true;
    turn.resolve(end);
    for (const { resolve } of waits) resolve();
  }

  function failTurn(error: unknown): void {
    isTurnOver = true;
    turn.reject(error);
    for (const { reject } of waits) reject(error);
  }

  function take(fresh: readonly LedgerRecord[]): void {
    // a run that is opened again repeats its newest records
    const added = fresh.filter(({ run_seq }) => run_seq >= told);
    told = (added.at(-1)?.run_seq ?? told - 1) + 1;
    // not spread: a long run is read in one page of records
    for (const record of added) newest.push(record);
    if (newest.length > 2 * KEPT) newest.splice(0, newest.length - KEPT);
  }

  /** The records from `next` on that are known here, or stored records of an earlier part. */
  async function recordsFrom(next: number): Promise<readonly LedgerRecord[]> {
    const first = told - newest.length;
    return next < first ? (await read(next)).slice(0, told - next) : newest.slice(next - first);
  }

  async function* iterate(signal?: AbortSignal): AsyncGenerator<LedgerRecord> {
    for (let next = 0; ; ) {
      await orAborted(
        until((now) => told > next || isOver(now)),
        signal,
      );
      if (signal?.aborted) return;
      const found = await orAborted(recordsFrom(next), signal);
      if (found === undefined || found.length === 0) return;
      for (const record of found) {
        if (signal?.aborted) return;
        yield record;
      }
      next += found.length;
    }
  }

  return {
    push({ view: next, records: fresh }) {
      if (view.end !== undefined && next.end === undefined) [turn, isTurnOver] = [makeTurn(), false];
      view = next;
      take(fresh);
      for (const watcher of watchers) watcher(view);
      if (view.end !== undefined) endTurn(view.end);
      const gone = goneError(view);
      if (gone !== undefined) failTurn(gone);
    },
    fail: failTurn,
    result: () => turn.promise,
    view: () => view,
    watch,
    isWatched: () => watching > 0,
    until,
    records: iterate,
  };
}

/** The error of a handle whose run goes on elsewhere: `run_open` in another tab, `run_suspended` in a later runtime. */
export function goneError({ run_id, taken, suspended }: RunView): Error | undefined {
  if (!taken && !suspended) return undefined;
  return refusalError(refusePage(taken ? 'run_open' : 'run_suspended', { run_id }).refusal);
}

/** The end of a turn. A caller need not read the result: a rejection without a handler must not count as unhandled. */
function makeTurn(): Deferred<RunEnd> {
  const turn = deferred<RunEnd>();
  turn.promise.catch(() => undefined);
  return turn;
}
