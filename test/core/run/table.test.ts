import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../core/run/event.ts';
import type { Phase, RunState } from '../../../core/run/state.ts';
import { transition } from '../../../core/run/transition.ts';
import { DEVIATIONS, SPECIFIED } from './edges.ts';
import { call, facts, IMAGE, say, settledOk } from './facts.ts';
import { acknowledge, begun, bodies, check, type Outside, outside, propose, reply, send, settle } from './outside.ts';

const YES = { issues: [] };

/** A run in every place it can be in. */
const STANDS: { readonly [name: string]: () => Outside } = {
  new: () => outside(facts()),
  'first records': () => {
    const world = outside(facts());
    send(world, { type: 'start', task: '' });
    return world;
  },
  idle: () => begun(facts()),
  'model asked': () => {
    const world = begun(facts());
    send(world, { type: 'step' });
    return world;
  },
  'arguments checked': () => proposed('typed'),
  'question written': () => proposed('asked'),
  'person asked': () => acknowledged(proposed('asked')),
  'intent written': () => proposed('write'),
  called: () => proposed('pure'),
  'result checked': () => {
    const world = proposed('typed');
    check(world, () => YES);
    settle(world, settledOk(1));
    return world;
  },
  'receipt written': () => proposed('alone'),
  'seal written': () => {
    const world = begun(facts());
    propose(world, say(''));
    return world;
  },
  'consent written': () => remote(),
  'consent asked': () => acknowledged(remote()),
  completed: () => acknowledged(STANDS['seal written']?.() as Outside),
  stopped: () => {
    const world = begun(facts());
    send(world, { type: 'stop', ending: { state: 'aborted' } });
    return acknowledged(world);
  },
  lost: () => {
    const world = begun(facts());
    send(world, { type: 'append_failed', reason: '' });
    return world;
  },
};

function proposed(name: string): Outside {
  const world = begun(facts());
  propose(world, call(name, { n: 1 }));
  return world;
}

function acknowledged(world: Outside): Outside {
  acknowledge(world);
  return world;
}

function remote(): Outside {
  const world = begun(facts({ remote: 'https://model.example' }));
  propose(world, call('read'));
  settle(world, settledOk('private'));
  acknowledge(world);
  send(world, { type: 'step' });
  return world;
}

/** An event of every kind, with the step and the digest for which the run waits. */
function events({ state, waiting }: Outside): { readonly [type: string]: RunEvent } {
  const asked = waiting.get('ask') ?? waiting.get('ask_consent');
  const digest = asked !== undefined && 'question' in asked ? asked.question.digest : 'f'.repeat(64);
  const step = state.at.phase === 'INPUT_RECEIVED' ? state.steps + 1 : state.steps;
  const wanted = waiting.get('check');
  const results = new Map(wanted?.type === 'check' ? wanted.schemas.map((hash) => [hash, YES] as const) : []);
  return {
    start: { type: 'start', task: '' },
    step: { type: 'step' },
    run: { type: 'run' },
    pause: { type: 'pause' },
    say: { type: 'say', task: '' },
    stop: { type: 'stop', ending: { state: 'aborted' } },
    proposed: { type: 'proposed', step, bytes: call('pure'), now: 1, nonce: '' },
    model_failed: { type: 'model_failed', step, code: 'model_failed', error: { name: '', message: '' } },
    checked: { type: 'checked', step, results },
    yes: { type: 'answered', digest, answer: { approved: true }, now: 1 },
    no: { type: 'answered', digest, answer: { approved: false, reason: '' }, now: 1 },
    settled: { type: 'settled', step, settled: settledOk(1), image_hash: IMAGE },
    revoked: { type: 'revoked', grants: ['0'.repeat(64)], capabilities: [] },
    noted: { type: 'noted' },
    appended: { type: 'appended' },
    append_failed: { type: 'append_failed', reason: '' },
    broken: { type: 'broken', reason: '' },
  };
}

const OVER = 'SHUTDOWN';
const SEALING = 'MEMORY_COMMITTING';
const LOST = { append_failed: OVER, broken: OVER } as const;

/** Phase to which each event leads. An event that is not listed leaves the phase and has no effects. */
const MOVES: { readonly [stand: string]: { readonly [event: string]: Phase } } = {
  new: { ...LOST, start: 'MEMORY_COMMITTING' },
  'first records': { ...LOST, appended: 'IDLE' },
  idle: { ...LOST, step: 'INPUT_RECEIVED', run: 'INPUT_RECEIVED', say: 'MEMORY_COMMITTING', stop: SEALING },
  'model asked': { ...LOST, proposed: 'CAPABILITY_EXECUTING', model_failed: SEALING, stop: SEALING },
  'arguments checked': { ...LOST, checked: 'CAPABILITY_EXECUTING', stop: SEALING },
  'question written': { ...LOST, appended: 'AWAITING_APPROVAL' },
  'person asked': { ...LOST, yes: 'CAPABILITY_EXECUTING', no: 'MEMORY_COMMITTING', stop: SEALING },
  'intent written': { ...LOST, appended: 'CAPABILITY_EXECUTING' },
  called: { ...LOST, settled: 'MEMORY_COMMITTING', stop: SEALING },
  'result checked': { ...LOST, checked: 'MEMORY_COMMITTING', stop: SEALING },
  'receipt written': { ...LOST, appended: 'IDLE' },
  'seal written': { ...LOST, appended: 'COMPLETED' },
  'consent written': { ...LOST, appended: 'AWAITING_APPROVAL' },
  'consent asked': { ...LOST, yes: 'MEMORY_COMMITTING', no: SEALING, stop: SEALING },
  completed: { say: 'MEMORY_COMMITTING' },
  stopped: {},
  lost: {},
};

/** The state without the members that an event may change when it does not change the phase. */
function bare({
  phasesEntered: _,
  mode: __,
  stepRequested: ___,
  pendingTasks: ____,
  stopping: _____,
  revoking: ______,
  ...rest
}: RunState): object {
  return rest;
}

describe.each(Object.entries(STANDS))('a run with its %s', (name, make) => {
  test.each(Object.keys(events(make())))('a run takes the event %s to the phase of the table', (type) => {
    const world = make();
    const event = events(world)[type] as RunEvent;
    const [after, effects] = transition(world.state, event);
    const to = MOVES[name]?.[type];
    expect(after.at.phase).toBe(to ?? world.state.at.phase);
    if (to !== undefined)
      return expect([after.phasesEntered.length > 0 || after.at !== world.state.at]).toEqual([true]);
    expect(effects).toEqual([]);
    expect(bare(after)).toEqual(bare(world.state));
  });

  test('a run ignores an answer to another proposal or another question', () => {
    const world = make();
    const { proposed: said, model_failed, checked, yes, settled } = events(world);
    for (const event of [said, model_failed, checked, settled]) {
      for (const off of [-1, 1]) {
        const other = { ...(event as { step: number }), step: (event as { step: number }).step + off } as RunEvent & {
          step: number;
        };
        const [after, effects] = transition(world.state, other);
        expect([effects, bare(after)]).toEqual([[], bare(world.state)]);
      }
    }
    const [after, effects] = transition(world.state, { ...(yes as object), digest: 'e'.repeat(64) } as RunEvent);
    expect([effects, bare(after)]).toEqual([[], bare(world.state)]);
  });
});

/** Behind a seal and before the first record no record can be written; a revocation then stays due. */
const UNWRITTEN: ReadonlySet<string> = new Set(['new', 'seal written', 'completed', 'stopped', 'lost']);

test.each(Object.keys(STANDS))('a run with its %s records a revocation behind the records of its step', (name) => {
  const world = STANDS[name]?.() as Outside;
  const { policy, at } = world.state;
  const held = 'open' in at ? at.open.drafts.map(({ kind }) => kind) : [];
  const grants = policy.grants.filter(({ mode }) => mode !== 'deny');
  const [after, effects] = transition(world.state, {
    type: 'revoked',
    grants: grants.map(({ id }) => id),
    capabilities: [],
  });
  // A revocation ends a call that runs.
  const [phase, then] = name === 'called' ? [SEALING, ['cancel', 'append']] : [at.phase, []];
  expect(after.at.phase).toBe(phase);
  if (UNWRITTEN.has(name))
    return expect([after.policy, effects, after.revoking?.grants.length]).toEqual([policy, [], grants.length]);
  const [note, ...more] = effects;
  const drafts = note?.type === 'note' ? note.drafts : [];
  expect([drafts.map(({ kind }) => kind), more.map(({ type }) => type)]).toEqual([[...held, 'revocation'], then]);
  expect(after.revoking).toBeUndefined();
  expect(drafts.at(-1)?.body).toMatchObject({ policy_hash: after.policy.hash });
  expect(after.policy.grants.every(({ mode }) => mode === 'deny')).toBe(true);
  // No record is written twice.
  expect('open' in after.at ? after.at.open.drafts : []).toEqual([]);
  expect(transition(after, { type: 'revoked', grants: grants.map(({ id }) => id), capabilities: [] })[1]).toEqual([]);
});

test('an approval is refused when its grant was revoked or its capability was disabled', () => {
  for (const what of ['grants', 'capabilities'] as const) {
    const world = STANDS['person asked']?.() as Outside;
    const { grants } = world.state.policy;
    const { id, capability_hash } = grants.find(({ capability }) => capability === 'asked') as (typeof grants)[number];
    send(world, {
      type: 'revoked',
      grants: [],
      capabilities: [],
      [what]: what === 'grants' ? [id] : [capability_hash],
    });
    reply(world, 'ask', ({ question }) => ({
      type: 'answered',
      digest: question.digest,
      answer: { approved: true },
      now: 1,
    }));
    acknowledge(world);
    expect(bodies(world, 'decision').at(-1)).toMatchObject({
      code: what === 'grants' ? 'no_grant' : 'capability_disabled',
      policy_hash: bodies(world, 'revocation')[0]?.policy_hash,
    });
    expect(world.executed).toEqual([]);
  }
});

test('a revoked denial still denies, so that a run is never permitted more than at its start', () => {
  const world = begun(facts());
  const denials = world.state.policy.grants.filter(({ mode }) => mode === 'deny').map(({ id }) => id);
  expect(send(world, { type: 'revoked', grants: denials, capabilities: [] })).toEqual([]);
  propose(world, call('denied'));
  acknowledge(world);
  expect(bodies(world, 'decision').at(-1)).toMatchObject({ code: 'grant_denied' });
});

test('a revocation behind a completed turn holds from the next task on', () => {
  const world = STANDS.completed?.() as Outside;
  const { grants } = world.state.policy;
  send(world, { type: 'revoked', grants: grants.map(({ id }) => id), capabilities: [] });
  send(world, { type: 'say', task: 'Go on.' });
  acknowledge(world);
  expect(world.records.slice(-2).map(({ kind }) => kind)).toEqual(['task', 'revocation']);
  propose(world, call('pure'));
  acknowledge(world);
  expect(bodies(world, 'decision').at(-1)).toMatchObject({ code: 'no_grant' });
});

test('a stop during a write waits for the write, then seals the run', () => {
  for (const name of ['first records', 'question written', 'intent written', 'receipt written', 'consent written']) {
    const world = STANDS[name]?.() as Outside;
    expect(send(world, { type: 'stop', ending: { state: 'aborted' } })).toEqual([]);
    acknowledge(world);
    acknowledge(world);
    expect([name, world.state.at.phase, world.executed.length]).toEqual([
      name,
      'SHUTDOWN',
      name === 'consent written' ? 1 : 0,
    ]);
  }
});

test('a lost ledger cancels the pending effect', () => {
  for (const name of ['called', 'model asked', 'arguments checked', 'person asked']) {
    const world = STANDS[name]?.() as Outside;
    expect(send(world, { type: 'append_failed', reason: 'full' }).map(({ type }) => type)).toEqual(['cancel', 'end']);
  }
});

test('the list of deviations has no step that FemtoClaw 10 allows', () => {
  for (const [from, to] of DEVIATIONS) expect(SPECIFIED[from]).not.toContain(to);
});

test('a run whose consent is denied fails with consent_denied', () => {
  const world = STANDS['consent asked']?.() as Outside;
  reply(world, 'ask_consent', ({ question }) => ({
    type: 'answered',
    digest: question.digest,
    answer: { approved: false, reason: '' },
    now: 1,
  }));
  acknowledge(world);
  expect(world.state).toMatchObject({ at: { phase: 'SHUTDOWN' }, ending: { state: 'failed', code: 'consent_denied' } });
});
