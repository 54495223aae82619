import { afterAll, expect, test } from 'vitest';
import { CALL_LIMITS } from '../../core/limits.ts';
import { assetsIn, fetchEngine } from '../../web/engine.ts';
import { openSandboxes } from '../../web/sandboxes.ts';
import { pageSpawn } from '../../workers/sandbox/page.ts';
import { Pool } from '../../workers/sandbox/pool.ts';
import script from '../../workers/sandbox/worker.ts?script';

/** Ends the worker in the midst of a call of the guest, or throws there. */
const END = `
  addEventListener('message', ({ data }) => data?.port?.addEventListener('message', (event) => {
    const call = JSON.stringify(event.data?.argumentList ?? '');
    if (event.data?.path?.[0] !== 'begin' || !/CLOSE|THROW/.test(call)) return;
    event.stopImmediatePropagation();
    data.port.postMessage('guest runs');
    if (call.includes('CLOSE')) self.close();
    else throw new Error('it failed');
  }));
`;

const url = URL.createObjectURL(new Blob([END, script], { type: 'text/javascript' }));
const { killAll, ...host } = openSandboxes(fetchEngine(assetsIn(undefined).engine), url);
const pool = new Pool(pageSpawn(host));
afterAll(async () => {
  await pool.close();
  killAll();
  URL.revokeObjectURL(url);
});

const loop = '(args) => { if (args.loop) [].indexOf.call({ length: 2 ** 53 - 1 }, 1); return 1; }';
const GUEST = {
  hash: 'h',
  name: 'test',
  source: `export default ${loop}`,
  powers: [],
  limits: { ...CALL_LIMITS, deadlineMs: 500 },
};
const call = (args: object, scope: string) =>
  pool.call({ hash: 'h', args: JSON.stringify(args), seed: 0, now: 0, scope }).settled;

test('a worker that ends in a call is lost, and its capability is started again', async () => {
  await pool.load(GUEST);
  for (const [how, message] of [
    ['CLOSE', 'it ended by itself'],
    ['THROW', 'its script failed'],
  ] as const) {
    expect(await call({ how }, 'run')).toMatchObject({ ok: false, kind: 'worker', error: { message } });
    expect(await call({}, 'run')).toMatchObject({ ok: true, text: '1' });
  }
});

test('a worker that hangs in a call is told as hung', async () => {
  await pool.load(GUEST);
  expect(await call({ loop: true }, 'other')).toMatchObject({ ok: false, kind: 'hang' });
});

test('two runtimes of a page start their sandboxes side by side, and hear of the end of each', async () => {
  const { sandbox, engine } = assetsIn(undefined);
  const both = [1, 2].map(() => openSandboxes(fetchEngine(engine), sandbox));
  for (const each of both) expect(await each.spawn()).toMatchObject({ ok: true });
  for (const each of both) each.killAll();
});
