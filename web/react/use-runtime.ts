import { useState, useSyncExternalStore } from 'react';
import type { Runtime } from '../../workers/api.ts';
import { OPENING, type RuntimeSnapshot, type RuntimeSource, sharedRuntime } from './shared-runtime.ts';

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
