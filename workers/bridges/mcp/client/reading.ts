import { sha256Text } from '../../../../core/hash.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { utf8Length } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { TOOL_LIMITS } from '../../../../core/limits.ts';
import type { McpTool } from './api.ts';
import type { AskOptions, ServerConnection } from './connection.ts';
import { McpFailure } from './connection.ts';

/** A tool that reads resources or prompts of a server: its answers are data under the server's labels. */
export interface ReadingTool {
  readonly declaration: McpTool;
  readonly read: (connection: ServerConnection, args: JsonObject, how: AskOptions) => Promise<JsonValue>;
}

/** Entries of a list of resources or prompts. */
const ENTRIES_MAX = 1000;

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

const RESOURCE = ['uri', 'name', 'title', 'description', 'mimeType', 'size'];
const TEMPLATE = ['uriTemplate', 'name', 'title', 'description', 'mimeType'];
const PROMPT = ['name', 'title', 'description', 'arguments'];

const LIST_RESOURCES: McpTool = {
  name: 'resources.list',
  description: 'Lists the resources of the server, and the templates of their addresses.',
  inputSchema: NO_ARGUMENTS,
};

const LIST_PROMPTS: McpTool = {
  name: 'prompts.list',
  description: 'Lists the prompts of the server, with their arguments.',
  inputSchema: NO_ARGUMENTS,
};

/**
 * True for our own tools that list resources or prompts: they send the server nothing of a model's. `resources.read` and
 * `prompts.get` send texts of a model to the server. A server's own tool of such a name is none of ours.
 */
export function isOwnList(tool: McpTool): boolean {
  return tool === LIST_RESOURCES || tool === LIST_PROMPTS;
}

export const RESOURCE_TOOLS: readonly ReadingTool[] = [
  {
    declaration: LIST_RESOURCES,
    read: async (connection, _args, how) => {
      const resources = await entries(connection, 'resources/list', 'resources', RESOURCE, how);
      const templates = await entries(connection, 'resources/templates/list', 'resourceTemplates', TEMPLATE, how).catch(
        () => NO_ENTRIES,
      );
      return { resources: resources.list, templates: templates.list, ...resources.more, ...templates.more };
    },
  },
  {
    declaration: {
      name: 'resources.read',
      description: 'Reads a resource of the server.',
      inputSchema: schemaOf({ uri: { type: 'string', description: 'Address of the resource.' } }, ['uri']),
    },
    read: async (connection, { uri = null }, how) => ({
      contents: resourcesOf(await listed(connection, 'resources/read', { uri }, 'contents', how)),
    }),
  },
];

export const PROMPT_TOOLS: readonly ReadingTool[] = [
  {
    declaration: LIST_PROMPTS,
    read: async (connection, _args, how) => {
      const { list, more } = await entries(connection, 'prompts/list', 'prompts', PROMPT, how);
      return { prompts: list, ...more };
    },
  },
  {
    declaration: {
      name: 'prompts.get',
      description: 'Reads a prompt of the server, as data.',
      inputSchema: schemaOf(
        { name: { type: 'string' }, arguments: { type: 'object', additionalProperties: { type: 'string' } } },
        ['name'],
      ),
    },
    read: async (connection, args, how) => {
      const messages = await listed(connection, 'prompts/get', args, 'messages', how);
      return { messages: messages.filter(isObject).map(messageOf) };
    },
  },
];

const OWN: ReadonlySet<McpTool> = new Set([...RESOURCE_TOOLS, ...PROMPT_TOOLS].map(({ declaration }) => declaration));

/** Names of servers' tools that hosts would spell like the names of ours. */
const LIKE_OWN: ReadonlySet<string> = new Set([...OWN].map(({ name }) => name.replace('.', '_')));

/**
 * Name of a server's tool behind its prefix. Each name of a server has a single name here, whatever other tools there
 * are: a name of other characters than `A-Z a-z 0-9 _ -`, or one that is too long, ends with a part of its hash. So
 * `read text` never takes the name, the pin or the grant of `read_text`.
 */
export function localName(prefix: string, tool: McpTool): string {
  const { name } = tool;
  const room = NAME_ROOM - prefix.length;
  if (OWN.has(tool) || (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= room && !LIKE_OWN.has(name))) return name;
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, room - 9)}_${sha256Text(name).slice(0, 8)}`;
}

/** Characters of prefix and name together. Hosts take 64, with a point and perhaps a letter before the prefix. */
const NAME_ROOM = 62;

function schemaOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

function messageOf(message: JsonObject): JsonObject {
  const [content = null] = contentOf([member(message, 'content')]);
  return { role: member(message, 'role') ?? null, content };
}

async function entries(
  connection: ServerConnection,
  method: string,
  items: string,
  names: readonly string[],
  how: AskOptions,
): Promise<Entries> {
  const { found, cut } = await connection.list(method, items, ENTRIES_MAX, how);
  const list = found.filter(isObject).map((each) => picked(each, names));
  return { list, more: cut === undefined ? {} : { more: true } };
}

/** A list of resources or prompts; `more` says in the value that the list goes on. */
interface Entries {
  readonly list: readonly JsonObject[];
  readonly more: { readonly more?: true };
}

const NO_ENTRIES: Entries = { list: [], more: {} };

async function listed(
  connection: ServerConnection,
  method: string,
  params: JsonObject,
  items: string,
  how: AskOptions,
): Promise<readonly JsonValue[]> {
  const found = member(await connection.ask(method, params, how), items);
  if (!Array.isArray(found)) throw new Error(`${method} has answered without ${items}`);
  return found as readonly JsonValue[];
}

/** Characters of base64 that are kept of an answer's images, sounds and files. A result of a tool has at most 1 MiB in all. */
const BINARY_MAX: number = 512 << 10;

/** Characters of an error that are kept. */
const ERROR_MAX = 2000;

/** The answer of a `tools/call`, as far as it is read here. */
interface CallAnswer {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: unknown;
}

/** The answer as it came: the members that the protocol gives it. Absent content is empty. */
export function wholeOf(answer: CallAnswer): JsonObject {
  return { content: [], ...picked(answer as JsonObject, ['content', 'structuredContent', 'isError', '_meta']) };
}

/**
 * The value of a call: the structured content of a tool with an output schema, else the content as data. An answer that
 * says that it is an error is thrown.
 */
export function valueOf(answer: CallAnswer, isStructured: boolean): JsonValue {
  const content = contentOf(answer.content ?? []);
  if (answer.isError === true) throw new McpFailure('mcp_tool_error', errorText(content));
  const structured = answer.structuredContent as JsonValue | undefined;
  if (isStructured) return structured ?? null;
  return structured === undefined ? bounded({ content }) : bounded({ content, structuredContent: structured });
}

/**
 * The answer, or its structured content alone where both together are too long. Of content alone the longest texts are
 * left out, with their lengths.
 */
function bounded(answer: {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonValue;
}): JsonObject {
  let over = utf8Length(canonicalText(answer)) - TOOL_LIMITS.bytesOut;
  if (over <= 0) return answer;
  const { content, ...structured } = answer;
  if (Object.keys(structured).length > 0) return structured;
  const omitted = new Set<JsonObject>();
  for (const each of content.toSorted((one, other) => lengthIn(other) - lengthIn(one))) {
    if (over <= 0 || lengthIn(each) === 0) break;
    omitted.add(each);
    over += utf8Length(canonicalText(withoutText(each))) - utf8Length(canonicalText(each));
  }
  return { content: content.map((each) => (omitted.has(each) ? withoutText(each) : each)) };
}

function lengthIn({ text }: JsonObject): number {
  return typeof text === 'string' ? text.length : 0;
}

function withoutText({ text, ...rest }: JsonObject): JsonObject {
  return { ...rest, omitted: typeof text === 'string' ? utf8Length(text) : 0 };
}

/** Content as data: its kinds keep the members that say something, and lose annotations, icons and `_meta`. */
function contentOf(list: readonly unknown[]): readonly JsonObject[] {
  const room = makeRoom();
  return list.filter(isObject).map((item) => itemOf(item, room));
}

/** Contents of resources as data. */
function resourcesOf(list: readonly unknown[]): readonly JsonObject[] {
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
