import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import { SCHEMA_CHECKER } from '../../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';
import type { ModelRequest, Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeCatalogue } from '../../../workers/kernel/catalogue.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodeEngine, nodePorts, nodeSpawn, openSandboxes } from '../../../workers/node/platform.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { Pool } from '../../../workers/sandbox/pool.ts';
import type { PersistentSandboxPort } from '../../../workers/sandbox/port.ts';
import { realmSchemas } from '../../../workers/sandbox/schemas.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { openRuntime } from '../../runtime/shared.ts';

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

/** Runs a call of `echo`, and returns its outcome, the schema that the model received, and the recorded policy hash. */
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

test('a registered capability is disabled until it is enabled, and each run records the policy that holds', async () => {
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
  await runtime.capabilities.enable('echo');
  await running.run();
  await running.result;
  // A run does not regain a capability that was disabled while it was paused.
  expect(outcomeOf(await runtime.ledger.records(running.id))).toBe('capability_disabled');
  await runtime.capabilities.disable('echo');
  expect(await tryIt()).toEqual(before);
  await runtime.grants.revoke(id);
  await runtime.capabilities.enable('echo');
  expect((await tryIt()).outcome).toBe('no_grant');
});

test('a new version of a capability is disabled, and no grant of the old version covers it', async () => {
  await runtime.grants.grant({ capability: 'echo', mode: 'allow' });
  await expect(runtime.capabilities.register(NEXT)).rejects.toMatchObject({ code: 'capability_twice' });
  await runtime.capabilities.remove('echo');
  expect((await tryIt()).outcome).toBe('unknown_capability');
  const row = await runtime.capabilities.register(NEXT);
  expect([row.version, row.enabled]).toEqual(['1.1.0', false]);
  await runtime.capabilities.enable('echo');
  expect((await tryIt()).outcome).toBe('no_grant');
});

test('a capability name that is registered twice at the same time is registered once', async () => {
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

test('a capability whose source does not load is refused with the line of the error', async () => {
  const broken = { ...ECHO, name: 'broken', source: 'export default (args) => {\n  args args;\n};' };
  await expect(runtime.capabilities.register(broken)).rejects.toMatchObject({
    code: 'source_refused',
    details: { cause: 'source_syntax', line: 2 },
  });
});

test('registration fails with worker_failed while no sandbox starts, and succeeds once a sandbox starts', async () => {
  const threads = nodeSpawn(await nodeEngine());
  let isBlocked = true;
  const pool = new Pool({
    spawn: async () => (isBlocked ? Promise.reject(new Error('The page may not.')) : threads.spawn()),
  });
  const texts = { compiler: SCHEMA_COMPILER, checker: SCHEMA_CHECKER };
  // A page that is offline cannot fetch the texts.
  const load = async () => (isBlocked ? Promise.reject(new Error('Offline.')) : texts);
  const catalogue = makeCatalogue({ sandbox: pool, schemas: realmSchemas(pool.realms, async () => texts) });
  const refusal = { code: 'worker_failed', message: 'The sandbox worker did not start: The page may not.' };
  expect(await catalogue.register({ ...ECHO, args: {} }, true)).toMatchObject({ ok: false, refusal });
  expect(await catalogue.register(ECHO, true)).toMatchObject({ ok: false, refusal });
  const offline = realmSchemas(pool.realms, load);
  await expect(offline.register({ type: 'string', maxLength: 7 })).rejects.toThrow('Offline.');
  isBlocked = false;
  expect(await catalogue.register(ECHO, true)).toMatchObject({ ok: true });
  expect(await offline.register({ type: 'string', maxLength: 7 })).toMatchObject({ ok: true });
  await pool.close();
});

test('a registration makes no image, and the first call of a capability makes its image', async () => {
  const { sandbox, schemas } = await openSandboxes();
  const loaded: string[] = [];
  const load: typeof sandbox.load = (given) => {
    loaded.push(given.name);
    return sandbox.load(given);
  };
  const ports = { ...nodePorts, store: openMemoryStore(), schemas, sandbox: { ...bound(sandbox), load } };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const capabilities = ['echo', 'other'].map((name) => ({ ...ECHO, name }));
  const grants = [{ capability: 'echo', mode: 'allow' as const }];
  const rt = await openClient(kernel, async () => localAuditor(openSandboxes), { capabilities, grants });
  expect(loaded).toEqual([]);
  await rt.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, done]) }).result;
  expect(loaded).toEqual(['echo']);
  await rt.close();
});

function bound(sandbox: PersistentSandboxPort): PersistentSandboxPort {
  return {
    check: (given) => sandbox.check(given),
    load: (given) => sandbox.load(given),
    call: (request, powers) => sandbox.call(request, powers),
    resume: (request, powers) => sandbox.resume(request, powers),
    close: () => sandbox.close(),
  };
}

test('a power name that is provided twice at the same time is taken once and refused once', async () => {
  const catalogue = makeCatalogue(await openSandboxes());
  const power = (description: string) =>
    catalogue.provide({ name: 'page.read', version: '1.0.0', description, args: { type: 'string' }, effect: 'read' });
  const [one, other] = await Promise.all([power('One.'), power('Another.')]);
  expect(one.ok).not.toBe(other.ok);
  const [taken, refused] = one.ok ? [one, other] : [other, one];
  expect(refused).toMatchObject({
    refusal: { code: 'definition_invalid', message: expect.stringContaining('page.read') },
  });
  const snapshot = catalogue.snapshot('xct', { guard: true });
  const hash = snapshot.ok ? snapshot.value.powers?.powers.get('page.read')?.hash : undefined;
  expect(taken).toMatchObject({ ok: true, value: { hash } });
});

test.each<[string, string, object]>([
  ['a mode that is none', 'option_invalid', { mode: 'Deny' }],
  ['a mode of a prototype', 'option_invalid', { mode: 'constructor' }],
  ['no mode', 'option_invalid', {}],
  ['a date as a text', 'option_invalid', { mode: 'allow', expires: '2026-01-01' }],
  ['a time that is none', 'option_invalid', { mode: 'allow', expires: Number.NaN }],
  ['a count that is none', 'option_invalid', { mode: 'allow', uses: Number.NaN }],
  ['a count below nothing', 'option_invalid', { mode: 'allow', uses: -1 }],
  ['half a use', 'option_invalid', { mode: 'allow', uses: 0.5 }],
  ['a member that nobody reads', 'option_invalid', { mode: 'allow', max: 1 }],
  ['an answer that no person gave', 'option_invalid', { mode: 'allow', answer: 'f'.repeat(64) }],
  ['a constraint that is a text', 'option_invalid', { mode: 'allow', where: 'true' }],
  ['a constraint that never ends', 'schema_refused', { mode: 'allow', where: { $ref: '#' } }],
  ['a constraint with a keyword of its own', 'schema_refused', { mode: 'allow', where: { maximumLength: 3 } }],
])('a grant with %s is refused, not taken for a wider grant', async (_what, code, terms) => {
  const before = await runtime.grants.list();
  const grant = { capability: 'echo', ...terms } as Parameters<Runtime['grants']['grant']>[0];
  await expect(runtime.grants.grant(grant)).rejects.toMatchObject({ code });
  expect(await runtime.grants.list()).toEqual(before);
});

test.each<[string, unknown]>([
  ['a text', { approved: 'yes' }],
  ['a number', { approved: 1 }],
  ['nothing', undefined],
  ['a yes as far as nobody can say', { approved: true, standing: { args: 'Exact' } }],
  ['a yes for ever, as a number that is none', { approved: true, standing: { args: 'any', uses: Number.NaN } }],
  ['a yes with something else in it', { approved: true, standing: { args: 'any', until: 0 } }],
])('an approve function that answers with %s has not approved', async (_what, said) => {
  const asking = await openRuntime({
    capabilities: [ECHO],
    grants: [{ capability: 'echo', mode: 'ask' }],
    approve: async () => said as { approved: true },
  });
  const run = asking.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, done]) });
  await run.result;
  expect(outcomeOf(await asking.ledger.records(run.id))).toBe('approval_failed');
  await asking.close();
});

test('a run refuses an answer that is neither an approval nor a denial', async () => {
  const asking = await openRuntime({ capabilities: [ECHO], grants: [{ capability: 'echo', mode: 'ask' }] });
  const run = asking.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, done]) });
  await run.step();
  const digest = run.view.pending?.digest ?? '';
  await expect(run.answer(digest, { approved: 'no' } as never)).rejects.toMatchObject({ code: 'option_invalid' });
  expect(run.view.pending?.digest).toBe(digest);
  await run.answer(digest, { approved: false, reason: 'No.' });
  await run.run();
  await run.result;
  expect(outcomeOf(await asking.ledger.records(run.id))).toBe('approval_denied');
  await asking.close();
});

test('capabilities whose names look alike stay apart, and the row of each lists the names like it', async () => {
  const rt = await openRuntime({ capabilities: [{ ...ECHO, name: 'files.read' }] });
  const row = await rt.capabilities.register({ ...ECHO, name: 'Files.read' });
  expect(row.alike).toEqual(['files.read']);
  await rt.capabilities.register({ ...ECHO, name: 'fi1es.read' });
  const rows = (await rt.capabilities.list()).filter(({ name }) => /^f.*read$/i.test(name));
  expect(rows.map(({ name, alike }) => [name, alike])).toEqual([
    ['files.read', ['Files.read', 'fi1es.read']],
    ['Files.read', ['files.read']],
    ['fi1es.read', ['files.read']],
  ]);
  expect(await rt.capabilities.register({ ...ECHO, name: 'files.reads' })).not.toHaveProperty('alike');
  await rt.close();
});

const KEEPS = { ...ECHO, name: 'note.keep', powers: ['store.put'] } as const;
const SENDS = { ...ECHO, name: 'note.send', powers: ['mail.send'] } as const;
const MAIL = definePower({
  name: 'mail.send',
  version: '1.0.0',
  description: 'Sends a mail.',
  effect: 'egress',
  args: {},
  run: () => null,
});
const notPure = (effect: string, power: string) => ({
  code: 'definition_invalid',
  details: { reason: `the effect must be ${effect} for the power ${power}` },
});

test('a capability that declares a writing or sending power is refused as pure, in either order of registration', async () => {
  await expect(runtime.capabilities.register(KEEPS)).rejects.toMatchObject(notPure('write', 'store.put'));
  expect(() => defineCapability({ ...KEEPS, version: '1.0.0' })).toThrow('must be write');
  await runtime.capabilities.register({ ...KEEPS, effect: 'write' });
  await expect(openRuntime({ capabilities: [SENDS], powers: [MAIL] })).rejects.toMatchObject(
    notPure('egress', 'mail.send'),
  );
  const other = await openRuntime({ powers: [MAIL] });
  await expect(other.capabilities.register(SENDS)).rejects.toMatchObject(notPure('egress', 'mail.send'));
  await other.capabilities.register({ ...SENDS, effect: 'egress' });
  await other.close();
});
