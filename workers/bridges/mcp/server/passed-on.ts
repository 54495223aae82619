import { isCallToolResult, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { visibleText } from '../../../../core/text/visible.ts';
import type { Called, HeldCalled } from '../../../api.ts';
import { warn } from '../../../client/warn.ts';
import { isLimited } from './caller-session.ts';
import { isForeign, type ServedTools } from './tools.ts';
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

interface PassedOnParts {
  readonly tools: ServedTools;
  readonly read: ReadFor;
  /**
   * Like `read`, in a session of its own: hosts list as often as they like, and a list says no more to a model than the
   * names and descriptions of the tools do. So lists use up no limit of the calls, and put no labels on them.
   */
  readonly list: ReadFor;
  readonly given: GivenLists;
  readonly claims: ResourceClaims;
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

  constructor(parts: PassedOnParts) {
    this.#parts = parts;
  }

  async resources(ctx: ServerContext): Promise<readonly JsonObject[]> {
    return this.#entries(await this.#claiming(ctx), 'resources', ({ uri }) => uri);
  }

  async templates(ctx: ServerContext): Promise<readonly JsonObject[]> {
    return this.#entries(await this.#claiming(ctx, 'given'), 'templates', beginningOf);
  }

  /** The contents of a resource; undefined where no server has such an address. */
  async resource(uri: string, ctx: ServerContext): Promise<JsonObject | undefined> {
    const prefix = isOwn(uri) ? undefined : await this.#owner(uri, ctx);
    if (prefix === undefined) return undefined;
    const called = await this.#called(prefix, 'resources.read', { uri }, ctx);
    if (called.held !== undefined) return { contents: [{ uri, text: handleText(called) }], _meta: placeOf(called) };
    const contents = listIn(called.value, 'contents');
    if (contents.some((each) => member(each, 'omitted') !== undefined))
      throw new ProtocolError(INVALID_PARAMS, 'The resource is too long.', { uri });
    return { contents, _meta: placeOf(called) };
  }

  async prompts(ctx: ServerContext): Promise<readonly JsonObject[]> {
    const found = await this.#lists('prompts.list', ctx);
    const prefixes = await this.#prefixes('prompts.get');
    return found.flatMap(({ prefix, value }) =>
      listIn(value, 'prompts').flatMap((each) => {
        if (typeof each['name'] !== 'string') return [];
        const name = `${this.#shown(prefix)}${each['name']}`;
        const owner = this.#promptOwner(name, prefixes);
        if (owner === undefined || owner === prefix) return [{ ...each, name }];
        this.#parts.claims.tell(`the prompt ${name} of ${prefix} is spelled like one of ${owner}, and left out`);
        return [];
      }),
    );
  }

  async prompt(alias: string, args: JsonObject | undefined, ctx: ServerContext): Promise<JsonObject> {
    const prefix = this.#promptOwner(alias, await this.#prefixes('prompts.get'));
    if (prefix === undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no such prompt.', { name: alias });
    const name = alias.slice(this.#shown(prefix).length);
    const called = await this.#called(prefix, 'prompts.get', { name, ...(args && { arguments: args }) }, ctx);
    if (called.held !== undefined)
      return { messages: [{ role: 'user', content: textBlock(handleText(called)) }], _meta: placeOf(called) };
    const messages = listIn(called.value, 'messages').map((each) => ({ ...each, content: blockOf(each['content']) }));
    this.#parts.claims.link(
      prefix,
      messages.map(({ content }) => content),
    );
    return { messages, _meta: placeOf(called) };
  }

  /** The server that a prompt's name at the hosts leads to. */
  #promptOwner(alias: string, prefixes: readonly string[]): string | undefined {
    const [prefix] = prefixes
      .filter((each) => alias.startsWith(this.#shown(each)))
      .sort((one, other) => this.#shown(other).length - this.#shown(one).length);
    return prefix;
  }

  #shown(prefix: string): string {
    return prefix === this.#parts.hidePrefix ? '' : `${prefix}_`;
  }

  /** Notes the addresses that the answer of a server's tool links to. */
  async noteLinks(alias: string, content: unknown): Promise<void> {
    if (!Array.isArray(content) || !content.some(isLink)) return;
    const name = await this.#parts.tools.ours(alias);
    if (!isForeign((await this.#parts.tools.rows()).find((row) => row.name === name))) return;
    const [prefix] = (await this.#prefixes('resources.read'))
      .filter((each) => name.startsWith(`${each}.`))
      .sort((one, other) => other.length - one.length);
    if (prefix !== undefined) this.#parts.claims.link(prefix, content);
  }

  /** The lists of resources, after each server's claims are noted: no server comes first. */
  async #claiming(ctx: ServerContext, given?: 'given', among?: readonly string[]): Promise<readonly ServerList[]> {
    const lists = await this.#lists('resources.list', ctx, { given, among });
    for (const { prefix, value } of lists) this.#parts.claims.list(prefix, value);
    return lists;
  }

  /** The entries whose address no other server claims. Of each that is left out, the developer is told. */
  #entries(
    lists: readonly ServerList[],
    items: string,
    keyOf: (entry: JsonObject) => JsonValue | undefined,
  ): readonly JsonObject[] {
    const { claims } = this.#parts;
    const prefixes = lists.map(({ prefix }) => prefix);
    return lists.flatMap(({ prefix, value }) =>
      listIn(value, items).filter((entry) => {
        const key = keyOf(entry);
        const words = entry['uri'] ?? entry['uriTemplate'];
        if (typeof key !== 'string' || isOwn(key)) {
          claims.tell(`${prefix}: ${canonicalText(words ?? null)} is no address of a server's own`);
          return false;
        }
        const claimants = claims.claimants(key, prefixes);
        if (claimants.length > 1)
          claims.tell(`${canonicalText(words ?? null)} is claimed by ${claimants.join(', ')}, and left out`);
        return claimants.length <= 1;
      }),
    );
  }

  /** The one server that claims an address. Servers that have no claims yet, or the whole of them, are asked before. */
  async #owner(uri: string, ctx: ServerContext): Promise<string | undefined> {
    const prefixes = await this.#prefixes('resources.read');
    if (prefixes.length <= 1) return prefixes[0];
    const { claims } = this.#parts;
    const isUnknown = claims.claimants(uri, prefixes).length === 0;
    const asked = prefixes.filter((each) => isUnknown || !claims.hasList(each));
    if (asked.length > 0) await this.#claiming(ctx, 'given', asked);
    const claimants = claims.claimants(uri, prefixes);
    if (claimants.length <= 1) return claimants[0];
    const tools = claimants.map((each) => `${this.#shown(each)}resources_read`).join(' or ');
    const message = `The servers ${claimants.join(' and ')} claim this address. Call the tool ${tools} instead.`;
    throw new ProtocolError(INVALID_PARAMS, message, { uri, servers: claimants });
  }

  async #lists(tool: Reading, ctx: ServerContext, { given, among }: ListOptions = {}): Promise<readonly ServerList[]> {
    const lists: ServerList[] = [];
    for (const prefix of await this.#prefixes(tool)) {
      if (among?.includes(prefix) === false) continue;
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

  /**
   * Asks a server for its list. Of a source that a call which may hold has reached, hosts keep the list that they had, as
   * they keep its tools: its run knows nothing of what the calls have handed over.
   */
  #list(name: string, ctx: ServerContext): Promise<JsonValue | undefined> {
    const { tools, given, list } = this.#parts;
    const known = given.get(name)?.value;
    const ask = async (): Promise<JsonValue | undefined> => {
      if (await tools.isReached(name)) return known;
      const called = await unlimited(list(name, {}, ctx, 'silent'));
      // it may have been reached meanwhile
      const isOpen = called?.ok === true && called.held === undefined && !(await tools.isReached(name));
      return isOpen ? called.value : undefined;
    };
    // requests that come meanwhile wait for the same answer
    const value = ask();
    given.set(name, { at: performance.now(), value });
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
    throw refusalFault(SERVER_ERROR, called?.refusal ?? NOBODY_ASKED);
  }
}

const NOBODY_ASKED: Refusal = refuse('approval_denied', { reason: 'nobody was asked' }, { step: 'approve' }).refusal;

/** Addresses that the answers of a server link to, and that are remembered. The oldest go first. */
const LINKS_MAX = 1000;

/** Different words that a developer is told. */
const TOLD_MAX = 100;

/**
 * The addresses that each server says are its own, by lists, templates and links of its answers. An address belongs to
 * the server that alone claims it: no server reads an address of another by claiming more of it, or by coming first.
 */
export class ResourceClaims {
  readonly #listed = new Map<
    string,
    { readonly uris: ReadonlySet<JsonValue>; readonly beginnings: readonly string[] }
  >();
  readonly #linked = new Map<string, Set<string>>();
  readonly #told = new Set<string>();

  /** Takes the newest list of a server. */
  list(prefix: string, value: JsonValue): void {
    const uris = new Set(listIn(value, 'resources').flatMap(({ uri }) => uri ?? []));
    const beginnings = listIn(value, 'templates').flatMap((each) => beginningOf(each) ?? []);
    this.#listed.set(prefix, { uris, beginnings });
  }

  hasList(prefix: string): boolean {
    return this.#listed.has(prefix);
  }

  /** Takes the links of a server's answer. */
  link(prefix: string, content: readonly unknown[]): void {
    const links = this.#linked.get(prefix) ?? new Set();
    this.#linked.set(prefix, links);
    for (const { uri } of content.filter(isLink)) links.add(uri);
    for (const oldest of links) {
      if (links.size <= LINKS_MAX) break;
      links.delete(oldest);
    }
  }

  /** Those of the servers that claim the address. */
  claimants(uri: string, prefixes: readonly string[]): readonly string[] {
    return prefixes.filter((prefix) => {
      const { uris, beginnings } = this.#listed.get(prefix) ?? {};
      if (uris?.has(uri) === true || this.#linked.get(prefix)?.has(uri) === true) return true;
      return beginnings?.some((each) => uri.startsWith(each)) === true;
    });
  }

  /** Tells the developer, once. */
  tell(words: string): void {
    if (this.#told.has(words) || this.#told.size >= TOLD_MAX) return;
    this.#told.add(words);
    warn(`sallyport: ${visibleText(words)}`);
  }
}

/** What each address of a template begins with. Undefined for a template without a scheme of its own. */
function beginningOf({ uriTemplate }: JsonObject): string | undefined {
  const beginning = typeof uriTemplate === 'string' ? uriTemplate.split('{')[0] : undefined;
  return beginning !== undefined && /^[a-z][a-z0-9+.-]*:/i.test(beginning) ? beginning : undefined;
}

/** True for an address of this server itself. */
function isOwn(uri: string): boolean {
  return /^sallyport:/i.test(uri);
}

function isLink(block: unknown): block is JsonObject & { readonly uri: string } {
  return isObject(block) && block['type'] === 'resource_link' && typeof block['uri'] === 'string';
}

interface ListOptions {
  /** Lists that the client was just given are good enough. */
  readonly given?: 'given' | undefined;
  /** The servers to ask; absent: all. */
  readonly among?: readonly string[] | undefined;
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

/** The receipt of a call in the ledger, and the labels of the session after it. Of a held call neither number nor label. */
export function placeOf({ receipt, labels }: Called): JsonObject {
  return { 'sallyport/receipt': { ...receipt }, ...(labels && { 'sallyport/labels': labels }) };
}

/** The handle of a held outcome, the same for every outcome. */
export function handleText({ held }: HeldCalled): string {
  return canonicalText({ $held: held });
}

function listIn(value: JsonValue, items: string): readonly JsonObject[] {
  const list = isObject(value) ? member(value, items) : undefined;
  return Array.isArray(list) ? list.filter(isObject).map(withTheirMeta) : [];
}
