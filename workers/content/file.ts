import { type Section, sectionId } from '../../core/content/section.ts';
import { isHash } from '../../core/hash.ts';
import type { TableValue, TableWrite } from '../store/tables.ts';

/** One record for each file: writing costs by the record, not by the byte, so sections are no records of their own. */
export interface FileRow {
  /** SHA-256 of the bytes as they came: what tells an unchanged file without reading it. */
  readonly source_hash: string;
  /** SHA-256 of the normalised text, which is `text`. */
  readonly content_hash: string;
  readonly text: Uint8Array;
  /** The file's sections as canonical JSON: what the index hash is over, packed. */
  readonly sections: string;
}

/** What is held in memory of a file. */
export interface FileEntry extends Omit<FileRow, 'text'> {
  readonly bytes: number;
  /** Of each of its sections: what an id is looked up by. */
  readonly places: readonly number[];
}

/** A file that is to be stored: what is held of it then, and its normalised text, which may be elsewhere until then. */
export interface Filed {
  readonly entry: FileEntry;
  readonly text: () => Uint8Array;
}

/**
 * The key of a row that is no file: an empty path is none. It changes with every write, so that other tabs notice, and
 * holds the hashes of the packs that were indexed last: they stand for their files until something else is written.
 */
export const STAMP = '';

export function entryOf({ source_hash, content_hash, text, sections }: FileRow): FileEntry {
  return { source_hash, content_hash, sections, bytes: text.length, places: placesIn(sections) };
}

/**
 * 28 bits of an id: an engine keeps such a number without a box, and a map of them costs a tenth of one of texts. Two ids
 * may share them, by chance or on purpose.
 */
export function placeOf(section_id: string): number {
  return Number.parseInt(section_id.slice(0, PLACE_DIGITS), 16);
}

const PLACE_DIGITS = 7;
const MARK = '"section_id":"';

/** The places of all ids of a packed table, without reading it: in a name every quote has a backslash before it. */
function placesIn(sections: string): readonly number[] {
  const places: number[] = [];
  for (let at = sections.indexOf(MARK); at >= 0; at = sections.indexOf(MARK, at)) {
    at += MARK.length;
    places.push(placeOf(sections.slice(at, at + PLACE_DIGITS)));
  }
  return places;
}

/** Asked for the row of a text that waits elsewhere, it is made for this one time. */
export function fileWrite(path: string, filed: Filed | undefined): TableWrite {
  if (filed === undefined) return { table: 'files', key: path, value: undefined };
  const { source_hash, content_hash, sections } = filed.entry;
  return { table: 'files', key: path, value: { source_hash, content_hash, text: filed.text(), sections }, once: true };
}

/** A row as this program wrote it. Whoever can write our database can write anything: text is hashed again when read. */
export function fileRow(value: TableValue | undefined): FileRow | undefined {
  return value as FileRow | undefined;
}

/** The same text that canonical JSON gives: member names sorted, strings as JSON has them. */
export function formatSections(path: string, sections: readonly Section[]): string {
  const file = `","file_path":${JSON.stringify(path)},"heading_path":`;
  return `[${sections.map((section) => formatSection(file, section)).join(',')}]`;
}

function formatSection(
  file: string,
  { content_hash, heading_path, line_end, line_start, section_id }: Section,
): string {
  const lines = `,"line_end":${line_end},"line_start":${line_start}`;
  return `{"content_hash":"${content_hash}${file}${JSON.stringify(heading_path)}${lines},"section_id":"${section_id}"}`;
}

/**
 * The sections of a file as they are used. Whoever can write our database can write any table: one that no index makes is
 * none, so that nothing is found by it, and nothing of it comes into a record.
 */
export function soundSections(path: string, { content_hash, sections }: FileEntry): readonly Section[] {
  const table = parsed(sections);
  let line = 0;
  const isNext = (each: Section | null): boolean => {
    const fits = isSection(each) && each.file_path === path && each.line_start === line;
    // only a file without a line has a section without one: two of them would have one id
    const hasLines = table.length === 1 || (each?.line_end ?? line) > line;
    line = each?.line_end ?? line;
    return fits && hasLines;
  };
  return isHash(content_hash) && table.every(isNext) ? (table as readonly Section[]) : [];
}

function isSection(value: Section | null): value is Section {
  const { heading_path, line_start = -1, line_end = -1, content_hash } = value ?? {};
  if (!Array.isArray(heading_path) || !heading_path.every((name) => typeof name === 'string')) return false;
  if (!Number.isSafeInteger(line_end) || line_end < line_start || !isHash(content_hash)) return false;
  return value?.section_id === sectionId({ ...(value as Section) });
}

function parsed(text: string): readonly (Section | null)[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly (Section | null)[]) : [];
  } catch {
    return [];
  }
}

/** A table as it is stored, for who lists it; a text that is no list holds none. */
export function parseSections(text: string): readonly Section[] {
  return parsed(text) as readonly Section[];
}
