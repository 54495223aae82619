import { afterAll, beforeAll, expect, it } from 'vitest';
import { NODE_KILLS } from '../../workers/sandbox/budget.ts';
import { createSandbox, noSchemas, type Sandbox } from '../../workers/sandbox/create.ts';
import { Pool } from '../../workers/sandbox/pool.ts';
import { nodeEngine, nodeSpawn } from '../../workers/sandbox/spawn-node.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = createSandbox(new Pool(nodeSpawn(await nodeEngine()), { kills: NODE_KILLS }), noSchemas);
});
afterAll(() => sandbox.close());

it('returns the value of a call', async () => {
  const add = await sandbox.load({ name: 'add', source: 'export default ({ a, b }) => a + b' });
  expect(await add.call({ a: 1, b: 2 })).toEqual({
    ok: true,
    value: 3,
    fuel: expect.any(Number),
    console: [],
    powerCalls: [],
  });
});

it('kills a guest in a native loop and goes on', async () => {
  const limits = { deadlineMs: 250 };
  const hang = await sandbox.load({
    name: 'hang',
    source: 'export default () => (new Array(1e9) + "").length',
    limits,
  });
  const add = await sandbox.load({ name: 'add', source: 'export default ({ a, b }) => a + b' });
  for (let i = 0; i < 3; i++) {
    expect(await hang.call({})).toMatchObject({ ok: false, kind: 'hang' });
    expect(await add.call({ a: 1, b: 2 })).toMatchObject({ ok: true, value: 3 });
  }
});
