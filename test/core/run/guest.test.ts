import { describe, expect, test } from 'vitest';
import type { CallSettled } from '../../../core/capability/call.ts';
import { CALL_LIMITS } from '../../../core/limits.ts';
import { call, facts, settledOk } from './facts.ts';
import { acknowledge, begun, type Outside, propose, settle, told } from './outside.ts';

const codeOf = (world: Outside) => told(world)['details'] as { code: string };

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
      expect(told(world)['details']).toMatchObject({ rule: expect.stringMatching(/^[a-z]+_[a-z]+$/) });
    },
  );
});
