import { canonicalText } from '../../../../core/json/canonical.ts';
import { utf8Length } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { TOOL_LIMITS } from '../../../../core/limits.ts';
import type { McpContent } from './api.ts';
import { McpFailure } from './failure.ts';

/** Characters of base64 that are kept of an answer's images, sounds and files. A result of a tool has at most 1 MiB in all. */
const BINARY_MAX: number = 512 << 10;

/** Characters of an error that are kept. */
const ERROR_MAX = 2000;

/** The answer of a `tools/call`, as far as it is read here. */
export interface CallAnswer {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** What the value of a call is: the structured content of a tool with an output schema, or the whole answer. */
export type AnswerForm = 'structured' | 'whole';

/** The value of a call. An answer that says that it is an error is thrown. */
export function valueOf(answer: CallAnswer, form: AnswerForm): JsonValue {
  const content = contentOf(answer.content ?? []);
  if (answer.isError === true) throw new McpFailure('mcp_tool_error', errorText(content));
  const structured = answer.structuredContent as JsonValue | undefined;
  if (form === 'structured') return structured ?? null;
  if (structured === undefined) return { content } satisfies McpContent;
  const whole = { content, structuredContent: structured } satisfies McpContent;
  return utf8Length(canonicalText(whole)) > TOOL_LIMITS.bytesOut ? { structuredContent: structured } : whole;
}

/** Content as data: its kinds keep the members that say something, and lose annotations, icons and `_meta`. */
export function contentOf(list: readonly unknown[]): readonly JsonObject[] {
  const room = makeRoom();
  return list.filter(isObject).map((item) => itemOf(item, room));
}

/** Contents of resources as data. */
export function resourcesOf(list: readonly unknown[]): readonly JsonObject[] {
  const room = makeRoom();
  return list.filter(isObject).map((item) => resourceOf(item, room));
}

/** Takes a number of characters of base64. False: there is no room for them. */
type Room = (length: number) => boolean;

function makeRoom(): Room {
  let left = BINARY_MAX;
  return (length) => {
    const fits = length <= left;
    if (fits) left -= length;
    return fits;
  };
}

function itemOf(item: JsonObject, room: Room): JsonObject {
  const type = member(item, 'type') ?? null;
  if (type === 'text') return { type, text: member(item, 'text') ?? '' };
  if (type === 'image' || type === 'audio')
    return { type, ...picked(item, ['mimeType']), ...binary(item, 'data', room) };
  if (type === 'resource') {
    const resource = member(item, 'resource');
    return { type, resource: isObject(resource) ? resourceOf(resource, room) : null };
  }
  if (type === 'resource_link')
    return { type, ...picked(item, ['uri', 'name', 'title', 'description', 'mimeType', 'size']) };
  return { type };
}

/** Contents of a resource: text, or base64 of bounded length. */
function resourceOf(resource: JsonObject, room: Room): JsonObject {
  return { ...picked(resource, ['uri', 'mimeType', 'text']), ...binary(resource, 'blob', room) };
}

/** Binary data that is too long is left out, with its length. */
function binary(item: JsonObject, name: string, room: Room): JsonObject {
  const data = member(item, name);
  if (typeof data !== 'string') return {};
  return room(data.length) ? { [name]: data } : { omitted: Math.floor((data.length * 3) / 4) };
}

export function picked(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = member(object, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function errorText(content: readonly JsonObject[]): string {
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  const said = texts.join('\n').slice(0, ERROR_MAX).toWellFormed();
  return said === '' ? 'The tool says that it has failed, and does not say why.' : said;
}
