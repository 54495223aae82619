import { diffArrays } from 'diff';
import { contentHash } from '../../../core/index.ts';
import type { ApprovalRequest, Runtime } from '../../../workers/api.ts';

/** The change that a WRITE would make to the current text. */
export interface Rewriting {
  /**
   * Line by line; undefined where the current text is not the text that the model has read, and the write would be
   * refused.
   */
  readonly lines: readonly LineChange[] | undefined;
  /** The exact text that would be written. */
  readonly content: string;
}

/** The members of the operation in the question. */
interface WriteTarget {
  readonly path: string;
  readonly expected_hash: string;
  readonly content: string;
}

/** Before and after of the operation that is asked about. */
export async function rewritingOf(runtime: Runtime, { args }: ApprovalRequest): Promise<Rewriting> {
  const asked = JSON.parse(args) as WriteTarget;
  const before = await textBefore(runtime, asked);
  return { content: asked.content, lines: before === undefined ? undefined : lineChanges(before, asked.content) };
}

/**
 * The replaced text is named by its hash: the whole file, or one of its sections. The first text with that hash is the
 * replaced text.
 */
async function textBefore({ content }: Runtime, { path, expected_hash }: WriteTarget): Promise<string | undefined> {
  const text = await content.text(path).catch(() => undefined);
  if (text === undefined || contentHash(text) === expected_hash) return text;
  const section = (await content.sections(path)).find(({ content_hash }) => content_hash === expected_hash);
  return section && linesOf(text).slice(section.line_start, section.line_end).join('');
}

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
