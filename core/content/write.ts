import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { type Outcome, pass } from '../outcome.ts';
import { type IndexedFile, indexText } from './build.ts';
import type { Section } from './section.ts';
import type { SymbolRow } from './symbols.ts';
import { type Target, targetText } from './target.ts';
import { contentHash, lineEnd, withLineFeeds } from './text.ts';

/** What a message has written to a file and not yet committed. */
export interface Staged {
  /** As it was before the first operation. */
  readonly before: IndexedFile;
  readonly after: IndexedFile;
  /** The symbols that stand for this file or its sections, as they were bound before, and as they are after it. */
  readonly was: readonly SymbolRow[];
  readonly rows: readonly SymbolRow[];
}

/**
 * Replaces what the target covers, if its text is still the one that was read: compare and set, on hashes. Refuses
 * with `content_changed`, and with `content_unended` what would run into the section behind it.
 */
export function stage(staged: Staged, target: Target, content: string, expected: string): Outcome<Staged> {
  const { after } = staged;
  const current = targetText(target, after.text);
  if (!current.ok) return current;
  const found = contentHash(current.value.text);
  if (found !== expected) return refuse('content_changed', { path: after.file_path, expected, found });
  const start = offsetOfLine(after.text, target.line_start);
  const rest = after.text.slice(start + current.value.text.length);
  const written = withLineFeeds(content);
  if (rest !== '' && written !== '' && !written.endsWith('\n'))
    return refuse('content_unended', { path: after.file_path });
  const next = indexText(after.file_path, after.text.slice(0, start) + written + rest);
  if (!next.ok) return next;
  return pass({ ...staged, after: next.value, rows: rebind(staged.rows, after, next.value, target) });
}

/** What became of the symbols of a file: bound to another section, or to one that is gone. */
export function rebound({ after, was, rows }: Staged): Rebound[] {
  const ids = new Set(after.sections.map((section) => section.section_id));
  return was.flatMap(({ symbol_id, target_type, target_ref: from }, index) => {
    const to = rows[index]?.target_ref ?? from;
    if (target_type === 'FILE' || ids.has(from)) return to === from ? [] : [{ symbol_id, from, to }];
    return [{ symbol_id, from, ...(to === from ? {} : { to }) }];
  });
}

export interface Rebound {
  readonly symbol_id: string;
  readonly from: string;
  /** Absent: it stands for nothing any more. */
  readonly to?: string;
}

function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 0; left--) at = lineEnd(text, at);
  return at;
}

/**
 * Symbols after a file has changed: the one that was written through stands for what was written; one whose section
 * only moved, same headings and same text and only one like it, moves with it; all others keep an id that is gone.
 */
function rebind(rows: readonly SymbolRow[], before: IndexedFile, after: IndexedFile, written: Target): SymbolRow[] {
  const [was, is] = [byContent(before.sections), byContent(after.sections)];
  return rows.map((row) => {
    if (row.target_type === 'FILE') return row;
    if (row.symbol_id === written.symbol_or_section_id) {
      const now = after.sections.find((section) => section.line_start === written.line_start);
      return now === undefined ? row : { ...row, target_ref: now.section_id };
    }
    const old = before.sections.find((section) => section.section_id === row.target_ref);
    const alike = old === undefined ? '' : contentKey(old);
    const [moved, twin] = is.get(alike) ?? [];
    const isOne = moved !== undefined && twin === undefined && was.get(alike)?.length === 1;
    return isOne ? { ...row, target_ref: moved.section_id } : row;
  });
}

function contentKey({ heading_path, content_hash }: Section): string {
  return content_hash + canonicalText(heading_path);
}

function byContent(sections: readonly Section[]): ReadonlyMap<string, readonly Section[]> {
  const found = new Map<string, Section[]>();
  for (const section of sections) {
    const alike = found.get(contentKey(section));
    if (alike === undefined) found.set(contentKey(section), [section]);
    else alike.push(section);
  }
  return found;
}
