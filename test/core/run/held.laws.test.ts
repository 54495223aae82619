import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluatePolicy, type PolicyInput } from '../../../core/capability/authorize.ts';
import { covers, LABELS, type Label } from '../../../core/capability/guard.ts';
import { makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { QuestionAnswer } from '../../../core/run/event.ts';
import type { HeldStep } from '../../../core/run/open-step.ts';
import { place } from '../../../core/run/powers/power-calls.ts';
import type { RunState } from '../../../core/run/state.ts';
import { executing, openStep } from '../../../core/run/step.ts';
import { caseCount, IS_SHORT } from '../../cases.ts';
import {
  type Answers,
  callOf,
  type Env,
  type Fault,
  type HeldSpec,
  heldFacts,
  messageOf,
  type Op,
  ok,
  type Played,
  playBoth,
  type ToolSpec,
  threw,
} from './held.ts';

/** Tools as a stranger might offer them: sources of every kind, a sink, a program, and a guest that only computes. */
const NAMES = ['mail', 'web', 'file', 'send', 'quiet', 'pure', 'disk', 'program', 'agent', 'code'] as const;
const KINDS: { readonly [N in (typeof NAMES)[number]]: Omit<ToolSpec, 'name'> } = {
  mail: { effect: 'read' },
  web: { effect: 'read', labels: ['untrusted'], origin: 'mcp:web' },
  file: { effect: 'write', labels: [] },
  send: { effect: 'egress', origin: 'mcp:out', labels: [] },
  quiet: { effect: 'write', labels: [], echoes: false, origin: 'mcp:quiet' },
  pure: { effect: 'pure', labels: [], guest: true },
  disk: { effect: 'write', power: true, labels: ['private'] },
  program: { effect: 'read', labels: [], tools: ['mail', 'file', 'send'] },
  agent: { effect: 'read', labels: [], tools: ['web', 'quiet'], powers: ['disk'] },
  code: { effect: 'read', labels: [], tools: ['file', 'web'], code: true },
};
/** What programs may use. */
const USES: { readonly [program: string]: readonly string[] } = {
  program: ['mail', 'file', 'send'],
  agent: ['web', 'quiet', 'disk'],
  code: ['file', 'web'],
};
const TYPED = { type: 'object', properties: { x: { type: 'string' }, y: {} } };
const WHERE = { type: 'object', properties: { x: { enum: ['Lunch', 'a', 1] } } };
const LABEL_LISTS: readonly (readonly Label[])[] = [[], ['private'], ['untrusted'], ['private', 'untrusted']];
const accepts = fc.dictionary(fc.constantFrom('', '/x', '/y', '/*', '/x/0', '/y/*'), fc.constantFrom(...LABEL_LISTS), {
  maxKeys: 3,
});

const term = fc.record(
  {
    mode: fc.constantFrom('allow', 'allow', 'allow', 'ask', 'deny'),
    accepts,
    held: fc.constantFrom(true, 'private', 'untrusted'),
    uses: fc.integer({ min: 1, max: 2 }),
    where: fc.constant(WHERE),
    rate: fc.constant([{ calls: 1, windowMs: 3 }]),
  },
  { requiredKeys: ['mode'] },
) as unknown as fc.Arbitrary<HeldSpec['grants'][number]>;

const spec: fc.Arbitrary<HeldSpec> = fc
  .record({
    held: fc.record(
      Object.fromEntries(
        NAMES.map((name) => [name, fc.constantFrom(undefined, undefined, true, 'private', 'untrusted')]),
      ),
    ),
    typed: fc.subarray([...NAMES]),
    terms: fc.array(fc.tuple(fc.constantFrom(...NAMES), term), { minLength: 4, maxLength: 12 }),
    plain: fc.subarray([...NAMES], { minLength: 4 }),
    hold: fc.constantFrom(undefined, 'untrusted', 'private', 'all', 'all'),
    caller: fc.boolean(),
    labels: fc.constantFrom(...LABEL_LISTS),
    refusalsInRow: fc.integer({ min: 3, max: 6 }),
  })
  .map(({ held, typed, terms, plain, hold, caller, labels, refusalsInRow }) => ({
    tools: NAMES.map((name) => ({
      name,
      ...KINDS[name],
      ...(held[name] === undefined ? {} : { held: held[name] as true }),
      ...(typed.includes(name) && USES[name] === undefined ? { args: TYPED, result: { not: { type: 'null' } } } : {}),
    })),
    grants: [
      { capability: 'mail' },
      { capability: 'web' },
      ...plain.map((capability) => ({ capability })),
      ...terms.map(([capability, more]) => ({ ...more, capability })),
    ],
    ...(hold && { hold: hold as 'all' }),
    ...(caller && { caller }),
    labels,
    limits: { refusalsInRow },
  }));

const handle = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(undefined, '', '/0', '/1/subject', '/9', '/x'))
  .map(([step, at]): JsonValue => ({ $held: `h${step}`, ...(at !== undefined && { at }) }));
const broken = fc.constantFrom<JsonValue>(
  { $held: 'h0' },
  { $held: 'h1', more: 1 },
  { $held: 3 },
  { $held: 'h1', at: 'x' },
);
const part: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 12, arbitrary: handle },
  { weight: 8, arbitrary: fc.constantFrom<JsonValue>('Lunch', 'a', 1, null, ['a'], { $other: 'h1' }) },
  { weight: 1, arbitrary: broken },
  { weight: 3, arbitrary: handle.map((one): JsonValue => [one, { z: one }]) },
);
const argument: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ x: part, y: part }, { requiredKeys: [] }) as fc.Arbitrary<JsonValue> },
  { weight: 1, arbitrary: handle },
);
const CALLED = NAMES.filter((each) => each !== 'disk');
const name = fc.constantFrom(...CALLED, ...CALLED, ...CALLED, 'nobody');
const program = fc.record(
  {
    program: fc.constantFrom('a', 'b'),
    values: fc.oneof(handle, fc.record({ x: part, y: part }, { requiredKeys: [] })),
  },
  { requiredKeys: ['program'] },
) as fc.Arbitrary<JsonValue>;
const call = name.chain((each) =>
  fc.tuple(fc.constant(each), each === 'code' ? fc.oneof(program, argument) : argument, fc.boolean()),
);
/** The first calls read, so that later ones have something to pass on. Some are repeated in words of the model's own. */
const script = fc
  .tuple(
    fc.array(fc.constantFrom('mail', 'web', 'pure'), { minLength: 1, maxLength: 2 }),
    fc.array(call, { minLength: 2, maxLength: 5 }),
  )
  .map(([first, rest]) => [
    ...first.map((each) => callOf(each, {})),
    ...rest.flatMap(([each, args, isRepeated]) => [
      callOf(each, args),
      ...(isRepeated ? [callOf(each, { y: 'a' })] : []),
    ]),
  ]);

/** A number from 0 below `most` that depends on all parts. */
function dice(most: number, ...parts: readonly unknown[]): number {
  const text = JSON.stringify(parts);
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) % most;
}

const VALUES: readonly JsonValue[] = ['Lunch', 'a', ['a', { subject: 'Lunch' }], { x: 'a' }, 7, [], { $held: 'h1' }];

/** Outcomes of a tool: values of several forms, long ones, failures of several kinds. `secret` differs between worlds. */
function outcome(...parts: readonly unknown[]): ReturnType<Answers> {
  const n = dice(12, ...parts);
  if (n < VALUES.length) return ok(VALUES[n] as JsonValue);
  if (n === 7) return ok('x'.repeat(dice(300, 'long', ...parts)));
  if (n === 8) return { ok: true, text: '{', fuel: 1, console: [], powerCalls: [] };
  if (n >= 9 && n < 11)
    return {
      ok: false,
      kind: n === 9 ? 'deadline' : 'hang',
      fuel: n,
      console: [{ level: 'log', text: 'x' }],
      powerCalls: [],
    };
  return threw(`secret ${n}`);
}

/** Worlds that differ only where `differs` says so. */
function world(seed: number, differs: Differs): Env {
  return {
    differs,
    tool: (name, nth, args, secret) => outcome(seed, name, nth, args, secret),
    program: (name, args, heard) => {
      const uses = USES[name] ?? [];
      const tool = uses[dice(uses.length + 2, seed, name, args, heard)];
      if (tool === undefined || heard.length > 2) return undefined;
      const { values, ...own } = JSON.parse(args) as { readonly [name: string]: JsonValue };
      const all = ['a', 'Lunch', ...heard, ...Object.values(own), ...(values === undefined ? [] : [values])];
      return { tool, args: { x: all[dice(all.length, args, heard)] ?? null } };
    },
    revoked: (step) => (dice(8, 'revoked', seed, step) === 0 ? [dice(16, 'which', seed, step)] : []),
    // what a person says may follow from the values that a call carries
    person: (step, name, args): QuestionAnswer => {
      const n = dice(5, 'person', seed, step, name, args);
      if (n === 0) return { approved: false, reason: 'no' };
      if (n === 1) return { approved: true, standing: { args: 'any' } };
      return n === 2
        ? { approved: true, standing: { args: 'any', uses: 1 + dice(2, seed, step) } }
        : { approved: true };
    },
  };
}

/** Scripts that are played with each set of tools and grants, which cost more to make than to use. */
const SCRIPTS = 4;
const scripts = fc.array(fc.tuple(script, fc.nat()), { minLength: SCRIPTS, maxLength: SCRIPTS });

/** Cases of the law of secrecy. In half of them the worlds differ in untrusted values alone, for the law of robustness. */
const CASES = IS_SHORT ? 8_000 : 10_000;
const RUNS = CASES / 2 / SCRIPTS;

/** Two worlds of each script that differ where `differs` says so. */
function worlds(
  of: HeldSpec,
  plays: readonly (readonly [readonly Uint8Array[], number])[],
  differs: Differs,
  fault?: Fault,
): readonly (readonly [Played, Played])[] {
  const facts = heldFacts(of);
  return plays.map(([proposals, seed]) => playBoth(facts, proposals, world(seed, differs), fault));
}

type Differs = (labels: readonly Label[]) => boolean;
const everywhere: Differs = () => true;
const untrusted: Differs = (labels) => labels.includes('untrusted');

/** What one world is told and the other is not; undefined where both are told the same bytes. */
function leak([one, other]: readonly [Played, Played]): unknown {
  const at = one.told.findIndex((line, nth) => line !== other.told[nth]);
  if (at >= 0) return [at, one.told[at], other.told[at]];
  if (one.told.length !== other.told.length) return [one.told.length, other.told.length];
  return one.end === other.end ? undefined : [one.end, other.end];
}

/**
 * Reasons for which a call of one world is not made, or not without a person, in the other. The check of the resolved
 * arguments is an outcome of the call, as the words of an error are: a value at a place that accepts it keeps its own call
 * from being made where it does not fit, and no other call. A person's standing answer is a person's: the rule says that it
 * serves as one. A grant for the values that fit leaves a call with others to a person, or to no grant.
 */
const MAY_STOP: ReadonlySet<string | undefined> = new Set([
  'asked',
  'arguments_schema',
  'grant_constraint',
  'held_beyond',
  'held_failed',
  'held_large',
]);

/** Why a call with handles was not made without a person; undefined for a call without handles. */
function unmade(
  { asked, ran, records }: Played,
  silent: { readonly step: number; readonly name: string; readonly hasHandles: boolean } | undefined,
): string | undefined {
  const { step, name, hasHandles } = silent ?? {};
  if (hasHandles !== true) return undefined;
  const isAsked = [...asked, ...ran.filter((each) => each.asked)].some(
    (each) => each.step === step && each.name === name,
  );
  if (isAsked) return 'asked';
  const receipt = records.find(({ kind, body }) => kind === 'receipt' && body.evidence.step === step);
  return receipt?.kind === 'receipt' ? receipt.body.evidence.reason?.code : undefined;
}

/** A call that ran without a person in one world, and otherwise in the other. */
function astray(of: HeldSpec, [one, other]: readonly [Played, Played]): unknown {
  const [calls, others] = [silentOf(of, one), silentOf(of, other)];
  for (const key of new Set([...calls.keys(), ...others.keys()])) {
    const [was, is] = [calls.get(key), others.get(key)];
    // a guest that a value has hung is not started again in the run
    if ([one, other].some(({ barred }) => barred.some((step) => key.startsWith(`${step} `)))) continue;
    const silent = was ?? is;
    if ((was === undefined || is === undefined) && silent?.isAccepted !== true) {
      const why = unmade(was === undefined ? one : other, silent);
      if (!MAY_STOP.has(why)) return [key, why];
    }
    if (was && is && JSON.stringify(was.masked) !== JSON.stringify(is.masked)) return [key, was.masked, is.masked];
  }
  return undefined;
}

describe('a run that holds', () => {
  test('secrecy: worlds that differ only in held outcomes are told the same bytes', () => {
    let [held, handles] = [0, 0];
    fc.assert(
      fc.property(spec, scripts, (of, plays) => {
        for (const both of worlds(of, plays, everywhere)) {
          const [{ state, records }] = both;
          held += state.held.size;
          handles += records.filter(({ kind, body }) => kind === 'decision' && body.held === 'decision').length;
          expect(leak(both)).toBe(undefined);
        }
      }),
      { numRuns: RUNS },
    );
    // the law holds for nothing if nothing is held
    expect(Math.min(held, handles)).toBeGreaterThan(CASES / 4);
  }, 600_000);

  test('robustness, and secrecy: untrusted held values decide no call that ran without a person', () => {
    let silent = 0;
    fc.assert(
      fc.property(spec, scripts, (of, plays) => {
        for (const both of worlds(of, plays, untrusted)) {
          silent += silentOf(of, both[0]).size;
          expect([astray(of, both), leak(both)]).toEqual([undefined, undefined]);
        }
      }),
      { numRuns: RUNS },
    );
    expect(silent).toBeGreaterThan(CASES / 10);
  }, 600_000);

  const finds = (
    differs: Differs,
    fault: Fault,
    law: (of: HeldSpec, both: readonly [Played, Played]) => unknown,
    scene?: Scene,
  ) =>
    fc.check(
      fc.property(scene?.spec ?? spec, scene?.scripts ?? scripts, (of, plays) =>
        worlds(of, plays, differs, fault).every((both) => law(of, both) === undefined),
      ),
      { numRuns: 1_000, endOnFailure: true },
    ).failed;

  test.each<[string, Fault, Scene?]>([
    [
      'an outcome in the open',
      { before: (state, { type }) => (type === 'settled' ? withHeld(state, () => undefined) : state) },
    ],
    [
      'a budget shared by what was permitted alone',
      {
        after: (before, _, after) =>
          after.held.size > before.held.size && openStep(before)?.held?.by === 'handles'
            ? { ...after, used: before.used }
            : after,
      },
    ],
    [
      'a source that answers in the open what it was handed',
      { after: (_, __, after) => ({ ...after, handed: new Map() }) },
    ],
    [
      'a program that answers in the open what it was given',
      { after: (_, __, after) => ({ ...after, ranHeld: new Set() }) },
    ],
    [
      'an answer about held values that serves other calls',
      {
        after: (_, __, after) => ({
          ...after,
          policy: { ...after.policy, grants: after.policy.grants.map(({ handled: ___, ...grant }) => grant) },
        }),
      },
    ],
    [
      'a label of a value that was read in the context',
      {
        after: (before, _, after) => {
          const read = [...after.held.values()].at(-1);
          if (after.held.size === before.held.size || read?.ok !== true) return after;
          return { ...after, labels: new Set([...after.labels, ...read.labels].sort()) };
        },
      },
    ],
    [
      'a refusal of a held call in the row of the refusals',
      {
        after: (before, { type }, after) =>
          after.held.size > before.held.size && type === 'recalled'
            ? { ...after, refusalsInRow: after.refusalsInRow + 1 }
            : after,
      },
    ],
    [
      'the uses of a program’s tools, counted as the program has called them',
      {
        after: (before, _, after) =>
          after.held.size > before.held.size && openStep(before)?.held?.by === 'outcome'
            ? { ...after, used: before.used }
            : after,
      },
      sceneOf(['program', 'mail', 'file', 'send'], [callOf('program', {}), callOf('file', { x: 'a' })]),
    ],
    [
      'a hang with held values that is forgotten',
      { after: (_, __, after) => ({ ...after, ranHeld: new Set() }) },
      sceneOf(
        ['mail', 'pure'],
        [callOf('mail', {}), callOf('pure', { x: { $held: 'h1' } }), callOf('pure', { x: 'a' })],
      ),
    ],
  ])(
    'the law of secrecy finds %s',
    (_name, fault, scene) => {
      expect(finds(everywhere, fault, (_, both) => leak(both), scene)).toBe(true);
    },
    60_000,
  );

  test.each<[string, Fault]>([
    [
      'a place without its label',
      {
        after: (_, __, after) =>
          withHeld(after, (held) => ({ ...held, places: held.places.map((each) => ({ ...each, labels: [] })) })),
      },
    ],
    [
      'a handle without the labels of what it stands for',
      {
        after: (_, __, after) => ({
          ...after,
          held: new Map([...after.held].map(([handle, each]) => [handle, { ...each, labels: [] }])),
        }),
      },
    ],
    [
      'a program that sends without the labels of what its tools have told it',
      { before: (state) => withReceived(state, []) },
    ],
    [
      'a program that has received nothing, whatever it was given',
      { before: (state) => withHeld(state, (held) => ({ ...held, by: 'outcome', places: [] })) },
    ],
  ])(
    'the law of robustness finds %s',
    (_name, fault) => {
      expect(finds(untrusted, fault, astray)).toBe(true);
    },
    60_000,
  );

  test('nothing weaker: terms about held values change no decision about other calls', () => {
    const context = fc.constantFrom(...LABEL_LISTS);
    fc.assert(
      fc.property(
        fc.array(term, { maxLength: 4 }),
        context,
        fc.boolean(),
        fc.constantFrom('read', 'write', 'egress'),
        (terms, labels, holds, effect) => {
          const subject = { name: 'a', hash: 'a'.repeat(64), effect: effect as 'read' };
          const without = terms.map(({ accepts: _, held: __, ...rest }) => rest);
          const decide = (given: readonly object[]) => {
            const grants = given.map((each) => makeGrant(subject, each as { mode: 'allow' }));
            const policy = makePolicy([subject.hash], grants);
            const met = new Map(grants.flatMap(({ where_hash }) => (where_hash ? [[where_hash, holds] as const] : [])));
            const input: PolicyInput = {
              policy,
              used: new Map(),
              labels: new Set(labels),
              now: 1,
              holds: met,
              args_hash: 'b'.repeat(64),
              approved: false,
            };
            const said = evaluatePolicy(subject, input);
            return 'refused' in said
              ? [said.decision, said.refused.refusal.code]
              : [said.decision, 'why' in said ? said.why : ''];
          };
          expect(decide(terms)).toEqual(decide(without));
        },
      ),
      { numRuns: caseCount(4_000) },
    );
  });

  test('nothing weaker: a held value turns no question into silence', () => {
    fc.assert(
      fc.property(
        accepts,
        fc.constantFrom(...LABEL_LISTS),
        fc.constantFrom(...LABEL_LISTS),
        fc.constantFrom('read', 'write', 'egress'),
        (given, labels, carried, effect) => {
          const subject = { name: 'a', hash: 'a'.repeat(64), effect: effect as 'read' };
          const policy = makePolicy([subject.hash], [makeGrant(subject, { mode: 'allow', accepts: given })]);
          const input: PolicyInput = {
            policy,
            used: new Map(),
            labels: new Set(labels),
            now: 1,
            holds: new Map(),
            args_hash: 'b'.repeat(64),
            approved: false,
          };
          const plain = evaluatePolicy(subject, input);
          const placed = evaluatePolicy(subject, { ...input, places: [{ pointer: '/x', labels: carried }] });
          if (plain.decision === 'REQUIRES_APPROVAL') expect(placed.decision).toBe('REQUIRES_APPROVAL');
          const isAccepted = carried.every((label) =>
            Object.entries(given).some(([key, each]) => covers(key, '/x') && each.includes(label)),
          );
          if (!isAccepted) expect(placed.decision).toBe('REQUIRES_APPROVAL');
          else expect(placed.decision).toBe(plain.decision);
        },
      ),
      { numRuns: caseCount(2_000) },
    );
  });
});

/** Handles of messages, and of messages from their second operation on. */
const handleOfMessage = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom(0, 0, 0, 1),
    fc.constantFrom(undefined, '/operations/0/result', '/operations/0/result/0', '/operations/1/result', '/operations'),
  )
  .map(([step, operation, at]): JsonValue => ({ $held: `h${step}.${operation}`, ...(at && { at }) }));
const partOfMessage: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 5, arbitrary: handleOfMessage },
  { weight: 8, arbitrary: fc.constantFrom<JsonValue>('Lunch', 'a', 1) },
  { weight: 1, arbitrary: broken },
);
const argumentOfMessage = fc.record({ x: partOfMessage, y: partOfMessage }, { requiredKeys: [] });
const operation: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES), argumentOfMessage, fc.boolean())
      .map(([each, args, critical]): Op => [each, args as JsonValue, critical ? {} : { critical }]),
  },
  { weight: 3, arbitrary: fc.constant<Op>(['READ']) },
  { weight: 2, arbitrary: fc.constantFrom<Op>(['WRITE', 'first\n'], ['WRITE', 'first\nmore\n']) },
);
const messages = fc
  .tuple(
    fc.array(fc.constantFrom<Op>(['mail', {}], ['web', {}], ['READ']), { minLength: 1, maxLength: 2 }),
    fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 5 }),
  )
  .map(([first, rest]) => [messageOf(...first), ...rest.map((ops) => messageOf(...ops))]);
const MESSAGE_RUNS = caseCount(240);
const messageScripts = fc.array(fc.tuple(messages, fc.nat()), { minLength: SCRIPTS, maxLength: SCRIPTS });

/** The same tools in the dialect of messages. `others`: worlds may differ in the page, which nothing writes then. */
const messageSpec = fc
  .tuple(spec, fc.boolean(), fc.constantFrom(8, 13, 40), fc.boolean())
  .map(([of, others, expandedBytes, isOpen]) => {
    const { caller: _, hold, ...rest } = of;
    const reading = others ? { capability: 'content.read', held: true as const } : { capability: 'content.read' };
    const held = { capability: 'mail', held: true as const };
    const grants = [...of.grants, held, reading, ...(others ? [] : [{ capability: 'content.write' }])];
    return {
      others,
      of: {
        ...rest,
        ...(hold && !isOpen && { hold }),
        dialect: 'catalytic' as const,
        grants,
        limits: { ...of.limits, expandedBytes },
      },
    };
  });

function messageWorlds(
  { of, others }: { readonly of: HeldSpec; readonly others: boolean },
  plays: readonly (readonly [readonly Uint8Array[], number])[],
  differs: Differs,
  fault?: Fault,
): readonly (readonly [Played, Played])[] {
  const facts = heldFacts(of);
  return plays.map(([proposals, seed]) => {
    const page = (step: number, secret: number) =>
      [undefined, 'first\n', `${'x'.repeat(1 + secret)}\n`, 'longer than the budget of a run\n'][
        dice(4, 'page', seed, step, secret)
      ];
    return playBoth(facts, proposals, { ...world(seed, differs), ...(others && { content: page }) }, fault);
  });
}

describe('a run of messages that holds', () => {
  test('secrecy and robustness, with writes, reads and budgets', () => {
    let [held, handles, partly] = [0, 0, 0];
    fc.assert(
      fc.property(messageSpec, messageScripts, fc.boolean(), (each, plays, isUntrusted) => {
        for (const both of messageWorlds(each, plays, isUntrusted ? untrusted : everywhere)) {
          const [{ state, records }] = both;
          held += state.held.size;
          handles += records.filter(({ kind, body }) => kind === 'decision' && body.held === 'decision').length;
          partly += [...state.held.keys()].filter((one) => !one.endsWith('.0')).length;
          expect([leak(both), isUntrusted ? astray(each.of, both) : undefined]).toEqual([undefined, undefined]);
        }
      }),
      { numRuns: MESSAGE_RUNS },
    );
    // the law holds for nothing if nothing is held
    expect(Math.min(held, handles, partly)).toBeGreaterThan(MESSAGE_RUNS / 8);
  }, 600_000);

  interface MessageScene {
    readonly spec: fc.Arbitrary<Parameters<typeof messageWorlds>[0]>;
    readonly scripts: typeof messageScripts;
  }

  const finds = (
    fault: Fault,
    differs: Differs,
    law: (of: HeldSpec, both: readonly [Played, Played]) => unknown,
    scene?: MessageScene,
  ) =>
    fc.check(
      fc.property(scene?.spec ?? messageSpec, scene?.scripts ?? messageScripts, (each, plays) =>
        messageWorlds(each, plays, differs, fault).every((both) => law(each.of, both) === undefined),
      ),
      { numRuns: scene ? 10 : 300, endOnFailure: true },
    ).failed;

  test.each<[string, Fault]>([
    [
      'a message that tells its operations',
      { before: (state, { type }) => (type === 'settled' ? withHeld(state, () => undefined) : state) },
    ],
  ])(
    'the law of secrecy finds %s',
    (_, fault) => {
      expect(finds(fault, everywhere, (__, both) => leak(both))).toBe(true);
    },
    60_000,
  );

  test('the law of robustness finds an operation that is made or not without a person', () => {
    // what holds is forgotten while an operation behind it is decided after a question, and known again when it is made
    const forgotten: Fault = {
      before: (state, { type }) =>
        type === 'answered' && openStep(state)?.work?.permits.length === 1
          ? withPermits(state, (holds) => holds && FORGOTTEN)
          : state,
      after: (_, __, after) => withPermits(after, (holds) => holds && true),
    };
    const tools = (['mail', 'send', 'file', 'quiet'] as const).map((each) => ({ name: each, ...KINDS[each] }));
    const asks = (['send', 'quiet'] as const).map((capability) => ({ capability, mode: 'ask' as const }));
    const grants = [{ capability: 'mail', held: true as const }, ...asks, { capability: 'file' }];
    const message = messageOf(['mail', {}], ['send', {}], ['file', { x: 'a' }], ['quiet', {}]);
    const scene: MessageScene = {
      spec: fc.constant({ others: false, of: { tools, grants, dialect: 'catalytic' } }),
      scripts: fc.array(fc.tuple(fc.constant([message]), fc.nat()), {
        minLength: SCRIPTS,
        maxLength: SCRIPTS,
      }),
    };
    const found = (fault: Fault) => finds(fault, untrusted, (of, both) => astray(of, both), scene);
    expect([found({}), found(forgotten)]).toEqual([false, true]);
  }, 60_000);
});

/** In the place of `true`: what a decision does not take for a permit that holds. */
const FORGOTTEN = 'forgotten' as unknown as true;

/** The message that is open, with other permits that hold. */
function withPermits(state: RunState, change: (holds: true | undefined) => true | undefined): RunState {
  const { at } = state;
  if (!('open' in at) || at.open.work === undefined) return state;
  const permits = at.open.work.permits.map(({ holds, ...permit }) => {
    const other = change(holds);
    return { ...permit, ...(other && { holds: other }) };
  });
  return { ...state, at: { ...at, open: { ...at.open, work: { ...at.open.work, permits } } } as RunState['at'] };
}

/** The run with another held step, or none, in the place of the one that is open. */
function withHeld(state: RunState, change: (held: HeldStep) => HeldStep | undefined): RunState {
  const { at } = state;
  if (!('open' in at) || at.open.held === undefined) return state;
  const { held, ...open } = at.open;
  const other = change(held);
  return { ...state, at: { ...at, open: { ...open, ...(other && { held: other }) } } as RunState['at'] };
}

/** Proposals to tools that may be used once each, in the place of generated ones. */
interface Scene {
  readonly spec: fc.Arbitrary<HeldSpec>;
  readonly scripts: typeof scripts;
}

function sceneOf(names: readonly (typeof NAMES)[number][], proposals: Uint8Array[]): Scene {
  const tools = names.map((each) => ({ name: each, ...KINDS[each], ...(each === 'mail' && { held: true as const }) }));
  const grants = names.map((capability) => ({ capability, ...(capability !== 'pure' && { uses: 1 }) }));
  return {
    spec: fc.constant({ tools, grants }),
    scripts: fc.array(fc.tuple(fc.constant(proposals), fc.nat()), { minLength: SCRIPTS, maxLength: SCRIPTS }),
  };
}

/** The run whose program has received these labels. */
function withReceived(state: RunState, labels: readonly Label[]): RunState {
  const at = executing(state);
  return at === undefined ? state : place(state, { ...at, pendingCalls: { ...at.pendingCalls, labels } });
}

interface SilentCall {
  readonly step: number;
  readonly name: string;
  readonly hasHandles: boolean;
  readonly masked: JsonValue;
  /** A grant accepts that the call is made at all. */
  readonly isAccepted: boolean;
}

/** The calls of tools that ran without a person, by step and name, without what their grants accept as untrusted. */
function silentOf(of: HeldSpec, { ran }: Played): ReadonlyMap<string, SilentCall> {
  const counts = new Map<string, number>();
  return new Map(
    ran.flatMap(({ step, name, args, asked, hasHandles }) => {
      if (asked) return [];
      const keys = of.grants.flatMap(({ capability, accepts: given = {} }) =>
        capability === name
          ? Object.entries(given).flatMap(([key, labels]) => (labels.includes('untrusted') ? key : []))
          : [],
      );
      const nth = (counts.get(`${step} ${name}`) ?? 0) + 1;
      counts.set(`${step} ${name}`, nth);
      const isAccepted = keys.includes('');
      return [
        [`${step} ${name} ${nth}`, { step, name, hasHandles, masked: masked(args, '', keys), isAccepted }] as const,
      ];
    }),
  );
}

function masked(value: JsonValue, pointer: string, keys: readonly string[]): JsonValue {
  if (keys.some((key) => covers(key, pointer))) return '*';
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((each, at) => masked(each, `${pointer}/${at}`, keys));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, masked(each, `${pointer}/${name}`, keys)]),
  );
}

test('the labels of the laws are all labels', () => {
  expect(LABEL_LISTS.at(-1)).toEqual(LABELS);
});
