import type { Runtime } from '../../workers/api.ts';
import { openRuntime, type PageOptions } from '../client.ts';
import { assertOption } from './option.ts';

/**
 * ms that a runtime stays open without a component. StrictMode, a change of route and a fast refresh unmount components
 * and mount them again.
 */
const UNUSED_MS = 2_000;

/** Options of `openRuntime`, or a function that opens a runtime. Components with the same object share one runtime. */
export type RuntimeSource = PageOptions | (() => Promise<Runtime>);

export type RuntimeSnapshot =
  | { readonly status: 'opening'; readonly runtime?: undefined; readonly error?: undefined }
  | { readonly status: 'ready'; readonly runtime: Runtime; readonly error?: undefined }
  | {
      readonly status: 'failed';
      readonly runtime?: undefined;
      /** Reason of the rejection: `SallyportError` for an error of the runtime. */
      readonly error: unknown;
      /** Opens the runtime again. */
      readonly retry: () => void;
    };

export const OPENING: RuntimeSnapshot = { status: 'opening' };

/** A runtime that opens for its first component and closes after its last. */
export class SharedRuntime {
  readonly #source: RuntimeSource;
  readonly #listeners = new Set<() => void>();
  #state = OPENING;
  #opening: Promise<void> | undefined;
  /** Close of the runtime before. The next runtime opens after it. */
  #closed: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: RuntimeSource) {
    this.#source = source;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    clearTimeout(this.#timer);
    void this.open();
    return () => {
      this.#listeners.delete(listener);
      this.#closeLater();
    };
  };

  readonly snapshot = (): RuntimeSnapshot => this.#state;

  /** Opens the runtime unless it is open. Resolves when it is open or has failed; never rejects. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    await this.#closed;
    try {
      const source = this.#source;
      const runtime = await (typeof source === 'function' ? source() : openRuntime(source));
      this.#tell({ status: 'ready', runtime });
    } catch (error) {
      this.#tell({ status: 'failed', error, retry: this.#retry });
    }
    this.#closeLater();
  }

  readonly #retry = (): void => {
    if (this.#state.status !== 'failed') return;
    this.#opening = undefined;
    this.#tell(OPENING);
    void this.open();
  };

  #tell(state: RuntimeSnapshot): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  /** A runtime that is still opening is closed when it is open. */
  #closeLater(): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size > 0 || this.#state === OPENING) return;
    this.#timer = setTimeout(() => this.#close(), UNUSED_MS);
  }

  #close(): void {
    this.#closed = this.#state.runtime?.close().catch(() => undefined);
    this.#opening = undefined;
    this.#state = OPENING;
  }
}

const shared = new WeakMap<RuntimeSource, SharedRuntime>();

export function sharedRuntime(source: RuntimeSource): SharedRuntime {
  assertOption(Object(source) === source, 'source', 'the options of openRuntime, or a function that opens a runtime');
  const known = shared.get(source) ?? new SharedRuntime(source);
  shared.set(source, known);
  return known;
}
