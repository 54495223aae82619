import { contentHash, decodeUtf8, isObject, type JsonValue } from '../../core/index.ts';
import type { ApprovalRequest, Runtime } from '../../workers/api.ts';
import { type LineChange, lineChanges, linesOf } from './line-changes.ts';

/** The operation of a message that a person is asked about under this name. */
export const WRITES = 'content.write';

/** What a WRITE would make of what is there. */
export interface Rewriting {
  /** Line by line; nothing where what is there now is not what the model has read, and the write would be refused. */
  readonly lines: readonly LineChange[] | undefined;
  /** Exactly what would be written. */
  readonly content: string;
}

/** What the question says of the operation; its text stands in the proposal. */
interface Asked {
  readonly target: string;
  readonly path: string;
  readonly expected_hash: string;
  readonly bytes: number;
}

/**
 * Before and after of every operation of the step's proposal that this question may mean: as a rule one, and where the
 * proposal holds several that answer to the same words, all of them. Empty where its bytes are not to be had.
 */
export async function rewritingsOf(runtime: Runtime, request: ApprovalRequest): Promise<readonly Rewriting[]> {
  const asked = JSON.parse(request.args) as Asked;
  const contents = contentsOf(await proposalOf(runtime, request.run_id), asked);
  const before = await textBefore(runtime, asked);
  return contents.map((content) => ({
    content,
    lines: before === undefined ? undefined : lineChanges(before, content),
  }));
}

async function proposalOf({ ledger }: Runtime, run_id: string): Promise<string | undefined> {
  const last = (await ledger.records(run_id)).findLast((record) => record.kind === 'proposal');
  const bytes = last?.kind === 'proposal' ? await ledger.payload(run_id, last.body.payload.sha256) : undefined;
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

/** The gates have read it before: here it is only looked up, in the same normal form in which it is written. */
export function contentsOf(proposal: string | undefined, asked: Asked): readonly string[] {
  const message = proposal === undefined ? undefined : (JSON.parse(proposal) as JsonValue);
  const ops = isObject(message) && Array.isArray(message['ops']) ? message['ops'] : [];
  return ops.flatMap((op) => {
    if (!isObject(op) || op['type'] !== 'WRITE' || op['target'] !== asked.target || !isObject(op['params'])) return [];
    const { content, expected_hash } = op['params'];
    if (typeof content !== 'string' || expected_hash !== asked.expected_hash) return [];
    const written = content.replace(/\r\n?/gu, '\n');
    return utf8.encode(written).length === asked.bytes ? [written] : [];
  });
}

const utf8 = new TextEncoder();

/** What is replaced is named by its hash: the whole file, or one of its sections. Any text with that hash is the one. */
async function textBefore({ content }: Runtime, { path, expected_hash }: Asked): Promise<string | undefined> {
  const text = await content.text(path).catch(() => undefined);
  if (text === undefined || contentHash(text) === expected_hash) return text;
  const section = (await content.sections(path)).find(({ content_hash }) => content_hash === expected_hash);
  return section && linesOf(text).slice(section.line_start, section.line_end).join('');
}
