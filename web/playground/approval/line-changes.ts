import { diffArrays } from 'diff';

/** A line of a comparison, with its line feed if it has one. */
export interface LineChange {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/**
 * A model may send a text that differs in every line. Beyond this number of changed lines the comparison shows the
 * whole old text and the whole new text.
 */
const EDITS_MAX = 1000;

/**
 * The lines of both texts, in order. The kept and removed lines are the old text; the kept and added lines are the new
 * text.
 */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(a, b, { maxEditLength: EDITS_MAX });
  if (parts === undefined) return [...as('gone', a), ...as('new', b)];
  return parts.flatMap(({ added, removed, value }) => as(added ? 'new' : removed ? 'gone' : 'same', value));
}

export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function as(kind: LineChange['kind'], lines: readonly string[]): readonly LineChange[] {
  return lines.map((text) => ({ kind, text }));
}
