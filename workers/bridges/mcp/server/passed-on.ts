import { isCallToolResult, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { Called, CapabilityRow } from '../../../api.ts';
import type { ServedTools } from './tools.ts';
import { refusalFault } from './turned-away.ts';

/** Calls a capability for a request that is no call of a tool. Undefined where a `silent` call would ask a person. */
export type ReadFor = (
  name: string,
  args: JsonObject,
  ctx: ServerContext,
  silent?: 'silent',
) => Promise<Called | undefined>;

export interface PassedOnParts {
  readonly tools: ServedTools;
  readonly read: ReadFor;
  /** Prefix that hosts do not see. */
  readonly hidePrefix: string | undefined;
}

const INVALID_PARAMS = -32_602;
const SERVER_ERROR = -32_000;

/** Ends of the names of our tools that read from another server. No tool of a server has such a name. */
const READING = ['resources.list', 'resources.read', 'prompts.list', 'prompts.get'] as const;
type Reading = (typeof READING)[number];

/**
 * Resources and prompts of the servers behind the gate, as hosts know them. Each request is a call of the tool that reads
 * from the server, through every gate to its receipt. No person is asked about a list: without a grant that permits it,
 * it is left out.
 */
export class PassedOn {
  readonly #parts: PassedOnParts;
  /** Prefixes of the servers by the addresses that they have listed, and by the beginnings of their templates. */
  readonly #owners = new Map<string, string>();

  constructor(parts: PassedOnParts) {
    this.#parts = parts;
  }

  async resources(ctx: ServerContext): Promise<readonly JsonObject[]> {
    return this.#entries('resources.list', 'resources', ctx, ({ uri }) => uri);
  }

  async templates(ctx: ServerContext): Promise<readonly JsonObject[]> {
    return this.#entries('resources.list', 'templates', ctx, ({ uriTemplate }) =>
      typeof uriTemplate === 'string' ? `${uriTemplate.split('{')[0]}{` : uriTemplate,
    );
  }

  /** The contents of a resource; undefined where no server has such an address. */
  async resource(uri: string, ctx: ServerContext): Promise<readonly JsonObject[] | undefined> {
    const prefixes = await this.#prefixes('resources.read');
    const prefix = prefixes.length > 1 ? this.#owner(uri) : prefixes[0];
    if (prefix === undefined || !prefixes.includes(prefix)) return undefined;
    const contents = listIn(await this.#value(prefix, 'resources.read', { uri }, ctx), 'contents');
    if (contents.some((each) => member(each, 'omitted') !== undefined))
      throw new ProtocolError(INVALID_PARAMS, 'The resource is too long.', { uri });
    return contents;
  }

  async prompts(ctx: ServerContext): Promise<readonly JsonObject[]> {
    const found = await this.#lists('prompts.list', ctx);
    return found.flatMap(({ prefix, value }) =>
      listIn(value, 'prompts').flatMap((each) => {
        const { name } = each;
        return typeof name === 'string' ? [{ ...each, name: `${this.#shown(prefix)}${name}` }] : [];
      }),
    );
  }

  async prompt(alias: string, args: JsonObject | undefined, ctx: ServerContext): Promise<JsonObject> {
    const [prefix] = (await this.#prefixes('prompts.get'))
      .filter((each) => alias.startsWith(this.#shown(each)))
      .sort((one, other) => other.length - one.length);
    if (prefix === undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no such prompt.', { name: alias });
    const name = alias.slice(this.#shown(prefix).length);
    const value = await this.#value(prefix, 'prompts.get', { name, ...(args && { arguments: args }) }, ctx);
    return { messages: listIn(value, 'messages').map((each) => ({ ...each, content: blockOf(each['content']) })) };
  }

  #shown(prefix: string): string {
    return prefix === this.#parts.hidePrefix ? '' : `${prefix}_`;
  }

  async #entries(
    tool: Reading,
    items: string,
    ctx: ServerContext,
    keyOf: (entry: JsonObject) => JsonValue | undefined,
  ): Promise<readonly JsonObject[]> {
    const entries: JsonObject[] = [];
    for (const { prefix, value } of await this.#lists(tool, ctx))
      for (const entry of listIn(value, items)) {
        const key = keyOf(entry);
        if (typeof key !== 'string' || (this.#owners.get(key) ?? prefix) !== prefix) continue;
        this.#owners.set(key, prefix);
        entries.push(entry);
      }
    return entries;
  }

  /** The server that has listed an address, or a template that begins like it. */
  #owner(uri: string): string | undefined {
    const [known] = [...this.#owners]
      .filter(([key]) => key === uri || (key.endsWith('{') && uri.startsWith(key.slice(0, -1))))
      .sort(([one], [other]) => other.length - one.length);
    return known?.[1];
  }

  async #lists(
    tool: Reading,
    ctx: ServerContext,
  ): Promise<readonly { readonly prefix: string; readonly value: JsonValue }[]> {
    const lists: { readonly prefix: string; readonly value: JsonValue }[] = [];
    for (const prefix of await this.#prefixes(tool)) {
      const called = await this.#parts.read(`${prefix}.${tool}`, {}, ctx, 'silent');
      if (called?.ok) lists.push({ prefix, value: called.value });
    }
    return lists;
  }

  /** The servers that a tool of ours reads from. */
  async #prefixes(tool: Reading): Promise<readonly string[]> {
    return (await this.#parts.tools.rows())
      .filter((row) => row.name.endsWith(`.${tool}`) && isForeign(row))
      .map(({ name }) => name.slice(0, -tool.length - 1));
  }

  async #value(prefix: string, tool: Reading, args: JsonObject, ctx: ServerContext): Promise<JsonValue> {
    const called = await this.#parts.read(`${prefix}.${tool}`, args, ctx);
    if (called?.ok === true) return called.value;
    throw refusalFault(
      SERVER_ERROR,
      called?.refusal ?? refuse('approval_denied', { reason: 'nobody was asked' }, { step: 'approve' }).refusal,
    );
  }
}

/** Serves the prompts. */
export function servePrompts(server: Server, passed: PassedOn): void {
  server.setRequestHandler('prompts/list', async (_, ctx) => ({ prompts: [...(await passed.prompts(ctx))] }) as never);
  server.setRequestHandler(
    'prompts/get',
    async ({ params }, ctx) => (await passed.prompt(params.name, params.arguments, ctx)) as never,
  );
}

/** True for a tool of another MCP server. The tool decides it, and no form of a value. */
export function isForeign(row: CapabilityRow | undefined): boolean {
  return row?.host?.origin?.startsWith('mcp:') === true;
}

export function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** A block as it came. What is no block for a host, for example a picture that was left out, is told as text. */
export function blockOf(block: JsonValue = null): JsonObject {
  if (!isObject(block) || !isCallToolResult({ content: [block] })) return textBlock(canonicalText(block));
  const { resource } = block;
  return withTheirMeta({ ...block, ...(isObject(resource) && { resource: withTheirMeta(resource) }) });
}

/** Beginning of the names that the gate alone writes into `_meta`. */
const OURS = 'sallyport/';

/** What another server sent, without what it wrote in the gate's own names. */
export function withTheirMeta<T extends JsonObject>(sent: T): T {
  const { _meta } = sent;
  if (!isObject(_meta)) return sent;
  const theirs = Object.entries(_meta).filter(([name]) => !name.toLowerCase().startsWith(OURS));
  return { ...sent, _meta: Object.fromEntries(theirs) };
}

function listIn(value: JsonValue, items: string): readonly JsonObject[] {
  const list = isObject(value) ? member(value, items) : undefined;
  return Array.isArray(list) ? list.filter(isObject).map(withTheirMeta) : [];
}
