import { describe, expect, test } from 'vitest';
import type { CallSettled } from '../../../core/capability/call.ts';
import { ENGINE } from '../../../core/capability/engine.ts';
import { makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { makePower, makePowers } from '../../../core/capability/power.ts';
import { BUDGETS } from '../../../core/content/budget.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { RUN_LIMITS } from '../../../core/limits.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { initialState, type RunFacts, type RunState } from '../../../core/run/state.ts';
import { transition } from '../../../core/run/transition.ts';
import { must, registryOf } from '../validator.ts';

const common = { version: '1.0.0', description: 'For a test.', args: {} };
const REGISTRY = registryOf([
  { ...common, name: 'use', effect: 'pure', powers: ['mail.send'], source: 'export default () => 1' } as JsonObject,
]);
const POWER = must(makePower({ ...common, name: 'mail.send', effect: 'egress', labels: ['private'] }));
const USE = REGISTRY.capabilities.get('use');
const ANY = USE?.schemas.args ?? '';

function facts(mode: 'allow' | 'ask'): RunFacts {
  const grants = [
    makeGrant({ name: 'use', hash: USE?.hash ?? '' }, { mode: 'allow' }),
    makeGrant({ name: 'mail.send', hash: POWER.hash }, { mode }),
  ];
  return {
    run_id: '00000000-0000-4000-8000-000000000000',
    dialect: 'xct',
    registry: REGISTRY,
    policy: makePolicy([USE?.hash ?? ''], grants),
    powers: must(makePowers([POWER])),
    limits: RUN_LIMITS,
    limits_hash: '0'.repeat(64),
    budgets: BUDGETS,
    model: 'script',
    isolation: 'node',
    engine: ENGINE,
    precompiled: new Map([[ANY, () => []]]),
  };
}

/** A run whose only call is in progress, and the effects since its start. */
class World {
  state: RunState;
  effects: RunEffect[] = [];

  constructor(mode: 'allow' | 'ask' = 'allow') {
    this.state = initialState(facts(mode));
    const bytes = encodeText('{"next_step":{"tool":"use","arguments":{},"goal":"use"}}');
    this.send({ type: 'start', task: 'Use it.' }, { type: 'appended' }, { type: 'step' });
    this.send({ type: 'proposed', step: 1, bytes, now: 1, nonce: 'n' });
    this.effects = [];
  }

  send(...events: readonly RunEvent[]): this {
    for (const event of events) {
      const [state, effects] = transition(this.state, event);
      this.state = state;
      this.effects.push(...effects);
    }
    return this;
  }

  ask(ticket: number, args = '["a"]', name = 'mail.send'): this {
    const checked = new Map([[ANY, { issues: [] }]]);
    return this.send({ type: 'power_asked', step: 1, ticket, name, args, checked, labels: [], now: 2 });
  }

  answer(ticket: number, text = '"sent"'): this {
    return this.send({ type: 'power_answered', step: 1, ticket, answer: { ok: true, text } });
  }

  settle(settled: CallSettled = OK): this {
    return this.send({ type: 'settled', step: 1, settled, image_hash: 'i'.repeat(64) });
  }

  get types(): readonly string[] {
    return this.effects.map(({ type }) => type);
  }

  get kinds(): readonly string[] {
    const drafts: readonly Draft[] = this.effects.flatMap((effect) => (effect.type === 'append' ? effect.drafts : []));
    return drafts.map(({ kind }) => kind);
  }

  get code(): string | undefined {
    const receipts = this.effects.flatMap((effect) => (effect.type === 'append' ? effect.drafts : []));
    const receipt = receipts.find(({ kind }) => kind === 'receipt') as Extract<Draft, { kind: 'receipt' }> | undefined;
    return receipt && (receipt.body.evidence.reason?.code ?? 'SUCCESS');
  }
}

const left = { fuel: 1, console: [], powerCalls: [] };
const OK: CallSettled = { ok: true, text: '1', ...left };
const GONE: CallSettled = { ok: false, kind: 'corrupt', ...left };
const APPENDED = { type: 'appended' } as const;
const HEAP = { image_hash: 'i'.repeat(64), digest: 'd'.repeat(64), labels: [], touched: [], kept: 1 } as const;
const PARKED = { type: 'parked', step: 1, ...HEAP } as const;

describe('a power that can change data', () => {
  test('a power is carried out when its record is durable, and answered to the guest when its answer is durable', () => {
    const world = new World().ask(1);
    expect([world.types, world.kinds]).toEqual([['append'], ['proposal', 'verdict', 'decision', 'power']]);
    world.send(APPENDED);
    expect(world.types).toEqual(['append', 'power']);
    world.answer(1);
    expect(world.types).toEqual(['append', 'power', 'append']);
    world.send(APPENDED);
    expect(world.types).toEqual(['append', 'power', 'append', 'answer_power']);
    expect(world.settle().code).toBe('SUCCESS');
  });

  test('several powers are each written, carried out and answered in the order of their writes', () => {
    const world = new World().ask(1).ask(2).send(APPENDED).send(APPENDED).answer(2).answer(1);
    world.send(APPENDED, APPENDED);
    const heard = world.effects.flatMap((effect) => (effect.type === 'answer_power' ? [effect.ticket] : []));
    expect(heard).toEqual([2, 1]);
    expect(world.types.filter((type) => type === 'power')).toHaveLength(2);
  });

  test('a power is not carried out when the run is stopped while its record is written', () => {
    const world = new World().ask(1).send({ type: 'stop', ending: { state: 'aborted', message: 'enough' } });
    expect(world.types).toEqual(['append']);
    world.send(APPENDED);
    expect(world.types).toEqual(['append', 'cancel', 'append']);
    // The ledger then shows that the power was issued and not answered.
    expect(world.code).toBe('power_interrupted');
  });

  test('a power is not carried out when its call is lost while its record is written', () => {
    const world = new World().ask(1).settle(GONE);
    expect(world.types).toEqual(['append']);
    expect(world.send(APPENDED).types).toEqual(['append', 'append']);
    expect(world.code).toBe('power_interrupted');
  });

  test('a call that is lost before the answer of its power is recorded as power_interrupted', () => {
    const world = new World().ask(1).send(APPENDED).settle(GONE);
    expect(world.code).toBe('power_interrupted');
    const { length } = world.effects;
    expect(world.answer(1).effects).toHaveLength(length);
  });

  test('a power is asked for once under a ticket, and answered once', () => {
    const world = new World().ask(1).ask(1).send(APPENDED).ask(1).answer(1).answer(1).send(APPENDED).answer(1);
    expect(world.types).toEqual(['append', 'power', 'append', 'answer_power']);
  });
});

describe('a forged or late event', () => {
  test.each<[string, RunEvent]>([
    ['an answer to an unknown ticket', { type: 'power_answered', step: 1, ticket: 9, answer: { ok: true, text: '1' } }],
    ['an answer of another step', { type: 'power_answered', step: 2, ticket: 1, answer: { ok: true, text: '1' } }],
    ['a loss of another step', { type: 'lost', step: 2 }],
    [
      'a person’s answer to no question',
      { type: 'answered', digest: '0'.repeat(64), answer: { approved: true }, now: 3 },
    ],
    ['an acknowledgement without a write', APPENDED],
  ])('a forged or late event leaves the run unchanged: %s', (_, event) => {
    const world = new World().ask(1).send(APPENDED);
    const before = world.state.at;
    const { length } = world.effects;
    expect(world.send(event).effects).toHaveLength(length);
    expect(world.state.at).toBe(before);
  });

  test('a power event leaves the run unchanged when the call is over', () => {
    const world = new World().settle();
    const { length } = world.effects;
    expect(world.ask(1).answer(1).effects).toHaveLength(length);
  });
});

test('a question about a power keeps the run waiting for a person, and only the guest gets the denial', () => {
  const world = new World('ask').ask(1).send(APPENDED);
  expect(world.types).toEqual(['append', 'park']);
  world.send(PARKED);
  expect([world.state.at.phase, world.types]).toEqual(['CAPABILITY_EXECUTING', ['append', 'park', 'append']]);
  world.send(APPENDED);
  expect([world.state.at.phase, world.types.at(-1)]).toEqual(['AWAITING_APPROVAL', 'ask']);
  const asked = world.effects.find((effect) => effect.type === 'ask');
  const digest = asked?.type === 'ask' ? asked.question.digest : '';
  world.send({ type: 'answered', digest, answer: { approved: false, reason: 'no' }, now: 3 });
  expect(world.state.at.phase).toBe('CAPABILITY_EXECUTING');
  world.send(APPENDED);
  expect(world.effects.at(-1)).toMatchObject({
    type: 'answer_power',
    answer: { ok: false, error: { name: 'approval_denied' } },
  });
  expect(world.settle().code).toBe('SUCCESS');
});

test('a question about a power is put without a heap where the call cannot be parked', () => {
  const world = new World('ask').ask(1).ask(2).send(APPENDED, APPENDED);
  expect([world.state.at.phase, world.kinds.includes('parked')]).toEqual(['CAPABILITY_EXECUTING', false]);
  world.send({ type: 'park_failed', step: 1 }, { type: 'park_failed', step: 1 });
  expect(world.types.filter((type) => type === 'ask')).toHaveLength(1);
  expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
});

test('a question that came behind the heap of its call is put when its own record is durable', () => {
  const world = new World('ask').ask(1).send(APPENDED, PARKED).ask(2).send(APPENDED);
  const asked = world.effects.find((effect) => effect.type === 'ask');
  const digest = asked?.type === 'ask' ? asked.question.digest : '';
  world.send(APPENDED, { type: 'answered', digest, answer: { approved: true }, now: 3 });
  expect(world.types.filter((type) => type === 'ask')).toHaveLength(2);
});
