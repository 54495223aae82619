import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { refuse } from '../../../../core/errors.ts';
import type { LedgerRecord } from '../../../../core/index.ts';
import type { ModelPort, Runtime } from '../../../../workers/api.ts';
import { hostPowers } from '../../../../workers/kernel/run/runtime-powers.ts';
import { defineCapability, fromScript, verifyExport } from '../../../../workers/node.ts';
import { powerError } from '../../../../workers/sandbox/power-refusal.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const spin = defineCapability({
  name: 'work.spin',
  version: '1.0.0',
  description: 'Works for as long as it is told.',
  effect: 'pure',
  args: z.object({ turns: z.number().int().min(0) }),
  limits: { fuel: 1_000_000_000_000, deadlineMs: 60_000 },
  run: ({ turns }) => {
    let sum = 0;
    for (let turn = 0; turn < turns; turn++) sum += turn;
    return { sum };
  },
});

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime({ capabilities: [spin], grants: [{ capability: 'work.spin', mode: 'allow' }] });
});
afterAll(() => runtime.close());

const call = (turns: unknown) => ({ next_step: { tool: 'work.spin', arguments: { turns }, goal: 'work' } });
const done = { done: true, message: 'done' };
const start = (items: readonly object[], limits = {}) =>
  runtime.start({ dialect: 'xct', task: 'Work.', model: fromScript(items), limits });
const codes = (records: readonly LedgerRecord[]) =>
  records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : []));

/** Model that thinks until its signal aborts, and notes the abort in `stopped`. */
function thinker(): ModelPort & { stopped: boolean } {
  const model = {
    id: 'thinker',
    locality: { kind: 'local' } as const,
    stopped: false,
    propose: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          model.stopped = true;
          reject(new Error('stopped'));
        });
      }),
  };
  return model;
}

test('a zod schema becomes the schema of the capability: its refusals hold, and no value is coerced', async () => {
  const run = start([
    call(3),
    call('3'),
    call(-1),
    { next_step: { tool: 'work.spin', arguments: { turns: 1, more: 1 }, goal: '' } },
    done,
  ]);
  await run.result;
  expect(codes(await runtime.ledger.records(run.id))).toEqual([
    'SUCCESS',
    ...Array<string>(3).fill('arguments_schema'),
    'SUCCESS',
  ]);
});

test('a run is aborted while its model thinks, and the signal of the model aborts', async () => {
  const model = thinker();
  const run = runtime.start({ dialect: 'xct', task: 'Think.', model });
  await expect.poll(() => run.view.phase).toBe('INPUT_RECEIVED');
  await run.abort('enough');
  expect(await run.result).toMatchObject({ state: 'aborted', message: 'enough', steps: 0 });
  expect(model.stopped).toBe(true);
});

test('a run is aborted while its capability runs: its step has a receipt, and the sandbox serves the next run', async () => {
  const run = start([call(1e12)]);
  await expect.poll(() => run.view.phase).toBe('CAPABILITY_EXECUTING');
  await run.abort();
  expect(await run.result).toMatchObject({ state: 'aborted', steps: 1 });
  expect(codes(await runtime.ledger.records(run.id))).toEqual(['call_aborted']);
  const next = start([call(10), done]);
  expect(await next.result).toMatchObject({ state: 'completed' });
  expect(codes(await runtime.ledger.records(next.id))).toEqual(['SUCCESS', 'SUCCESS']);
}, 30_000);

test('a paused run takes no further step, and goes on where it stood', async () => {
  const run = start([call(1), call(2), call(3), done]);
  await run.step();
  await run.pause();
  expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused', steps: 1 });
  await run.resume();
  expect(await run.result).toMatchObject({ state: 'completed', steps: 4 });
});

test('a run ends at each of its limits with the code of that limit', async () => {
  expect(await start([call(1), call(1), call(1)], { steps: 2 }).result).toMatchObject({
    state: 'limit',
    code: 'limit_steps',
    steps: 2,
  });
  expect(await start([call('a'), call('b'), call(1), done], { refusalsInRow: 2 }).result).toMatchObject({
    state: 'limit',
    code: 'limit_refusals',
    steps: 2,
  });
  const slow = runtime.start({ dialect: 'xct', task: 'Think.', model: thinker(), limits: { wallMs: 50 } });
  expect(await slow.result).toMatchObject({ state: 'limit', code: 'limit_wall' });
  // Each turn has its own time. The stopped clock of the first turn does not stop the clock of the second.
  const turns = [JSON.stringify(done)];
  const model: ModelPort = {
    ...thinker(),
    propose: async (request, options) => {
      const text = turns.shift();
      return text === undefined ? thinker().propose(request, options) : { text };
    },
  };
  const two = runtime.start({ dialect: 'xct', task: 'Think.', model, limits: { wallMs: 2_000 } });
  expect(await two.result).toMatchObject({ state: 'completed' });
  await two.say('Think again.');
  expect(await two.result).toMatchObject({ state: 'limit', code: 'limit_wall' });
  const long = start([call(1), done], { proposalBytes: 40 });
  await long.result;
  expect(codes(await runtime.ledger.records(long.id))).toEqual(['limit_size', 'SUCCESS']);
});

test('a failing model ends the run with its message, and an exhausted script with model_exhausted', async () => {
  const broken: ModelPort = {
    id: 'broken',
    locality: { kind: 'local' },
    propose: async () => Promise.reject(new TypeError('no route')),
  };
  const run = runtime.start({ dialect: 'xct', task: 'Think.', model: broken });
  expect(await run.result).toMatchObject({ state: 'failed', code: 'model_failed', message: 'no route' });
  expect(await start([call(1)]).result).toMatchObject({ state: 'failed', code: 'model_exhausted', steps: 1 });
});

test('a proposal with half a surrogate pair is stored as it came and refused, and the run goes on', async () => {
  const run = runtime.start({
    dialect: 'xct',
    task: 'Say.',
    model: fromScript(['{"done":true,"message":"\ud800"}', done]),
  });
  expect(await run.result).toMatchObject({ state: 'completed', steps: 2 });
  const records = await runtime.ledger.records(run.id);
  expect(codes(records)).toEqual(['utf8', 'SUCCESS']);
  const [proposal] = records.flatMap((record) => (record.kind === 'proposal' ? [record.body.payload] : []));
  const bytes = await runtime.ledger.payload(run.id, proposal?.sha256 ?? '');
  expect([...(bytes ?? [])].slice(-5, -2)).toEqual([0xed, 0xa0, 0x80]);
});

test('secret arguments of a capability are in no telemetry and no export, and the export still verifies', async () => {
  const pin = defineCapability({ ...spin, name: 'door.open', secret: ['args'] });
  const other = await openRuntime({ capabilities: [pin, spin], grants: [{ capability: 'door.open', mode: 'allow' }] });
  const secret = { next_step: { tool: 'door.open', arguments: { turns: 4711 }, goal: 'open' } };
  const run = other.start({ dialect: 'xct', task: 'Open.', model: fromScript([secret, call(1), done]) });
  await run.result;
  const told: string[] = [];
  for await (const event of run.telemetry()) told.push(JSON.stringify(event));
  const records = await other.ledger.records(run.id);
  const hashes = records.flatMap((record) => (record.kind === 'proposal' ? [record.body.payload.sha256] : []));
  expect(told.join()).not.toContain(hashes[0]);
  expect(told.join()).toContain(hashes[1]);

  const payloadOf = (hash: string | undefined) => `"sha256":"${hash}"`;
  const [bare, whole] = [await other.ledger.export(run.id), await other.ledger.export(run.id, { secrets: true })];
  // The pattern has the member name, because the bare number occurs in some random hashes.
  const said = /turns\W+4711/;
  expect(whole).toMatch(said);
  expect(bare).not.toMatch(said);
  expect(bare).toContain(payloadOf(hashes[0]));
  expect((await verifyExport(bare)).ok).toBe(true);
  expect((await verifyExport(whole)).ok).toBe(true);
  await other.close();
});

test('a capability has only the powers of its definition, and the receipt lists each use', async () => {
  const common = { version: '1.0.0', description: 'Looks around.', effect: 'pure', args: { type: 'object' } } as const;
  const look = defineCapability({
    ...common,
    name: 'look.around',
    powers: ['clock', 'random'],
    source:
      'export default async (_, powers) => ({ at: await powers.clock(), luck: await powers.random(), log: typeof powers.log });',
  });
  const keep = defineCapability({
    ...common,
    name: 'look.keep',
    effect: 'write',
    powers: ['store.put'],
    source: 'export default async (_, powers) => powers.store.put("a", 1);',
  });
  const other = await openRuntime({
    capabilities: [look, keep],
    grants: [look, keep].map(({ name }) => ({ capability: name, mode: 'allow' })),
  });
  const ask = (tool: string) => ({ next_step: { tool, arguments: {}, goal: 'look' } });
  const before = Date.now();
  const run = other.start({
    dialect: 'xct',
    task: 'Look.',
    model: fromScript([ask('look.around'), ask('look.keep'), done]),
  });
  await run.result;
  const records = await other.ledger.records(run.id);
  expect(codes(records)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  const [uses] = records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.power_calls] : []));
  const bytes = await other.ledger.payload(run.id, uses?.sha256 ?? '');
  const calls = JSON.parse(new TextDecoder().decode(bytes)) as { name: string; result: number }[];
  expect(calls.map(({ name }) => name)).toEqual(['clock', 'random']);
  expect(calls[0]?.result).toBeGreaterThanOrEqual(before);
  await other.close();
});

test('a guest is told the code of a store that fails, and none of its words', async () => {
  const failing = async () => refuse('store_lost', { reason: 'postgres://me:hunter2@host' });
  const store = { get: failing, all: failing } as never;
  const powers = hostPowers(
    { now: Date.now, random: Math.random, store },
    { capability: 'a', shows: () => {}, kept: [] },
  );
  const error = await powers.get('store.get')?.('["k"]', 1).catch(powerError);
  expect(error).toMatchObject({ name: 'store_lost' });
  expect(JSON.stringify(error)).not.toContain('hunter2');
});
