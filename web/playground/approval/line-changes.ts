import { diffArrays } from 'diff';

/** One line of a comparison, with its line feed where it has one. */
export interface LineChange {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** A model may write what differs everywhere; beyond so many lines gone and new it is shown as one text for another. */
const EDITS_MAX = 1000;

/** What becomes of the lines of a text, in order: those that stay and go are the old one, those that stay and come the new. */
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
