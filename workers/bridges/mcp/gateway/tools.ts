import { revertFunction, type ToolContext, toolCapability } from '../../../../core/capability/author.ts';
import { define } from '../../../../core/capability/define.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import type { JsonObject } from '../../../../core/json/value.ts';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';
import { unwrap } from '../../../../core/sallyport-error.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import { ToolError } from '../../../../core/tool-error.ts';
import type { GrantOption, Runtime, Session, ToolDefinition, WatchOptions } from '../../../api.ts';
import { makeSerialQueue } from '../../../async.ts';
import type { McpSource, McpTool } from '../client/api.ts';
import { effectOf } from '../client/declarations.ts';
import { type ConfiguredGrant, type ConfiguredServer, type DeclaredEffect, prefixOf } from './config.ts';
import {
  type ChangedDefinition,
  type DefinitionPins,
  definitionHash,
  PINS_BYTES,
  PINS_MAX,
  type ServerDefinition,
} from './pins.ts';
import { type CommandPolicy, grantsFor } from './policy.ts';
import { type ConfiguredReverse, reverseFault, reverserOf } from './reverse.ts';
import type { StoredWatch } from './watch.ts';

/** A tool behind the gate. */
export interface GatewayTool extends ServerDefinition {
  readonly definition: string;
  /** Hash of the capability, by which the runtime names it in questions. */
  readonly capability_hash: string;
  /** Number of this state of the tool. Another definition, other terms or another pin make another number, for good. */
  readonly revision: number;
  readonly changed?: ChangedDefinition;
  /** How the configuration has its calls taken back. */
  readonly reverse?: ConfiguredReverse;
  /** As its source lists it, with the function that takes its calls back. */
  readonly listed: ToolDefinition;
  /** As the runtime has it. */
  readonly terms: ToolDefinition;
}

/** A tool before its comparison with its pin and its rules. */
type ListedGatewayTool = Omit<GatewayTool, 'revision' | 'changed' | 'terms' | 'capability_hash'>;

/** The rules that the grants of a tool are made from. */
interface GatewayRules {
  readonly grants: readonly ConfiguredGrant[];
  readonly effects: readonly DeclaredEffect[];
  readonly command: CommandPolicy;
  /** The watch that has not ended. */
  readonly watch?: StoredWatch | undefined;
}

interface GatewayToolsParts {
  readonly pins: DefinitionPins;
  readonly rules: () => GatewayRules;
  /** Called after each change of the tools or of their grants. */
  readonly changed: () => void;
  /** Called after a permission for a known tool was added: runs that have started do not have it. */
  readonly gained: (tool: string) => void;
  /** Tells the person a line. */
  readonly say: (line: string) => void;
}

interface Provided {
  readonly capability_hash: string;
  readonly grants: ReadonlyMap<string, string>;
}

/**
 * The tools of all servers in the runtime, which may still be opening, each with the grants that its rules give it. A tool is provided with its
 * grants, before a call can find it without them.
 */
export class GatewayTools {
  readonly #runtime: Promise<Pick<Runtime, 'tools' | 'grants'>>;
  readonly #pins: DefinitionPins;
  readonly #rules: () => GatewayRules;
  readonly #changed: () => void;
  readonly #gained: (tool: string) => void;
  readonly #say: (line: string) => void;
  readonly #inTurn = makeSerialQueue();
  readonly #tools = new Map<string, GatewayTool>();
  readonly #provided = new Map<string, Provided>();
  /** Servers whose definitions have no room. */
  readonly #full = new Set<string>();
  /** Faults of the configuration that were told. */
  readonly #told = new Set<string>();
  readonly #uses = new ProcessUses(() => void this.refresh().catch(() => undefined));
  #revisions = 0;

  constructor(
    runtime: Promise<Pick<Runtime, 'tools' | 'grants'>>,
    { pins, rules, changed, gained, say }: GatewayToolsParts,
  ) {
    this.#runtime = runtime;
    this.#pins = pins;
    this.#rules = rules;
    this.#changed = changed;
    this.#gained = gained;
    this.#say = say;
  }

  /** The tool with this name now. */
  find(name: string): GatewayTool | undefined {
    return this.#tools.get(name);
  }

  all(): readonly GatewayTool[] {
    return [...this.#tools.values()];
  }

  /** Takes the newest list of a server; without a source, removes its tools. */
  update(server: string, settings: ConfiguredServer, source: McpSource | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const listed = source === undefined ? [] : await listOf(server, settings, source, (line) => this.#sayOnce(line));
      const { changed, unpinned } = await this.#pins.see(listed);
      this.#tellUnpinned(server, unpinned);
      const offered = listed.filter(({ tool }) => !unpinned.has(tool));
      const names = new Set(offered.map(({ tool }) => tool));
      const gone = this.all().filter((each) => each.server === server && !names.has(each.tool));
      for (const { tool } of gone) await this.#remove(tool);
      const next = offered.map((each) => this.#revised(each, changed.get(each.tool)));
      for (const each of next) this.#tools.set(each.tool, each);
      await Promise.all(next.map((each) => this.#provide(each)));
      this.#changed();
    });
  }

  /** Counts the uses of grants in a session. */
  count({ run }: Session): void {
    const follow = async (): Promise<void> => {
      for await (const record of run.records()) this.#uses.read(record);
    };
    void follow().catch(() => undefined);
  }

  /** Compares all tools with their pins and rules again. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const { changed } = await this.#pins.see(this.all());
      for (const each of this.all()) this.#tools.set(each.tool, this.#revised(each, changed.get(each.tool)));
      await Promise.all(this.all().map((each) => this.#provide(each)));
      this.#changed();
    });
  }

  /** Pins a changed definition in place of the pin that the person has compared it with. Returns the tool. */
  async accept(definition: string, revision: number, pinned: string): Promise<string | undefined> {
    const found = this.all().find(
      (each) => each.revision === revision && each.definition === definition && each.changed?.pinned === pinned,
    );
    const isDone = found !== undefined && (await this.#pins.accept(found, pinned));
    await this.refresh();
    return isDone ? found.tool : undefined;
  }

  #revised(given: ListedGatewayTool, changed?: ChangedDefinition): GatewayTool {
    const { server, origin, tool, name, declaration, definition, listed, reverse } = given;
    const declared = this.#rules().effects.findLast((each) => each.tool === tool && each.definition === definition);
    // a hint of the server only makes the effect stricter
    const effect = declared && effectOf(declaration as unknown as McpTool, declared.effect, false);
    const isDeclared = declared !== undefined && declared.effect === effect;
    const terms = effect === undefined ? listed : { ...listed, effect, ...(isDeclared && { declared: definition }) };
    const { run: _, revert, ...definable } = terms;
    const { hash } = unwrap(define(toolCapability(definable, revert)));
    const before = this.#tools.get(tool);
    const isSame =
      before?.definition === definition &&
      before.capability_hash === hash &&
      before.changed?.pinned === changed?.pinned;
    const revision = isSame ? before.revision : ++this.#revisions;
    const next = {
      server,
      origin,
      tool,
      name,
      declaration,
      definition,
      listed,
      ...(reverse && { reverse }),
      terms,
      capability_hash: hash,
      revision,
    };
    return { ...next, ...(changed && { changed }) };
  }

  #sayOnce(line: string): void {
    if (!this.#told.has(line)) this.#say(line);
    this.#told.add(line);
  }

  /** A server that lists too much is told of once, until its list has room again. */
  #tellUnpinned(server: string, { size }: ReadonlySet<string>): void {
    const isTold = this.#full.has(server);
    if (size === 0) this.#full.delete(server);
    else this.#full.add(server);
    if (size > 0 && !isTold)
      this.#say(
        `${size} tools of ${visibleLine(server)} are left out: ${this.#pins.path} has no room for their definitions. A server has ${PINS_MAX} pins of together ${PINS_BYTES >> 20} MiB`,
      );
  }

  async #remove(tool: string): Promise<void> {
    this.#tools.delete(tool);
    this.#provided.delete(tool);
    await (await this.#runtime).tools.remove(tool).catch(() => undefined);
  }

  async #provide(tool: GatewayTool): Promise<void> {
    const { run: _, revert: back, ...given } = tool.terms;
    const before = this.#provided.get(tool.tool);
    const isKept = before?.capability_hash === tool.capability_hash;
    // The newest function of the source is called, also where the definition has stayed.
    const run = async (args: never, io: ToolContext): Promise<unknown> => {
      if (this.#isLimited(tool.tool)) await this.#uses.permit(io);
      return newest().run(args, io);
    };
    const newest = (): ToolDefinition => (this.#tools.get(tool.tool) ?? tool).terms;
    const revert = typeof back === 'object' && {
      ...back,
      run: async (done: never, io: ToolContext): Promise<unknown> => {
        this.#demandPinned(tool);
        return revertFunction(newest().revert)?.(done, io);
      },
    };
    if (!isKept) await (await this.#runtime).tools.provide({ ...given, run, ...(revert && { revert }) });
    const grants = await this.#grant(tool, isKept ? before.grants : undefined);
    this.#provided.set(tool.tool, { capability_hash: tool.capability_hash, grants });
  }

  /** Throws where the tool that takes a call back has another definition than the one that a person has accepted. */
  #demandPinned({ server, reverse }: GatewayTool): void {
    const isBy = ({ tool }: GatewayTool) => tool.slice(tool.indexOf('.') + 1) === reverse?.tool;
    const by = this.all().find((each) => each.server === server && isBy(each));
    if (by?.changed !== undefined)
      throw new ToolError(
        'definition_changed',
        `The definition of ${visibleLine(by.tool)} has changed. Compare it first.`,
      );
  }

  /** Adds the grants that are new, then revokes those that have ended. */
  async #grant(tool: GatewayTool, known?: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const before = known ?? new Map<string, string>();
    const { grants, command, watch } = this.#rules();
    const { pinned } = tool.changed ?? {};
    const { effect } = tool.terms;
    const subject = { name: tool.tool, effect, definition: tool.definition, ...(pinned !== undefined && { pinned }) };
    const texts = grantsFor(subject, grants, command).map((each) => [canonicalText(each as never), each] as const);
    const wanted = new Map(texts.filter(([text]) => this.#uses.isLeft(text)));
    // a rule that is used up was not taken back: a watch lifts it as little as one with uses left
    const isRuled = texts.length > wanted.size;
    const lifting = watch !== undefined && !isRuled && isWatched(tool, watch) ? termsOf(watch) : undefined;
    const lifted = lifting && WATCHED + canonicalText({ ...lifting });
    const kept = new Map([...before].filter(([text]) => wanted.has(text) || text === lifted));
    for (const [text, option] of wanted) {
      if (kept.has(text)) continue;
      const id = await this.#add(option);
      kept.set(text, id);
      if (option.uses !== undefined) this.#uses.add(text, option.uses, id);
      // a session that opened before the tool was listed opens anew by itself when the tool is called
      if (option.mode !== 'deny' && known !== undefined) this.#gained(tool.tool);
    }
    if (lifting !== undefined && lifted !== undefined && !kept.has(lifted)) {
      const id = await this.#watch(tool, lifting);
      if (id !== undefined) kept.set(lifted, id);
      if (id !== undefined && known !== undefined) this.#gained(tool.tool);
    }
    const ids = new Set(kept.values());
    const ended = [...before].filter(([, id]) => !ids.has(id));
    // the watch first: between the two no call runs by it
    ended.sort(([one], [other]) => Number(other.startsWith(WATCHED)) - Number(one.startsWith(WATCHED)));
    for (const [, id] of ended) await (await this.#runtime).grants.revoke(id);
    // a grant that is used up was not taken back, and no rule ends with a watch
    if (ended.some(([text]) => this.#uses.isLeft(text) && !text.startsWith(WATCHED))) await this.#endStanding(tool);
    return kept;
  }

  /** A person who takes a rule back means the runs under way too: "always" was also a standing answer there. */
  async #endStanding({ tool }: GatewayTool): Promise<void> {
    const { grants } = await this.#runtime;
    for (const { id, capability, parent } of await grants.list())
      if (parent !== undefined && capability === tool) await grants.revoke(id);
  }

  /** A watch that cannot be taken, for example because it ends at this moment, lets nothing run. */
  async #watch({ tool }: GatewayTool, terms: WatchOptions): Promise<string | undefined> {
    const { grants } = await this.#runtime;
    const made = await grants.watch({ ...terms, capabilities: [tool] }).catch((error: unknown) => {
      this.#say(`The watch cannot be taken for ${visibleLine(tool)}: ${(error as Error).message}`);
    });
    return made?.grants[0]?.id;
  }

  #isLimited(tool: string): boolean {
    return this.#rules().grants.some((each) => each.tool === tool && each.uses !== undefined);
  }

  /** A grant that cannot be taken is left out; a denial that cannot be taken denies every call of its tool. */
  async #add(option: GrantOption): Promise<string> {
    const { grants } = await this.#runtime;
    const { capability = '', mode } = option;
    const granted = await grants.grant(option).catch((error: unknown) => {
      const result = mode === 'deny' ? 'every call of the tool is denied' : 'it is left out';
      this.#say(`A grant for ${visibleLine(capability)} cannot be taken, so ${result}: ${(error as Error).message}`);
      return grants.grant({ capability, mode: mode === 'deny' ? 'deny' : 'ask' });
    });
    return granted.id;
  }
}

/** In front of the text of a watch, among the texts of grants. */
const WATCHED = 'watch ';

/** True for a tool whose definition was pinned when the watch began. What leaves the device goes on asking, unless ticked. */
export function isWatched(
  { definition, changed, terms: { effect } }: GatewayTool,
  { definitions, egress }: StoredWatch,
): boolean {
  return changed === undefined && definitions.includes(definition) && (effect !== 'egress' || egress === true);
}

function termsOf({ until, note, egress }: StoredWatch): WatchOptions {
  return { until, ...(note !== undefined && { note }), ...(egress && { egress }) };
}

/** The tools of a source that the configuration offers. */
async function listOf(
  server: string,
  settings: ConfiguredServer,
  source: McpSource,
  say: (line: string) => void,
): Promise<readonly ListedGatewayTool[]> {
  const found = await source.list();
  const { tools: configured = {} } = settings;
  const prefix = `${prefixOf(server, settings)}.`;
  const termsOf = (name: string) => {
    const local = name.slice(prefix.length);
    return Object.hasOwn(configured, local) ? configured[local] : undefined;
  };
  return found.flatMap((terms) => {
    const { enabled, reverse } = termsOf(terms.name) ?? {};
    if (enabled === false) return [];
    const listed = gatewayTool(server, source, terms);
    if (reverse === undefined) return [listed];
    const by = found.find(({ name }) => name === `${prefix}${reverse.tool}`);
    const fault = reverseFault(reverse, terms, by);
    if (fault !== undefined || by === undefined) {
      say(`The calls of ${visibleLine(terms.name)} cannot be taken back: ${visibleLine(fault ?? '')}`);
      return [listed];
    }
    // the definition of a tool that is offered is pinned, and compared when it takes a call back
    const unpinned = termsOf(by.name)?.enabled === false ? gatewayTool(server, source, by).definition : undefined;
    return [{ ...listed, reverse, listed: { ...terms, revert: reverserOf(reverse, by, unpinned) } }];
  });
}

function gatewayTool(server: string, source: McpSource, terms: ToolDefinition): ListedGatewayTool {
  const declared = source.declaration(terms.name);
  const { description, args, result } = terms;
  // Tools that read resources and prompts are ours: the server declares no schema for them.
  const own = { description, args, ...(result !== undefined && { result }) };
  const declaration = JSON.parse(canonicalText((declared ?? own) as never)) as JsonObject;
  const given = { server, origin: source.origin, tool: terms.name, name: declared?.name ?? terms.name, declaration };
  return { ...given, definition: definitionHash(given), listed: terms };
}

/** A grant of the configuration with `uses`, by the text of its terms: it outlives the grants that runs have of it. */
interface Limited {
  readonly uses: number;
  used: number;
}

/** A step with calls that were authorized. */
interface DecidedStep {
  /** It has taken the last use of a grant. */
  isLast: boolean;
  /** Whether a grant had a use left for each call that was decided: the step's own, and those of its guest by ticket. */
  readonly calls: Map<number | undefined, boolean>;
}

/** A call of a tool, as the tool is told of it. */
type CallRef = Pick<ToolContext, 'step_id' | 'ticket'>;

/** ms in which the decision of a call has to be read from its run. It was recorded before the call. */
const READ_MS = 5_000;

/**
 * Uses of the configured grants, over all runs and connections of this process. A run counts its own uses; this counts
 * those of all of them, in the order in which their records came.
 */
class ProcessUses {
  readonly #limited = new Map<string, Limited>();
  readonly #byGrant = new Map<string, Limited>();
  readonly #steps = new Map<string, DecidedStep>();
  readonly #waiting = new Map<string, () => void>();
  readonly #usedUp: () => void;

  /** `usedUp` is called when a grant has no use left, and its last call has ended. */
  constructor(usedUp: () => void) {
    this.#usedUp = usedUp;
  }

  /** False for terms that have no use left. */
  isLeft(text: string): boolean {
    const limited = this.#limited.get(text);
    return limited === undefined || limited.used < limited.uses;
  }

  /** Counts the uses of a grant under the uses of its terms. */
  add(text: string, uses: number, grant: string): void {
    const limited = this.#limited.get(text) ?? { uses, used: 0 };
    this.#limited.set(text, limited);
    this.#byGrant.set(grant, limited);
  }

  /** Reads the next record of a run. */
  read({ kind, body }: LedgerRecord): void {
    if (kind === 'decision') {
      if (body.decision !== 'AUTHORIZED') return;
      this.#decide(body, body.grant);
    } else if (kind === 'approval' && body.event === 'answered') {
      // a use of a standing answer is a use of its parent
      const parent = body.grant?.parent === undefined ? undefined : this.#byGrant.get(body.grant.parent);
      if (body.grant !== undefined && parent !== undefined) this.#byGrant.set(body.grant.id, parent);
    } else if (kind === 'power' && body.event === 'issued') {
      this.#decide(body, body.grant);
    } else if (kind === 'receipt') {
      const step = this.#step(body.receipt.step_id);
      // what guest code reads through the runtime stands in the receipt alone; a call of a tool is recorded before it
      for (const { ticket, decision, grant } of body.evidence.powers ?? [])
        if (decision === 'AUTHORIZED' && !step.calls.has(ticket)) this.#use(grant, step);
      this.#steps.delete(body.receipt.step_id);
      // not before: a grant that is revoked ends the calls that it has permitted
      if (step.isLast) this.#usedUp();
    }
  }

  /** Rejects for a call for which the grants had no use left when it was decided. */
  async permit(call: CallRef): Promise<void> {
    const { step_id, ticket } = call;
    const isDecided = (): boolean => this.#steps.get(step_id)?.calls.has(ticket) === true;
    if (!isDecided()) {
      const key = keyOf(call);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, READ_MS);
        this.#waiting.set(key, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      this.#waiting.delete(key);
    }
    const hadUse = this.#steps.get(step_id)?.calls.get(ticket);
    if (hadUse === undefined)
      throw new ToolError('record_late', 'The record of the call could not be read in time. The call was not made.');
    if (!hadUse)
      throw new ToolError(
        'grant_used_up',
        'Other runs have used all uses of the grant. Call the tool again to ask a person.',
      );
  }

  #decide(call: CallRef, grant: string | undefined): void {
    const step = this.#step(call.step_id);
    step.calls.set(call.ticket, this.#use(grant, step));
    this.#waiting.get(keyOf(call))?.();
  }

  #step(step_id: string): DecidedStep {
    const step = this.#steps.get(step_id) ?? { isLast: false, calls: new Map() };
    this.#steps.set(step_id, step);
    return step;
  }

  /** Counts a use. False for a use beyond the last. */
  #use(grant: string | undefined, step: DecidedStep): boolean {
    const limited = grant === undefined ? undefined : this.#byGrant.get(grant);
    if (limited === undefined) return true;
    limited.used += 1;
    if (limited.used === limited.uses) step.isLast = true;
    return limited.used <= limited.uses;
  }
}

function keyOf({ step_id, ticket = 0 }: CallRef): string {
  return `${step_id} ${ticket}`;
}
