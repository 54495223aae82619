import { SallyportError } from '../../core/sallyport-error.ts';
import { type Deferred, deferred } from '../async/deferred.ts';
import type { GuestCapability } from './port.ts';
import type { LoadResult } from './remote.ts';

/** Checks sources in a single turn of a worker. */
type CheckAll = (sources: readonly GuestCapability[]) => Promise<readonly LoadResult<void>[]>;

/** Sources of a turn. */
const TURN_SOURCES = 100;

interface WaitingSource {
  readonly source: GuestCapability;
  readonly checked: Deferred<LoadResult<void>>;
}

/**
 * Has sources checked: those that wait at the same time in a single turn of a worker. A turn that hangs says nothing
 * about a single source, so each is then checked in a turn of its own.
 */
export class SourceChecks {
  readonly #checkAll: CheckAll;
  #waiting: WaitingSource[] = [];
  #isBusy = false;

  constructor(checkAll: CheckAll) {
    this.#checkAll = checkAll;
  }

  check(source: GuestCapability): Promise<LoadResult<void>> {
    const checked = deferred<LoadResult<void>>();
    this.#waiting.push({ source, checked });
    if (!this.#isBusy) void this.#work();
    return checked.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    // sources that are registered in the same turn join the first turn of the worker
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#checkTogether(this.#waiting.splice(0, TURN_SOURCES));
    this.#isBusy = false;
  }

  async #checkTogether(sources: readonly WaitingSource[]): Promise<void> {
    try {
      const results = await this.#checkAll(sources.map(({ source }) => source));
      sources.forEach(({ checked }, at) => checked.resolve(results[at] ?? NO_RESULT));
    } catch (error) {
      if (sources.length > 1 && isHang(error)) for (const each of sources) await this.#checkTogether([each]);
      else for (const { checked } of sources) checked.reject(error);
    }
  }
}

/** A source without a result is refused. */
const NO_RESULT: LoadResult<void> = {
  ok: false,
  error: { code: 'worker_failed', message: 'The sandbox worker gave no result for a source.', details: {} },
};

function isHang(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'source_limit';
}
