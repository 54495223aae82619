import { SallyportError } from '../../core/sallyport-error.ts';
import { type BatchItem, BatchQueue } from '../async.ts';
import type { Crossed } from '../lock/realm-port.ts';
import type { GuestCapability } from './port.ts';

/** Checks sources in a single turn of a worker. */
type CheckAll = (sources: readonly GuestCapability[]) => Promise<readonly Crossed<void>[]>;

type WaitingSource = BatchItem<GuestCapability, Crossed<void>>;

/** Sources of a turn. */
const TURN_SOURCES = 100;

/**
 * Has sources checked: those that wait at the same time in a single turn of a worker. A turn that hangs says nothing
 * about a single source, so each is then checked in a turn of its own.
 */
export class SourceChecks {
  readonly #checkAll: CheckAll;
  readonly #queue = new BatchQueue<GuestCapability, Crossed<void>>({
    sizeOf: () => TURN_SOURCES,
    work: (sources) => this.#checkTogether(sources),
  });

  constructor(checkAll: CheckAll) {
    this.#checkAll = checkAll;
  }

  check(source: GuestCapability): Promise<Crossed<void>> {
    return this.#queue.add(source);
  }

  async #checkTogether(sources: readonly WaitingSource[]): Promise<void> {
    try {
      const results = await this.#checkAll(sources.map(({ item }) => item));
      sources.forEach(({ result }, at) => result.resolve(results[at] ?? NO_RESULT));
    } catch (error) {
      if (sources.length > 1 && isHang(error)) for (const each of sources) await this.#checkTogether([each]);
      else for (const { result } of sources) result.reject(error);
    }
  }
}

/** A source without a result is refused. */
const NO_RESULT: Crossed<void> = {
  ok: false,
  error: { code: 'worker_failed', message: 'The sandbox worker gave no result for a source.', details: {} },
};

function isHang(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'source_limit';
}
