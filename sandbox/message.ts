import type { CallLimits } from '../core/limits.ts';
import type { Instance } from './instance.ts';

/** A text of the prelude: a letter as its tag, then the rest. Of a text that is too long only the length is read. */
export interface PreludeMessage {
  readonly tag: string;
  readonly text: string;
  readonly bytes: number;
}

/** Reads the message at an address of the heap; undefined for the address 0. */
export function readMessage(instance: Instance, value: number, limits: CallLimits): PreludeMessage | undefined {
  if (value === 0) return undefined;
  const utf8 = instance.utf8(value);
  if (utf8.length === 0) return { tag: '', text: '', bytes: 0 };
  const tag = String.fromCharCode(utf8[0] ?? 0);
  const bytes = utf8.length - 1;
  const text = bytes > bytesMax(tag, limits) ? '' : instance.text(utf8.subarray(1));
  return { tag, text, bytes };
}

/** Questions are quoted twice on their way out; errors are cut to size by the prelude. */
function bytesMax(tag: string, { bytesOut, powerCalls }: CallLimits): number {
  if (tag === 'v' || tag === 'V') return bytesOut;
  return tag === 'w' ? 2 * bytesOut + 256 * (powerCalls + 1) : 65_536;
}

/**
 * Reads a text of the prelude, which has a fixed form. Another form comes from a damaged heap, which never runs again.
 */
export function believe<T>(instance: Instance, read: () => T): T | undefined {
  try {
    return read();
  } catch {
    instance.dead = true;
    return undefined;
  }
}
