/** A run that holds, with its world in one function: tools, programs and people answer as an environment says. */
import type { PowerCall, SettledCall } from '../../../core/capability/call.ts';
import type { Capability } from '../../../core/capability/capability.ts';
import { defineCodeTool } from '../../../core/capability/code-tool.ts';
import { define } from '../../../core/capability/define.ts';
import type { GrantTerms } from '../../../core/capability/grant-terms.ts';
import { type Hold, joined, LABELS, type Label } from '../../../core/capability/guard.ts';
import { HELD_READ } from '../../../core/capability/held-read.ts';
import {
  canHold,
  declaredLabels,
  type EarlierSource,
  givenLabels,
  heldUses,
  ownArgs,
  sourcesOf,
  wideArgs,
} from '../../../core/capability/hold.ts';
import { type Grant, makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { makePower, makePowers, type Power, type PowerSet } from '../../../core/capability/power.ts';
import { makeRegistry, type Registry } from '../../../core/capability/registry.ts';
import { CONTENT_CAPABILITIES } from '../../../core/content/built-in.ts';
import { contentHash } from '../../../core/content/text.ts';
import { sha256Text } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import type { Bodies, Draft } from '../../../core/ledger/record.ts';
import { LABEL_ROWS, labelPrefix, ownKey, type StoredValue } from '../../../core/run/commit/storage.ts';
import { messages } from '../../../core/run/context.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { QuestionAnswer, RunEvent, StoredRow } from '../../../core/run/event.ts';
import { placesOf } from '../../../core/run/held.ts';
import type { OpenStep } from '../../../core/run/open-step.ts';
import { callable, opening, proposalSchema } from '../../../core/run/opening.ts';
import { powerChecks } from '../../../core/run/powers/power-text.ts';
import { initialState, type RunFacts, type RunState } from '../../../core/run/state.ts';
import { executing, openStep } from '../../../core/run/step.ts';
import { transition } from '../../../core/run/transition.ts';
import { derive } from '../../../core/telemetry/derive.ts';
import { indexed } from '../content/files.ts';
import { checker } from '../schemas.ts';
import { must } from '../validator.ts';
import { facts } from './facts.ts';

export interface ToolSpec {
  readonly name: string;
  readonly effect?: 'pure' | 'read' | 'write' | 'egress';
  readonly labels?: readonly Label[];
  readonly held?: true | Label;
  readonly echoes?: false;
  readonly origin?: string;
  readonly args?: JsonObject;
  readonly result?: JsonObject;
  /** A program in the sandbox that may call these tools. */
  readonly tools?: readonly string[];
  readonly guest?: true;
  /** A guest with a store. */
  readonly store?: true;
  /** A power of the page, in the place of a tool. */
  readonly power?: true;
  /** Powers of the page that a program may use. */
  readonly powers?: readonly string[];
  /** A code tool with these tools. */
  readonly code?: true;
  readonly limits?: { readonly bytesIn: number };
}

export interface HeldSpec {
  readonly tools: readonly ToolSpec[];
  readonly grants: readonly (Omit<GrantTerms, 'mode'> & {
    readonly capability: string;
    readonly mode?: 'allow' | 'ask' | 'deny';
  })[];
  readonly hold?: Hold;
  readonly caller?: true;
  readonly dialect?: 'xct' | 'femtoclaw' | 'catalytic';
  readonly labels?: readonly Label[];
  readonly limits?: Partial<RunFacts['limits']>;
}

const ANY: JsonObject = { type: 'object' };

const DEFINED = new Map<string, Capability>();
const GRANTED = new Map<string, Grant>();

/** A grant is hashed once for all runs. */
function granted(name: string, hash: string, terms: GrantTerms): Grant {
  const text = JSON.stringify([hash, terms]);
  const known = GRANTED.get(text) ?? makeGrant({ name, hash }, terms);
  GRANTED.set(text, known);
  return known;
}

/** A definition is hashed once for all runs, and its schemas are widened once. */
function defined(spec: ToolSpec): Capability {
  const text = JSON.stringify(spec);
  const known = DEFINED.get(text);
  if (known !== undefined) return known;
  const made = must(define(spec.code ? codeOf(spec) : definitionOf(spec)));
  DEFINED.set(text, made);
  return made;
}

/** A power of the page, hashed once for all runs. */
function powered({ name, effect = 'read', labels, held }: ToolSpec): Power {
  const terms = { name, version: '1.0.0', description: name, effect, args: ANY };
  const text = JSON.stringify({ ...terms, labels, held });
  const made = POWERED.get(text) ?? must(makePower({ ...terms, ...(labels && { labels }), ...(held && { held }) }));
  POWERED.set(text, made);
  return made;
}

const POWERED = new Map<string, Power>();

/** A code tool. Of its tools it knows the names alone. */
function codeOf({ name, tools = [] }: ToolSpec): object {
  const known = tools.map((each) => ({ name: each, description: each, args: ANY, effect: 'read' }) as const);
  return defineCodeTool({ name, tools: known });
}

function definitionOf(spec: ToolSpec): object {
  const { name, origin, tools: inner, guest, store, args = ANY, effect = 'read', ...more } = spec;
  const isGuest = guest === true || inner !== undefined || store === true;
  const kind = isGuest
    ? { source: 'export default (args) => args' }
    : { source: '', host: origin === undefined ? {} : { origin } };
  const uses = { ...(inner && { tools: inner }), ...(store && { powers: ['store.get', 'store.put'] }) };
  return { name, version: '1.0.0', description: name, effect, args, ...more, ...uses, ...kind };
}

/** Rows of the table `kept`, as the runs of a world leave them. */
export type Kept = Map<string, unknown>;

export function heldFacts(
  { tools, grants, hold, caller, dialect = 'femtoclaw', labels, limits }: HeldSpec,
  earlier: readonly EarlierSource[] = [],
): RunFacts {
  const isRead = grants.some(({ capability }) => capability === HELD_READ.manifest.name);
  const builtIn = [...(dialect === 'catalytic' ? CONTENT_CAPABILITIES : []), ...(isRead ? [HELD_READ] : [])];
  const made = [...tools.flatMap((each) => (each.power ? [] : defined(each))), ...builtIn];
  const ofPage = tools.flatMap((each) => (each.power ? powered(each) : []));
  const powers: PowerSet | undefined = ofPage.length > 0 ? must(makePowers(ofPage)) : undefined;
  const registry: Registry = must(makeRegistry(made));
  const hashOf = (name: string) => (registry.capabilities.get(name) ?? powers?.powers.get(name))?.hash ?? '';
  const policy = makePolicy(
    made.map(({ hash }) => hash),
    grants.map(({ capability, ...terms }) => granted(capability, hashOf(capability), { mode: 'allow', ...terms })),
  );
  const own = new Set(sourcesOf({ registry }));
  const sources = earlier.filter(({ source }) => own.has(source));
  const found = sources.length > 0 && { sources };
  const held = { registry, policy, ...(powers && { powers }), ...(hold && { hold }), ...found };
  const base = facts({ dialect, ...(limits && { limits }) });
  return {
    ...base,
    ...held,
    ...(canHold(held) && { holding: true as const }),
    ...(caller && { caller }),
    ...(labels && { labels }),
    precompiled: new Map(),
  };
}

/**
 * What a tool answers: the k-th call of it, with these arguments. `secret` is the number of the world where worlds may
 * differ; in a call in the open it follows from what its source was given in held calls before, and is 0 where nothing was.
 * `heard`: what a program has heard, oldest first.
 */
export type Answers = (
  name: string,
  nth: number,
  args: string,
  secret: number,
  heard?: readonly JsonValue[],
) => SettledCall;

export interface InnerCall {
  readonly tool: string;
  readonly args: JsonValue;
}

export interface Env {
  readonly tool: Answers;
  /** True for labels of held outcomes in which worlds differ; absent: in none. */
  readonly differs?: (labels: readonly Label[]) => boolean;
  /** The next call of a tool that a program makes, by its arguments and the answers so far. */
  readonly program?: (name: string, args: string, answers: readonly JsonValue[]) => InnerCall | undefined;
  /** The permissions that a person takes back before the step, by their places among the grants. */
  readonly revoked?: (step: number) => readonly number[];
  /** What a person answers to the question about these arguments. `isHeld`: no model is told that there is a question. */
  readonly person?: (step: number, capability: string, args: string, isHeld: boolean) => QuestionAnswer;
  /** What the model proposes at a step, from all that it was told; absent: the proposals of the script. */
  readonly agent?: (step: number, told: readonly string[]) => Uint8Array | undefined;
  /** The text of the page, where READ holds and nothing writes; undefined for a page that is gone. */
  readonly content?: (step: number, secret: number) => string | undefined;
}

/** The symbol of the only file. */
const PAGE = '@x/a';
const PATH = 'a.md';
const FIRST = indexed(PATH, 'first\n');
const ROW = { symbol_id: PAGE, target_type: 'FILE', target_ref: PATH, default_slice_policy: 'tail(1)' } as const;

export interface Ran {
  readonly step: number;
  readonly name: string;
  readonly args: JsonValue;
  readonly asked: boolean;
  readonly hasHandles: boolean;
}

export interface Played {
  /** All bytes to the model or the caller, and all telemetry. */
  readonly told: readonly string[];
  readonly end: string;
  readonly ran: readonly Ran[];
  /** Steps whose guest was not started, because it had hung before. */
  readonly barred: readonly number[];
  readonly records: readonly Draft[];
  readonly payloads: ReadonlyMap<string, Uint8Array>;
  readonly state: RunState;
  readonly asked: readonly {
    readonly step: number;
    readonly name: string;
    readonly reason: string;
    readonly args: string;
  }[];
}

export const ok = (value: JsonValue): SettledCall => ({
  ok: true,
  text: JSON.stringify(value),
  fuel: 3,
  console: [],
  powerCalls: [],
});
export const threw = (message: string): SettledCall => ({
  ok: false,
  kind: 'threw',
  error: { name: 'Error', message },
  fuel: 1,
  console: [],
  powerCalls: [],
});

type Checker = ReturnType<typeof checker>;
const CHECKERS = new Map<string, Checker>();
const ACCEPT: Checker = () => [];

/** The checker of a schema by its hash. A schema is compiled once for all runs. */
function addChecker(hash: string | undefined, schema: JsonObject | undefined): void {
  if (hash === undefined || schema === undefined || CHECKERS.has(hash)) return;
  CHECKERS.set(hash, checker(schema));
}

function check(hash: string, value: JsonValue): ReturnType<Checker> {
  return (CHECKERS.get(hash) ?? ACCEPT)(value);
}

const OFFERS = new WeakMap<RunFacts, Map<string, string>>();

/** What is offered under a policy. Policies with the same grants are one: worlds and scripts take back the same. */
function offerOf(state: RunState): string {
  const { facts: of, policy } = state;
  const offers = OFFERS.get(of) ?? new Map<string, string>();
  OFFERS.set(of, offers);
  const key = [...policy.enabled, ...policy.grants.map(({ id }) => id)].join();
  const text = offers.get(key) ?? JSON.stringify([callable(state), proposalSchema(state), opening(state)]);
  offers.set(key, text);
  return text;
}

/** A planted fault: the state that a run has in the place of its own, before and after an event. */
export interface Fault {
  readonly before?: (state: RunState, event: RunEvent) => RunState;
  readonly after?: (before: RunState, event: RunEvent, after: RunState) => RunState;
  /** The rows of a write, in the place of its own. */
  readonly kept?: (rows: readonly StoredRow[]) => readonly StoredRow[];
}

/** Plays proposals, one a step, to the end. `kept`: the rows that earlier runs have left; those of this one are added. */
export function play(
  of: RunFacts,
  proposals: readonly Uint8Array[],
  env: Env,
  fault?: Fault,
  kept: Kept = new Map(),
): Played {
  return new Play(of, env, fault, 1, kept).run(proposals);
}

/**
 * Plays them in two worlds, which differ where the environment says so. Up to the first answer in which they may differ the
 * worlds are one run: a run is a pure function, which other tests ask.
 */
export function playBoth(
  of: RunFacts,
  proposals: readonly Uint8Array[],
  env: Env,
  fault?: Fault,
): readonly [Played, Played] {
  const first = new Play(of, env, fault, 1);
  const one = first.run(proposals);
  return [one, first.other?.go() ?? one];
}

/** Effects whose answer comes from the environment. */
const OF_WORLD: ReadonlySet<string> = new Set<RunEffect['type']>(['execute', 'resolve', 'load']);

class Play {
  #state: RunState;
  readonly #facts: RunFacts;
  readonly #env: Env;
  readonly #fault: Fault | undefined;
  readonly #secret: number;
  #queue: RunEffect[] = [];
  #left: Uint8Array[] = [];
  #told: string[] = [];
  #ran: Ran[] = [];
  #asked: { step: number; name: string; reason: string; args: string }[] = [];
  #records: Draft[] = [];
  #payloads = new Map<string, Uint8Array>();
  #counts = new Map<string, number>();
  /** What each source was given in held calls. */
  #memory = new Map<string, number>();
  readonly #kept: Kept;
  #staged: Kept = new Map();
  /** Labels that its store has shown the running call. */
  #shown: readonly Label[] = [];
  /** Guests that have hung: a run does not start them again. */
  #hung = new Set<string>();
  #barred: number[] = [];
  #end = '';
  #page = FIRST.text;
  /** The same run as it was before the first answer in which another world may differ. */
  #other: Play | undefined;
  #isDifferent = false;

  constructor(of: RunFacts, env: Env, fault: Fault | undefined, secret: number, kept: Kept = new Map()) {
    this.#kept = kept;
    this.#fault = fault;
    this.#facts = of;
    this.#env = env;
    this.#secret = secret;
    this.#state = initialState(of);
    for (const capability of of.registry.capabilities.values()) {
      const { schemas, manifest } = capability;
      addChecker(schemas.args, manifest.args);
      addChecker(schemas.result, manifest.result);
      for (const { hash, schema } of of.holding ? [wideArgs(capability), ownArgs(of, capability)] : [])
        addChecker(hash, schema);
    }
    for (const { schemas, manifest } of of.powers?.powers.values() ?? []) addChecker(schemas.args, manifest.args);
    for (const { where, where_hash } of of.policy.grants) addChecker(where_hash, where);
  }

  get other(): Play | undefined {
    return this.#isDifferent ? this.#other : undefined;
  }

  #copy(): Play {
    const copy = new Play(this.#facts, this.#env, this.#fault, 2, new Map(this.#kept));
    copy.#state = this.#state;
    copy.#queue = [...this.#queue];
    copy.#left = [...this.#left];
    copy.#told = [...this.#told];
    copy.#ran = [...this.#ran];
    copy.#asked = [...this.#asked];
    copy.#records = [...this.#records];
    copy.#payloads = new Map(this.#payloads);
    copy.#counts = new Map(this.#counts);
    copy.#page = this.#page;
    copy.#hung = new Set(this.#hung);
    copy.#barred = [...this.#barred];
    copy.#memory = new Map(this.#memory);
    return copy;
  }

  #send(event: RunEvent): void {
    const before = this.#fault?.before?.(this.#state, event) ?? this.#state;
    const [own, effects] = transition(before, event);
    const after = this.#fault?.after?.(before, event, own) ?? own;
    this.#state = after;
    for (const each of derive(before, event, after, effects)) this.#told.push(`telemetry ${JSON.stringify(each)}`);
    this.#queue.push(...effects);
  }

  run(proposals: readonly Uint8Array[]): Played {
    this.#left = [...proposals];
    this.#send({ type: 'start', task: 'Do it.' });
    this.#send({ type: 'run' });
    return this.go();
  }

  go(): Played {
    for (let n = 0; n < 5_000; n++) {
      const [next] = this.#queue;
      if (OF_WORLD.has(next?.type ?? '') && this.#secret === 1 && !this.#isDifferent) this.#other = this.#copy();
      const effect = this.#queue.shift();
      if (effect === undefined) break;
      this.#perform(effect);
    }
    return {
      told: this.#told,
      end: this.#end,
      ran: this.#ran,
      barred: this.#barred,
      records: this.#records,
      payloads: this.#payloads,
      state: this.#state,
      asked: this.#asked,
    };
  }

  #perform(effect: RunEffect): void {
    switch (effect.type) {
      case 'append':
      case 'note':
        this.#records.push(...effect.drafts);
        if (effect.type === 'append') this.#keep(effect.kept ?? []);
        for (const { ref, bytes } of effect.payloads) this.#payloads.set(ref.sha256, bytes);
        this.#heard(effect.drafts);
        if (effect.type === 'append') for (const { after } of effect.content ?? []) this.#page = after.text;
        return this.#send({ type: effect.type === 'append' ? 'appended' : 'noted' });
      case 'propose':
        return this.#propose(effect);
      case 'check':
        return this.#check(effect);
      case 'resolve': {
        const found = effect.symbols.flatMap((symbol) =>
          symbol === PAGE ? [[symbol, { row: ROW, file: indexed(PATH, this.#text() ?? 'gone') }] as const] : [],
        );
        return this.#send({ type: 'resolved', step: effect.step, found: new Map(found) });
      }
      case 'load': {
        const text = this.#text();
        const file = text === undefined ? {} : { file: indexed(PATH, text) };
        return this.#send({ type: 'loaded', step: effect.step, ...file, rows: [ROW] });
      }
      case 'recall': {
        const found = effect.refs.flatMap(({ sha256 }) => {
          const bytes = this.#payloads.get(sha256);
          return bytes === undefined ? [] : [[sha256, bytes] as const];
        });
        return this.#send({ type: 'recalled', step: effect.step, bytes: new Map(found) });
      }
      case 'charge': {
        const rows = effect.grants.map(({ id, count, limit }) => {
          const before = (this.#kept.get(`released/${count}`) as number | undefined) ?? 0;
          return { id, count, limit, before };
        });
        for (const { count, limit, before } of rows)
          if (before + effect.bits <= limit) this.#kept.set(`released/${count}`, before + effect.bits);
        return this.#send({
          type: 'charged',
          step: effect.step,
          before: new Map(rows.map(({ id, before }) => [id, before])),
        });
      }
      case 'ask': {
        const { capability: name, digest, reason, args, held = false } = effect.question;
        const step = this.#state.steps;
        this.#asked.push({ step, name, reason, args });
        const answer = this.#env.person?.(step, name, args, held) ?? { approved: true };
        return this.#send({ type: 'answered', digest, answer, now: 2_000 + step });
      }
      case 'execute':
        return this.#execute(effect);
      case 'park':
        return this.#send({ type: 'park_failed', step: effect.step });
      case 'end':
        this.#end = JSON.stringify(effect.ending);
        return;
      default:
    }
  }

  #text(): string | undefined {
    const { content, differs } = this.#env;
    if (content === undefined) return this.#page;
    const isOther = differs?.(LABELS) === true;
    if (isOther) this.#isDifferent = true;
    return content(this.#state.steps, isOther ? this.#secret : 0);
  }

  /** What the caller of a session hears of a step. */
  #heard(drafts: readonly Draft[]): void {
    if (!this.#facts.caller) return;
    for (const { kind, body } of drafts)
      if (kind === 'observation')
        this.#told.push(
          `called ${body.step_id} ${body.status} ${new TextDecoder().decode(this.#payloads.get(body.payload.sha256))}`,
        );
  }

  #propose({ step, context }: Extract<RunEffect, { type: 'propose' }>): void {
    const { facts: of } = this.#state;
    const request = messages(context, [], of.limits.contextBytes);
    this.#told.push(`request ${JSON.stringify(request)}`);
    this.#told.push(this.#offer());
    this.#revoke(step);
    const next = this.#env.agent ? this.#env.agent(step, this.#told) : this.#left.shift();
    if (next === undefined) return this.#send({ type: 'stop', ending: { state: 'aborted', message: 'over' } });
    const salt = sha256Text(`salt ${step}`);
    this.#send({ type: 'proposed', step, bytes: next, now: 1_000 + step, nonce: `nonce ${step}`, salt });
  }

  #revoke(step: number): void {
    const { grants } = this.#facts.policy;
    const ids = (this.#env.revoked?.(step) ?? []).flatMap((at) => grants[at]?.id ?? []);
    if (ids.length > 0) this.#send({ type: 'revoked', grants: ids, capabilities: [] });
  }

  /** What is offered, where it is not the first offer, which follows from the facts alone. */
  #offer(): string {
    const { policy } = this.#state;
    if (policy === this.#facts.policy) return 'offer';
    const text = offerOf(this.#state);
    return text === offerOf({ ...this.#state, policy: this.#facts.policy }) ? 'offer' : `offer ${text}`;
  }

  #check({ step, schemas, text }: Extract<RunEffect, { type: 'check' }>): void {
    const value = JSON.parse(text) as JsonValue;
    const results = schemas.map((hash) => [hash, { issues: check(hash, value) }] as const);
    this.#send({ type: 'checked', step, results: new Map(results) });
  }

  #answer(name: string, args: string, labels?: readonly Label[], heard?: readonly JsonValue[]): SettledCall {
    const open = openStep(this.#state);
    const isHeld = open?.held !== undefined;
    // a call in the open counts the calls in the open: a source that held values have reached answers held
    const key = isHeld ? `held ${name}` : name;
    const nth = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, nth);
    const capability = this.#facts.registry.capabilities.get(name);
    const source = sourceOf(capability);
    const known = this.#memory.get(source) ?? 0;
    const isGiven = open?.held?.by === 'handles' || open?.held?.capability.manifest.tools !== undefined;
    if (isGiven && capability?.manifest.echoes !== false) this.#memory.set(source, folded(known, args));
    // in the open a source may say what it was given before
    const own = labels ?? (open === undefined ? [] : this.#labelsOf(name, open));
    const secret = isHeld ? this.#secretOf(isHeld, own) : known;
    return this.#env.tool(name, nth, args, secret, heard);
  }

  /** The number of the world where worlds may differ, and 0 elsewhere. */
  #secretOf(isHeld: boolean, labels: readonly Label[]): number {
    if (!isHeld || this.#env.differs?.(labels) !== true) return 0;
    this.#isDifferent = true;
    return this.#secret;
  }

  /** Labels of an outcome: those of a held step, and in a message those of its own operation. */
  #labelsOf(name: string, open: OpenStep): readonly Label[] {
    const { work, held } = open;
    const capability = this.#facts.registry.capabilities.get(name);
    if (work === undefined || capability === undefined) return held?.outcome.labels ?? [];
    const carried = placesOf(this.#state, open, work.done.length).flatMap((place) => place.labels);
    return [...declaredLabels(this.#state, capability), ...carried];
  }

  #execute({ step, call, args }: Extract<RunEffect, { type: 'execute' }>): void {
    const { manifest, hash } = call.capability;
    const open = openStep(this.#state);
    const plan = open?.work?.plans[open.work.done.length];
    const hasHandles = plan === undefined ? open?.held?.by === 'handles' : plan.handles !== undefined;
    if (hash === HELD_READ.hash) {
      const text = JSON.stringify((JSON.parse(args) as JsonObject)['handle']);
      const settled = { ok: true, text, fuel: 1, console: [], powerCalls: [] } as const;
      return this.#send({ type: 'settled', step, settled, image_hash: 'i'.repeat(64) });
    }
    if (manifest.host !== undefined) {
      // a standing answer is a person's, too
      const isStanding = call.grant.handled !== undefined;
      const asked = isStanding || this.#asked.some((each) => each.step === step && each.name === manifest.name);
      this.#ran.push({ step, name: manifest.name, args: JSON.parse(args) as JsonValue, asked, hasHandles });
      return this.#send({ type: 'settled', step, settled: this.#answer(manifest.name, args), image_hash: hash });
    }
    const settle = (settled: SettledCall): void =>
      this.#send({ type: 'settled', step, settled, image_hash: 'i'.repeat(64), labels: this.#shown });
    if (this.#hung.has(hash)) {
      this.#barred.push(step);
      return settle({ ...threw('hung'), kind: 'barred' } as SettledCall);
    }
    const powerCalls: PowerCall[] = [];
    [this.#staged, this.#shown] = [new Map(), []];
    for (let n = 0; n < 4; n++) {
      const heard = powerCalls.map(({ result, error }) => error?.name ?? result);
      const inner = this.#env.program?.(manifest.name, args, heard);
      if (inner === undefined) break;
      powerCalls.push(this.#inner(step, n + 1, inner));
    }
    const heard = powerCalls.map(({ result, error }) => error?.name ?? result);
    const said = this.#answer(manifest.name, args, undefined, heard);
    if (!said.ok && said.kind === 'hang') this.#hung.add(hash);
    settle({ ...said, powerCalls });
  }

  #keep(rows: readonly StoredRow[]): void {
    for (const { key, value } of this.#fault?.kept?.(rows) ?? rows)
      if (value === undefined) this.#kept.delete(key);
      else this.#kept.set(key, value);
  }

  /** The store, as the runtime carries it out: a call whose outcome is read gets nothing of a store with a mark. */
  #stored(name: string, args: JsonValue): PowerCall {
    const { capability } = executing(this.#state)?.charged ?? {};
    const of = capability?.manifest.name ?? '';
    const [key, value] = args as readonly [string, JsonValue?];
    const call = { name, args: args as readonly JsonValue[] } as const;
    const labels = LABEL_ROWS.flatMap((word) => {
      const row = this.#kept.get(labelPrefix(of) + word) as StoredValue | undefined;
      return row === undefined ? [] : [{ word, row }];
    });
    const isOpen = executing(this.#state)?.open.held === undefined;
    if (isOpen && labels.some(({ word }) => word === 'held'))
      return { ...call, result: null, error: { name: 'store_held', message: 'no' } };
    const found = this.#kept.get(ownKey(of, key)) as StoredValue | undefined;
    this.#shown = joined(this.#shown, ...labels.map(({ row }) => row.labels), found?.labels ?? []);
    if (name === 'store.put') {
      this.#staged.set(key, value ?? null);
      return { ...call, result: null };
    }
    const own = this.#staged.has(key) ? (this.#staged.get(key) as JsonValue) : undefined;
    return { ...call, result: own ?? (found === undefined ? null : (JSON.parse(found.text) as JsonValue)) };
  }

  #inner(step: number, ticket: number, { tool, args }: InnerCall): PowerCall {
    if (tool.startsWith('store.')) return this.#stored(tool, args);
    const list = JSON.stringify([args]);
    const wanted = powerChecks(
      this.#state,
      (this.#state.at as unknown as { charged: { capability: Capability } }).charged.capability,
      tool,
      list,
    );
    const checked = new Map(wanted?.here);
    for (const hash of wanted?.schemas ?? []) checked.set(hash, { issues: check(hash, args) });
    this.#send({ type: 'power_asked', step, ticket, name: tool, args: list, checked, labels: this.#shown, now: 1_500 });
    const before = this.#asked.length;
    for (let n = 0; n < 50; n++) {
      const effect = this.#queue.shift();
      if (effect === undefined) break;
      if (effect.type === 'power') {
        const at = executing(this.#state);
        const running = at?.charged.capability;
        const { decisions = [] } = at?.pendingCalls ?? {};
        const grant = decisions.findLast((each) => each.ticket === ticket)?.grant;
        const isStanding = this.#state.policy.grants.some(({ id, handled }) => id === grant && handled !== undefined);
        const asked = isStanding || this.#asked.length > before;
        this.#ran.push({ step, name: tool, args, asked, hasHandles: false });
        const known = this.#facts.registry.capabilities.get(tool) ?? this.#facts.powers?.powers.get(tool);
        // a tool that does not hold gives its program no held value
        const isHeld = known && running && heldUses(this.#state, running).has(known.hash);
        const given = isHeld ? givenLabels(this.#state, running, known.hash) : [];
        const said = this.#answer(tool, JSON.stringify(args), given);
        const answer = said.ok
          ? { ok: true as const, text: said.text }
          : { ok: false as const, error: { name: 'Error', message: 'no' } };
        this.#send({ type: 'power_answered', step, ticket, answer, checked: { issues: [] } });
      } else if (effect.type === 'answer_power') {
        const { answer } = effect;
        return answer.ok
          ? { name: tool, args: [args], result: JSON.parse(answer.text) as JsonValue }
          : { name: tool, args: [args], result: null, error: answer.error };
      } else this.#perform(effect);
    }
    throw new Error('the program waits for ever');
  }
}

function sourceOf(capability: Capability | undefined): string {
  const { name = '', host } = capability?.manifest ?? {};
  return host === undefined ? `guest ${name}` : (host.origin ?? 'program');
}

function folded(before: number, text: string): number {
  return [...text].reduce((sum, each) => (Math.imul(sum, 31) + (each.codePointAt(0) ?? 0)) | 0, before + 1);
}

export const callOf = (tool: string, args: JsonValue): Uint8Array =>
  encodeText(JSON.stringify({ tool_call: { tool, args } }));

export type Op = readonly ['READ'] | readonly ['WRITE', string] | readonly [string, JsonValue, JsonObject?];

/** A message of operations: `['READ']`, `['WRITE', text of the page before]`, or a capability with its arguments. */
export function messageOf(...all: readonly Op[]): Uint8Array {
  const ops = all.map(([name, given, more]) => {
    if (name === 'READ') return { type: 'READ', target: PAGE, params: {} };
    if (name === 'WRITE') {
      const expected_hash = contentHash(String(given));
      return { type: 'WRITE', target: PAGE, params: { content: `${String(given)}more\n`, expected_hash } };
    }
    return { type: 'EXECUTE', target: `@TOOLS/${name}`, params: { args: given ?? {}, ...more } };
  });
  const refs = [...new Set(ops.map(({ target }) => target))];
  const budgets = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 100, max_expands_per_step: 3 };
  return encodeText(JSON.stringify({ intent: 'work', refs, ops, budgets, required_outputs: [] }));
}

export function bodiesOf<K extends Draft['kind']>({ records }: Pick<Played, 'records'>, kind: K): readonly Bodies[K][] {
  return records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
}
