import { refuse } from '../errors.ts';
import { isHash } from '../hash.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { IndexedFile } from './build.ts';
import type { Section } from './section.ts';
import { contentHash, lineCount, lineEnd } from './text.ts';

/** Lookups of the indexed files: by path, and by the id of a section. */
export interface Corpus {
  file(path: string): IndexedFile | undefined;
  fileOf(section_id: string): IndexedFile | undefined;
}

/** Target of a symbol or a section id: consecutive leaf sections of a file. */
export interface Target {
  readonly symbol_or_section_id: string;
  readonly target_type: SymbolRow['target_type'];
  readonly file_path: string;
  readonly sections: readonly Section[];
  readonly line_start: number;
  readonly line_end: number;
  /** Absent for a section id: its slice is always named. */
  readonly default_slice_policy?: string;
}

/** Current target of the symbol; `target_gone` where its file or its section is no longer indexed. */
export function resolveSymbol(row: SymbolRow, file: IndexedFile | undefined): Outcome<Target> {
  const { symbol_id, target_type, target_ref, default_slice_policy } = row;
  const sections = file === undefined ? [] : covered(target_type, target_ref, file);
  if (sections.length === 0) return refuse('target_gone', { symbol: symbol_id });
  return pass({ ...spanning(symbol_id, target_type, sections), default_slice_policy });
}

/** Target of a section id: a single leaf section. */
export function resolveSection(section_id: string, file: IndexedFile | undefined): Outcome<Target> {
  const sections = file === undefined ? [] : covered('SECTION', section_id, file);
  return sections.length === 0
    ? refuse('section_unknown', { section_id })
    : pass(spanning(section_id, 'SECTION', sections));
}

/** The file that a row refers to, if it is indexed. */
export function fileBehind(
  { target_type, target_ref }: Omit<SymbolRow, 'symbol_id'>,
  corpus: Corpus,
): IndexedFile | undefined {
  return target_type === 'FILE' ? corpus.file(target_ref) : corpus.fileOf(target_ref);
}

/** A HEADING is its section and all its descendants: the run of leaves behind it whose heading stands deeper. */
function covered(
  type: SymbolRow['target_type'],
  ref: string,
  { file_path, sections }: IndexedFile,
): readonly Section[] {
  if (type === 'FILE') return ref === file_path ? sections : [];
  const from = isHash(ref) ? sections.findIndex((section) => section.section_id === ref) : -1;
  const first = sections[from];
  if (first === undefined) return [];
  if (type === 'SECTION') return [first];
  const depth = first.heading_path.length;
  const next = sections.findIndex((section, index) => index > from && section.heading_path.length <= depth);
  return depth === 0 ? [] : sections.slice(from, next < 0 ? sections.length : next);
}

function spanning(
  symbol_or_section_id: string,
  target_type: SymbolRow['target_type'],
  sections: readonly Section[],
): Target {
  const { file_path = '', line_start = 0 } = sections[0] ?? {};
  const { line_end = 0 } = sections.at(-1) ?? {};
  return { symbol_or_section_id, target_type, file_path, sections, line_start, line_end };
}

/** The text of a target, and where its sections lie in it. */
interface TargetText {
  readonly text: string;
  /** Offset behind each of the target's sections, in UTF-16 units of `text`. */
  readonly ends: readonly number[];
}

/**
 * Cuts the target out of its file's text as it is now. Every section's hash is taken again: a text that differs from
 * the indexed text is refused with `content_changed`, a text that is too short with `section_range`.
 */
export function targetText(target: Target, text: string): Outcome<TargetText> {
  const { file_path: path, sections, line_start, target_type } = target;
  const ends: number[] = [];
  const start = offsetOf(text, 0, line_start);
  let at = start;
  for (const { line_start: from, line_end, content_hash: expected } of sections) {
    const end = offsetOf(text, at, line_end - from);
    if (end === undefined) return refuse('section_range', { path, line_end, lines: lineCount(text) });
    if (contentHash(text.slice(at, end)) !== expected) return refuse('content_changed', { path, expected });
    ends.push(end - (start ?? 0));
    at = end;
  }
  if (target_type === 'FILE' && at !== text.length)
    return refuse('section_range', { path, line_end: target.line_end, lines: lineCount(text) });
  return pass({ text: text.slice(start, at), ends });
}

/** Offset behind so many lines from `start` on; undefined where the text ends before. */
function offsetOf(text: string, start: number | undefined, lines: number): number | undefined {
  let at = start;
  for (let left = lines; left > 0; left--) {
    if (at === undefined || at >= text.length) return undefined;
    at = lineEnd(text, at);
  }
  return at;
}

/** Catalytic Chat Contract, Symbol. */
export interface SymbolRow {
  readonly symbol_id: string;
  readonly target_type: 'SECTION' | 'FILE' | 'HEADING';
  /** The id of a section, for a HEADING that of its first; for a FILE its path. */
  readonly target_ref: string;
  readonly default_slice_policy: string;
}

/** `@` and two or more segments: never a path that could leave its place. */
const SYMBOL = /^@[A-Za-z0-9._-]{1,64}(?:\/[A-Za-z0-9._-]{1,64})+$/;

/** True for the only spelling of a symbol: no segment is `.` or `..`. Catalytic Chat Contract, Symbol. */
export function isSymbol(value: string): boolean {
  return (
    SYMBOL.test(value) &&
    !value
      .slice(1)
      .split('/')
      .some((segment) => segment === '.' || segment === '..')
  );
}
