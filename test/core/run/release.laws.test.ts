/** The law of quantity: a fixed agent is told at most as many different transcripts as its bits can tell apart. */
import { describe, expect, test } from 'vitest';
import type { SettledCall } from '../../../core/capability/call.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import type { QuestionAnswer } from '../../../core/run/event.ts';
import type { HeldStep } from '../../../core/run/open-step.ts';
import type { RunState } from '../../../core/run/state.ts';
import { openStep } from '../../../core/run/step.ts';
import { releaseBits } from '../../../core/schema/release.ts';
import { caseCount } from '../../cases.ts';
import {
  callOf,
  type Env,
  type Fault,
  type HeldSpec,
  heldFacts,
  ok,
  type Played,
  play,
  type ToolSpec,
  threw,
} from './held.ts';

const CONST: JsonObject = { const: 'done' };
const THREE: JsonObject = { enum: ['a', 'no', 'longer than the others'] };
const SEVEN: JsonObject = { type: 'integer', minimum: 0, maximum: 6 };
const MOST: JsonObject = { type: 'integer', minimum: -1, maximum: 1021 };
const OBJECT: JsonObject = {
  type: 'object',
  properties: { sure: { type: 'boolean' }, kind: { enum: ['x', 'y', null] } },
  required: ['sure'],
  additionalProperties: false,
};

/** All values of a schema that a release may tell. */
function valuesOf({ type, enum: list, const: only, minimum, maximum, properties, required }: JsonObject): JsonValue[] {
  if (only !== undefined) return [only];
  if (Array.isArray(list)) return list as JsonValue[];
  if (type === 'boolean') return [true, false];
  if (type === 'integer')
    return Array.from({ length: Number(maximum) - Number(minimum) + 1 }, (_, nth) => Number(minimum) + nth);
  return Object.entries(properties as JsonObject).reduce<JsonValue[]>(
    (before, [name, schema]) => {
      const own = valuesOf(schema as JsonObject).map((value) => ({ [name]: value }));
      const all = (required as readonly string[]).includes(name) ? own : [{}, ...own];
      return before.flatMap((each) => all.map((more) => ({ ...(each as JsonObject), ...more })));
    },
    [{}],
  );
}

const settled = (kind: string, fuel: number): SettledCall => ({ ...threw(kind), kind, fuel }) as SettledCall;

const said = (text: string): SettledCall => ({ ok: true, text, fuel: 3, console: [], powerCalls: [] });

/** Everything that can go wrong in a call, with words, costs and lines of its own. */
const FAILURES: readonly SettledCall[] = [
  threw('secret'),
  settled('hang', 7),
  settled('deadline', 8),
  settled('fuel', 9),
  { ...ok('out of its schema'), console: [{ level: 'log', text: 'secret' }] },
  said('{'),
  said(`"${'x'.repeat(300_000)}"`),
];
/** Of each kind that later steps may tell apart, for runs of several steps. */
const SOME = FAILURES.slice(0, 2);
const MAILS: readonly SettledCall[] = [ok(['a', 1]), ok(['b', 1]), threw('secret')];

const RESULTS: ReadonlyMap<string, JsonObject> = new Map([
  ['bit', CONST],
  ['three', THREE],
  ['program', THREE],
]);
const TYPED: JsonObject = { type: 'object', properties: { x: { type: 'string' } } };
const WHERE: JsonObject = { type: 'object', properties: { x: { const: 'a' } } };
const TOOLS: readonly ToolSpec[] = [
  { name: 'mail', effect: 'read', held: true },
  { name: 'note', effect: 'write', labels: [], origin: 'mcp:note' },
  { name: 'bit', labels: ['untrusted'], guest: true, result: CONST, args: TYPED },
  { name: 'three', labels: ['private', 'untrusted'], guest: true, result: THREE, args: TYPED },
  { name: 'program', labels: [], tools: ['mail', 'note'], result: THREE },
];

/** One of so many outcomes. */
type Choose = (most: number) => number;

/** Plays a fixed agent in every environment: one choice for each outcome that is held. */
function everywhere(
  of: HeldSpec,
  env: (choose: Choose) => Env,
  proposals: readonly Uint8Array[],
  fault?: Fault,
  most = Number.POSITIVE_INFINITY,
): readonly Played[] {
  const facts = heldFacts(of);
  const all: Played[] = [];
  let next: number[] | undefined = [];
  while (next !== undefined && all.length < most) {
    const prefix: number[] = next;
    const taken: { readonly at: number; readonly most: number }[] = [];
    const choose: Choose = (count) => {
      const at = prefix[taken.length] ?? 0;
      taken.push({ at, most: count });
      return at;
    };
    all.push(play(facts, proposals, env(choose), fault));
    const last = taken.findLastIndex(({ at, most: count }) => at + 1 < count);
    next = last < 0 ? undefined : taken.slice(0, last + 1).map(({ at }, nth) => (nth === last ? at + 1 : at));
  }
  return all;
}

/** Bits that a run has charged: each definition has one grant that releases it. */
const bitsOf = ({ state }: Played): number => [...state.released.values()].reduce((sum, { own }) => sum + own, 0);

/**
 * The sum of 2 to the minus bits over all different transcripts: at most 1. Where every environment charges the same bits,
 * there are at most 2 to the bits transcripts.
 */
function quantity(all: readonly Played[]): {
  readonly transcripts: number;
  readonly sum: number;
  readonly bits: number;
} {
  const bits = new Map<string, number>();
  for (const played of all) {
    const text = JSON.stringify([played.told, played.end]);
    bits.set(text, Math.min(bits.get(text) ?? Number.POSITIVE_INFINITY, bitsOf(played)));
  }
  const sum = [...bits.values()].reduce((before, each) => before + 2 ** -each, 0);
  return { transcripts: bits.size, sum, bits: Math.max(...bits.values()) };
}

/** An environment that chooses each held outcome, and answers what is told always alike. */
const chosen =
  (
    results: ReadonlyMap<string, JsonObject> = RESULTS,
    more: Partial<Env> = {},
    failures: readonly SettledCall[] = SOME,
    answers = 2,
  ) =>
  (choose: Choose): Env => ({
    differs: () => true,
    tool: (name, nth, args, secret) => {
      const schema = results.get(name);
      if (secret !== 1)
        return ok(schema === undefined ? [name, nth, args.length, secret] : (valuesOf(schema)[0] ?? null));
      if (schema === undefined) return MAILS[choose(MAILS.length)] as SettledCall;
      const values = valuesOf(schema);
      const at = nth > 2 ? 0 : choose(values.length + failures.length);
      return at < values.length ? ok(values[at] as JsonValue) : (failures[at - values.length] as SettledCall);
    },
    person: (step, _, __, isHeld): QuestionAnswer => {
      const yes: readonly QuestionAnswer[] = [
        { approved: true },
        { approved: false, reason: 'no' },
        { approved: true, standing: { args: 'any' } },
      ];
      return (isHeld ? yes[choose(answers)] : yes[step % 2]) as QuestionAnswer;
    },
    // how often a program calls, and whom, follows from what it has heard
    program: (name, _, heard) => {
      if (name !== 'program' || heard.length > 1) return undefined;
      if (heard.length === 0) return { tool: 'mail', args: {} };
      return JSON.stringify(heard).includes('"b"') ? { tool: 'note', args: { x: 'b' } } : undefined;
    },
    ...more,
  });

/** A number from 0 below `most` that depends on all parts. */
function dice(most: number, ...parts: readonly unknown[]): number {
  let hash = 2166136261;
  for (const each of JSON.stringify(parts)) hash = Math.imul(hash ^ (each.codePointAt(0) ?? 0), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) % most;
}

const HANDLES: readonly JsonValue[] = [
  {},
  { x: 'a' },
  { x: { $held: 'h1', at: '/0' } },
  { x: { $held: 'h1', at: '/1' } },
];
const POOL = [
  ...['bit', 'three', 'bit', 'three'].flatMap((name) => HANDLES.map((args) => callOf(name, args))),
  ...['program', 'note', 'mail'].map((name) => callOf(name, {})),
  callOf('note', { x: { $held: 'h2' } }),
];

/** An agent that follows what it was told, under grants of a number. */
function adversary(seed: number): { readonly of: HeldSpec; readonly env: (choose: Choose) => Env } {
  const pick = <T>(list: readonly T[], ...parts: readonly unknown[]): T => list[dice(list.length, seed, ...parts)] as T;
  const released = [...RESULTS.keys()].map((capability) => ({
    capability,
    mode: pick(['allow', 'allow', 'ask'] as const, 'mode', capability),
    release: {
      bits: 1 + dice(4, seed, 'bits', capability),
      ...(pick([true, false], 'drops', capability) && { drops: ['untrusted'] as const }),
    },
    ...(pick([true, false, false], 'where', capability) && { where: WHERE }),
    ...(pick([true, false, false], 'uses', capability) && { uses: 1 + dice(2, seed, capability) }),
  }));
  const plain = ['bit', 'three', 'program'].filter((name) => pick([true, false], 'plain', name));
  const grants = [...released, ...['mail', 'note', ...plain].map((capability) => ({ capability }))];
  const hold = pick([undefined, 'all', 'untrusted'] as const, 'hold');
  const more: Partial<Env> = {
    agent: (step, told) =>
      step > 4 ? undefined : step === 1 && seed % 3 > 0 ? callOf('mail', {}) : pick(POOL, step, told.slice(-12)),
    revoked: (step) => (dice(5, seed, 'revoked', step) === 0 ? [dice(3, seed, 'which', step)] : []),
  };
  const env = chosen(RESULTS, more, SOME, 3);
  const limits = { refusalsInRow: 2 + dice(2, seed) };
  return { of: { tools: TOOLS, grants, limits, ...(hold && { hold }), ...(seed % 2 && { caller: true }) }, env };
}

describe('the law of quantity', () => {
  test.each<[string, JsonObject]>([
    ['one value', CONST],
    ['a boolean', { type: 'boolean' }],
    ['three words', THREE],
    ['seven numbers', SEVEN],
    ['an object', OBJECT],
    ['1,023 numbers', MOST],
  ])('%s: every value and every failure give as many transcripts as there are values, and one', (_, result) => {
    const tools = [{ name: 'it', labels: ['private' as const], guest: true as const, result }];
    const of: HeldSpec = { tools, grants: [{ capability: 'it', release: { bits: 10, drops: ['untrusted'] } }] };
    const all = everywhere(of, chosen(new Map([['it', result]]), {}, FAILURES), [callOf('it', {})]);
    const { transcripts, bits, sum } = quantity(all);
    const values = valuesOf(result).length;
    expect([transcripts, bits]).toEqual([values + 1, releaseBits(result)]);
    expect(sum).toBeLessThanOrEqual(1);
    expect(all.length).toBe(values + FAILURES.length);
  });

  const SEEDS = caseCount(48);
  test('adversaries that use failures, budgets, uses, hangs, names and order are told no more than their bits', () => {
    let [charged, transcripts] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { of, env } = adversary(seed);
      const told = quantity(everywhere(of, env, [], undefined, 40));
      charged += told.bits;
      transcripts += told.transcripts;
      expect([seed, told.sum <= 1]).toEqual([seed, true]);
    }
    // the law holds for nothing if nothing is told
    expect(Math.min(charged, transcripts)).toBeGreaterThan(SEEDS);
  }, 600_000);

  /** Reads a mail, asks about it until its grant is used up, is refused, and calls again once the grant is taken back. */
  const scene: HeldSpec = {
    tools: TOOLS,
    grants: [
      { capability: 'bit', mode: 'ask', release: { bits: 3, drops: ['untrusted'] }, where: WHERE, uses: 2 },
      { capability: 'bit' },
      { capability: 'mail' },
      { capability: 'note' },
    ],
    limits: { refusalsInRow: 2 },
  };
  const calls = [
    callOf('mail', {}),
    callOf('bit', { x: { $held: 'h1', at: '/0' } }),
    callOf('bit', {}),
    callOf('bit', {}),
    callOf('nobody', {}),
    callOf('note', {}),
    callOf('bit', { x: 'c' }),
  ];
  const revoked = (step: number) => (step === 7 ? [0] : []);
  const found = (fault?: Fault, of = scene) =>
    quantity(everywhere(of, chosen(RESULTS, { revoked }), calls, fault)).sum > 1;

  test('holds for a scene that the planted leaks are put into', () => {
    expect(found()).toBe(false);
  });

  test.each<[string, Fault]>([
    [
      'a code in the place of no release',
      { before: (state, event) => (isFailed(event) ? withHeld(state, () => undefined) : state) },
    ],
    [
      'a charge after success only',
      { after: (_, event, after) => (isFailed(event) ? { ...after, released: new Map() } : after) },
    ],
    [
      'a no that is not charged',
      {
        after: (_, event, after) =>
          event.type === 'answered' && !event.answer.approved ? { ...after, released: new Map() } : after,
      },
    ],
    [
      'a value that does not fit, which is not charged',
      {
        after: (_, event, after) =>
          event.type === 'charged' && isOver(after) ? { ...after, released: new Map() } : after,
      },
    ],
    [
      'labels that depend on what went wrong',
      {
        after: (before, event, after) =>
          isFailed(event) && openStep(before)?.held?.release ? { ...after, labels: new Set(['untrusted']) } : after,
      },
    ],
    [
      'a failure in the row of refusals',
      { after: (_, event, after) => (isFailed(event) ? { ...after, refusalsInRow: after.refusalsInRow + 2 } : after) },
    ],
    [
      'messages that tell whether the call has begun',
      {
        before: (state, { type }) =>
          type === 'settled' ? withHeld(state, (held) => (held.release ? { ...held, by: 'outcome' } : held)) : state,
      },
    ],
    [
      'uses that are counted where the call was permitted alone',
      {
        after: (before, event, after) =>
          openStep(before)?.held?.release && openStep(after) === undefined && event.type !== 'settled'
            ? { ...after, used: before.used }
            : after,
      },
    ],
    ['a hang that is forgotten', { after: (_, __, after) => ({ ...after, ranHeld: new Set() }) }],
  ])('is broken by %s', (_, fault) => {
    expect(found(fault)).toBe(true);
  });
});

const isFailed = (event: { readonly type: string; readonly settled?: SettledCall }): boolean =>
  event.type === 'settled' && event.settled?.ok === false;

/** The step has ended with this event. */
const isOver = (state: RunState): boolean => openStep(state) === undefined;

/** The run with another held step, or none, in the place of the one that is open. */
function withHeld(state: RunState, change: (held: HeldStep) => HeldStep | undefined): RunState {
  const { at } = state;
  if (!('open' in at) || at.open.held === undefined) return state;
  const { held, ...open } = at.open;
  const other = change(held);
  return { ...state, at: { ...at, open: { ...open, ...(other && { held: other }) } } as RunState['at'] };
}
