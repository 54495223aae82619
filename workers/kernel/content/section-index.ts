import type { IndexedFile } from '../../../core/content/build.ts';
import type { Section } from '../../../core/content/section.ts';
import type { Corpus } from '../../../core/content/target.ts';
import { compareText, sortTexts } from '../../../core/content/text.ts';
import { hashTexts } from '../../../core/hash.ts';
import { makePace, pause } from '../../async.ts';
import { digest, type FileEntry, placeOf, type StorableFile, soundSections } from './file.ts';

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

/** UTF-16 units that the platform hashes at once: several times as fast, but it may block the thread for some 50 ms. */
const WHOLE = 1 << 25;

/** SHA-256 of the canonical SECTION_INDEX of these packed tables, in their order. Pauses as it goes. */
export async function indexHash(tables: readonly string[], whole: number = WHOLE): Promise<string> {
  const units = tables.reduce((sum, { length }) => sum + length, 0);
  const [hash, isDue] = [units > whole ? hashTexts() : gather(units + 1), makePace()];
  hash.add('[');
  for (const [nth, table] of tables.entries()) {
    if (nth > 0) hash.add(',');
    hash.add(table.slice(1, -1));
    if (isDue(table.length)) await pause();
  }
  hash.add(']');
  return hash.end();
}

/**
 * Collects the text for the platform's hash, which takes all of it at once. A unit is at most three bytes; unwritten
 * pages take no memory.
 */
function gather(units: number): { add(text: string): void; end(): Promise<string> } {
  const [utf8, bytes] = [new TextEncoder(), new Uint8Array(3 * units)];
  let end = 0;
  return {
    add(text) {
      end += utf8.encodeInto(text, bytes.subarray(end)).written;
    },
    end: () => digest(bytes.subarray(0, end)),
  };
}

/** Texts that are sorted in a single run. */
const RUN = 2_048;
/** Texts that are merged between two looks at the clock. */
const LOOK = 256;

/** Sorts by UTF-8 bytes, with pauses: the paths of a large corpus take a tenth of a second. */
export async function inOrder(texts: readonly string[]): Promise<readonly string[]> {
  const isDue = makePace();
  let runs: (readonly string[])[] = [];
  for (let from = 0; from < texts.length; from += RUN) {
    runs.push(sortTexts(texts.slice(from, from + RUN)));
    if (isDue(0)) await pause();
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let nth = 0; nth < runs.length; nth += 2)
      merged.push(await mergedOf(runs[nth] ?? [], runs[nth + 1] ?? [], isDue));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedOf(
  one: readonly string[],
  other: readonly string[],
  isDue: (done: number) => boolean,
): Promise<readonly string[]> {
  const [last, first] = [one.at(-1), other[0]];
  // The store's order is the same, except for characters beyond U+FFFF.
  if (last === undefined || first === undefined || compareText(last, first) <= 0) return [...one, ...other];
  const all: string[] = [];
  for (let [x, y] = [0, 0]; all.length < one.length + other.length; ) {
    const [a, b] = [one[x], other[y]];
    const isFirst = b === undefined || (a !== undefined && compareText(a, b) <= 0);
    all.push((isFirst ? a : b) as string);
    if (isFirst) x++;
    else y++;
    if (all.length % LOOK === 0 && isDue(0)) await pause();
  }
  return all;
}
