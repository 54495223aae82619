import { misuse } from '../core/sallyport-error.ts';

/**
 * Loads a part of the package that is a file of its own. Rejects with `part_unloaded`: a page that was open while its site
 * was deployed anew asks for files that are gone, and the browser names no reason.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw misuse('part_unloaded', { reason: error instanceof Error ? error.message : String(error) });
  }
}
