import type { GuestError } from '../core/errors/details.ts';
import { placeIn, readError, type SourcePlace } from './guest-error.ts';
import type { Instance } from './instance.ts';
import type { PreludeMessage } from './message.ts';
import { SOURCE_FILE } from './prelude.ts';

/** Distance to its limit that the C stack must have reached before a guest's `stack overflow` is believed. */
const STACK_NEAR_BYTES = 64 << 10;

/** The guest may claim `stack overflow` at any time; the claim holds when the stack was nearly used up. */
export function thrownBy(
  instance: Instance,
  error: GuestError,
): { readonly kind: 'stack' | 'threw'; readonly error: GuestError } {
  const deep = instance.stackLow < instance.stackLimit + STACK_NEAR_BYTES;
  const overflow = error.name === 'InternalError' && error.message === 'stack overflow';
  return { kind: deep && overflow ? 'stack' : 'threw', error };
}

/**
 * The approximate place of the guest when a limit stopped it. A lack of memory or stack is an error, which the guest
 * let through, or caught and reported. An interrupt cannot be caught; the thrown value has its stack. An async function
 * keeps the thrown value unless the call is traced, and a guest without memory cannot report a place. The place is the
 * guest's word.
 */
export function stoppedAt(
  instance: Instance,
  thrown: number,
  message: PreludeMessage | undefined,
): SourcePlace | undefined {
  if (instance.dead) return undefined;
  if (message?.tag.toLowerCase() === 't') {
    const { line, column } = readError(message.text, SOURCE_FILE);
    return line === undefined || column === undefined ? undefined : { line, column };
  }
  if (thrown === 0) return undefined;
  return placeIn(instance.text(instance.utf8(instance.member(thrown, 'stack'))), SOURCE_FILE);
}
