import { isCallToolResult } from '@modelcontextprotocol/server';
import { canonicalText } from '../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { observeRefusal, replyText } from '../../../core/run/observe.ts';
import type { Called, CapabilityRow } from '../../api.ts';

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

/** The result of a call that no gate has seen. */
function refused(refusal: Refusal): ToolResult {
  const text = replyText(observeRefusal(refusal), REFUSAL_BYTES);
  return { isError: true, content: [textBlock(text)] };
}

/** A result that says why a call has none. */
export function failed(text: string): ToolResult {
  return { isError: true, content: [textBlock(text)] };
}

function contentOf(value: JsonValue, row: CapabilityRow | undefined): ToolResult {
  const passed = row?.host?.origin?.startsWith('mcp:') === true ? passedOn(value) : undefined;
  if (passed !== undefined) return passed;
  const isStructured = row?.result?.['type'] === 'object' && isObject(value);
  const text = typeof value === 'string' ? value : canonicalText(value);
  return { content: [textBlock(text)], ...(isStructured && { structuredContent: value }) };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** The content of another MCP server's result, which the host is sent as content. */
function passedOn(value: JsonValue): ToolResult | undefined {
  if (!isObject(value) || !Array.isArray(value['content'])) return undefined;
  const { content, structuredContent, ...rest } = value;
  const passed = { content, ...(structuredContent !== undefined && { structuredContent }) };
  return Object.keys(rest).length === 0 && isCallToolResult(passed) ? (passed as ToolResult) : undefined;
}
