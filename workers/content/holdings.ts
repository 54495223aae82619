import { type Corpus, compareText, encodeText, type IndexedFile, type Section } from '../../core/inner.ts';
import { digest } from './digest.ts';
import { type FileEntry, parseSections } from './file.ts';

/** What is indexed, in memory: section tables packed as they are stored, and the way from a section's id to its file. */
export interface Holdings extends Corpus {
  readonly files: ReadonlyMap<string, FileEntry>;
  readonly sections: number;
  /** Takes a file's new entry for its old one; without one the file is gone. */
  set(path: string, entry: FileEntry | undefined): void;
  /** By path in the order of UTF-8 bytes. */
  paths(): readonly string[];
  /** SHA-256 of the canonical SECTION_INDEX: the same for the same files, whatever happened before. */
  indexHash(): Promise<string>;
}

/** Tables of sections that are kept as they are used, beside their packed form. */
const TABLES = 256;

export function makeHoldings(): Holdings {
  const files = new Map<string, FileEntry>();
  const ids = new Map<number, string | readonly string[]>();
  const tables = new Map<FileEntry, readonly Section[]>();
  let sections = 0;
  let sorted: readonly string[] | undefined;
  let hash: Promise<string> | undefined;

  const paths = (): readonly string[] => {
    sorted ??= [...files.keys()].toSorted(compareText);
    return sorted;
  };
  const count = (path: string, entry: FileEntry, change: (place: number, path: string) => void): number => {
    const places = placesIn(entry.sections);
    for (const place of places) change(place, path);
    return places.length;
  };
  /** The tables that were asked for lately: what is read is read again. */
  const tableOf = (entry: FileEntry): readonly Section[] => {
    const table = tables.get(entry) ?? parseSections(entry.sections);
    if (tables.size === TABLES) tables.clear();
    tables.set(entry, table);
    return table;
  };
  const file = (path: string): IndexedFile | undefined => {
    const entry = files.get(path);
    if (entry === undefined) return undefined;
    // whoever needs the text reads it from the store: here it would be all of the corpus
    return { file_path: path, content_hash: entry.content_hash, text: '', sections: tableOf(entry) };
  };

  return {
    files,
    get sections() {
      return sections;
    },
    set(path, entry) {
      const old = files.get(path);
      // other bytes of the same text, such as another line ending
      if (old !== undefined && old.sections === entry?.sections) return void files.set(path, entry);
      if (old !== undefined) sections -= count(path, old, (place, from) => forget(ids, place, from));
      if (entry !== undefined) sections += count(path, entry, (place, to) => enter(ids, place, to));
      if ((old === undefined) !== (entry === undefined)) sorted = undefined;
      if (entry === undefined) files.delete(path);
      else files.set(path, entry);
      hash = undefined;
    },
    paths,
    indexHash() {
      const packed = () => paths().map((path) => files.get(path)?.sections.slice(1, -1));
      hash ??= digest(encodeText(`[${packed().join(',')}]`));
      return hash;
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

/** 52 bits of an id: a number costs a fifth of the text. Two ids may share them, by chance or on purpose. */
function placeOf(section_id: string): number {
  return Number.parseInt(section_id.slice(0, 13), 16);
}

const MARK = '"section_id":"';

/** The places of all ids of a packed table, without reading it: in a name every quote has a backslash before it. */
function placesIn(sections: string): readonly number[] {
  const places: number[] = [];
  for (let at = sections.indexOf(MARK); at >= 0; at = sections.indexOf(MARK, at + MARK.length)) {
    places.push(placeOf(sections.slice(at + MARK.length, at + MARK.length + 13)));
  }
  return places;
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
