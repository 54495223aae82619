import { describe, expect, test } from 'vitest';
import { defineCapability } from '../../../workers/node.ts';
import {
  expectRejected,
  fakeClock,
  fuzzCapability,
  openTestRuntime,
  proposals,
  scripted,
} from '../../../workers/testing.ts';

const { call, finish } = proposals('xct');

const share = defineCapability({
  name: 'math.share',
  version: '1.0.0',
  description: 'Shares an amount among people.',
  effect: 'pure',
  args: {
    type: 'object',
    required: ['amount', 'people'],
    additionalProperties: false,
    properties: { amount: { type: 'integer', minimum: 0, maximum: 100 }, people: { type: 'integer', minimum: 1 } },
  },
  result: { type: 'object', required: ['each'], properties: { each: { type: 'integer' } } },
  source: 'export default ({ amount, people }) => ({ each: Math.floor(amount / people) });',
});

const GRANTED = { capabilities: [share], grants: [{ capability: 'math.share', mode: 'allow' }] } as const;

describe('expectRejected', () => {
  const proposal = call('math.share', { amount: 1, people: 1 });

  test.each([
    ['parse', 'json_syntax', '{"next_step"', GRANTED],
    ['structure', 'form_both', { next_step: {}, done: true }, GRANTED],
    ['capability', 'unknown_capability', proposal, {}],
    ['arguments', 'arguments_schema', call('math.share', { amount: -1, people: 1 }), GRANTED],
    ['authorize', 'no_grant', proposal, { capabilities: [share] }],
    ['approve', 'approval_denied', proposal, { ...GRANTED, grants: [{ capability: 'math.share', mode: 'ask' }] }],
  ] as const)('expectRejected passes for a proposal that the gate %s refuses', async (gate, code, text, situation) => {
    expect(await expectRejected(text, situation).atGate(gate, code)).toMatchObject({ gate, code });
  });

  test('expectRejected fails when the proposal is accepted, stops at another gate or has another code', async () => {
    await expect(expectRejected(proposal, GRANTED).atGate('arguments')).rejects.toThrow('but it was accepted');
    await expect(expectRejected(proposal).atGate('arguments')).rejects.toThrow('stopped at gate capability');
    await expect(expectRejected('{}').atGate('structure', 'form_both')).rejects.toThrow('with form_none');
  });
});

test('a fake clock decides the expiry of a grant and the times of the records', async () => {
  const clock = fakeClock(1000);
  const grants = [{ capability: 'math.share', mode: 'allow', expires: 2000 }] as const;
  const runtime = await openTestRuntime({ ...GRANTED, grants, clock });
  const again = call('math.share', { amount: 9, people: 3 });
  const model = scripted([again, again, finish('x')]);
  const run = runtime.start({ dialect: 'xct', task: 'Share.', model, paused: true });
  await run.step();
  clock.advance(1500);
  await run.step();
  await run.run();
  await run.result;
  const records = await runtime.ledger.records(run.id);
  const decisions = records.flatMap((record) => (record.kind === 'decision' ? [record.body] : []));
  expect(decisions.map(({ now, code }) => [now, code])).toEqual([
    [1000, undefined],
    [2500, 'grant_expired'],
  ]);
  expect(model.requests).toHaveLength(3);
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('"each":3');
  await runtime.close();
});

describe('fuzzCapability', () => {
  test('fuzzCapability accepts a capability that keeps its contract', async () => {
    const report = await fuzzCapability(share, {
      calls: 60,
      check: (_, value) => expect((value as { each: number }).each).toBeLessThanOrEqual(100),
    });
    expect(report.calls).toBe(60);
    expect(report.refused).toBeGreaterThan(0);
    expect(report.refused).toBeLessThan(60);
  });

  test.each([
    [
      'throws at an edge',
      '({ amount }) => { if (amount === 100) throw new TypeError("too much"); return { each: 1 }; }',
      /ends as threw \(TypeError: too much\).*"amount":100/,
    ],
    ['breaks its result schema', '({ amount, people }) => ({ each: amount / people })', /ends as result/],
    ['never ends', '({ amount }) => { while (amount === 0); return { each: 1 }; }', /ends as fuel/],
  ])('fuzzCapability finds a capability that %s', async (_, run, message) => {
    const broken = { ...share, source: `export default ${run};` };
    await expect(fuzzCapability(broken, { calls: 60 })).rejects.toThrow(message);
  });

  test('fuzzCapability permits an error that the contract of the capability names', async () => {
    const picky = { ...share, source: 'export default () => { throw new RangeError("no"); };' };
    expect(await fuzzCapability(picky, { calls: 20, mayThrow: ['RangeError'] })).toMatchObject({ calls: 20 });
  });

  test('fuzzCapability fails when the schema refuses every generated call', async () => {
    const closed = { ...share, args: { ...share.args, required: ['never'] } };
    await expect(fuzzCapability(closed, { calls: 20 })).rejects.toThrow('nothing was tested');
  });
});
