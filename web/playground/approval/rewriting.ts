import { contentHash } from '../../../core/index.ts';
import type { ApprovalRequest, Runtime } from '../../../workers/api.ts';
import { type LineChange, lineChanges, linesOf } from './line-changes.ts';

/** What a WRITE would make of what is there. */
export interface Rewriting {
  /** Line by line; nothing where what is there now is not what the model has read, and the write would be refused. */
  readonly lines: readonly LineChange[] | undefined;
  /** Exactly what would be written. */
  readonly content: string;
}

/** What the question says of the operation. */
interface Asked {
  readonly path: string;
  readonly expected_hash: string;
  readonly content: string;
}

/** Before and after of the operation that is asked about. */
export async function rewritingOf(runtime: Runtime, { args }: ApprovalRequest): Promise<Rewriting> {
  const asked = JSON.parse(args) as Asked;
  const before = await textBefore(runtime, asked);
  return { content: asked.content, lines: before === undefined ? undefined : lineChanges(before, asked.content) };
}

/** What is replaced is named by its hash: the whole file, or one of its sections. Any text with that hash is the one. */
async function textBefore({ content }: Runtime, { path, expected_hash }: Asked): Promise<string | undefined> {
  const text = await content.text(path).catch(() => undefined);
  if (text === undefined || contentHash(text) === expected_hash) return text;
  const section = (await content.sections(path)).find(({ content_hash }) => content_hash === expected_hash);
  return section && linesOf(text).slice(section.line_start, section.line_end).join('');
}
