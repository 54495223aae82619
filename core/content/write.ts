import { refuse } from '../errors.ts';
import { type Outcome, pass } from '../outcome.ts';
import { type IndexedFile, indexText } from './build.ts';
import { checkNeighbours } from './neighbours.ts';
import { type Change, isGone, rebindFile, rebindSection } from './rebind.ts';
import type { SymbolRow } from './symbol.ts';
import { type Target, targetText } from './target.ts';
import { contentHash, lineEnd, withLineFeeds } from './text.ts';

/** What a message has written to a file and not yet committed. */
export interface StagedFile {
  /** As it was before the first operation. */
  readonly before: IndexedFile;
  readonly after: IndexedFile;
  /** The symbols that stand for this file or its sections, as they were bound before, and as they are after it. */
  readonly was: readonly SymbolRow[];
  readonly rows: readonly SymbolRow[];
}

/**
 * Replaces what the target covers, if its text is still the one that was read: compare and set, on hashes. Refuses with
 * `content_changed`, with `content_unended` a text that would run into the section behind it, with `content_neighbour`
 * a text that would change another section, and with `target_gone` a target that is no section of the file any more.
 *
 * @see Catalytic Chat Contract, Symbol: an unresolvable target fails
 */
export function stage(staged: StagedFile, target: Target, content: string, expected: string): Outcome<StagedFile> {
  const { after: before } = staged;
  const path = before.file_path;
  const current = targetText(target, before.text);
  if (!current.ok && current.refusal.code !== 'content_changed') return current;
  if (!current.ok || contentHash(current.value.text) !== expected) return refuse('content_changed', { path, expected });
  const start = offsetOfLine(before.text, target.line_start);
  const rest = before.text.slice(start + current.value.text.length);
  const written = withLineFeeds(content);
  if (rest !== '' && written !== '' && !written.endsWith('\n')) return refuse('content_unended', { path });
  const after = indexText(path, before.text.slice(0, start) + written + rest);
  if (!after.ok) return after;
  const rows = rebind(staged.rows, { before, after: after.value }, target);
  return rows.ok ? pass({ ...staged, after: after.value, rows: rows.value }) : rows;
}

function rebind(rows: readonly SymbolRow[], change: Change, target: Target): Outcome<readonly SymbolRow[]> {
  if (target.target_type === 'FILE') return pass(rebindFile(rows, change));
  const index = change.before.sections.findIndex(({ section_id }) => section_id === target.sections[0]?.section_id);
  if (index < 0) return refuse('target_gone', { symbol: target.symbol_or_section_id });
  const replaced = checkNeighbours(change.before, change.after, index);
  return replaced.ok ? pass(rebindSection(rows, change, replaced.value, target)) : replaced;
}

/** The symbols of a file that its change has bound to another section, or to none. */
export function rebound({ was, rows }: StagedFile): Rebound[] {
  return was.flatMap(({ symbol_id, target_ref: from }, index) => {
    const to = rows[index]?.target_ref ?? from;
    if (to === from) return [];
    return [{ symbol_id, from, ...(isGone(to) ? {} : { to }) }];
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
