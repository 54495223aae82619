import type { RunView, WaitingQuestion } from '../api.ts';
import { deferred, orAborted } from '../async.ts';
import { isOver } from '../run-view.ts';

/** The questions of a runtime's runs that wait for a person: a run has one at a time. */
export class WaitingQuestions {
  readonly #open = new Map<string, WaitingQuestion>();
  #changed = deferred<void>();
  #isClosed = false;

  /** Adds the question of a run, or its newest state, if the run still asks it. `principal`: who asks in this session. */
  add(view: RunView, digest: string, principal: string | undefined): void {
    const { run_id, pending, consent } = view;
    if ((pending ?? consent)?.digest !== digest || isOver(view)) return;
    const known = this.#open.get(run_id);
    const since = known?.digest === digest ? known.since : Date.now();
    this.#open.set(run_id, {
      run_id,
      digest,
      since,
      ...(principal !== undefined && { principal }),
      ...(pending && { pending }),
      ...(consent && { consent }),
    });
    this.#tell();
  }

  /** Removes a question that its run does not ask any more. */
  follow(view: RunView): void {
    const { run_id, pending, consent } = view;
    const known = this.#open.get(run_id);
    if (known === undefined) return;
    const isOpen = (pending ?? consent)?.digest === known.digest && !isOver(view);
    if (isOpen) return;
    this.#open.delete(run_id);
    this.#tell();
  }

  async *list(signal?: AbortSignal): AsyncGenerator<readonly WaitingQuestion[]> {
    const isOver = () => this.#isClosed || signal?.aborted === true;
    while (!isOver()) {
      // taken before the list: a change while the reader is busy is not missed
      const { promise } = this.#changed;
      yield [...this.#open.values()].sort((one, other) => one.since - other.since);
      await orAborted(promise, signal);
    }
  }

  /** Ends every list. */
  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = deferred();
  }
}
