import type { FileEntry } from './file.ts';
import type { Shelf } from './repository.ts';

/** Where an answer goes on, and which state of the content it is of. */
export interface Cursor {
  readonly from: number;
  readonly version: string;
}

/** Part of an answer that is too long for one message: whoever else asks meanwhile is answered in between. */
export interface Page<T> {
  readonly part: T;
  readonly next?: Cursor;
}

/** UTF-16 units of section tables in one message. No file has less than two hundred. */
const UNITS = 1 << 20;

/** Something of each file, in order, some files at a time; undefined where the content is no longer what it was. */
export async function pageOf<T>(
  shelf: Shelf,
  cursor: Cursor | undefined,
  of: (path: string, entry: FileEntry) => T,
): Promise<Page<readonly T[]> | undefined> {
  const { holdings, version } = shelf;
  const paths = await holdings.paths();
  if (shelf.version !== (cursor?.version ?? version))
    return cursor === undefined ? pageOf(shelf, cursor, of) : undefined;
  const part: T[] = [];
  let from = cursor?.from ?? 0;
  for (let units = 0; from < paths.length && units < UNITS; from++) {
    const path = paths[from] ?? '';
    const entry = holdings.files.get(path);
    if (entry === undefined) continue;
    part.push(of(path, entry));
    units += entry.sections.length;
  }
  return { part, ...(from < paths.length && { next: { from, version } }) };
}
