import { describe, expect, test } from 'vitest';
import { CALL_LIMITS, type CallSettled, encodeText, type RunEvent } from '../../../core/index.ts';
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
  ] as const)('keeps a denial in force: %j', (lost) => {
    const world = begun(facts());
    propose(world, call('forbidden', { ok: true }));
    check(world, () => lost);
    acknowledge(world);
    expect(codeOf(world)).toMatchObject({ code: 'grant_denied' });
    expect(world.executed).toEqual([]);
  });

  test.each([{ failed: 'lost' }, { failed: 'fuel', limit: 1, used: 2 }] as const)(
    'keeps a permission from applying: %j',
    (lost) => {
      const world = begun(facts());
      propose(world, call('narrow', { ok: true }));
      check(world, () => lost);
      acknowledge(world);
      expect(codeOf(world)).toMatchObject({ code: 'grant_constraint' });
      expect(world.executed).toEqual([]);
    },
  );

  test('denies as well when the answer leaves it out', () => {
    const world = begun(facts());
    propose(world, call('forbidden', { ok: true }));
    reply(world, 'check', ({ step }) => ({ type: 'checked', step, results: new Map() }));
    acknowledge(world);
    expect(codeOf(world)).toMatchObject({ code: 'grant_denied' });
  });

  test('and one that is judged decides', () => {
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

  test.each(after.map((event) => [event.type, event] as const))('stays as it is at %s', (_type, event) => {
    const completed = begun(facts());
    propose(completed, say('bye'));
    acknowledge(completed);
    const lost = begun(facts());
    send(lost, { type: 'append_failed', reason: 'full' });
    for (const world of [completed, lost]) {
      const { trail: _, ...before } = world.state;
      expect(send(world, event)).toEqual([]);
      expect(world.state).toMatchObject(before);
    }
  });
});

describe("a person's next word", () => {
  test('continues a run that completed, under the same counts', () => {
    const world = begun(facts());
    propose(world, say('bye'));
    acknowledge(world);
    send(world, { type: 'say', task: 'more' });
    acknowledge(world);
    propose(world, call('pure'));
    expect(world.state).toMatchObject({ steps: 2, at: { phase: 'CAPABILITY_EXECUTING' } });
    expect(world.state).not.toHaveProperty('ending');
  });

  test('does not wake a run that was stopped, or whose ledger is lost', () => {
    const stopped = begun(facts());
    send(stopped, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(stopped);
    const lost = begun(facts());
    send(lost, { type: 'append_failed', reason: 'full' });
    for (const world of [stopped, lost]) {
      expect(send(world, { type: 'say', task: 'more' })).toEqual([]);
      expect(world.state.at.phase).toBe('SHUTDOWN');
    }
  });
});

describe('an answer of the validators', () => {
  test('that comes twice is not taken for the answer about the result', () => {
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

  test('cannot overrule what was checked in place', () => {
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
  test('and then aborted is an action that failed, with what is known of it', () => {
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

  test('and then aborted leaves its labels: an error may quote what it read', () => {
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

  test('and aborted before its intent was durable is no action', () => {
    const world = begun(facts());
    propose(world, call('write'));
    send(world, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(world);
    acknowledge(world);
    expect(world.executed).toEqual([]);
    expect(lastReceipt(world)).toMatchObject({ receipt: { status: 'FAILURE', actions: [] } });
  });
});

describe('what comes from the guest', () => {
  const failed = (error: object): CallSettled => ({
    ok: false,
    kind: 'threw',
    error: error as { name: string; message: string },
    fuel: 1,
    console: [],
    powerCalls: [],
  });

  test('is told without a stack, however it got there', () => {
    const world = begun(facts());
    propose(world, call('pure'));
    settle(
      world,
      failed({ name: 'TypeError', message: 'x', line: 3, column: 4, stack: 'at secret.js:1', cause: { path: '/etc' } }),
    );
    acknowledge(world);
    expect(told(world)['details']).toEqual({
      class: 'execution',
      code: 'capability_threw',
      step: 'execute',
      error: { name: 'TypeError', message: 'x', line: 3, column: 4 },
    });
  });

  test('may hold half a surrogate pair and is recorded all the same', () => {
    const world = begun(facts());
    propose(world, call('pure'));
    settle(world, failed({ name: '\ud800', message: 'a\udc00' }));
    acknowledge(world);
    expect(told(world)['details']).toMatchObject({ error: { name: '\ufffd', message: 'a\ufffd' } });
  });

  test('is refused by its own code when it is too long', () => {
    const world = begun(facts());
    propose(world, call('pure'));
    settle(world, settledOk('x'.repeat(CALL_LIMITS.bytesOut)));
    acknowledge(world);
    expect(told(world)['details']).toMatchObject({
      code: 'bytes_out_exceeded',
      limit: CALL_LIMITS.bytesOut,
      used: CALL_LIMITS.bytesOut + 2,
    });
  });

  test.each(['', '{"a":1,"a":2}', '"\\ud800"', '1e999', 'undefined'])(
    'is refused when it is not strict JSON: %j',
    (text) => {
      const world = begun(facts());
      propose(world, call('pure'));
      settle(world, { ok: true, text, fuel: 1, console: [], powerCalls: [] });
      acknowledge(world);
      expect(codeOf(world)).toMatchObject({ class: 'output', code: 'result_not_json' });
    },
  );
});

describe('a person', () => {
  const answer = (world: Outside, said: Extract<RunEvent, { type: 'answered' }>['answer'], now = 2) =>
    reply(world, 'ask', ({ question }) => ({ type: 'answered', digest: question.digest, answer: said, now }));

  test('may give a reason that is not well-formed text', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    answer(world, { approved: false, reason: 'no \ud83d' });
    acknowledge(world);
    expect(told(world)['details']).toMatchObject({ code: 'approval_denied', reason: 'no \ufffd' });
  });

  test('is asked with the exact canonical arguments, and only those run', () => {
    const world = begun(facts());
    propose(world, call('asked', { b: '\u202e', a: [1, -0] }));
    acknowledge(world);
    const asked = world.waiting.get('ask');
    expect(asked).toMatchObject({
      question: { capability: 'asked', effect: 'pure', args: '{"a":[1,0],"b":"\u202e"}' },
    });
    answer(world, { approved: true });
    expect(world.executed[0]?.args).toBe('{"a":[1,0],"b":"\u202e"}');
  });

  test('who answers another question is not heard', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    expect(send(world, { type: 'answered', digest: 'f'.repeat(64), answer: { approved: true }, now: 2 })).toEqual([]);
    expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
  });

  test('who says yes twice lets one call through', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    answer(world, { approved: true });
    send(world, world.events.at(-1) as RunEvent);
    expect(world.executed.length).toBe(1);
    settle(world, settledOk(1));
    acknowledge(world);
    send(world, world.events.find(({ type }) => type === 'answered') as RunEvent);
    propose(world, call('asked'));
    acknowledge(world);
    send(world, world.events.find(({ type }) => type === 'answered') as RunEvent);
    expect(world.executed.length).toBe(1);
  });

  test('is asked again for the same call: two questions have two digests', () => {
    const world = begun(facts());
    const digests = [1, 2].map(() => {
      propose(world, call('asked'));
      acknowledge(world);
      const asked = world.waiting.get('ask');
      answer(world, { approved: false, reason: '' });
      acknowledge(world);
      return asked?.type === 'ask' ? asked.question.digest : '';
    });
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(digests[1]).not.toBe(digests[0]);
  });

  test('who says "twice" is asked again at the third call', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    answer(world, { approved: true, standing: { args: 'any', uses: 2 } });
    settle(world, settledOk(1));
    acknowledge(world);
    propose(world, call('asked'));
    settle(world, settledOk(1));
    acknowledge(world);
    propose(world, call('asked'));
    expect(world.executed.length).toBe(2);
  });

  test('who permits these arguments for the run has not permitted others', () => {
    const world = begun(facts());
    propose(world, call('asked', { a: 1 }));
    acknowledge(world);
    answer(world, { approved: true, standing: { args: 'exact' } });
    settle(world, settledOk(1));
    acknowledge(world);
    propose(world, call('asked', { a: 1 }));
    expect(world.executed.length).toBe(2);
    settle(world, settledOk(1));
    acknowledge(world);
    propose(world, call('asked', { a: 2 }));
    expect(world.executed.length).toBe(2);
  });
});

describe('a proposal nobody can read', () => {
  test('ends in a receipt, and the run goes on', () => {
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
