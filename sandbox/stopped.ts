import { placeIn, readError, type SourcePlace } from './guest-error.ts';
import type { Instance } from './instance.ts';
import { SOURCE_FILE } from './prelude.ts';

/**
 * About where the guest was when a limit stopped it. Memory and stack run out as an error, which it let through or caught
 * and said; an interrupt cannot be caught, and leaves the stack with what was thrown. An async function keeps that to
 * itself unless the call is traced, and a guest without any memory has none to say where. All of it is the guest's word.
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
