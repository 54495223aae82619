import { type ReadonlySignal, signal } from '@preact/signals-core';
import { scriptPolicy } from '../../worker.ts';

/**
 * `none`: this browser keeps no files for this page. `update`: a newer build is kept, and waits to be used. `others`:
 * the newer build was requested, and other tabs are open.
 */
export type OfflineState = 'none' | 'preparing' | 'ready' | 'update' | 'others';

const state = signal<OfflineState>('none');
export const offline: ReadonlySignal<OfflineState> = state;

const READY_MS = 10_000;
let registration: ServiceWorkerRegistration | undefined;

/**
 * Keeps this build for when the server is gone. True once a service worker has this page: from then on it also adds the
 * worker's headers where the host forgot them, without a reload.
 */
export async function keepOffline(): Promise<boolean> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return false;
  state.value = 'preparing';
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, READY_MS, false));
  const isReady = await Promise.race([begin(), late]);
  if (!isReady) state.value = 'none';
  return isReady;
}

/** A slow line takes longer than the page waits; its files are kept all the same. */
async function begin(): Promise<boolean> {
  const ready = await register().catch(() => undefined);
  if (ready === undefined) return false;
  state.value = 'ready';
  watch(ready);
  lookHourly(ready);
  return true;
}

async function register(): Promise<ServiceWorkerRegistration> {
  const url = scriptPolicy().createScriptURL(new URL('service-worker.js', document.baseURI).href);
  const { serviceWorker } = navigator;
  await serviceWorker.register(url);
  const ready = await serviceWorker.ready;
  if (serviceWorker.controller === null) {
    const claimed = new Promise((resolve) =>
      serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
    );
    ready.active?.postMessage('claim');
    await claimed;
  }
  return ready;
}

/** A tab may stay open for weeks, and a browser looks for a newer build at a navigation. So this page looks, too. */
const LOOK_MS = 60 * 60 * 1000;

/** Looks for a newer build when the tab is shown and an hour has gone by. */
function lookHourly(found: ServiceWorkerRegistration): void {
  let looked = Date.now();
  const look = (): void => {
    if (document.visibilityState === 'hidden' || Date.now() - looked < LOOK_MS) return;
    looked = Date.now();
    // offline, or a build that is not whole: the present build stays
    found.update().catch(() => undefined);
  };
  document.addEventListener('visibilitychange', look);
  setInterval(look, LOOK_MS);
}

/**
 * A newer build is fetched beside the current build. It is used only when the person says so, or after every tab was
 * closed.
 */
function watch(found: ServiceWorkerRegistration): void {
  registration = found;
  const look = (): void => {
    if (found.waiting !== null) state.value = 'update';
  };
  // the worker sends no other message
  navigator.serviceWorker.onmessage = () => void (state.value = 'others');
  found.addEventListener('updatefound', () => found.installing?.addEventListener('statechange', look));
  look();
}

/** Changes to the newer build and loads it. Never called while a run is under way; waits while other tabs are open. */
export function useUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  registration?.waiting?.postMessage('take over');
}
