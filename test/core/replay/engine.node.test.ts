import { beforeAll, expect, test } from 'vitest';
import { ENGINE } from '../../../core/capability/engine.ts';
import { parseExport, type Report } from '../../../core/index.ts';
import { printReport } from '../../../workers/node/command/print.ts';
import { defineCapability, fromScript } from '../../../workers/node.ts';
import { replayed } from '../../runtime/replayed.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { replacePayload, rewrite } from './rewrite.ts';

const OTHER = { name: 'another engine 1.0.0', hash: 'e'.repeat(64) };
const adds = defineCapability({
  name: 'adds',
  version: '1.0.0',
  description: 'Adds.',
  effect: 'pure',
  args: { type: 'object' },
  source: 'export default ({ a, b }) => ({ sum: a + b });',
});

let text = '';
beforeAll(async () => {
  const runtime = await openRuntime({ capabilities: [adds], grants: [{ capability: 'adds', mode: 'allow' }] });
  const call = { next_step: { tool: 'adds', arguments: { a: 1, b: 2 }, goal: 'add' } };
  const model = fromScript([call, { done: true, message: 'done' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model, heapHash: true });
  await run.result;
  text = await runtime.ledger.export(run.id);
  await runtime.close();
});

const inOther = (export_: string) =>
  rewrite(export_, ({ kind, body }) => (kind === 'configuration' ? { ...body, engine: OTHER } : body));
const replayOf = (report: Report) => report.checks.find(({ id }) => id === 'replay');

test('the first record of a run names its engine', () => {
  expect(parseExport(text).records[0]?.record.body).toMatchObject({ engine: ENGINE });
});

test('a run of another engine is replayed to its values, and its fuel and heap are not compared', async () => {
  const forged = rewrite(inOther(text), ({ kind, body }) => {
    if (kind !== 'receipt') return body;
    const evidence = body['evidence'] as { readonly [name: string]: unknown };
    return evidence['fuel'] === undefined
      ? body
      : { ...body, evidence: { ...evidence, fuel: 7, heap_hash: 'a'.repeat(64), image_hash: 'b'.repeat(64) } };
  });
  const report = await replayed(forged);
  expect(report.ok).toBe(true);
  const skipped = { count: 1, first: expect.objectContaining({ code: 'engine_other' }) };
  const parts = ['fuel', 'heap'].map((id) => ({ id, status: 'not_run', skipped }));
  expect(replayOf(report)).toEqual({ id: 'replay', status: 'pass', count: expect.any(Number), parts });
  expect(replayOf(report)?.parts?.[0]?.skipped.first.message).toContain(OTHER.name);
  const lines: string[] = [];
  const terminal = { color: false, print: (line: string) => lines.push(line) } as never;
  expect(printReport(report, {}, terminal)).toBe(0);
  const said = lines.join('\n');
  expect(said).toMatch(
    /✓ Replay.*\n {2}– Fuel of each call +not run\n.*another engine.*\n {2}– Heap of each call +not run/,
  );
});

test('a value that differs in this engine is named', async () => {
  const results = parseExport(text).records.flatMap((line) =>
    line?.record.kind === 'receipt' ? line.record.body.receipt.actions.map(({ result }) => result) : [],
  );
  const hash = String(results[0]?.sha256);
  const bytes = parseExport(text).payloads.get(hash);
  const [result, reply] = [new TextDecoder().decode(bytes), '{"result":{"sum":3},"status":"success"}'];
  expect(result).toBe('{"sum":3}');
  const told = [...parseExport(text).payloads].find(([, each]) => new TextDecoder().decode(each) === reply)?.[0] ?? '';
  const forged = [
    [hash, '{"sum":4}'],
    [told, '{"result":{"sum":4},"status":"success"}'],
  ].reduce((each, [from = '', to = '']) => replacePayload(each, from, to), inOther(text));
  const replay = replayOf(await replayed(forged));
  expect(replay).toMatchObject({ status: 'fail', first: { code: 'replay_differs' } });
  expect(replay?.first?.message).toMatch(/the value of adds: .*\{\\"sum\\":4\}.* and here .*\{\\"sum\\":3\}/);
});
