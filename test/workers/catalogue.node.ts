import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import type { ModelRequest, Runtime } from '../../workers/api.ts';
import { fromScript, openRuntime } from '../../workers/node.ts';

const ECHO = {
  name: 'echo',
  version: '1.0.0',
  description: 'Says it again.',
  args: { type: 'object', properties: { text: { type: 'string' } } },
  effect: 'pure',
  source: 'export default ({ text }) => text;',
} as const;
const NEXT = { ...ECHO, version: '1.1.0', source: 'export default ({ text }) => text + "!";' } as const;
const call = { next_step: { tool: 'echo', arguments: { text: 'hi' }, goal: 'say' } };
const done = { done: true, message: 'ok' };

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime({});
});
afterAll(() => runtime.close());

/** What became of one call, what the model was told that it may propose, and the rules that the run recorded. */
async function tryIt() {
  const asked: ModelRequest[] = [];
  const script = fromScript([call, done]);
  const model = {
    ...script,
    propose: (request: ModelRequest, io: Parameters<typeof script.propose>[1]) => {
      asked.push(request);
      return script.propose(request, io);
    },
  };
  const run = runtime.start({ dialect: 'xct', task: 'Say.', model });
  await run.result;
  const records = await runtime.ledger.records(run.id);
  return { outcome: outcomeOf(records), offered: JSON.stringify(asked[0]?.proposalSchema), policy: policyOf(records) };
}

function outcomeOf(records: readonly LedgerRecord[]) {
  const receipt = records.find((record) => record.kind === 'receipt');
  return receipt?.kind === 'receipt' ? (receipt.body.evidence.reason?.code ?? 'SUCCESS') : undefined;
}

function policyOf([first]: readonly LedgerRecord[]) {
  return first?.kind === 'configuration' ? first.body.policy_hash : undefined;
}

test('a capability is disabled until it is enabled, from the next run on, and every run records what held', async () => {
  await runtime.capabilities.register(ECHO);
  const { id } = await runtime.grants.grant({ capability: 'echo', mode: 'allow' });
  const before = await tryIt();
  expect(before.outcome).toBe('capability_disabled');
  expect(before.offered).not.toContain('"echo"');

  await runtime.capabilities.enable('echo');
  const after = await tryIt();
  expect(after.outcome).toBe('SUCCESS');
  expect(after.offered).toContain('"echo"');
  expect(after.policy).not.toBe(before.policy);

  const running = runtime.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, done]), paused: true });
  await running.records()[Symbol.asyncIterator]().next();
  await runtime.capabilities.disable('echo');
  await running.run();
  await running.result;
  // what a run was begun with holds to its end: its first record says so
  expect(outcomeOf(await runtime.ledger.records(running.id))).toBe('SUCCESS');
  expect(await tryIt()).toEqual(before);
  await runtime.grants.revoke(id);
  await runtime.capabilities.enable('echo');
  expect((await tryIt()).outcome).toBe('no_grant');
});

test('a new version is another capability: disabled, and covered by no grant of the old one', async () => {
  await runtime.grants.grant({ capability: 'echo', mode: 'allow' });
  await expect(runtime.capabilities.register(NEXT)).rejects.toMatchObject({ code: 'capability_twice' });
  await runtime.capabilities.remove('echo');
  expect((await tryIt()).outcome).toBe('unknown_capability');
  const row = await runtime.capabilities.register(NEXT);
  expect([row.version, row.enabled]).toEqual(['1.1.0', false]);
  await runtime.capabilities.enable('echo');
  expect((await tryIt()).outcome).toBe('no_grant');
});

test('a name that is registered twice at once is registered once', async () => {
  const twins = ['return 1', 'return 2'].map((body) => ({
    ...ECHO,
    name: 'twin',
    source: `export default () => { ${body} };`,
  }));
  const settled = await Promise.allSettled(twins.map((twin) => runtime.capabilities.register(twin)));
  expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const taken = settled.find((each) => each.status === 'fulfilled');
  const row = (await runtime.capabilities.list()).find(({ name }) => name === 'twin');
  expect(row?.hash).toBe(taken?.status === 'fulfilled' ? taken.value.hash : '');
});
