import { placeIn, readError, type SourcePlace } from './guest-error.ts';
import type { Instance } from './instance.ts';
import { SOURCE_FILE } from './prelude.ts';

/**
 * The approximate place of the guest when a limit stopped it. A lack of memory or stack is an error, which the guest
 * let through, or caught and reported. An interrupt cannot be caught; the thrown value has its stack. An async function
 * keeps the thrown value unless the call is traced, and a guest without memory cannot report a place. The place is the
 * guest's word.
 */
export function stoppedAt(
  instance: Instance,
  thrown: number,
  said: { readonly tag: string; readonly text: string } | undefined,
): SourcePlace | undefined {
  if (instance.dead) return undefined;
  if (said?.tag.toLowerCase() === 't') {
    const { line, column } = readError(said.text, SOURCE_FILE);
    return line === undefined || column === undefined ? undefined : { line, column };
  }
  if (thrown === 0) return undefined;
  return placeIn(instance.text(instance.utf8(instance.member(thrown, 'stack'))), SOURCE_FILE);
}
