import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../core/run/event.ts';
import { call, facts, settledOk } from './facts.ts';
import { acknowledge, begun, type Outside, propose, reply, send, settle, told } from './outside.ts';

describe('a person', () => {
  const answer = (world: Outside, said: Extract<RunEvent, { type: 'answered' }>['answer'], now = 2) =>
    reply(world, 'ask', ({ question }) => ({ type: 'answered', digest: question.digest, answer: said, now }));

  test('a person may give a reason that is not well-formed text', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    answer(world, { approved: false, reason: 'no \ud83d' });
    acknowledge(world);
    expect(told(world)['details']).toMatchObject({ code: 'approval_denied', reason: 'no \ufffd' });
  });

  test('a person is asked with the exact canonical arguments, and the call runs with them', () => {
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

  test('an approval with another digest leaves the question open', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    expect(send(world, { type: 'answered', digest: 'f'.repeat(64), answer: { approved: true }, now: 2 })).toEqual([]);
    expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
  });

  test('an answer of an authorizer that the policy does not name leaves the question open', () => {
    const world = begun(facts());
    propose(world, call('asked'));
    acknowledge(world);
    for (const approved of [true, false] as const) {
      const said = approved
        ? { approved, via: 'authorizer' as const }
        : { approved, reason: '', via: 'authorizer' as const };
      const question = world.waiting.get('ask');
      const digest = question?.type === 'ask' ? question.question.digest : '';
      expect(send(world, { type: 'answered', digest, answer: said, now: 2 })).toEqual([]);
    }
    expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
  });

  test('an approval that is sent twice permits a single call', () => {
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

  test('a person is asked again for the same call: two questions have two digests', () => {
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

  test('a person is asked again at the third call after an approval for two uses', () => {
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

  test('an approval of exact arguments for the run does not permit other arguments', () => {
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
