import { type Section, sectionId } from '../../../core/content/section.ts';
import { isHash, sha256Hex } from '../../../core/hash.ts';
import type { TableValue, TableWrite } from '../../store/tables.ts';

/**
 * Stored record of a file. Writing costs by the record, not by the byte, so a file's sections are part of its record.
 */
export interface FileRow {
  /** SHA-256 of the original bytes: recognises an unchanged file without reading it. */
  readonly source_hash: string;
  /** SHA-256 of the normalised text, which is `text`. */
  readonly content_hash: string;
  readonly text: Uint8Array;
  /** The file's sections as canonical JSON, packed as the index hash takes them. */
  readonly sections: string;
}

/** In-memory data of a file. */
export interface FileEntry extends Omit<FileRow, 'text'> {
  readonly bytes: number;
  /** Short forms of its section ids; a lookup by id uses them. */
  readonly places: readonly number[];
}

/** A file that will be stored: its entry, and its normalised text, which may be in a spill file until then. */
export interface StorableFile {
  readonly entry: FileEntry;
  readonly text: () => Uint8Array;
}

/**
 * Key of the stamp row; a file's path is never empty. The stamp changes with every write, so that other tabs notice,
 * and holds the hashes of the packs that were indexed last. The next write replaces them.
 */
export const STAMP = '';

export function entryOf({ source_hash, content_hash, text, sections }: FileRow): FileEntry {
  return { source_hash, content_hash, sections, bytes: text.length, places: placesIn(sections) };
}

/**
 * 28 bits of a section id. An engine stores this number without a box, and a map of them takes a tenth of the memory of
 * a map of texts. Two ids may share the bits, by chance or on purpose.
 */
export function placeOf(section_id: string): number {
  return Number.parseInt(section_id.slice(0, PLACE_DIGITS), 16);
}

const PLACE_DIGITS = 7;
const MARK = '"section_id":"';

/**
 * The places of all ids in a packed table, without parsing it: a quote inside a name always has a backslash before it.
 */
function placesIn(sections: string): readonly number[] {
  const places: number[] = [];
  for (let at = sections.indexOf(MARK); at >= 0; at = sections.indexOf(MARK, at)) {
    at += MARK.length;
    places.push(placeOf(sections.slice(at, at + PLACE_DIGITS)));
  }
  return places;
}

/** Row of a file. A text in a spill file is read when the row is made. */
export function fileWrite(path: string, filed: StorableFile | undefined): TableWrite {
  if (filed === undefined) return { table: 'files', key: path, value: undefined };
  const { source_hash, content_hash, sections } = filed.entry;
  return { table: 'files', key: path, value: { source_hash, content_hash, text: filed.text(), sections }, once: true };
}

/** A row in this program's form. Another program can write the database, so text is hashed again when it is read. */
export function fileRow(value: TableValue | undefined): FileRow | undefined {
  return value as FileRow | undefined;
}

/** Canonical JSON text of sections: member names sorted, strings as JSON has them. */
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
 * Parsed sections of a file. Another program can write the database: a table that no index could produce counts as
 * empty, so that no search finds it and no record includes it.
 */
export function soundSections(path: string, { content_hash, sections }: FileEntry): readonly Section[] {
  const table = parsed(sections);
  let line = 0;
  const isNext = (each: Section | null): boolean => {
    const fits = isSection(each) && each.file_path === path && each.line_start === line;
    // Only a file without lines has a section without lines: two empty sections would share an id.
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

/** Parses a stored table, for listings; a text that is not a list has no sections. */
export function parseSections(text: string): readonly Section[] {
  return parsed(text) as readonly Section[];
}

/** From this size on the platform's hash is faster than ours, its wait included. */
const LARGE = 4096;

/** SHA-256 in hex. Without a secure context the platform has no hash, and ours serves. */
export async function digest(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= LARGE || globalThis.crypto?.subtle === undefined) return sha256Hex(bytes);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
