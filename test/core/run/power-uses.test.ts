import { expect, test } from 'vitest';
import { makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { makePower, makePowers } from '../../../core/capability/power.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import type { Draft, LedgerRecord } from '../../../core/ledger/record.ts';
import { RUN_LIMITS } from '../../../core/limits.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { restore } from '../../../core/run/resume/restore.ts';
import { initialState, limitsHash, type RunFacts, type RunState } from '../../../core/run/state.ts';
import { transition } from '../../../core/run/transition.ts';
import { derive } from '../../../core/telemetry/derive.ts';
import type { TelemetryEvent } from '../../../core/telemetry/event.ts';
import { must, registryOf } from '../validator.ts';
import { bytes, IMAGE, facts as plain, settledOk } from './facts.ts';

const common = { version: '1.0.0', description: 'For a test.', args: {} };
const names = ['mail.read', 'mail.send'];
const REGISTRY = registryOf([
  { ...common, name: 'use', effect: 'pure', powers: names, source: 'export default () => 1' } as JsonObject,
]);
const READ = must(makePower({ ...common, name: 'mail.read', effect: 'read', labels: ['private', 'untrusted'] }));
const SEND = must(makePower({ ...common, name: 'mail.send', effect: 'egress' }));
const USE = { name: 'use', hash: REGISTRY.capabilities.get('use')?.hash ?? '' };
const ANY = REGISTRY.capabilities.get('use')?.schemas.args ?? '';

/** Each power is granted; with an authorizer each of its uses needs the yes of the authorizer. */
function facts(mode: 'allow' | 'ask', more: Partial<RunFacts> = {}, authorizer?: string): RunFacts {
  const powers = [READ, SEND].map(({ hash, manifest: { name } }) => makeGrant({ name, hash }, { mode, uses: 3 }));
  const limits_hash = limitsHash({ ...plain(), limits: { ...RUN_LIMITS } });
  return {
    ...plain(),
    dialect: 'xct',
    registry: REGISTRY,
    policy: makePolicy([USE.hash], [makeGrant(USE, { mode: 'allow' }), ...powers], true, authorizer),
    powers: must(makePowers([READ, SEND])),
    limits_hash,
    precompiled: new Map([[ANY, () => []]]),
    ...more,
  };
}

/** A run whose call is in progress, with all that it has asked to write. */
class World {
  state: RunState;
  effects: RunEffect[] = [];
  telemetry: TelemetryEvent[] = [];

  constructor(given: RunFacts, proposal: unknown = { next_step: { tool: 'use', arguments: {}, goal: 'use' } }) {
    this.state = initialState(given);
    this.send({ type: 'start', task: 'Use it.' }, { type: 'appended' }, { type: 'step' });
    this.send({ type: 'proposed', step: 1, bytes: bytes(proposal), now: 1, nonce: 'n' });
  }

  send(...events: readonly RunEvent[]): this {
    for (const event of events) {
      const [state, effects] = transition(this.state, event);
      this.telemetry.push(...derive(this.state, event, state, effects));
      this.state = state;
      this.effects.push(...effects);
    }
    return this;
  }

  ask(ticket: number, name: string): this {
    const checked = new Map([[ANY, { issues: [] }]]);
    return this.send({ type: 'power_asked', step: 1, ticket, name, args: '["a"]', checked, labels: [], now: 2 });
  }

  /** Answers the newest question. */
  say(via: 'authorizer' | 'gesture'): this {
    const asked = this.effects.findLast(({ type }) => type === 'ask') as Extract<RunEffect, { type: 'ask' }>;
    return this.send({ type: 'answered', digest: asked.question.digest, answer: { approved: true, via }, now: 3 });
  }

  get drafts(): readonly Draft[] {
    return this.effects.flatMap((effect) => (effect.type === 'append' ? effect.drafts : []));
  }

  /** Uses of each grant after a restart from the records. */
  get restored(): RunState['used'] {
    const payloads = this.effects.flatMap((effect) => (effect.type === 'append' ? effect.payloads : []));
    const stored = new Map(payloads.map(({ ref, bytes: all }) => [ref.sha256, all]));
    const { run_id, precompiled } = this.state.facts;
    const records = this.drafts.map((draft) => ({ ...draft, run_id }) as LedgerRecord);
    return must(restore(records, ({ sha256 }) => stored.get(sha256), precompiled)).state.used;
  }
}

const APPENDED = { type: 'appended' } as const;
const PARKED = { type: 'parked', step: 1, image_hash: IMAGE, digest: 'd'.repeat(64), touched: [], kept: 1 } as const;
const UNPARKED = { type: 'park_failed', step: 1 } as const;
const ENDED = { type: 'settled', step: 1, settled: settledOk(1), image_hash: IMAGE } as const;

test('a use of a power that a parked call names is counted once, in the run and after a restart', () => {
  const world = new World(facts('allow')).ask(1, 'mail.read').send({ ...PARKED, labels: [] }, APPENDED);
  expect(world.restored).toEqual(world.state.used);
  world.send({ type: 'power_answered', step: 1, ticket: 1, answer: { ok: true, text: '"mail"' } }, ENDED, APPENDED);
  expect([...world.state.used.values()].map(({ count }) => count)).toEqual([1, 1]);
  expect(world.restored).toEqual(world.state.used);
});

test('a yes of the authorizer to a power is recorded when the policy has come to need a person as well', () => {
  const world = new World(facts('allow', {}, 'rules')).send(APPENDED).say('authorizer');
  world.ask(1, 'mail.read').send(APPENDED, UNPARKED).say('authorizer').send(APPENDED);
  world.ask(2, 'mail.send').send(APPENDED);
  world.send({ type: 'power_answered', step: 1, ticket: 1, answer: { ok: true, text: '"mail"' } }, APPENDED);
  world.say('authorizer').send(APPENDED).say('gesture').send(APPENDED);
  const said = world.drafts.flatMap(({ kind, body }) => (kind === 'approval' && body.ticket === 2 ? [body] : []));
  expect(said.map((body) => (body.event === 'asked' ? 'asked' : body.via))).toEqual([
    'asked',
    'authorizer',
    'asked',
    'gesture',
  ]);
  expect(world.effects.at(-1)).toMatchObject({ type: 'power', ticket: 2 });
});

test('telemetry names the step of a message whose call is stopped while a person is asked about a power', () => {
  const ops = [{ type: 'EXECUTE', target: '@TOOLS/use', params: { args: {} } }];
  const budgets = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 10_000, max_expands_per_step: 3 };
  const message = { intent: 'use', refs: ['@TOOLS/use'], ops, budgets, required_outputs: [] };
  const world = new World(facts('ask', { dialect: 'catalytic' }), message).ask(1, 'mail.send').send(APPENDED, UNPARKED);
  expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
  world.send({ type: 'stop', ending: { state: 'aborted' } });
  const started = world.telemetry.find(({ event_type }) => event_type === 'capability_started');
  const failed = world.telemetry.find(({ event_type }) => event_type === 'capability_failed');
  expect(failed).toMatchObject({ execution_id: started?.execution_id, code: 'call_aborted' });
});
