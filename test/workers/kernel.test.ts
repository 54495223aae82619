import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { bakery } from '../../web/demo/scenario.ts';
import { openClient } from '../../workers/client.ts';
import { makeKernel } from '../../workers/kernel.ts';
import { openMemoryStore } from '../../workers/memory/store.ts';
import { fromScript } from '../../workers/proposers/script.ts';
import { oneRealm } from './one-realm.ts';

const require = createRequire(import.meta.url);
const wasm = readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));

test('scenario', async () => {
  const sandbox = await oneRealm({ wasm });
  let n = 0;
  const kernel = makeKernel(
    {
      store: openMemoryStore(),
      sandbox,
      schemas: undefined as never,
      now: () => Date.now(),
      nonce: () => String(n++).padStart(32, '0'),
    },
    { isolation: 'node', probes: [], store: { kind: 'memory' } },
  );
  const scenario = bakery('xct');
  const t0 = performance.now();
  const rt = await openClient(kernel, {
    ...scenario,
    approve: async (q) => (console.log('ask', q.capability, q.args.slice(0, 80)), { approved: true }),
  });
  console.log('open', performance.now() - t0);
  const t1 = performance.now();
  const run = rt.start({ dialect: 'xct', task: scenario.task, model: fromScript(scenario.script) });
  const end = await run.result;
  console.log('run', performance.now() - t1, end);
  const recs = await rt.ledger.records(run.id);
  for (const r of recs) {
    if (r.kind === 'receipt')
      console.log(
        r.body.evidence.step,
        r.body.receipt.status,
        r.body.evidence.reason?.code ?? '',
        r.body.evidence.fuel ?? '',
        JSON.stringify(scenario.steps[r.body.evidence.step - 1]?.ending),
      );
  }
  console.log(recs.length, recs.map((r) => r.kind).join(' '));
  expect(end.state).toBe('completed');
});
