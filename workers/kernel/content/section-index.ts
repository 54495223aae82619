import type { IndexedFile } from '../../../core/content/build.ts';
import type { Section } from '../../../core/content/section.ts';
import type { Corpus } from '../../../core/content/target.ts';
import { makePace, pause } from '../../async.ts';
import { type FileEntry, placeOf, type StorableFile, soundSections } from './file.ts';
import { indexHash } from './index-hash.ts';
import { inOrder } from './order.ts';

/** Changed files; a removed file has no entry. */
export type Entries = ReadonlyMap<string, Pick<StorableFile, 'entry'> | undefined>;

/** In-memory index: section tables packed as they are stored, and the map from a section's id to its file. */
export interface CorpusIndex extends Corpus {
  readonly files: ReadonlyMap<string, FileEntry>;
  readonly sections: number;
  /** Replaces entries at once. Keeps the hash that `indexHash` computed for these very entries. */
  change(entries: Entries): void;
  /** All current paths, in the order of their UTF-8 bytes. */
  paths(): Promise<readonly string[]>;
  /**
   * SHA-256 of the canonical SECTION_INDEX, now or after these entries. It depends on the files only, not on their
   * history. Pauses, because a large corpus takes a second.
   */
  indexHash(after?: Entries): Promise<string>;
}

/** Number of parsed tables that are kept beside their packed form. */
const TABLES = 256;
const NONE: Entries = new Map();

export function makeCorpusIndex(): CorpusIndex {
  const files = new Map<string, FileEntry>();
  const ids = new Map<number, string | readonly string[]>();
  const tables = new Map<FileEntry, readonly Section[]>();
  let sections = 0;
  let sorted: Promise<readonly string[]> | undefined;
  let hashed: { readonly after: Entries; readonly hash: Promise<string> } | undefined;

  const paths = (): Promise<readonly string[]> => {
    sorted ??= inOrder([...files.keys()]);
    return sorted;
  };
  /** Parsed table of a file; recently used tables are kept, because they are often read again. */
  const tableOf = (path: string, entry: FileEntry): readonly Section[] => {
    const table = tables.get(entry) ?? soundSections(path, entry);
    if (tables.size === TABLES) tables.clear();
    tables.set(entry, table);
    return table;
  };
  const file = (path: string): IndexedFile | undefined => {
    const entry = files.get(path);
    if (entry === undefined) return undefined;
    // Without the text, which would be the whole corpus; a caller that needs it reads the store.
    return { file_path: path, content_hash: entry.content_hash, text: '', sections: tableOf(path, entry) };
  };

  function set(path: string, entry: FileEntry | undefined): void {
    const old = files.get(path);
    if (old?.sections !== entry?.sections) {
      for (const place of old?.places ?? []) forget(ids, place, path);
      for (const place of entry?.places ?? []) enter(ids, place, path);
      sections += (entry?.places.length ?? 0) - (old?.places.length ?? 0);
    }
    if ((old === undefined) !== (entry === undefined)) sorted = undefined;
    if (entry === undefined) files.delete(path);
    else files.set(path, entry);
  }

  /** Hashes the state of this moment; changes during the pauses are not included. */
  async function hashAfter(after: Entries): Promise<string> {
    const tables = new Map<string, Pick<FileEntry, 'sections'>>(files);
    let order = after.size === 0 ? paths() : undefined;
    if (order === undefined) {
      for (const [path, filed] of after) {
        if (filed === undefined) tables.delete(path);
        else tables.set(path, filed.entry);
      }
      order = inOrder([...tables.keys()]);
    }
    return indexHash((await order).map((path) => tables.get(path)?.sections ?? ''));
  }

  return {
    files,
    get sections() {
      return sections;
    },
    change(entries) {
      for (const [path, filed] of entries) set(path, filed?.entry);
      if (entries.size > 0) hashed = hashed?.after === entries ? { ...hashed, after: NONE } : undefined;
    },
    paths,
    indexHash(after = NONE) {
      if (hashed?.after !== after) hashed = { after, hash: hashAfter(after) };
      return hashed.hash;
    },
    file,
    fileOf(section_id) {
      const found = ids.get(placeOf(section_id));
      for (const path of typeof found === 'string' ? [found] : (found ?? [])) {
        const indexed = file(path);
        if (indexed?.sections.some((section) => section.section_id === section_id)) return indexed;
      }
      return undefined;
    },
  };
}

/** A changed copy of the index, made with pauses: for a change that is larger than the rest. */
export async function changedCopy({ files }: CorpusIndex, entries: Entries): Promise<CorpusIndex> {
  const [made, isDue] = [makeCorpusIndex(), makePace()];
  const kept = [...files].flatMap(([path, entry]) => (entries.has(path) ? [] : [[path, { entry }] as const]));
  for (const each of [...kept, ...entries]) {
    made.change(new Map([each]));
    if (isDue(each[1]?.entry.sections.length ?? 0)) await pause();
  }
  return made;
}

type Ids = Map<number, string | readonly string[]>;

function enter(ids: Ids, place: number, path: string): void {
  const there = ids.get(place);
  if (there === undefined) ids.set(place, path);
  else ids.set(place, [...(typeof there === 'string' ? [there] : there), path]);
}

function forget(ids: Ids, place: number, path: string): void {
  const there = ids.get(place);
  if (there === undefined || there === path) ids.delete(place);
  else if (typeof there !== 'string') ids.set(place, there.toSpliced(there.indexOf(path), 1));
}
