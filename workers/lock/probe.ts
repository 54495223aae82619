import type { Isolation } from '../../core/ledger/kinds/run.ts';
import type { RuntimeInfo } from '../api.ts';

type Probe = RuntimeInfo['probes'][number];

/**
 * A blocked attempt fails at once, or after seconds on a machine under load. An attempt without an answer by then proves
 * no block and counts as open.
 */
const PROBE_MS = 15_000;

/**
 * Tries every exit of this worker that can be tried without a network, so that "offline" is not taken for "locked":
 * `data:` needs no server, and the last two exits only have to exist. Violation events would tell more, but two engines
 * of three do not send them. `new Worker` is not tried: under a driver of Firefox a young worker that calls it
 * sometimes never returns (2 of 100).
 */
export async function probeLock(): Promise<readonly Probe[]> {
  const tries: readonly (readonly [string, () => unknown])[] = [
    ['fetch', () => fetch('data:,x')],
    ['eval', () => (0, eval)('1')],
    ['import', () => importData()],
    ['eventsource', () => openEventSource()],
    ['navigator.serviceWorker', () => reach('serviceWorker')],
    ['navigator.storage', () => reach('storage')],
  ];
  return Promise.all(tries.map(async ([name, attempt]) => ({ name, blocked: await isBlocked(attempt) })));
}

async function isBlocked(attempt: () => unknown): Promise<boolean> {
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, PROBE_MS, 'late'));
  try {
    await Promise.race([attempt(), late]);
    return false;
  } catch {
    return true;
  }
}

/** The address is computed, so that a bundler of a page does not take it for a module: Parcel would look for it. */
function importData(): Promise<unknown> {
  return import(/* @vite-ignore */ `data:text/javascript,${Date.now()}`);
}

/** No policy header covers these exits: each worker removes them from its own global at its start. */
function reach(name: 'serviceWorker' | 'storage'): unknown {
  if (name in navigator) return (navigator as unknown as { readonly [name: string]: unknown })[name];
  throw new Error('removed');
}

function openEventSource(): Promise<void> {
  const source = new EventSource('data:text/event-stream,data:x%0A%0A');
  return new Promise<void>((resolve, reject) => {
    source.addEventListener('open', () => resolve());
    source.addEventListener('error', () => reject(new Error('blocked')));
  }).finally(() => source.close());
}

/** What the probes of a worker say about it. */
export function isolationOf(probes: readonly Probe[], development: boolean): Isolation {
  if (development) return 'development';
  return probes.every(({ blocked }) => blocked) ? 'locked' : 'unlocked';
}

/** True where a worker of this isolation may stand beside workers of the isolation `wanted`. */
export function isLockedAs(wanted: Isolation, found: Isolation): boolean {
  return found === 'locked' || found === wanted;
}

/** The probes of two workers as one: an exit is blocked where both workers found it blocked. */
export function bothProbes(one: readonly Probe[], other: readonly Probe[]): readonly Probe[] {
  const open = new Set(other.flatMap(({ name, blocked }) => (blocked ? [] : [name])));
  return one.map(({ name, blocked }) => ({ name, blocked: blocked && !open.has(name) }));
}
