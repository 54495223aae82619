import type { Section } from '../../core/index.ts';
import type { TableValue, TableWrite } from '../tables.ts';

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
}

/**
 * The key of a row that is no file: an empty path is none. It changes with every write, so that other tabs notice, and
 * holds the hashes of the packs that were indexed last: they stand for their files until something else is written.
 */
export const STAMP = '';

export function entryOf({ source_hash, content_hash, text, sections }: FileRow): FileEntry {
  return { source_hash, content_hash, sections, bytes: text.length };
}

export function fileWrite(path: string, row: FileRow | undefined): TableWrite {
  // a copy of a type with an index, which an interface has not
  return { table: 'files', key: path, value: row === undefined ? undefined : { ...row } };
}

/** A row as this program wrote it. Whoever can write our database can write anything: text is hashed again when read. */
export function fileRow(value: TableValue | undefined): FileRow | undefined {
  return value as FileRow | undefined;
}

/** The same text that canonical JSON gives: member names sorted, strings as JSON has them. */
export function formatSections(sections: readonly Section[]): string {
  return `[${sections.map(formatSection).join(',')}]`;
}

function formatSection({ content_hash, file_path, heading_path, line_end, line_start, section_id }: Section): string {
  const path = `"file_path":${JSON.stringify(file_path)},"heading_path":${JSON.stringify(heading_path)}`;
  const lines = `"line_end":${line_end},"line_start":${line_start}`;
  return `{"content_hash":"${content_hash}",${path},${lines},"section_id":"${section_id}"}`;
}

export function parseSections(text: string): readonly Section[] {
  return JSON.parse(text) as readonly Section[];
}
