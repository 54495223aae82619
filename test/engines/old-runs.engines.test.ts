import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENGINE } from '../../core/capability/engine.ts';
import { parseExport } from '../../core/index.ts';
import { checkExport } from '../../workers/auditor/verify-export.ts';
import { defineCapability, fromScript } from '../../workers/node.ts';
import { vectors } from '../core/vectors.ts';
import { replayed } from '../runtime/replayed.ts';
import { forChecks, openRuntime } from '../runtime/shared.ts';
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
const OLD = exportOf('whole');

test('this product runs on the second engine, and the old run on another', () => {
  expect(ENGINE).toEqual(QUICKJS_NG.engine);
  expect(recordedIn(OLD)?.hash).not.toBe(ENGINE.hash);
});

/** The checks that need no engine. */
const OF_RECORDS = ['form', 'hashes', 'links', 'anchor', 'decisions'];

test.each(vectors('exports').map((vector) => [vector.name, vector] as const))(
  'an old run is verified without its calls as before: %s',
  async (_, { input, expect: expected }) => {
    const anchor = input['anchor'] as string | undefined;
    const { checks } = await checkExport(exportOf(String(input['export'])), anchor ? { anchor } : {}, forChecks);
    const of = (each: readonly (readonly [string, unknown])[]) =>
      Object.fromEntries(each.filter(([id]) => OF_RECORDS.includes(id)));
    const before = (expected as unknown as { readonly checks: object }).checks;
    expect(of(checks.map(({ id, status }) => [id, status]))).toEqual(of(Object.entries(before)));
  },
);

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
