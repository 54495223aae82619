import { sha256Text } from '../../../../core/hash.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { McpTool } from './api.ts';
import type { ServerConnection } from './connection.ts';
import { contentOf, picked, resourcesOf } from './result.ts';

/** A tool that reads resources or prompts of a server: its answers are data under the server's labels. */
export interface ReadingTool {
  readonly declaration: McpTool;
  readonly read: (connection: ServerConnection, args: JsonObject, signal: AbortSignal) => Promise<JsonValue>;
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
    read: async (connection, _args, signal) => ({
      resources: await entries(connection, 'resources/list', 'resources', RESOURCE, signal),
      templates: await entries(connection, 'resources/templates/list', 'resourceTemplates', TEMPLATE, signal).catch(
        () => [],
      ),
    }),
  },
  {
    declaration: {
      name: 'resources.read',
      description: 'Reads a resource of the server.',
      inputSchema: schemaOf({ uri: { type: 'string', description: 'Address of the resource.' } }, ['uri']),
    },
    read: async (connection, { uri = null }, signal) => ({
      contents: resourcesOf(await listed(connection, 'resources/read', { uri }, 'contents', signal)),
    }),
  },
];

export const PROMPT_TOOLS: readonly ReadingTool[] = [
  {
    declaration: LIST_PROMPTS,
    read: async (connection, _args, signal) => ({
      prompts: await entries(connection, 'prompts/list', 'prompts', PROMPT, signal),
    }),
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
    read: async (connection, args, signal) => {
      const messages = await listed(connection, 'prompts/get', args, 'messages', signal);
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
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const found = await connection.list(method, items, ENTRIES_MAX, signal);
  return found.filter(isObject).map((each) => picked(each, names));
}

async function listed(
  connection: ServerConnection,
  method: string,
  params: JsonObject,
  items: string,
  signal: AbortSignal,
): Promise<readonly JsonValue[]> {
  const found = member(await connection.ask(method, params, signal), items);
  if (!Array.isArray(found)) throw new Error(`${method} has answered without ${items}`);
  return found as readonly JsonValue[];
}
