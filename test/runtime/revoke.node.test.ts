import { beforeAll, describe, expect, test } from 'vitest';
import type { LedgerRecord, PowerDefinition } from '../../core/index.ts';
import type { ModelPort, ModelRequest, Run, Runtime, RuntimeOptions } from '../../workers/api.ts';
import { deferred, makeSerialQueue } from '../../workers/async.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../workers/node/platform.ts';
import { defineCapability, definePower, fromScript } from '../../workers/node.ts';
import type { Ports } from '../../workers/ports.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';

import { rewrite } from '../core/replay/rewrite.ts';
import { forChecks } from './shared.ts';

let sandboxes: Awaited<ReturnType<typeof openSandboxes>>;
beforeAll(async () => {
  sandboxes = await openSandboxes();
});

/** A process over a log that outlives it. */
function open(log: MemoryLog, options: RuntimeOptions, others: Partial<Ports> = {}): Promise<Runtime> {
  const ports: Ports = { store: openMemoryStore(log), ...sandboxes, ...nodePorts, ...others };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), options);
}

const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const ECHO = defineCapability({ ...common, name: 'echo', effect: 'pure', source: 'export default (args) => args;' });
const PUT = defineCapability({ ...common, name: 'put', effect: 'write', source: 'export default (args) => args;' });
const USE = defineCapability({
  ...common,
  name: 'use',
  effect: 'read',
  labels: [],
  powers: ['page.read', 'page.send'],
  source: `export default async (args, { page }) => {
    const said = [];
    for (const use of [page.read, page.send, page.read, page.send]) said.push(await use({}).catch((e) => e.name));
    return said;
  }`,
});
const ELSE = { capability: 'use', capability_hash: '0'.repeat(64) };
const CAPABILITIES = [ECHO, PUT, USE];

const call = (tool: string) => ({ next_step: { tool, arguments: {}, goal: 'try' } });
const done = { done: true, message: 'done' };

/** A model that records each request, and answers when `go` is called. */
function slow(items: readonly object[]): ModelPort & { asked: ModelRequest[]; go(): void } {
  const script = fromScript(items);
  const gates: (() => void)[] = [];
  const asked: ModelRequest[] = [];
  const propose: ModelPort['propose'] = async (request, io) => {
    asked.push(request);
    await new Promise<void>((go) => gates.push(go));
    return script.propose(request, io);
  };
  return { ...script, propose, asked, go: () => gates.shift()?.() };
}

const outcomes = (records: readonly LedgerRecord[]) =>
  records.flatMap((record) => (record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : []));
const kinds = (records: readonly LedgerRecord[]) => records.map(({ kind }) => kind);

/** The outcome of each call, after all checks of the run, replay included, have passed. */
async function checked(runtime: Runtime, { id }: Run) {
  const { checks } = await runtime.ledger.check(await runtime.ledger.export(id), { replay: true });
  const failures = checks.filter(({ id: check, status }) => status !== 'pass' && check !== 'anchor');
  expect(failures).toEqual([]);
  const records = await runtime.ledger.records(id);
  return { records, outcomes: outcomes(records) };
}

async function granted(mode: 'allow' | 'ask', log = emptyLog()) {
  const runtime = await open(log, { capabilities: CAPABILITIES });
  const grants = await Promise.all(['echo', 'put'].map((capability) => runtime.grants.grant({ capability, mode })));
  return { runtime, echo: grants[0]?.id ?? '', put: grants[1]?.id ?? '' };
}

describe('a revoked grant permits no later proposal of a run', () => {
  test.each(['echo', 'put'] as const)(
    'a grant revoked between two calls of %s no longer permits the second',
    async (name) => {
      const { runtime, [name]: id } = await granted('allow');
      const run = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call(name), call(name), done]) });
      await run.step();
      await runtime.grants.revoke(id);
      await run.run();
      await run.result;
      const { records, outcomes } = await checked(runtime, run);
      expect(outcomes).toEqual(['SUCCESS', 'no_grant', 'SUCCESS']);
      const [revocation] = records.flatMap(({ kind, body }) => (kind === 'revocation' ? [body] : []));
      const denied = records.flatMap(({ kind, body }) => (kind === 'decision' ? [body] : [])).at(-1);
      expect(revocation?.revoked).toMatchObject([{ capability: name, grant: id }]);
      expect([denied?.code, denied?.policy_hash]).toEqual(['no_grant', revocation?.policy_hash]);
    },
  );

  test('a capability disabled while the model thinks is refused, and the next request no longer offers it', async () => {
    const { runtime } = await granted('allow');
    const model = slow([call('echo'), done]);
    const run = runtime.start({ dialect: 'xct', task: 'Try.', model });
    const driven = run.run();
    await expect.poll(() => model.asked.length).toBe(1);
    await runtime.capabilities.disable('echo');
    expect(kinds(await runtime.ledger.records(run.id))).toEqual(['configuration', 'task', 'revocation']);
    model.go();
    await expect.poll(() => model.asked.length).toBe(2);
    model.go();
    await driven;
    await run.result;
    expect((await checked(runtime, run)).outcomes).toEqual(['capability_disabled', 'SUCCESS']);
    // A ledger that names a different revocation, or no revocation, fails the decisions check.
    const exported = await runtime.ledger.export(run.id);
    for (const change of [() => undefined, (body: object) => ({ ...body, revoked: [ELSE] })]) {
      const forged = rewrite(exported, ({ kind, body }) => (kind === 'revocation' ? change(body) : body));
      const { checks } = await runtime.ledger.check(forged, {});
      const found = checks
        .filter(({ status }) => status === 'fail')
        .map(({ id: check, first }) => [check, first?.code]);
      expect(found).toEqual([['decisions', 'decision_differs']]);
    }
    const offered = model.asked.map(({ proposalSchema, messages }) =>
      [JSON.stringify(proposalSchema), messages[0]?.content].map((text) => /\becho\b/.test(text ?? '')),
    );
    expect(offered).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test('an approval given after its grant was revoked permits no call, also in another process', async () => {
    const log = emptyLog();
    const { runtime, echo } = await granted('ask', log);
    const run = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call('echo')]) });
    await run.step();
    await runtime.grants.revoke(echo);
    const after = await open(log, {});
    const again = await after.resume(run.id, fromScript([done]));
    await expect.poll(() => again.view.pending?.digest).toBe(run.view.pending?.digest);
    await again.answer(again.view.pending?.digest ?? '', { approved: true });
    await again.run();
    await again.result;
    expect((await checked(after, again)).outcomes).toEqual(['no_grant', 'SUCCESS']);
  });

  test('a grant revoked before its run is resumed no longer permits the call', async () => {
    const log = emptyLog();
    const before = await granted('ask', log);
    const run = before.runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call('put')]) });
    await run.step();
    const { runtime, put, echo } = await granted('ask', log);
    await runtime.grants.revoke(put);
    await runtime.grants.revoke(echo);
    await runtime.grants.grant({ capability: 'echo', mode: 'ask' });
    const again = await runtime.resume(run.id, fromScript([done]));
    await expect.poll(() => again.view.pending?.capability).toBe('put');
    await again.answer(again.view.pending?.digest ?? '', { approved: true });
    await again.run();
    await again.result;
    const { records, outcomes } = await checked(runtime, again);
    expect(outcomes).toEqual(['no_grant', 'SUCCESS']);
    // A grant that was given again in the meantime is not revoked.
    const revocation = records.find(({ kind }) => kind === 'revocation');
    expect(revocation?.body).toMatchObject({ revoked: [{ grant: put }] });
  });

  test('a capability removed between two turns is refused in the second turn', async () => {
    const { runtime } = await granted('allow');
    const model = fromScript([call('echo'), done, call('echo'), done]);
    const run = runtime.start({ dialect: 'xct', task: 'Try.', model });
    await run.result;
    await runtime.capabilities.remove('echo');
    await run.say('And again.');
    await run.result;
    expect((await checked(runtime, run)).outcomes).toEqual(['SUCCESS', 'SUCCESS', 'capability_disabled', 'SUCCESS']);
  });
});

/** The powers of the page; `page.read` answers when the test lets it. */
function slowPage(): { readonly powers: readonly PowerDefinition[]; readonly reading: (() => void)[] } {
  const reading: (() => void)[] = [];
  const read = () => new Promise<string>((go) => reading.push(() => go('read')));
  const powers = [
    definePower({ ...common, name: 'page.read', effect: 'read', labels: [], run: read }),
    definePower({ ...common, name: 'page.send', effect: 'egress', run: () => 'sent' }),
  ];
  return { powers, reading };
}

/** A run whose call waits for a power. */
async function using() {
  const { powers, reading } = slowPage();
  const runtime = await open(emptyLog(), { capabilities: CAPABILITIES, powers });
  const use = await runtime.grants.grant({ capability: 'use', mode: 'allow' });
  const [reads, sends] = await Promise.all(
    ['page.read', 'page.send'].map((power) => runtime.grants.grant({ power, mode: 'allow' })),
  );
  const run = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call('use'), call('use'), done]) });
  await expect.poll(() => reading.length).toBe(1);
  return { runtime, run, reading, use: use.id, reads: reads?.id ?? '', sends: sends?.id ?? '' };
}

const decidedIn = (records: readonly LedgerRecord[]) =>
  records
    .flatMap(({ kind, body }) => (kind === 'receipt' ? (body.evidence.powers ?? []) : []))
    .map(({ power, decision, code }) => [power, code ?? decision]);

test.each(['its grant', 'its capability'])('a running call is ended when %s is taken away', async (what) => {
  const { runtime, run, reading, use } = await using();
  reading.shift()?.();
  await expect.poll(() => reading.length).toBe(1);
  await (what === 'its grant' ? runtime.grants.revoke(use) : runtime.capabilities.disable('use'));
  // A late answer of the page is dropped.
  reading.shift()?.();
  await run.result;
  const { records, outcomes } = await checked(runtime, run);
  const then = what === 'its grant' ? 'no_grant' : 'capability_disabled';
  expect(outcomes).toEqual(['permission_revoked', then, 'SUCCESS']);
  expect(decidedIn(records)).toEqual(['page.read', 'page.send', 'page.read'].map((power) => [power, 'AUTHORIZED']));
  const [receipt] = records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body.receipt] : []));
  expect(receipt?.actions).toEqual([{ type: 'EXECUTE', target: '@TOOLS/use', status: 'FAILURE', result: {} }]);
  // A ledger that names a different capability in the revocation fails the decisions check.
  const forged = rewrite(await runtime.ledger.export(run.id), ({ kind, body }) =>
    kind === 'revocation' ? { ...body, revoked: [ELSE] } : body,
  );
  const { checks } = await runtime.ledger.check(forged, {});
  expect(checks.filter(({ status }) => status === 'fail').map(({ id }) => id)).toEqual(['decisions']);
});

/**
 * A store that holds the first write with a record of this kind until writes of so many revocations are requested.
 * Writes keep their order.
 */
function slowStore(kind: LedgerRecord['kind'], meanwhile: () => Promise<void>, revocations = 1): Ports['store'] {
  const store = openMemoryStore(emptyLog());
  const inOrder = makeSerialQueue();
  const requested = deferred<void>();
  let held: LedgerRecord | undefined;
  let missing = revocations;
  return {
    ...store,
    append: (batch, durability) => {
      const records = batch.records.map(({ record }) => record);
      missing -= records.filter((record) => record.kind === 'revocation').length;
      if (missing === 0) requested.resolve();
      const found = records.find((record) => record.kind === kind);
      const isHeld = held === undefined && found !== undefined;
      held ??= found;
      return inOrder(async () => {
        if (isHeld) await meanwhile();
        if (isHeld) await requested.promise;
        return store.append(batch, durability);
      });
    },
  };
}

/** A sandbox that tells when its calls have settled. */
function toldSandbox(): { readonly sandbox: Ports['sandbox']; readonly settled: Promise<unknown>[] } {
  const { sandbox } = sandboxes;
  const settled: Promise<unknown>[] = [];
  const call: Ports['sandbox']['call'] = (...args) => {
    const running = sandbox.call(...args);
    settled.push(running.settled);
    return running;
  };
  const load: Ports['sandbox']['load'] = (capability) => sandbox.load(capability);
  const check: Ports['sandbox']['check'] = (capability) => sandbox.check(capability);
  return { sandbox: { ...sandboxes.sandbox, call, load, check }, settled };
}

/** A call that uses up its fuel while the record of its power is written. */
const SPENT = defineCapability({
  ...common,
  name: 'spent',
  effect: 'read',
  labels: [],
  powers: ['page.read', 'page.send'],
  limits: { fuel: 100_000 },
  source: `export default async (args, { page }) => {
    const read = page.read({});
    page.send({}).catch(() => undefined);
    await read;
    for (;;);
  }`,
});

test.each([
  ['put', 'intent', true, 'call_aborted'],
  ['spent', 'power', true, 'power_interrupted'],
  ['spent', 'power', false, 'power_interrupted'],
] as const)('%s passes every check when it is revoked while its %s is written (run stopped: %s)', async (...given) => {
  const [capability, kind, isStopped, code] = given;
  const { sandbox, settled } = toldSandbox();
  const store = slowStore(kind, async () => {
    await Promise.all(settled);
    if (isStopped) void run.abort('enough');
    // the run has taken what has settled, and the stop, before the revocation
    await new Promise(setImmediate);
    void runtime.grants.revoke(id);
  });
  const { powers, reading } = slowPage();
  const runtime = await open(emptyLog(), { capabilities: [PUT, SPENT], powers }, { store, sandbox });
  const { id } = await runtime.grants.grant({ capability, mode: 'allow' });
  for (const power of ['page.read', 'page.send']) await runtime.grants.grant({ power, mode: 'allow' });
  const run = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call(capability), done]) });
  if (kind === 'power') await expect.poll(() => reading.length).toBe(1);
  reading.shift()?.();
  await run.result;
  expect((await checked(runtime, run)).outcomes).toEqual([code, ...(isStopped ? [] : ['SUCCESS'])]);
});

test('a call that is revoked, and then its power, while that is issued passes every check', async () => {
  const store = slowStore(
    'power',
    async () => {
      for (const { id } of granted) void runtime.grants.revoke(id);
    },
    2,
  );
  const { powers, reading } = slowPage();
  const runtime = await open(emptyLog(), { capabilities: [USE], powers }, { store });
  const granted = [
    await runtime.grants.grant({ capability: 'use', mode: 'allow' }),
    await runtime.grants.grant({ power: 'page.send', mode: 'allow' }),
  ];
  await runtime.grants.grant({ power: 'page.read', mode: 'allow' });
  const run = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call('use'), done]) });
  await expect.poll(() => reading.length).toBe(1);
  reading.shift()?.();
  await run.result;
  expect((await checked(runtime, run)).outcomes).toEqual(['permission_revoked', 'SUCCESS']);
});

test('a call that never ends is ended by revoking its grant, and its run goes on', async () => {
  const source = 'export default () => { for (;;); }';
  const spin = defineCapability({
    ...common,
    name: 'spin',
    effect: 'write',
    limits: { fuel: 1e12, deadlineMs: 60_000 },
    source,
  });
  const runtime = await open(emptyLog(), { capabilities: [spin, ECHO] });
  const { id } = await runtime.grants.grant({ capability: 'spin', mode: 'allow' });
  await runtime.grants.grant({ capability: 'echo', mode: 'allow' });
  const run = runtime.start({ dialect: 'xct', task: 'Try.', model: fromScript([call('spin'), call('echo'), done]) });
  await expect.poll(() => run.view.phase).toBe('CAPABILITY_EXECUTING');
  await runtime.grants.revoke(id);
  await run.result;
  expect((await checked(runtime, run)).outcomes).toEqual(['permission_revoked', 'SUCCESS', 'SUCCESS']);
});

test('a running call goes on without a power that is revoked in the meantime', async () => {
  const { runtime, run, reading, reads, sends } = await using();
  reading.shift()?.();
  await expect.poll(() => reading.length).toBe(1);
  await runtime.grants.revoke(sends);
  await runtime.grants.revoke(reads);
  reading.shift()?.();
  await run.result;
  const { records, outcomes } = await checked(runtime, run);
  expect(outcomes).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  expect(decidedIn(records).slice(0, 4)).toEqual([
    ['page.read', 'AUTHORIZED'],
    ['page.send', 'AUTHORIZED'],
    ['page.read', 'AUTHORIZED'],
    ['page.send', 'no_grant'],
  ]);
  const exported = await runtime.ledger.export(run.id);
  for (const other of [{ capability: 'use' }, { capability_hash: ELSE.capability_hash }]) {
    const forged = rewrite(exported, ({ kind, body }) =>
      kind === 'revocation'
        ? { ...body, revoked: (body['revoked'] as object[]).map((each) => ({ ...each, ...other })) }
        : body,
    );
    const { checks } = await runtime.ledger.check(forged, {});
    expect(checks.filter(({ status }) => status === 'fail').map(({ id }) => id)).toEqual(['decisions']);
  }
});

test('a power that was permitted before its grant was revoked passes the decisions check', async () => {
  const { runtime, run, reading, reads } = await using();
  await expect.poll(() => reading.length).toBe(1);
  await runtime.grants.revoke(reads);
  reading.shift()?.();
  await expect.poll(() => run.view.pending).toBeDefined();
  await run.abort();
  await run.result;
  const { records } = await checked(runtime, run);
  expect(decidedIn(records).slice(0, 3)).toEqual([
    ['page.read', 'AUTHORIZED'],
    ['page.send', 'AUTHORIZED'],
    ['page.read', 'no_grant'],
  ]);
});

test.each(['look', 'content.write'])('a message ends as a whole when %s is revoked while it runs', async (revoked) => {
  const { powers, reading } = slowPage();
  const look = defineCapability({
    ...common,
    name: 'look',
    effect: 'pure',
    powers: ['page.read'],
    source: 'export default (args, { page }) => page.read({});',
  });
  const runtime = await open(emptyLog(), { capabilities: [look], powers });
  await runtime.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('# A\none\n') }]);
  const [section] = await runtime.content.sections();
  await runtime.content.define({
    symbol_id: '@x/a',
    target_type: 'FILE',
    target_ref: 'a.md',
    default_slice_policy: 'head(1)',
  });
  const names = ['look', 'content.write'];
  const grants = await Promise.all(names.map((capability) => runtime.grants.grant({ capability, mode: 'allow' })));
  await runtime.grants.grant({ power: 'page.read', mode: 'allow' });
  const write = { content: '# B\ntwo\n', expected_hash: section?.content_hash };
  const ops = [
    { type: 'EXECUTE', target: '@TOOLS/look', params: { args: {} } },
    { type: 'WRITE', target: '@x/a', params: write },
  ];
  const budgets = { max_symbols: 2, max_sections: 1, max_bytes_expanded: 100, max_expands_per_step: 1 };
  const message = { intent: 'Change it.', refs: ops.map(({ target }) => target), ops, budgets, required_outputs: [] };
  const last = { ...message, refs: [], ops: [] };
  const run = runtime.start({ dialect: 'catalytic', task: 'Go.', model: fromScript([message, message, last]) });
  await expect.poll(() => reading.length).toBe(1);
  await runtime.grants.revoke(grants[names.indexOf(revoked)]?.id ?? '');
  reading.shift()?.();
  await run.result;
  const { records, outcomes } = await checked(runtime, run);
  expect(outcomes).toEqual(['permission_revoked', 'no_grant', 'SUCCESS']);
  const [receipt] = records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body.receipt] : []));
  expect(receipt?.actions.map(({ type, status }) => [type, status])).toEqual([['EXECUTE', 'FAILURE']]);
  expect(await runtime.content.sections()).toEqual([section]);
  // Decisions made before the end of the call are checked again, and the revocation is read from the ledger.
  const exported = await runtime.ledger.export(run.id);
  const first = (kind: string) => records.findIndex((record) => record.kind === kind);
  for (const [place, change] of [
    [first('verdict'), (body: object) => ({ ...body, operations: [] })],
    [first('decision'), (body: object) => ({ ...body, labels: ['private'] })],
    [first('revocation'), (body: object) => ({ ...body, revoked: [ELSE] })],
  ] as const) {
    const forged = rewrite(exported, ({ run_seq, body }) => (run_seq === place ? change(body) : body));
    const { checks } = await runtime.ledger.check(forged, {});
    expect([place, checks.filter(({ status }) => status === 'fail').map(({ id }) => id)]).toEqual([
      place,
      ['decisions'],
    ]);
  }
});
