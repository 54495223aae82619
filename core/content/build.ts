import { refuse } from '../errors.ts';
import { hashTexts } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { BYTES, demand, OBJECT, type OptionType, STRING } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { checkPath, extractSections, type Section } from './section.ts';
import { contentHash, normalizeText, sortTexts } from './text.ts';

export interface SourceFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A file as it is stored: its normalised text with its section table. */
export interface IndexedFile {
  readonly file_path: string;
  /** Hash of the whole text. */
  readonly content_hash: string;
  readonly text: string;
  readonly sections: readonly Section[];
}

/** Index of a corpus: its sections, and a hash that identifies it. */
export interface SectionIndex {
  readonly sections: readonly Section[];
  readonly index_hash: string;
}

/** Indexes one file. Refuses, by name, a file that is not UTF-8 and a bad path. */
export function indexFile({ path, bytes }: SourceFile): Outcome<IndexedFile> {
  demand('path', path, STRING);
  demand('bytes', bytes, BYTES);
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  const text = normalizeText(bytes);
  if (text.ok) return indexText(path, text.value);
  const { details } = text.refusal;
  return refuse('content_utf8', { offset: details['offset'] as number, path });
}

/** Indexes text that is normalised already, for example by a WRITE operation. */
export function indexText(path: string, text: string): Outcome<IndexedFile> {
  const sections = extractSections(path, text);
  if (!sections.ok) return sections;
  return pass({ file_path: path, content_hash: contentHash(text), text, sections: sections.value });
}

/**
 * The index of all these files. Refuses, by name, the first file that cannot be indexed. The same files give the same
 * index in any order. Only a single file is held at a time.
 *
 * @see Catalytic Chat Contract, Determinism Requirements
 */
export function buildIndex(files: Iterable<SourceFile>): Outcome<SectionIndex> {
  demand('files', files, FILES);
  const tables = new Map<string, readonly Section[]>();
  for (const file of files) {
    demand('files', file, OBJECT);
    if (tables.has(file.path)) return refuse('path_twice', { path: file.path.toWellFormed() });
    const indexed = indexFile(file);
    if (!indexed.ok) return indexed;
    tables.set(file.path, indexed.value.sections);
  }
  return pass(joinIndex(tables));
}

const FILES: OptionType = ['a list of {path, bytes}', (value) => Symbol.iterator in Object(value)];

/** The index made of the section tables of its files: by path in the order of UTF-8 bytes, then by line. */
function joinIndex(tables: ReadonlyMap<string, readonly Section[]>): SectionIndex {
  const sections = sortTexts([...tables.keys()]).flatMap((path) => tables.get(path) ?? []);
  // row by row: the table of a large corpus is longer than a string may be
  const hash = hashTexts();
  sections.forEach((section, nth) => hash.add(`${nth === 0 ? '[' : ','}${canonicalText(section)}`));
  hash.add(sections.length === 0 ? '[]' : ']');
  return { sections, index_hash: hash.end() };
}
