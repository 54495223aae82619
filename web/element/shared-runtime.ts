import type { Runtime } from '../../workers/api.ts';
import { unlessAborted } from '../../workers/async.ts';
import { definedProperties } from '../../workers/own-properties.ts';
import { openRuntime, type PageOptions } from '../client.ts';

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
  const opening = openRuntime({ ...definedProperties(options), signal: stop.signal, onProgress });
  const entry: Entry = { opening, stop, listeners, users: 0, isOpen: false };
  entries.set(key, entry);
  opening.then(
    () => (entry.isOpen = true),
    // the next element tries again
    () => forget(key, entry),
  );
  return entry;
}

function forget(key: string, entry: Entry): void {
  if (entries.get(key) === entry) entries.delete(key);
}
