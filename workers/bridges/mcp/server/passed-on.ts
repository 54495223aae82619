import { isCallToolResult, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { Called, CapabilityRow } from '../../../api.ts';
import { isLimited } from './caller-session.ts';
import type { ServedTools } from './tools.ts';
import { refusalFault } from './turned-away.ts';

/** Calls a capability for a request that is no call of a tool. Undefined where a `silent` call would ask a person. */
export type ReadFor = (
  name: string,
  args: JsonObject,
  ctx: ServerContext,
  silent?: 'silent',
) => Promise<Called | undefined>;

/** Lists that a client was given, by the names of their tools, with the times of their beginnings in ms. */
export type GivenLists = Map<string, { readonly at: number; readonly value: Promise<JsonValue | undefined> }>;

export interface PassedOnParts {
  readonly tools: ServedTools;
  readonly read: ReadFor;
  /**
   * Like `read`, in a session of its own: hosts list as often as they like, and a list says no more to a model than the
   * names and descriptions of the tools do. So lists use up no limit of the calls, and put no labels on them.
   */
  readonly list: ReadFor;
  readonly given: GivenLists;
  /** Prefix that hosts do not see. */
  readonly hidePrefix: string | undefined;
}

/** ms in which one answer of a server serves its resources and its templates. */
const GIVEN_MS = 5000;

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
    return this.#entries(await this.#lists('resources.list', ctx), 'resources', ({ uri }) => uri);
  }

  async templates(ctx: ServerContext): Promise<readonly JsonObject[]> {
    return this.#entries(await this.#lists('resources.list', ctx, 'given'), 'templates', ({ uriTemplate }) =>
      typeof uriTemplate === 'string' ? `${uriTemplate.split('{')[0]}{` : uriTemplate,
    );
  }

  /** The contents of a resource; undefined where no server has such an address. */
  async resource(uri: string, ctx: ServerContext): Promise<JsonObject | undefined> {
    const prefixes = await this.#prefixes('resources.read');
    const prefix = prefixes.length > 1 ? this.#owner(uri) : prefixes[0];
    if (prefix === undefined || !prefixes.includes(prefix)) return undefined;
    const called = await this.#called(prefix, 'resources.read', { uri }, ctx);
    const contents = listIn(called.value, 'contents');
    if (contents.some((each) => member(each, 'omitted') !== undefined))
      throw new ProtocolError(INVALID_PARAMS, 'The resource is too long.', { uri });
    return { contents, _meta: placeOf(called) };
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
    const called = await this.#called(prefix, 'prompts.get', { name, ...(args && { arguments: args }) }, ctx);
    const messages = listIn(called.value, 'messages').map((each) => ({ ...each, content: blockOf(each['content']) }));
    return { messages, _meta: placeOf(called) };
  }

  #shown(prefix: string): string {
    return prefix === this.#parts.hidePrefix ? '' : `${prefix}_`;
  }

  #entries(
    lists: readonly ServerList[],
    items: string,
    keyOf: (entry: JsonObject) => JsonValue | undefined,
  ): readonly JsonObject[] {
    const entries: JsonObject[] = [];
    for (const { prefix, value } of lists)
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

  /** @param given lists that the client was just given are good enough. */
  async #lists(tool: Reading, ctx: ServerContext, given?: 'given'): Promise<readonly ServerList[]> {
    const lists: ServerList[] = [];
    for (const prefix of await this.#prefixes(tool)) {
      const name = `${prefix}.${tool}`;
      const value = (given && (await this.#given(name))) ?? (await this.#list(name, ctx));
      if (value !== undefined) lists.push({ prefix, value });
    }
    return lists;
  }

  async #given(name: string): Promise<JsonValue | undefined> {
    const known = this.#parts.given.get(name);
    if (known === undefined || performance.now() - known.at > GIVEN_MS) return undefined;
    return known.value.catch(() => undefined);
  }

  async #list(name: string, ctx: ServerContext): Promise<JsonValue | undefined> {
    const value = unlimited(this.#parts.list(name, {}, ctx, 'silent')).then((called) =>
      called?.ok === true ? called.value : undefined,
    );
    this.#parts.given.set(name, { at: performance.now(), value });
    return value;
  }

  /** The servers that a tool of ours reads from. */
  async #prefixes(tool: Reading): Promise<readonly string[]> {
    return (await this.#parts.tools.rows())
      .filter((row) => row.name.endsWith(`.${tool}`) && isForeign(row))
      .map(({ name }) => name.slice(0, -tool.length - 1));
  }

  async #called(
    prefix: string,
    tool: Reading,
    args: JsonObject,
    ctx: ServerContext,
  ): Promise<Called & { readonly ok: true }> {
    const called = await unlimited(this.#parts.read(`${prefix}.${tool}`, args, ctx));
    if (called?.ok === true) return called;
    throw refusalFault(
      SERVER_ERROR,
      called?.refusal ?? refuse('approval_denied', { reason: 'nobody was asked' }, { step: 'approve' }).refusal,
    );
  }
}

/** The value of a server's list. */
interface ServerList {
  readonly prefix: string;
  readonly value: JsonValue;
}

/** Tells the client of a session that has reached a limit, with the code of a call's refusal. */
async function unlimited<T>(called: Promise<T>): Promise<T> {
  try {
    return await called;
  } catch (error) {
    if (!isLimited(error)) throw error;
    const { refusal } = refuse('session_limited', error.details as { readonly limit: string });
    throw refusalFault(SERVER_ERROR, refusal);
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

/** The receipt of a call in the ledger, and the labels of the session after it. */
function placeOf({ receipt, labels }: Called): JsonObject {
  return { 'sallyport/receipt': { ...receipt }, 'sallyport/labels': labels };
}

function listIn(value: JsonValue, items: string): readonly JsonObject[] {
  const list = isObject(value) ? member(value, items) : undefined;
  return Array.isArray(list) ? list.filter(isObject).map(withTheirMeta) : [];
}
