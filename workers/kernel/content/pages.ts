import type { FileEntry } from './file.ts';
import type { ContentRepository } from './repository.ts';

/** Place where a listing continues, and the version of the content that it lists. */
export interface Cursor {
  readonly from: number;
  readonly version: string;
}

/** Part of a long answer. Between two pages the kernel answers other requests. */
export interface ContentPage<T> {
  readonly part: T;
  readonly next?: Cursor;
}

/** UTF-16 units of section tables in a single message. Every file has at least two hundred. */
const UNITS = 1 << 20;

/** A page of values of each file, in order; undefined where the content's version differs from the cursor's. */
export async function pageOf<T>(
  repository: ContentRepository,
  cursor: Cursor | undefined,
  of: (path: string, entry: FileEntry) => T,
): Promise<ContentPage<readonly T[]> | undefined> {
  const { corpus, version } = repository;
  const paths = await corpus.paths();
  if (repository.version !== (cursor?.version ?? version))
    return cursor === undefined ? pageOf(repository, cursor, of) : undefined;
  const part: T[] = [];
  let from = cursor?.from ?? 0;
  for (let units = 0; from < paths.length && units < UNITS; from++) {
    const path = paths[from] ?? '';
    const entry = corpus.files.get(path);
    if (entry === undefined) continue;
    part.push(of(path, entry));
    units += entry.sections.length;
  }
  return { part, ...(from < paths.length && { next: { from, version } }) };
}
