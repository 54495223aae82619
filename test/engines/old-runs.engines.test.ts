import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENGINE } from '../../core/capability/engine.ts';
import { parseExport } from '../../core/index.ts';
import { defineCapability, fromScript } from '../../workers/node.ts';
import { findingOf } from '../core/ledger/export-vectors.ts';
import { vectors } from '../core/vectors.ts';
import { replayed, verified } from '../runtime/replayed.ts';
import { openRuntime } from '../runtime/shared.ts';
import { QUICKJS_NG } from './quickjs-ng.ts';

/**
 * Runs that the engine of the product has recorded, checked by the product on the second engine: what an old run is
 * worth after a change of engine.
 */
const exportOf = (name: string) => readFileSync(`test/vectors/exports/${name}.jsonl`, 'utf8');
const recordedIn = (text: string) => {
  const [first] = parseExport(text).records;
  return first?.record.kind === 'configuration' ? first.record.body.engine : undefined;
};
const OLD = exportOf('log');

test('this product runs on the second engine, and the old run on another', () => {
  expect(ENGINE).toEqual(QUICKJS_NG.engine);
  expect(recordedIn(OLD)?.hash).not.toBe(ENGINE.hash);
});

test.each(vectors('exports').map((vector) => [vector.name, vector] as const))(
  'an old run is verified without its calls as before: %s',
  async (_, { input, expect: expected }) => {
    const finding = (await findingOfVerified(String(input['export']), input['anchor'])) as Finding;
    const { replay: _replay, ...before } = (expected as unknown as Finding).checks;
    expect(finding.checks).toMatchObject(before);
  },
);

interface Finding {
  readonly checks: { readonly [check: string]: string };
}

async function findingOfVerified(name: string, anchor: unknown): Promise<object> {
  const { checks } = await verified(exportOf(name));
  const own = Object.fromEntries(checks.map(({ id, status }) => [id, status]));
  if (typeof anchor !== 'string') return { checks: own };
  return { checks: { ...own, ...((await findingOf(await replayed(exportOf(name), { anchor }))) as Finding).checks } };
}

test('a replay runs the calls again, compares their values, and says that fuel and heap were not compared', async () => {
  const report = await replayed(OLD);
  expect(report.ok).toBe(true);
  const replay = report.checks.find(({ id }) => id === 'replay');
  const skipped = { count: expect.any(Number), first: expect.objectContaining({ code: 'engine_other' }) };
  expect(replay).toMatchObject({
    status: 'pass',
    parts: ['fuel', 'heap'].map((id) => ({ id, status: 'not_run', skipped })),
  });
  const said = replay?.parts?.[0]?.skipped.first.message ?? '';
  expect(said).toContain(recordedIn(OLD)?.name);
  expect(said).toContain(ENGINE.name);
});

test('a run of this engine is replayed in full', async () => {
  const adds = defineCapability({
    name: 'adds',
    version: '1.0.0',
    description: 'Adds.',
    effect: 'pure',
    args: { type: 'object' },
    source: 'export default ({ a, b }) => ({ sum: BigInt(a) + BigInt(b) > 2n ? a + b : 0 });',
  });
  const runtime = await openRuntime({ capabilities: [adds], grants: [{ capability: 'adds', mode: 'allow' }] });
  const call = { next_step: { tool: 'adds', arguments: { a: 1, b: 2 }, goal: 'add' } };
  const model = fromScript([call, { done: true, message: 'done' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model, heapHash: true });
  await run.result;
  const text = await runtime.ledger.export(run.id);
  await runtime.close();
  expect(recordedIn(text)).toEqual(QUICKJS_NG.engine);
  const replay = (await replayed(text)).checks.find(({ id }) => id === 'replay');
  expect(replay).toMatchObject({ status: 'pass' });
  expect(replay?.parts ?? []).toEqual([]);
});
