import { canonicalText } from '../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { observeRefusal, replyText } from '../../../core/run/observe.ts';
import { ToolError } from '../../../core/tool-error.ts';
import type { Called, HeldCalled } from '../../api.ts';

/** Result of a tool for an agent, in the form of MCP. */
export interface WebMcpResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
  readonly _meta?: JsonObject;
}

/** UTF-8 bytes of a refusal that an agent is sent. */
const REFUSAL_BYTES: number = 64 << 10;

/** UTF-16 units of a failed tool's text that are kept. */
const ERROR_MAX = 2000;

/** The result of a call, with the place of its receipt in the ledger. A refusal has its code, its sentence and its details. */
export function resultOf(called: Called): WebMcpResult {
  if (called.held !== undefined) return heldResult(called);
  const _meta = { 'sallyport/receipt': { ...called.receipt }, 'sallyport/labels': called.labels };
  if (!called.ok) return { ...refused(called.refusal), _meta };
  const { value } = called;
  const text = typeof value === 'string' ? value : canonicalText(value);
  return { content: [{ type: 'text', text }], ...(isObject(value) && { structuredContent: value }), _meta };
}

/** The handle of a held outcome, the same for every outcome. */
function heldResult({ held, receipt }: HeldCalled): WebMcpResult {
  const text = canonicalText({ $held: held });
  return { content: [{ type: 'text', text }], _meta: { 'sallyport/receipt': { ...receipt } } };
}

function refused(refusal: Refusal): WebMcpResult {
  return failed(replyText(observeRefusal(refusal), REFUSAL_BYTES));
}

/** A result that says why a call has none. */
export function failed(text: string): WebMcpResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/**
 * The value of a stranger's tool. A browser hands results on as text; text of an object or a list is read as JSON. A
 * result that says that it is an error is thrown.
 */
export function valueOf(answer: unknown): JsonValue {
  const value = typeof answer === 'string' ? readJson(answer) : ((answer ?? null) as JsonValue);
  if (isObject(value) && member(value, 'isError') === true)
    throw new ToolError('webmcp_tool_error', errorText(member(value, 'content')));
  return value;
}

function readJson(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function errorText(content: JsonValue | undefined): string {
  const list = Array.isArray(content) ? (content as readonly JsonValue[]) : [];
  const texts = list.map((item) => (isObject(item) ? member(item, 'text') : undefined));
  const said = texts.filter((text) => typeof text === 'string').join('\n');
  return said === ''
    ? 'The tool says that it has failed, and does not say why.'
    : said.slice(0, ERROR_MAX).toWellFormed();
}
