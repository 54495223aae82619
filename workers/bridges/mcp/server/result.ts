import { isCallToolResult } from '@modelcontextprotocol/server';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json/value.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { observeRefusal, replyText } from '../../../../core/run/observe.ts';
import type { Called, CapabilityRow } from '../../../api.ts';
import { isAnswerSchema } from '../answer.ts';

/** Result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
  readonly _meta?: JsonObject;
  readonly [name: string]: unknown;
}

/** UTF-8 bytes of a refusal that a host is sent. */
const REFUSAL_BYTES = 64 << 10;

/**
 * The result of a call for its host: the value as text, and as structured content for a tool with an output schema. A
 * refusal has its code, its sentence and its details. The receipt's place in the ledger stands in `_meta`.
 */
export function resultOf(called: Called, row: CapabilityRow | undefined): ToolResult {
  const _meta = { 'sallyport/receipt': { ...called.receipt }, 'sallyport/labels': called.labels };
  if (!called.ok) return { ...refused(called.refusal), _meta };
  return { ...contentOf(called.value, row), _meta };
}

/** The result of a call that was refused, also before a gate has seen it. */
export function refused(refusal: Refusal): ToolResult {
  const text = replyText(observeRefusal(refusal), REFUSAL_BYTES);
  return { isError: true, content: [textBlock(text)] };
}

function contentOf(value: JsonValue, row: CapabilityRow | undefined): ToolResult {
  if (isAnswerSchema(row?.result) && isObject(value)) return passedOn(value);
  const isContent = row?.host?.origin?.startsWith('mcp:') === true && row.result === undefined && isObject(value);
  if (isContent && Array.isArray(value['content'])) return passedOn(value);
  const isStructured = row?.result?.['type'] === 'object' && isObject(value);
  const text = typeof value === 'string' ? value : canonicalText(value);
  return { content: [textBlock(text)], ...(isStructured && { structuredContent: value }) };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** The answer of another MCP server. Its content stays content, and stands beside its structured content. */
function passedOn({ content, structuredContent }: JsonObject): ToolResult {
  const blocks = Array.isArray(content) ? content.map(blockOf) : [textBlock(canonicalText(structuredContent ?? null))];
  return { content: blocks, ...(isObject(structuredContent) && { structuredContent }) };
}

/** A block as it came. What is no block for a host, for example a picture that was left out, is told as text. */
function blockOf(block: JsonValue): JsonObject {
  return isObject(block) && isCallToolResult({ content: [block] }) ? block : textBlock(canonicalText(block));
}
