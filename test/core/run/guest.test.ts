import { describe, expect, test } from 'vitest';
import type { CallSettled } from '../../../core/capability/call.ts';
import { CALL_LIMITS } from '../../../core/limits.ts';
import { call, facts, settledOk } from './facts.ts';
import { acknowledge, begun, type Outside, propose, settle, told } from './outside.ts';

const codeOf = (world: Outside) => told(world)['details'] as { code: string };

describe('results and errors of a guest', () => {
  const failed = (error: object): CallSettled => ({
    ok: false,
    kind: 'threw',
    error: error as { name: string; message: string },
    fuel: 1,
    console: [],
    powerCalls: [],
  });

  test('an error of a guest is told without stack, cause and unknown members', () => {
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

  test('an error of a guest may hold half a surrogate pair and is recorded with a replacement character', () => {
    const world = begun(facts());
    propose(world, call('pure'));
    settle(world, failed({ name: '\ud800', message: 'a\udc00' }));
    acknowledge(world);
    expect(told(world)['details']).toMatchObject({ error: { name: '\ufffd', message: 'a\ufffd' } });
  });

  test('a result of a guest that is too long is refused with bytes_out_exceeded', () => {
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
    'a result of a guest that is not strict JSON is refused: %j',
    (text) => {
      const world = begun(facts());
      propose(world, call('pure'));
      settle(world, { ok: true, text, fuel: 1, console: [], powerCalls: [] });
      acknowledge(world);
      expect(codeOf(world)).toMatchObject({ class: 'output', code: 'result_not_json' });
      expect(told(world)['details']).toMatchObject({ rule: expect.stringMatching(/^[a-z]+_[a-z]+$/) });
    },
  );
});
