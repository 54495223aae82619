import { HELD_READ } from '../../../../core/capability/held-read.ts';
import { CONTENT_CAPABILITIES } from '../../../../core/content/built-in.ts';
import { sha256Text } from '../../../../core/hash.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject } from '../../../../core/json/value.ts';
import type { CapabilityRow, Runtime, ToolRow } from '../../../api.ts';
import { heldTool } from '../../models/held-tool.ts';
import { toFunctions } from '../../models/shapes.ts';
import { toolNames } from '../../models/tool-names.ts';
import type { McpTool } from '../client/api.ts';
import type { ServedSource, ServeTerms } from './options.ts';

/** A tool in the answer to `tools/list`. */
interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly outputSchema?: JsonObject & { readonly type: 'object' };
  readonly annotations?: JsonObject;
  readonly _meta: JsonObject;
}

/** Tool of a gateway that adds a passkey, which no host may call. */
export const ADD_PASSKEY = 'sallyport.add_passkey';

/** READ and WRITE are operations of a Catalytic message, and no calls. */
const UNSERVED: ReadonlySet<string> = new Set([
  ADD_PASSKEY,
  ...CONTENT_CAPABILITIES.map(({ manifest }) => manifest.name),
]);

/** The capabilities that a server offers, under names that hosts take. */
export class ServedTools {
  readonly #runtime: Pick<Runtime, 'capabilities'>;
  readonly #names: ReadonlySet<string> | undefined;
  readonly #aliases: ToolAliases;
  readonly #sources: () => readonly ServedSource[];
  readonly #offering: ((offer: readonly string[]) => Promise<readonly CapabilityRow[] | undefined>) | undefined;
  #rows: Promise<readonly CapabilityRow[]> | undefined;
  #hosted: ReadonlySet<string> = new Set();
  /** What hosts were listed before a call that may hold, by the source that it reaches. */
  readonly #kept = new Map<string, readonly CapabilityRow[]>();
  /** Sources that may have been given what no model reads. */
  readonly #reached = new Set<string>();
  #listed = '';

  constructor(
    runtime: Pick<Runtime, 'capabilities'>,
    names: readonly string[] | undefined,
    { sources = () => [], hidePrefix }: Partial<Pick<ServeTerms, 'sources' | 'hidePrefix'>> = {},
    offering?: (offer: readonly string[]) => Promise<readonly CapabilityRow[] | undefined>,
  ) {
    this.#runtime = runtime;
    this.#names = names && new Set(names);
    this.#sources = sources;
    this.#offering = offering;
    this.#aliases = new ToolAliases(hidePrefix);
  }

  /** Reads the capabilities anew at the next call. */
  refresh(): void {
    this.#rows = undefined;
  }

  /** The offered capabilities that are enabled now. */
  rows(): Promise<readonly CapabilityRow[]> {
    this.#rows ??= this.#begin();
    return this.#rows;
  }

  /** Begins a read. A failed one is repeated by the next call. */
  #begin(): Promise<readonly CapabilityRow[]> {
    const rows = this.#read();
    rows.catch(() => this.#rows === rows && this.refresh());
    return rows;
  }

  async #read(): Promise<readonly CapabilityRow[]> {
    const rows = await this.#runtime.capabilities.list();
    this.#aliases.learn([...rows, HELD_READ.manifest]);
    this.#hosted = new Set(rows.flatMap(({ name, host }) => (host === undefined ? [] : [name])));
    return rows.filter(
      ({ name, enabled }) => enabled && !UNSERVED.has(name) && (this.#names === undefined || this.#names.has(name)),
    );
  }

  /** True for a tool of the program, which makes no further calls; by the newest list that was read. */
  isTool(name: string): boolean {
    return this.#hosted.has(name);
  }

  /** @param hasApps the host shows MCP Apps. To another host, tools for apps alone are not listed. */
  async list(hasApps = false): Promise<readonly ListedTool[]> {
    const rows = await this.#shown();
    const sources = this.#sources();
    return rows.flatMap((row) => {
      const declared = sources.flatMap((source) => source.declaration(row.name) ?? []).at(0);
      const apps = appsOf(declared);
      if (!hasApps && apps.isForAppsAlone) return [];
      const tool = listed(row, this.#aliases.theirs(row.name));
      return declared === undefined ? tool : asDeclared(tool, declared, hasApps ? apps.ui : undefined);
    });
  }

  /** The rows of the list. Of a source that a call which may hold has reached, they stay as they were before it. */
  async #shown(): Promise<readonly CapabilityRow[]> {
    const rows = (await this.held()) ?? (await this.rows());
    if (this.#kept.size === 0) return rows;
    const others = rows.filter((row) => !this.#isKept(row));
    return [...others, ...[...this.#kept.values()].flat()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #isKept(row: CapabilityRow): boolean {
    return this.#kept.has(GUESTS) || this.#kept.has(sourceOf(row));
  }

  /**
   * Called before each call of a session that holds: a source could tell by its tools what it has read or was given. So
   * hosts keep the list of its tools, and are told of no change of them, until this server ends. `isList`: the call lists
   * resources or prompts for a host, and hands over nothing.
   */
  async keep(name: string, isList = false): Promise<void> {
    const row = await this.#row(name);
    if (row === undefined) return;
    if (!isList) this.#reached.add(sourceOf(row));
    if (this.#isKept(row)) return;
    const shown = await this.#shown();
    const source = sourceOf(row);
    // guest code reaches the tools of every source
    const own = source === GUESTS ? shown : shown.filter((each) => sourceOf(each) === source);
    if (source === GUESTS) this.#kept.clear();
    this.#kept.set(source, own);
    this.#listed = canonicalText(shown as never);
  }

  /** True once a call of a session that holds, and no list alone, has reached the source of this tool. */
  async isReached(name: string): Promise<boolean> {
    const row = await this.#row(name);
    return row !== undefined && (this.#reached.has(GUESTS) || this.#reached.has(sourceOf(row)));
  }

  async #row(name: string): Promise<CapabilityRow | undefined> {
    return (await this.rows()).find((each) => each.name === name);
  }

  /** True while the list of a source is kept. */
  get isKeeping(): boolean {
    return this.#kept.size > 0;
  }

  /** Reads the capabilities anew. False for a change that no host is told of. */
  async isChanged(): Promise<boolean> {
    this.refresh();
    if (!this.isKeeping) return true;
    const listed = canonicalText((await this.#shown()) as never);
    const isSame = listed === this.#listed;
    this.#listed = listed;
    return !isSame;
  }

  /** Names that a session offers. One that can hold offers to read what it holds, too. */
  async offer(): Promise<readonly string[]> {
    const names = (await this.rows()).map(({ name }) => name);
    const reading = HELD_READ.manifest.name;
    return this.#names === undefined || this.#names.has(reading) ? [...names, reading] : names;
  }

  /** The same as hosts list them where results can be held; undefined where none can. */
  async held(): Promise<readonly CapabilityRow[] | undefined> {
    const rows = await this.#offering?.(await this.offer());
    return rows?.map((row) => heldTool(row, isForeign(row)));
  }

  /** The capability's name; a name that was not offered is unchanged, for the gate to refuse. */
  async ours(alias: string): Promise<string> {
    await this.rows();
    return this.#aliases.ours(alias);
  }
}

/** Source of a capability in the sandbox, which may call tools of every source. */
const GUESTS = 'guests';

/** Where a capability's data comes from, and its arguments go to. */
function sourceOf({ host }: CapabilityRow): string {
  return host === undefined ? GUESTS : `host ${host.origin ?? ''}`;
}

/** True for a tool of another MCP server. The tool decides it, and no form of a value. */
export function isForeign(row: CapabilityRow | undefined): boolean {
  return row?.host?.origin?.startsWith('mcp:') === true;
}

/** The member of `_meta` that the extension MCP Apps has. */
export const APPS = 'io.modelcontextprotocol/ui';

/** What a declaration says to hosts of MCP Apps: `visibility` without `model` is a tool for apps alone. */
function appsOf(declared: McpTool | undefined): { readonly ui?: JsonObject; readonly isForAppsAlone: boolean } {
  const ui = declared?._meta?.['ui'];
  if (!isObject(ui)) return { isForAppsAlone: false };
  const visible = ui['visibility'];
  return { ui, isForAppsAlone: Array.isArray(visible) && !visible.includes('model') };
}

/** Title and hints are the server's own words. A tool without hints has none: nobody calls it destructive. */
function asDeclared(tool: ListedTool, { title, annotations }: McpTool, ui: JsonObject | undefined): ListedTool {
  const { title: _, annotations: __, _meta, ...rest } = tool;
  return {
    ...rest,
    ...(title !== undefined && { title }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
    _meta: { ..._meta, ...(ui && { ui }) },
  };
}

/** Alone, a name is spelled without a number. */
function plainOf(name: string): string {
  return toolNames([name]).theirs(name);
}

/** Alias of a name whose plain spelling another name has too: whoever comes first has no better right to it. */
function apart(name: string): string {
  return `${plainOf(name).slice(0, 55)}_${sha256Text(name).slice(0, 8)}`;
}

/**
 * Names of tools at the hosts. A capability's own name always leads to it: no other capability has that name as its
 * alias, and one that had it before gets another. Beside this an alias belongs to its capability for as long as the
 * server lives. Of names that are spelled alike each has its hash behind it, in whatever order they come: a host's memory
 * of an alias never leads to another capability after a restart.
 */
export class ToolAliases {
  readonly #theirs = new Map<string, string>();
  readonly #ours = new Map<string, string>();
  readonly #hidden: string;

  /** @param hidePrefix word before names, which hosts do not see. */
  constructor(hidePrefix?: string) {
    this.#hidden = hidePrefix === undefined ? '' : `${hidePrefix}.`;
  }

  /** @param rows every registered capability, offered or not: a name that is not offered is no alias either. */
  learn(rows: readonly Pick<ToolRow, 'name'>[]): void {
    const fresh = rows.map(({ name }) => name).filter((name) => !this.#theirs.has(name));
    if (fresh.length === 0) return;
    const plainFor = (name: string): string => plainOf(this.#shown(name));
    const spelled = rows.map(({ name }) => plainFor(name));
    for (const name of fresh.filter((each) => plainFor(each) === each)) this.#takeOwn(name);
    for (const name of fresh.filter((each) => plainFor(each) !== each)) {
      const plain = plainFor(name);
      const isShared = spelled.filter((each) => each === plain).length > 1;
      this.#take(name, isShared ? apart(name) : plain);
    }
  }

  #shown(name: string): string {
    const { length } = this.#hidden;
    return length > 0 && name.length > length && name.startsWith(this.#hidden) ? name.slice(length) : name;
  }

  theirs(name: string): string {
    return this.#theirs.get(name) ?? name;
  }

  ours(alias: string): string {
    return this.#theirs.has(alias) ? alias : (this.#ours.get(alias) ?? alias);
  }

  /** Gives a capability its own name, and the capability that had it as an alias another. */
  #takeOwn(name: string): void {
    const other = this.#ours.get(name);
    this.#theirs.set(name, name);
    this.#ours.set(name, name);
    if (other !== undefined) this.#take(other, apart(other));
  }

  #take(name: string, wanted: string): void {
    let alias = this.#ours.has(wanted) ? apart(name) : wanted;
    for (let nth = 2; this.#ours.has(alias); nth++) alias = `${wanted.slice(0, 56)}_${nth}`;
    this.#theirs.set(name, alias);
    this.#ours.set(alias, name);
  }
}

function listed(row: CapabilityRow, name: string): ListedTool {
  const { functions } = toFunctions([row], 'mcp');
  const [shape] = functions;
  if (shape === undefined) throw new Error('A row has a declaration.');
  return {
    ...shape,
    name,
    annotations: { ...shape.annotations },
    _meta: { 'sallyport/capability_hash': row.hash, 'sallyport/effect': row.effect },
  };
}
