import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bodies, LedgerRecord } from '../../core/index.ts';
import {
  createSandbox,
  defineCapability,
  definePower,
  defineTool,
  fromScript,
  openRuntime,
  rawJson,
  type Sandbox,
} from '../../web/index.ts';
import type { Runtime, RuntimeOptions } from '../../workers/api.ts';
import { caseCount } from '../cases.ts';

const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;

describe('the sandbox on its own, in a page', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox();
  });
  afterAll(() => sandbox.close());

  test('a sandbox of a page calls on a fresh heap, with powers and checked arguments', async () => {
    const loaded = await sandbox.load({
      name: 'add',
      source:
        'export default async ({ a }, powers) => { globalThis.n = (globalThis.n ?? 0) + 1; return [a + await powers.two(), n]; }',
      args: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      powers: ['two'],
    });
    const powers = { two: async () => 2 };
    for (let round = 0; round < 2; round++)
      expect(await loaded.call({ a: 40 }, { powers })).toMatchObject({ ok: true, value: [42, 1] });
    expect(await loaded.call({ a: '40' }, { powers })).toMatchObject({ ok: false, kind: 'args' });
  });

  test('a sandbox of a page ends a call that hangs, and goes on', async () => {
    const hang = await sandbox.load({
      name: 'hang',
      source: 'export default () => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
      limits: { deadlineMs: 300 },
    });
    const plain = await sandbox.load({ name: 'plain', source: 'export default () => 1' });
    expect(await hang.call({})).toMatchObject({ ok: false, kind: 'hang' });
    expect(await plain.call({})).toMatchObject({ ok: true, value: 1 });
  });
});

describe('a power of the page', () => {
  let runtime: Runtime;
  const seen: unknown[] = [];
  beforeAll(async () => {
    const send = definePower({
      ...common,
      name: 'mail.send',
      effect: 'egress',
      labels: [],
      run: (args) => (seen.push(args), `sent ${seen.length}`),
    });
    const odd = definePower({ ...common, name: 'page.odd', effect: 'read', run: () => document.body as never });
    const use = defineCapability({
      ...common,
      name: 'use',
      effect: 'read',
      labels: [],
      powers: ['mail.send', 'page.odd'],
      source:
        'export default async (_, powers) => [await powers.mail.send("a"), await powers.page.odd(1).catch((e) => e.name)]',
    });
    runtime = await openRuntime({
      store: 'memory',
      powers: [send, odd],
      capabilities: [use],
      grants: [
        { capability: 'use', mode: 'allow' },
        { power: 'mail.send', mode: 'ask' },
        { power: 'page.odd', mode: 'allow' },
      ],
      approve: async () => ({ approved: true }),
    });
  });
  afterAll(() => runtime.close());

  test('a power of the page runs in the page for a parked call, and its result must be JSON', async () => {
    const model = fromScript([
      { next_step: { tool: 'use', arguments: {}, goal: 'use' } },
      { done: true, message: 'done' },
    ]);
    const run = runtime.start({ dialect: 'xct', task: 'Use it.', model });
    expect(await run.result).toMatchObject({ state: 'completed' });
    const records: readonly LedgerRecord[] = await runtime.ledger.records(run.id);
    const observed = records.find(({ kind }) => kind === 'observation')?.body as Bodies['observation'];
    const told = await runtime.ledger.payload(run.id, observed.payload.sha256);
    expect(JSON.parse(new TextDecoder().decode(told))).toMatchObject({ result: ['sent 1', 'not_json'] });
    expect(seen).toEqual(['a']);
    expect(records.map(({ kind }) => kind)).toContain('parked');
  });
});

describe('a runtime behind its port', () => {
  const options = { store: 'memory' } as const;

  test('a runtime of a page takes only data as options, and names JSON in its refusal', async () => {
    const add = { ...common, name: 'add', effect: 'pure', source: 'export default () => 1' } as const;
    const args = { type: 'object', parse: () => 1 } as never;
    const message: unknown = expect.stringMatching(/JSON/);
    const refused = { name: 'SallyportError', code: 'option_invalid', message };
    await expect(openRuntime({ ...options, capabilities: [{ ...add, args }] })).rejects.toMatchObject(refused);
  });

  test('an option of a page that has a wrong type is refused with its name', async () => {
    for (const [name, value] of Object.entries({ store: 'disk', assets: 1, onProgress: 'bar' })) {
      const refused = { name: 'SallyportError', code: 'option_invalid', details: { name } };
      await expect(openRuntime({ [name]: value } as never)).rejects.toMatchObject(refused);
    }
  });

  test('an abort ends an opening that does not come to an end, and the next opening has the ledger', async () => {
    const { fetch } = globalThis;
    const stop = new AbortController();
    try {
      // the engine never comes
      globalThis.fetch = () => new Promise(() => undefined);
      const opening = openRuntime({ signal: stop.signal });
      const early = await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, 50, 'opening'))]);
      expect(early).toBe('opening');
      stop.abort('enough');
      await expect(opening).rejects.toBe('enough');
      await expect(openRuntime({ signal: stop.signal })).rejects.toBe('enough');
    } finally {
      globalThis.fetch = fetch;
    }
    await using runtime = await openRuntime();
    expect(runtime.info.store.kind).toBe('indexeddb');
  });

  test('a closed runtime rejects every later call, and settles the calls under way', async () => {
    const runtime = await openRuntime(options);
    const run = runtime.start({ dialect: 'xct', task: 'x', model: fromScript([{ done: true, message: 'x' }]) });
    const end = await run.result;
    const resting = runtime.start({ dialect: 'xct', task: 'x', model: fromScript([]), paused: true });
    const read = async () => {
      for await (const { kind } of runtime.follow(resting.id)) if (kind === 'seal') return;
    };
    // Calls under way: an answer in time counts.
    const closing = (reason: unknown) => expect(reason).toMatchObject({ code: 'runtime_closed' });
    const checked = runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
    const asked = [read(), checked, runtime.storage.backup(), runtime.ledger.fsck()].map((each) =>
      each.then(() => undefined, closing),
    );
    // A second close waits for no kernel, neither at once nor afterwards.
    await Promise.all([runtime.close(), runtime.close()]);
    await runtime.close();
    await Promise.all(asked);
    const closed = { name: 'SallyportError', code: 'runtime_closed' };
    await expect(runtime.ledger.export(run.id)).rejects.toMatchObject(closed);
    await expect(runtime.content.files()).rejects.toMatchObject(closed);
    await expect(run.step()).rejects.toMatchObject(closed);
    const again = runtime.start({ dialect: 'xct', task: 'x', model: fromScript([]) });
    await expect(again.result).rejects.toMatchObject(closed);
    expect(await run.result).toBe(end);
  });

  test('a call made while the runtime closes settles, whatever the turn it was made in', async () => {
    const runtime = await openRuntime(options);
    const settled: Promise<unknown>[] = [];
    const seen = { closed: false };
    const closing = runtime.close().then(() => (seen.closed = true));
    const refused = (reason: unknown) => expect(reason).toMatchObject({ code: 'runtime_closed' });
    while (!seen.closed) {
      for (const ask of [runtime.runs, runtime.capabilities.list, runtime.grants.list, runtime.content.files])
        settled.push(ask().then(() => undefined, refused));
      await new Promise((resolve) => setTimeout(resolve));
    }
    await closing;
    await Promise.all(settled);
    expect(settled.length).toBeGreaterThan(0);
  });
});

describe('a session of a page', () => {
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
  const tool = (name: string, run: (given: { text: string }) => unknown = ({ text: said }) => said) =>
    defineTool({
      version: '1.0.0',
      description: 'For a test.',
      name,
      effect: 'read',
      labels: [],
      args: text,
      run: run as never,
    });

  const seen: string[] = [];
  const slow = tool('slow', () => new Promise(() => undefined));
  const note = tool('note', ({ text: said }) => seen.push(said));
  const many = Array.from({ length: caseCount(1_000) }, (_, n) => tool(`tool.n${n}`));
  const ask = defineCapability({ ...common, name: 'ask', effect: 'pure', source: 'export default () => 1' });
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await openRuntime({
      store: 'memory',
      tools: [note, slow, ...many],
      capabilities: [ask],
      grants: [
        ...['note', 'slow', 'tool.n7'].map((name) => ({ capability: name, mode: 'allow' }) as const),
        { capability: 'ask', mode: 'ask' },
      ],
      approve: async () => ({ approved: true, because: () => 1 }) as never,
    });
  });
  afterAll(() => runtime.close());

  test('tools of the page are called through the kernel, in order, with their receipts', async () => {
    const session = runtime.openSession({ label: 'a page', offer: ['note', 'slow'] });
    const calls = ['a', 'b'].map((said) => session.call('note', { text: said }));
    expect(await Promise.all(calls)).toMatchObject([
      { ok: true, value: 1 },
      { ok: true, value: 2 },
    ]);
    expect(seen).toEqual(['a', 'b']);
    const twice = await session.call('note', rawJson('{"text":"a","text":"b"}'));
    expect(twice).toMatchObject({ ok: false, refusal: { code: 'duplicate_member' } });
    expect(await session.preview('note', { text: 'c' })).toEqual({ decision: 'AUTHORIZED' });
    const stop = new AbortController();
    const given = session.call('slow', { text: 'x' }, { signal: stop.signal });
    await expect.poll(() => session.run.view.phase).toBe('CAPABILITY_EXECUTING');
    stop.abort();
    await expect(given).rejects.toThrow(/abort/i);
    expect(await session.close()).toMatchObject({ state: 'completed', steps: 4 });
    const report = await runtime.ledger.check(await runtime.ledger.export(session.run.id), { replay: true });
    expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  });

  test('of many tools of a page, a session that offers ten of them lists ten', async () => {
    const session = runtime.openSession({ offer: many.slice(0, 10).map(({ name }) => name) });
    expect(await session.tools()).toHaveLength(10);
    expect(await session.call('tool.n7', { text: 'x' })).toMatchObject({ ok: true, value: 'x' });
    expect(await session.call('tool.n11', { text: 'x' })).toMatchObject({ refusal: { code: 'unknown_capability' } });
  });

  test('an approver that answers with a malformed approval denies', async () => {
    const call = { next_step: { tool: 'ask', arguments: {}, goal: 'x' } };
    const run = runtime.start({ dialect: 'xct', task: 'x', model: fromScript([call, { done: true, message: 'x' }]) });
    expect(await run.result).toMatchObject({ state: 'completed' });
    const records = await runtime.ledger.records(run.id);
    expect(records.flatMap(({ kind, body }) => (kind === 'approval' ? [body] : []))).toMatchObject([
      { event: 'asked' },
      { event: 'answered', approved: false },
    ]);
  });
});

describe('a ledger with a name', () => {
  const add = defineCapability({ ...common, name: 'add', effect: 'pure', source: 'export default () => 1' });
  const opened = (database: string, options: RuntimeOptions = {}) =>
    openRuntime({ database, capabilities: [add], grants: [{ capability: 'add', mode: 'allow' }], ...options });

  test('two ledgers of an origin share no record and no key, and deleting one leaves the other', async () => {
    const [one, other] = [
      await opened('page_one', { retention: { keepAtLeast: { days: 1 } } }),
      await opened('page_other'),
    ];
    const session = one.openSession();
    expect(await session.call('add', {})).toMatchObject({ ok: true, value: 1 });
    await session.close();
    expect([(await one.runs()).length, (await other.runs()).length]).toEqual([1, 0]);
    const keys = [(await one.ledger.checkpoint()).key, (await other.ledger.checkpoint()).key];
    expect(new Set(keys).size).toBe(2);
    await other.storage.deleteEverything();
    // the kernel of a page keeps its runs as that of Node does
    for (const act of [() => one.ledger.delete(session.run.id), () => one.storage.deleteEverything()])
      await expect(act()).rejects.toMatchObject({ code: 'run_kept', details: { run_id: session.run.id } });
    await one.close();
    const again = await opened('page_one');
    expect(await again.runs()).toHaveLength(1);
    expect((await again.ledger.checkpoint()).key).toBe(keys[0]);
    await again.storage.deleteEverything();
  });

  test('a name of a ledger that could be that of other data is refused', async () => {
    for (const database of ['', 'A', 'a-key', 'a.b', 'a'.repeat(41), null, 7, ['a']])
      await expect(openRuntime({ database: database as string })).rejects.toMatchObject({ code: 'option_invalid' });
  });
});
