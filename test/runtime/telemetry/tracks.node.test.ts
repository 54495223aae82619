import { PerformanceObserver } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { fromScript, showTracks } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';

const HALVE = {
  name: 'math.halve',
  version: '1.0.0',
  description: 'Halves.',
  effect: 'pure',
  args: { type: 'object', required: ['n'], additionalProperties: false, properties: { n: { type: 'integer' } } },
  source: 'export default ({ n }) => n / 2;',
} as const;

interface Measure extends PerformanceEntry {
  readonly detail: { readonly devtools: { readonly [member: string]: unknown } };
}

test('showTracks draws a run as tracks of the developer tools, with names and codes and no text of the run', async () => {
  const seen: Measure[] = [];
  const observer = new PerformanceObserver((list) => seen.push(...(list.getEntries() as Measure[])));
  observer.observe({ entryTypes: ['measure'] });
  const runtime = await openRuntime({ capabilities: [HALVE], grants: [{ capability: 'math.halve', mode: 'allow' }] });
  const call = (n: unknown) => ({ next_step: { tool: 'math.halve', arguments: { n }, goal: 'a secret goal' } });
  const model = fromScript([call('a secret number'), call(8086), { done: true, message: 'a secret message' }]);
  const run = runtime.start({ dialect: 'xct', task: 'A secret task.', model });
  await Promise.all([showTracks(run), run.result]);
  await runtime.close();
  seen.push(...(observer.takeRecords() as Measure[]));
  observer.disconnect();

  const drawn = seen.map(({ name, detail }) => {
    const { devtools } = detail;
    expect([devtools['dataType'], devtools['trackGroup']]).toEqual(['track-entry', 'Sallyport']);
    return `${String(devtools['track'])}: ${name.replace('sallyport: ', '')}, ${String(devtools['color'])}`;
  });
  // An observer gets entries in the order of their beginnings, or of their ends where they come apart.
  expect(drawn.filter((line) => !line.startsWith('Ledger')).toSorted()).toEqual([
    'Calls: call math.halve, primary',
    'Gates: authorize math.halve, primary',
    'Gates: validate, error',
    'Gates: validate, primary',
    'Gates: validate, primary',
    'Runs: run, primary',
  ]);
  expect(drawn).toContain('Ledger: append, primary');
  expect(seen.every(({ startTime, duration }) => startTime >= 0 && duration >= 0)).toBe(true);
  expect(JSON.stringify(seen)).not.toMatch(/secret|8086|4043/);
  expect(performance.getEntriesByType('measure')).toEqual([]);
});
