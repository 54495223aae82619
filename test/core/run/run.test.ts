import { describe, expect, test } from 'vitest';
import { sha256Text } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { messages } from '../../../core/run/context.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { call, facts, say, settledOk } from './facts.ts';
import { acknowledge, begun, bodies, check, type Outside, propose, reply, send, settle, told } from './outside.ts';

const NO = [{ pointer: '', keyword: 'const', message: 'no' }];
const YES = { issues: [] };
const codeOf = (world: Outside) => told(world)['details'] as { code: string };

function lastReceipt(world: Outside) {
  const last = bodies(world, 'receipt').at(-1);
  if (last === undefined) throw new Error('no receipt');
  return last;
}

describe('a constraint that could not be judged', () => {
  test.each([
    { failed: 'lost' },
    { failed: 'fuel', limit: 1, used: 2 },
    { failed: 'memory', limit: 1, used: 2 },
  ] as const)('a constraint that could not be judged keeps a denial in force: %j', (lost) => {
    const world = begun(facts());
    propose(world, call('forbidden', { ok: true }));
    check(world, () => lost);
    acknowledge(world);
    expect(codeOf(world)).toMatchObject({ code: 'grant_denied' });
    expect(world.executed).toEqual([]);
  });

  test.each([{ failed: 'lost' }, { failed: 'fuel', limit: 1, used: 2 }] as const)(
    'a constraint that could not be judged keeps a permission from applying: %j',
    (lost) => {
      const world = begun(facts());
      propose(world, call('narrow', { ok: true }));
      check(world, () => lost);
      acknowledge(world);
      expect(codeOf(world)).toMatchObject({ code: 'grant_constraint' });
      expect(world.executed).toEqual([]);
    },
  );

  test('a denial applies when the answer of the validators leaves its constraint out', () => {
    const world = begun(facts());
    propose(world, call('forbidden', { ok: true }));
    reply(world, 'check', ({ step }) => ({ type: 'checked', step, results: new Map() }));
    acknowledge(world);
    expect(codeOf(world)).toMatchObject({ code: 'grant_denied' });
  });

  test('a denial whose constraint does not hold lets the call run', () => {
    const world = begun(facts());
    propose(world, call('forbidden', {}));
    check(world, () => ({ issues: NO }));
    expect(world.executed.length).toBe(1);
  });
});

describe('a run that is over', () => {
  const after: readonly RunEvent[] = [
    { type: 'append_failed', reason: 'late' },
    { type: 'appended' },
    { type: 'run' },
    { type: 'step' },
    { type: 'pause' },
    { type: 'start', task: 'again' },
    { type: 'stop', ending: { state: 'aborted' } },
    { type: 'model_failed', step: 2, code: 'model_failed', error: { name: 'Error', message: '' } },
    { type: 'settled', step: 1, settled: settledOk(1), image_hash: '' },
  ];

  test.each(after.map((event) => [event.type, event] as const))(
    'a run that is over ignores the event %s',
    (_type, event) => {
      const completed = begun(facts());
      propose(completed, say('bye'));
      acknowledge(completed);
      const lost = begun(facts());
      send(lost, { type: 'append_failed', reason: 'full' });
      for (const world of [completed, lost]) {
        const { phasesEntered: _, ...before } = world.state;
        expect(send(world, event)).toEqual([]);
        expect(world.state).toMatchObject(before);
      }
    },
  );
});

describe('the next task of a person', () => {
  test('the next task continues a completed run under the same counts', () => {
    const world = begun(facts());
    propose(world, say('bye'));
    acknowledge(world);
    send(world, { type: 'say', task: 'more' });
    acknowledge(world);
    propose(world, call('pure'));
    expect(world.state).toMatchObject({ steps: 2, at: { phase: 'CAPABILITY_EXECUTING' } });
    expect(world.state).not.toHaveProperty('ending');
  });

  test('a task that comes during a step is recorded after the step, each once and in order', () => {
    const world = begun(facts());
    send(world, { type: 'run' });
    for (const task of ['two', 'three', 'two']) expect(send(world, { type: 'say', task })).toEqual([]);
    propose(world, call('pure'));
    settle(world, settledOk(1));
    acknowledge(world);
    expect(world.state.at.phase).toBe('MEMORY_COMMITTING');
    acknowledge(world);
    const text = (task: string) => ({ text: expect.objectContaining({ sha256: sha256Text(task) }) });
    expect(bodies(world, 'task').slice(1)).toEqual(['two', 'three', 'two'].map(text));
    expect(world.state).toMatchObject({ pendingTasks: [], mode: 'running', at: { phase: 'INPUT_RECEIVED' } });
    expect(
      messages(world.state.context, [], 1 << 16)
        .slice(-3)
        .map(({ content }) => content),
    ).toEqual(['two', 'three', 'two']);
  });

  test('a task that comes during the last message begins the next turn behind the seal', () => {
    const world = begun(facts());
    for (const [type, phase] of [
      ['run', 'INPUT_RECEIVED'],
      ['pause', 'IDLE'],
    ] as const) {
      send(world, { type });
      send(world, { type: 'say', task: 'more' });
      propose(world, say('bye'));
      acknowledge(world);
      acknowledge(world);
      expect([world.ends, world.state.at.phase]).toEqual([[], phase]);
    }
    expect(world.records.slice(-2).map(({ kind }) => kind)).toEqual(['seal', 'task']);
    expect(world.state).not.toHaveProperty('ending');
  });

  test('a task that waits when the run is stopped is dropped', () => {
    const stopped = begun(facts());
    propose(stopped, call('write'));
    send(stopped, { type: 'say', task: 'more' });
    send(stopped, { type: 'stop', ending: { state: 'aborted' } });
    const sealing = begun(facts());
    propose(sealing, say('bye'));
    send(sealing, { type: 'say', task: 'more' });
    send(sealing, { type: 'stop', ending: { state: 'aborted' } });
    for (const world of [stopped, sealing]) {
      while (world.waiting.has('append')) acknowledge(world);
      expect([bodies(world, 'task').length, world.state.pendingTasks, world.ends.length]).toEqual([1, [], 1]);
    }
  });

  test('the next task is not ended by a stop that came while the previous turn was sealed', () => {
    const world = begun(facts());
    propose(world, say('bye'));
    send(world, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(world);
    send(world, { type: 'say', task: 'more' });
    acknowledge(world);
    expect(world.state.at.phase).toBe('INPUT_RECEIVED');
  });

  test('the next task does not wake a run that was stopped or whose ledger is lost', () => {
    const stopped = begun(facts());
    send(stopped, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(stopped);
    const lost = begun(facts());
    send(lost, { type: 'append_failed', reason: 'full' });
    for (const world of [stopped, lost]) {
      expect(send(world, { type: 'say', task: 'more' })).toEqual([]);
      expect(world.state).toMatchObject({ pendingTasks: [], at: { phase: 'SHUTDOWN' } });
    }
  });
});

describe('an answer of the validators', () => {
  test('an answer of the validators that comes twice is not taken for the answer about the result', () => {
    const world = begun(facts());
    propose(world, call('typed', { n: 1 }));
    check(world, () => YES);
    const [again] = world.events.slice(-1);
    settle(world, settledOk('not a number'));
    expect(send(world, again as RunEvent)).toEqual([]);
    check(world, () => ({ issues: NO }));
    acknowledge(world);
    expect(codeOf(world)).toMatchObject({ code: 'result_schema' });
  });

  test('an answer of the validators cannot overrule a schema that was checked in place', () => {
    const world = begun(facts());
    propose(world, call('narrow', { ok: true }));
    const args = world.state.facts.registry.capabilities.get('narrow')?.schemas.args ?? '';
    reply(world, 'check', ({ step, schemas }) => ({
      type: 'checked',
      step,
      results: new Map([...schemas, args].map((hash) => [hash, hash === args ? { issues: NO } : YES])),
    }));
    expect(world.executed.length).toBe(1);
  });
});

describe('a call that was started', () => {
  test('a call that was started and then aborted is recorded as a failed action', () => {
    const world = begun(facts());
    propose(world, call('write'));
    acknowledge(world);
    send(world, { type: 'stop', ending: { state: 'aborted', message: 'enough' } });
    acknowledge(world);
    expect(lastReceipt(world)).toMatchObject({
      receipt: {
        status: 'FAILURE',
        actions: [{ type: 'EXECUTE', target: '@TOOLS/write', status: 'FAILURE', result: {} }],
      },
      evidence: { reason: { code: 'call_aborted' } },
    });
  });

  test('a call that failed leaves its labels, since its error may quote the content that it read', () => {
    const world = begun(facts());
    propose(world, call('read'));
    settle(world, {
      ok: false,
      kind: 'threw',
      error: { name: 'Error', message: 'secret' },
      fuel: 1,
      console: [],
      powerCalls: [],
    });
    acknowledge(world);
    expect([...world.state.labels]).toEqual(['private', 'untrusted']);
  });

  test('a call that was aborted before its intent was durable is no action', () => {
    const world = begun(facts());
    propose(world, call('write'));
    send(world, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(world);
    acknowledge(world);
    expect(world.executed).toEqual([]);
    expect(lastReceipt(world)).toMatchObject({ receipt: { status: 'FAILURE', actions: [] } });
  });
});

describe('a proposal that cannot be read', () => {
  test('a proposal that cannot be read ends in a receipt, and the run goes on', () => {
    const world = begun(facts());
    const hostile = [
      '',
      '{',
      '{"\\ud800":1,"\\ud800":2}',
      `{"a":{"\\udc00":{"b":1,"b":2}}}`,
      '\ufeff{}',
      '1e999',
      '[['.repeat(50_000),
    ].map(encodeText);
    for (const bytes of [...hostile, Uint8Array.of(0xff), new Uint8Array((1 << 20) + 1)]) {
      propose(world, bytes);
      acknowledge(world);
      expect(lastReceipt(world)).toMatchObject({
        receipt: { status: 'FAILURE', actions: [] },
        evidence: { step: world.state.steps },
      });
    }
    propose(world, call('pure'));
    expect(world.executed.length).toBe(1);
  });
});
