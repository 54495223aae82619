import { useState, useSyncExternalStore } from 'react';
import type { Runtime } from '../../workers/api.ts';
import { openRuntime, type PageOptions } from '../client.ts';
import { assertOption } from './option.ts';

export interface SuspenseOption {
  /** Suspends the component until the runtime is open, and throws the error of a failed opening. */
  readonly suspense: true;
}

/**
 * Opens a runtime for the components that use it: one for each `source`, also in StrictMode. The runtime closes two
 * seconds after its last component has unmounted, which aborts its runs. A component reads `source` at its first
 * render; a component with another `key` reads it again. On a server, and in the first render of hydration, the runtime
 * is `opening`.
 *
 * With `suspense`, returns the open runtime. `source` must then be the same object at each render, because a suspended
 * component keeps no state. On a server the component throws, and React renders the nearest `<Suspense>` in the page.
 *
 * @experimental
 */
export function useRuntime(source: RuntimeSource): RuntimeSnapshot;
export function useRuntime(source: RuntimeSource, options: SuspenseOption): Runtime;
export function useRuntime(source: RuntimeSource, options?: SuspenseOption): RuntimeSnapshot | Runtime {
  const [shared] = useState(() => sharedRuntime(source));
  const state = useSyncExternalStore(shared.subscribe, shared.snapshot, () => OPENING);
  if (options?.suspense !== true) return state;
  if (state.status === 'ready') return state.runtime;
  if (state.status === 'failed') throw state.error;
  if (typeof document === 'undefined') throw new Error('sallyport: a runtime of a page opens in the page only.');
  // React 18 and 19 wait for a promise that a component throws.
  // oxlint-disable-next-line typescript/only-throw-error
  throw shared.open();
}

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

const OPENING: RuntimeSnapshot = { status: 'opening' };

/** A runtime that opens for its first component and closes after its last. */
class SharedRuntime {
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

function sharedRuntime(source: RuntimeSource): SharedRuntime {
  assertOption(Object(source) === source, 'source', 'the options of openRuntime, or a function that opens a runtime');
  const known = shared.get(source) ?? new SharedRuntime(source);
  shared.set(source, known);
  return known;
}
