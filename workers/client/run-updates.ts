import { refuse as refusePage } from '../../core/errors/page.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import { refusalError } from '../../core/sallyport-error.ts';
import type { RunEnd, RunView } from '../api.ts';
import { type Deferred, deferred, orAborted } from '../async/deferred.ts';
import type { RunListener } from '../ports.ts';

/** State of a run on the caller's side: its latest view, its records, its end, and its watchers. */
export interface RunUpdates {
  readonly push: RunListener;
  readonly fail: (error: unknown) => void;
  /** End of the current turn, or of the last turn. Rejects with `run_open` where another tab takes the run over. */
  result(): Promise<RunEnd>;
  view(): RunView;
  watch(watcher: (view: RunView) => void): () => void;
  until(reached: (view: RunView) => unknown): Promise<void>;
  /** Yields to the end of the turn, until the signal aborts, or until another tab has the run. */
  records(signal?: AbortSignal): AsyncIterable<LedgerRecord>;
}

export function makeRunUpdates(run_id: string, dialect: Dialect): RunUpdates {
  let view: RunView = { run_id, dialect, phase: 'INITIALIZING', mode: 'paused', steps: 0, records: 0 };
  const records: LedgerRecord[] = [];
  const watchers = new Set<(view: RunView) => void>();
  let turn = makeTurn();

  const watch = (watcher: (view: RunView) => void) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  };

  async function until(reached: (view: RunView) => unknown): Promise<void> {
    if (reached(view)) return;
    const { promise, resolve: done } = deferred<void>();
    const leave = watch((next) => {
      if (reached(next)) done();
    });
    await Promise.race([promise, turn.promise]);
    leave();
  }

  async function* iterate(signal?: AbortSignal): AsyncGenerator<LedgerRecord> {
    for (let next = 0; ; next++) {
      await orAborted(
        until((now) => records.length > next || (now.end ?? now.taken)),
        signal,
      );
      const record = records[next];
      if (record === undefined || signal?.aborted) return;
      yield record;
    }
  }

  return {
    push({ view: next, records: fresh }) {
      if (view.end !== undefined && next.end === undefined) turn = makeTurn();
      view = next;
      records.push(...fresh);
      for (const watcher of watchers) watcher(view);
      if (view.end !== undefined) turn.resolve(view.end);
      if (view.taken) turn.reject(refusalError(refusePage('run_open', { run_id }).refusal));
    },
    fail: (error) => turn.reject(error),
    result: () => turn.promise,
    view: () => view,
    watch,
    until,
    records: iterate,
  };
}

/** The end of a turn. A caller need not read the result: a rejection without a handler must not count as unhandled. */
function makeTurn(): Deferred<RunEnd> {
  const turn = deferred<RunEnd>();
  turn.promise.catch(() => undefined);
  return turn;
}
