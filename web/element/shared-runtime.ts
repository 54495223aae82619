import type { Runtime } from '../../workers/api.ts';
import { unlessAborted } from '../../workers/async.ts';
import { definedProperties } from '../../workers/own-properties.ts';
import { openFrom, type PageOptions } from '../client.ts';
import { type Assets, assetsIn, schemaScripts } from '../engine.ts';
import { type StartedKernel, startKernel } from '../start-kernel.ts';

/** The part of an element in a runtime: `release` gives it back, and the last release closes the runtime. */
export interface SharedRuntime {
  readonly runtime: Runtime;
  readonly release: () => Promise<void>;
}

interface Entry {
  readonly opening: Promise<Runtime>;
  readonly stop: AbortController;
  readonly listeners: Set<NonNullable<PageOptions['onProgress']>>;
  users: number;
  isOpen: boolean;
}

const entries = new Map<string, Entry>();

/** A number for each object of the page: a definition may hold functions, so another object is another definition. */
const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(given: unknown): number {
  const object = Object(given) as object;
  const number = numbers.get(object) ?? ++last;
  numbers.set(object, number);
  return number;
}

/** The options of an element's own runtime. `isData`: the capabilities are JSON, and not objects of the page. */
interface Wanted {
  readonly isData: boolean;
  readonly options: Pick<PageOptions, 'capabilities' | 'grants' | 'store' | 'hold' | 'assets'>;
}

/**
 * The options as they are now, and their key. A runtime opens later than its key is made, and lives longer: without a
 * copy, a page that changes its grants would change what another element asked for. A definition that was changed is
 * another definition. Options that no runtime takes have keys, too: opening it tells what is wrong with them.
 */
function taken({ isData, options }: Wanted): { readonly key: string; readonly options: Wanted['options'] } {
  const { capabilities, ...rest } = options;
  const defined = isData || !Array.isArray(capabilities) ? undefined : capabilities.map(numberOf);
  try {
    const { grants, store, hold, assets } = structuredClone({ ...rest });
    const key = JSON.stringify([isData, defined, capabilities, grants, store, hold, assets]);
    const listed: unknown = Array.isArray(capabilities) ? capabilities.slice() : capabilities;
    return { key, options: { capabilities: listed, grants, store, hold, assets } as Wanted['options'] };
  } catch {
    return { key: `no data ${numberOf(options)}`, options };
  }
}

/**
 * Opens a runtime, or shares the runtime that another element of this page has with the same options: one kernel and its
 * sandboxes for all of them, with a run for each. Rejects as `openRuntime` does, and with the reason of `signal`, which
 * ends the opening when no other element waits for it.
 */
export async function shareRuntime(
  wanted: Wanted,
  { signal, onProgress }: Pick<PageOptions, 'signal' | 'onProgress'>,
): Promise<SharedRuntime> {
  signal?.throwIfAborted();
  const { key, options } = taken(wanted);
  const entry = entries.get(key) ?? begin(key, options);
  entry.users += 1;
  if (onProgress) entry.listeners.add(onProgress);
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    if (onProgress) entry.listeners.delete(onProgress);
    entry.users -= 1;
    if (entry.users > 0) return;
    forget(key, entry);
    if (!entry.isOpen) entry.stop.abort(signal?.reason);
    await (await entry.opening.catch(() => undefined))?.close();
  };
  try {
    return { runtime: await unlessAborted(entry.opening, signal), release };
  } catch (error) {
    // an opening that was aborted ends in its own time
    void release();
    throw error;
  }
}

function begin(key: string, options: Wanted['options']): Entry {
  const stop = new AbortController();
  const listeners: Entry['listeners'] = new Set();
  const onProgress = (share: number): void => {
    for (const listener of listeners) listener(share);
  };
  const opening = openFrom({ ...definedProperties(options), signal: stop.signal, onProgress }, takeKernel);
  const entry: Entry = { opening, stop, listeners, users: 0, isOpen: false };
  entries.set(key, entry);
  opening.then(
    () => (entry.isOpen = true),
    // the next element tries again
    () => forget(key, entry),
  );
  return entry;
}

/** A kernel that starts while the options of the next opening still load. */
interface Ahead {
  readonly key: string;
  readonly starting: Promise<StartedKernel>;
  readonly stop: AbortController;
  /** The share of a long opening that is done, and who is told of the next. */
  share: number | undefined;
  tell: (share: number) => void;
}

let ahead: Ahead | undefined;

interface Places {
  readonly store?: PageOptions['store'] | undefined;
  readonly assets?: string | undefined;
}

/**
 * Starts a kernel for the opening that follows, so that scenario, kernel, engine and schema scripts load side by side: a
 * slow network answers each request in half a second. Starts none where this page has a runtime that the element may
 * share, and none from wrong options, of which the opening tells. Returns what ends a kernel that no opening has taken.
 */
export function startAhead({ store = 'browser', assets }: Places): () => void {
  if (ahead !== undefined || entries.size > 0 || !['browser', 'memory'].includes(store)) return () => undefined;
  const stop = new AbortController();
  const tell = (share: number): void => {
    own.share = share;
    own.tell(share);
  };
  const from = placesIn(assets);
  if (from === undefined) return () => undefined;
  const starting = startKernel(from, store, tell, { signal: stop.signal });
  const own: Ahead = { key: keyOf(store, from), starting, stop, share: undefined, tell: () => undefined };
  ahead = own;
  for (const each of [own.starting, schemaScripts()]) each.catch(() => undefined);
  return () => {
    if (ahead !== own) return;
    ahead = undefined;
    stop.abort();
    own.starting.then(
      ({ end }) => end(),
      () => undefined,
    );
  };
}

/** Undefined where they name no folder. */
function placesIn(assets: string | undefined): Assets | undefined {
  try {
    return assetsIn(assets);
  } catch {
    return undefined;
  }
}

function keyOf(store: string, assets: Assets): string {
  return JSON.stringify([store, assets]);
}

/** The kernel that was started ahead for the same options, or another. */
const takeKernel: typeof startKernel = (assets, store, tell, how) => {
  const taken = ahead;
  if (taken?.key !== keyOf(store, assets)) return startKernel(assets, store, tell, how);
  ahead = undefined;
  taken.tell = tell;
  if (taken.share !== undefined) tell(taken.share);
  how?.signal?.addEventListener('abort', () => taken.stop.abort(how?.signal?.reason), { once: true });
  return taken.starting;
};

function forget(key: string, entry: Entry): void {
  if (entries.get(key) === entry) entries.delete(key);
}
