import { beforeAll, describe, expect, test } from 'vitest';
import type { Bodies, LedgerRecord, RecordKind } from '../../core/index.ts';
import type { CapabilityDefinition, GrantOption, PowerDefinition, Run, Runtime } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { fromScript } from '../../workers/bridges/models/script.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../workers/node/platform.ts';
import { defineCapability, definePower } from '../../workers/node.ts';
import type { Ports } from '../../workers/ports.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { execute, message } from './content/messages.ts';
import { forChecks } from './shared.ts';

/** Each process has sandboxes of its own, as after a reload. */
let sandboxes: Awaited<ReturnType<typeof openSandboxes>>[] = [];
beforeAll(async () => {
  sandboxes = await Promise.all([openSandboxes(), openSandboxes()]);
});

const common = { version: '1.0.0', description: 'For a test.' } as const;
const done = { done: true, message: 'done' };
const call = { next_step: { tool: 'use', arguments: {}, goal: 'use a power' } };

interface Given {
  readonly body: string;
  readonly powers: readonly PowerDefinition[];
  readonly own?: readonly string[];
  readonly grants: readonly GrantOption[];
  readonly now?: () => number;
}

function use({ body, powers, own = [] }: Given): CapabilityDefinition {
  return defineCapability({
    ...common,
    name: 'use',
    effect: 'read',
    labels: [],
    args: {},
    powers: [...powers.map(({ name }) => name), ...own],
    source: `export default async (args, powers) => { ${body} }`,
  });
}

/** A process over a log: the first registers; the second has only the records and the powers of the page. */
function open(log: MemoryLog, process: 0 | 1, given: Given): Promise<Runtime> {
  const store = openMemoryStore(log);
  const ports = { store, ...sandboxes[process], ...nodePorts, now: given.now ?? nodePorts.now } as Ports;
  const info = { isolation: 'node', probes: [], store: { kind: 'memory' } } as const;
  const grants = [{ capability: 'use', mode: 'allow' } as const, ...given.grants];
  const first = process === 0 ? { capabilities: [use(given)], grants } : {};
  return openClient(makeKernel(ports, info), async () => localAuditor(forChecks), {
    powers: given.powers,
    ...first,
  });
}

async function start(log: MemoryLog, given: Given): Promise<{ runtime: Runtime; run: Run }> {
  const runtime = await open(log, 0, given);
  return { runtime, run: runtime.start({ dialect: 'xct', task: 'Use it.', model: fromScript([call, done]) }) };
}

/** The log after a crash: all writes that were acknowledged by now, and no later write of the old process. */
function crash(log: MemoryLog): MemoryLog {
  return structuredClone(log);
}

async function resume(log: MemoryLog, run: Run, given: Given): Promise<{ runtime: Runtime; again: Run }> {
  const runtime = await open(log, 1, given);
  return { runtime, again: await runtime.resume(run.id, fromScript([done])) };
}

async function finish(runtime: Runtime, run: Run): Promise<readonly LedgerRecord[]> {
  await run.run();
  expect(await run.result).toMatchObject({ state: 'completed' });
  const records = await runtime.ledger.records(run.id);
  const { checks } = await runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  return records;
}

function bodies<K extends RecordKind>(records: readonly LedgerRecord[], kind: K): readonly Bodies[K][] {
  return records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
}
const codes = (records: readonly LedgerRecord[]) =>
  bodies(records, 'receipt').map(({ evidence }) => evidence.reason?.code ?? 'SUCCESS');
/** Kinds of the kept rows, but for the row that names the run. */
const kept = (log: MemoryLog) =>
  [...log.tables.kept.keys()].map((key) => key.split('/')[0]).filter((kind) => kind !== 'names');
const wrote = (log: MemoryLog, kind: RecordKind) =>
  log.batches.flatMap(({ records }) => records).filter((text) => (JSON.parse(text) as LedgerRecord).kind === kind)
    .length;

async function all<T>(given: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const each of given) found.push(each);
  return found;
}

async function told(runtime: Runtime, run: Run, records: readonly LedgerRecord[]): Promise<unknown> {
  const ref = bodies(records, 'observation')[0]?.payload.sha256 ?? '';
  return JSON.parse(new TextDecoder().decode(await runtime.ledger.payload(run.id, ref)));
}

/** Records and counts each send; each use of `mail.send` is asked about first. */
function mail(answer: () => unknown = () => 'sent') {
  const seen: unknown[] = [];
  const power = definePower({
    ...common,
    name: 'mail.send',
    effect: 'egress',
    labels: [],
    args: {},
    run: (args) => {
      seen.push(args);
      return answer() as string;
    },
  });
  return { power, seen };
}
const never = definePower({
  ...common,
  name: 'page.never',
  effect: 'read',
  labels: [],
  args: {},
  run: () => new Promise<never>(() => undefined),
});
const READ: GrantOption = { capability: 'content.read', mode: 'allow' };
const ASK: readonly GrantOption[] = [{ power: 'mail.send', mode: 'ask' }];

test('a call that is continued behind later answers, and parked again, passes every check', async () => {
  const { power, seen } = mail();
  // while it holds `much`, the call is too large to be parked
  const body = `await powers.mail.send('a');
    const much = new Uint8Array(6 << 20).fill(7);
    await powers.mail.send('b');
    much.fill(0);
    return powers.mail.send('c');`;
  const given = { body, powers: [power], grants: ASK };
  const log = emptyLog();
  const { run } = await start(log, given);
  for (const argument of ['"a"', '"b"']) {
    await expect.poll(() => run.view.pending?.args).toBe(argument);
    if (argument === '"a"') await expect.poll(() => wrote(log, 'parked')).toBe(1);
    await run.answer(run.view.pending?.digest ?? '', { approved: true });
  }
  await expect.poll(() => run.view.pending?.args).toBe('"c"');
  const crashed = crash(log);
  expect(wrote(crashed, 'parked')).toBe(1);
  const { runtime, again } = await resume(crashed, run, given);
  await expect.poll(() => again.view.pending?.args).toBe('"c"');
  await expect.poll(() => wrote(crashed, 'parked')).toBe(2);
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  expect(codes(await finish(runtime, again))).toEqual(['SUCCESS', 'SUCCESS']);
  expect(seen).toEqual(['a', 'b', 'c']);
});

test('a call whose heap is too large to keep waits in its sandbox, and is interrupted by a crash', async () => {
  const { power, seen } = mail();
  const body = 'const much = new Uint8Array(6 << 20).fill(7); await powers.mail.send("a"); return much.length';
  const given = { body, powers: [power], grants: ASK };
  const log = emptyLog();
  const { runtime, run } = await start(log, given);
  await expect.poll(() => run.view.pending?.capability).toBe('mail.send');
  const crashed = crash(log);
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  expect(await run.result).toMatchObject({ state: 'completed' });
  const records = await runtime.ledger.records(run.id);
  expect([await told(runtime, run, records), wrote(log, 'parked'), kept(log), seen]).toEqual([
    { status: 'success', result: 6 << 20 },
    0,
    [],
    ['a'],
  ]);
  const { runtime: after, again } = await resume(crashed, run, given);
  expect(codes(await finish(after, again))).toEqual(['interrupted', 'SUCCESS']);
  expect(seen).toEqual(['a']);
});

test('a call that waits for a person goes on in another process at the place where it waited', async () => {
  const { power, seen } = mail();
  const body = 'const dirt = { n: 41 }; const said = await powers.mail.send("a"); return [said, dirt.n + 1]';
  const given = { body, powers: [power], grants: ASK };
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  const asked = run.view.pending;
  expect([asked?.capability, asked?.args, seen, kept(log)]).toEqual(['mail.send', '"a"', [], ['parked']]);

  const after = crash(log);
  const { runtime, again } = await resume(after, run, given);
  await expect.poll(() => again.view.pending?.digest).toBe(asked?.digest);
  await again.answer(asked?.digest ?? '', { approved: true });
  const records = await finish(runtime, again);
  expect(await told(runtime, again, records)).toMatchObject({ result: ['sent', 42] });
  expect([codes(records), seen, kept(after)]).toEqual([['SUCCESS', 'SUCCESS'], ['a'], []]);
});

/** The log as a crash leaves it at the first moment at which a person can read a question. */
function atQuestion(log: MemoryLog, run: Pick<Run, 'watch'>): Promise<MemoryLog> {
  return new Promise((resolve) => run.watch(({ pending }) => pending && resolve(crash(log))));
}

describe('a question can be read as soon as it survives a crash', () => {
  const { power } = mail();
  const body = 'return powers.mail.send("a")';
  const given = { body, powers: [power], grants: ASK };

  test('in a run', async () => {
    const log = emptyLog();
    const { run } = await start(log, given);
    const { runtime, again } = await resume(await atQuestion(log, run), run, given);
    await expect.poll(() => again.view.pending?.args).toBe('"a"');
    await again.answer(again.view.pending?.digest ?? '', { approved: true });
    expect(codes(await finish(runtime, again))).toEqual(['SUCCESS', 'SUCCESS']);
  });

  test('in a session', async () => {
    const log = emptyLog();
    const session = (await open(log, 0, given)).openSession({ questions: 'wait' });
    void session.call('use', {}).catch(() => undefined);
    const next = await open(await atQuestion(log, session.run), 1, given);
    const again = next.openSession({ resume: session.run.id, questions: 'wait' });
    await expect.poll(() => again.run.view.pending?.args).toBe('"a"');
    await again.run.answer(again.run.view.pending?.digest ?? '', { approved: true });
    expect(await again.resumed).toMatchObject({ ok: true, value: 'sent' });
  });

  test('with two questions at once, which are put in sequence', async () => {
    const both = { ...given, body: 'return Promise.all([powers.mail.send("a"), powers.mail.send("b")])' };
    const log = emptyLog();
    const { run } = await start(log, both);
    const { runtime, again } = await resume(await atQuestion(log, run), run, both);
    for (const args of ['"a"', '"b"']) {
      await expect.poll(() => again.view.pending?.args).toBe(args);
      await again.answer(again.view.pending?.digest ?? '', { approved: true });
    }
    expect(codes(await finish(runtime, again))).toEqual(['SUCCESS', 'SUCCESS']);
  });
});

test('a section that was expanded before a crash counts once, also in another process', async () => {
  const { power } = mail();
  const expand = (slice: string) => `await powers.sections.expand("@x/a", "${slice}")`;
  const body = `const before = [${expand('head(1)')}, ${expand('tail(1)')}]; await powers.mail.send("a"); return [...before, ${expand('head(2)')}]`;
  const given = { body, powers: [power], own: ['sections.expand'], grants: [...ASK, READ] };
  const log = emptyLog();
  const runtime = await open(log, 0, given);
  await runtime.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('# A\none\n') }]);
  await runtime.content.define({
    symbol_id: '@x/a',
    target_type: 'FILE',
    target_ref: 'a.md',
    default_slice_policy: 'head(1)',
  });
  const budgets = { max_symbols: 1, max_sections: 1, max_bytes_expanded: 100, max_expands_per_step: 3 };
  const run = runtime.start({ dialect: 'xct', task: 'Use it.', model: fromScript([call, done]), budgets });
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  const { runtime: next, again } = await resume(crash(log), run, given);
  await expect.poll(() => again.view.pending?.digest).toBe(run.view.pending?.digest);
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  const records = await finish(next, again);
  expect(codes(records)).toEqual(['SUCCESS', 'SUCCESS']);
  expect(bodies(records, 'parked')[0]?.touched).toHaveLength(1);
  expect(bodies(records, 'receipt')[0]?.receipt.expanded.length).toBe(3);
});

test('a call that waits for a slow power is parked, and a power that only reads is issued again after a crash', async () => {
  let slow = true;
  const power = definePower({
    ...common,
    name: 'page.slow',
    effect: 'read',
    labels: ['private'],
    args: {},
    run: () => (slow ? new Promise<never>(() => undefined) : 'read'),
  });
  const given = {
    body: 'return powers.page.slow(1)',
    powers: [power],
    grants: [{ power: 'page.slow', mode: 'allow' }],
  } as const;
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  slow = false;
  const { runtime, again } = await resume(crash(log), run, given);
  const records = await finish(runtime, again);
  expect(await told(runtime, again, records)).toMatchObject({ result: 'read' });
  const { evidence } = bodies(records, 'receipt')[0] as Bodies['receipt'];
  expect([evidence.powers?.length, evidence.labels]).toEqual([1, ['private']]);
});

test('a power with an effect whose answer was lost is never issued again', async () => {
  const { power, seen } = mail(() => new Promise<never>(() => undefined));
  const given = {
    body: 'return powers.mail.send("a")',
    powers: [power],
    grants: [{ power: 'mail.send', mode: 'allow' }],
  } as const;
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => seen.length).toBe(1);
  const { runtime, again } = await resume(crash(log), run, given);
  const telemetry = all(again.telemetry());
  const records = await finish(runtime, again);
  expect([codes(records), seen]).toEqual([['power_interrupted', 'SUCCESS'], ['a']]);
  const failed = (await telemetry)
    .flatMap(({ event }) => event)
    .filter(({ event_type }) => event_type === 'capability_failed');
  expect(failed).toMatchObject([
    { capability: 'mail.send', ticket: 1, code: 'power_interrupted', class: 'execution' },
    { capability: 'use', code: 'power_interrupted' },
  ]);
  expect(bodies(records, 'receipt')[0]?.receipt.actions).toMatchObject([{ status: 'FAILURE' }]);
});

test('a message that a crash cut off after an operation had sent is closed, and the power is not issued again', async () => {
  const { power, seen } = mail();
  const begun: unknown[] = [];
  const waits = definePower({ ...never, run: (args: unknown) => new Promise<never>(() => begun.push(args)) } as never);
  const given: Given = {
    body: 'return args.wait ? powers.page.never(1) : powers.mail.send("a")',
    powers: [power, waits],
    grants: [
      { power: 'mail.send', mode: 'allow' },
      { power: 'page.never', mode: 'allow' },
    ],
  };
  const log = emptyLog();
  const runtime = await open(log, 0, given);
  const ops = [{}, { wait: true }].map((args) => execute('@TOOLS/use', { args }));
  const run = runtime.start({ dialect: 'catalytic', task: 'Use it.', model: fromScript([message(ops)] as never) });
  await expect.poll(() => begun.length).toBe(1);
  const later = await open(crash(log), 1, given);
  const records = await finish(later, await later.resume(run.id, fromScript([message([])] as never)));
  expect([codes(records), seen]).toEqual([['interrupted', 'SUCCESS'], ['a']]);
  expect(bodies(records, 'power').map(({ event }) => event)).toEqual(['issued', 'answered']);
});

test('a power answered before the crash is answered from the ledger, and is not issued again', async () => {
  const { power, seen } = mail();
  const body =
    'const one = await powers.mail.send("a"); await powers.store.put("k", one); return [one, await powers.page.never(1)]';
  const given: Given = {
    body,
    powers: [power, never],
    own: ['store.put'],
    grants: [...ASK, { power: 'page.never', mode: 'allow' }],
  };
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  await expect
    .poll(() =>
      log.batches.some(({ records }) =>
        records.some((text) => text.includes('"answered"') && text.includes('"ticket":1') && text.includes('"status"')),
      ),
    )
    .toBe(true);
  const ready = definePower({ ...never, run: () => 'at last' } as never);
  const { runtime, again } = await resume(crash(log), run, { ...given, powers: [power, ready] });
  const records = await finish(runtime, again);
  expect(await told(runtime, again, records)).toMatchObject({ result: ['sent', 'at last'] });
  expect([codes(records), seen]).toEqual([['SUCCESS', 'SUCCESS'], ['a']]);
});

test('a resumed call keeps the answer of a power whose grant was revoked after the answer', async () => {
  const { power, seen } = mail();
  const ready = definePower({ ...never, run: () => 'at last' } as never);
  const body = 'return [await powers.mail.send("a"), await powers.page.never(1)]';
  const given = { body, powers: [power, ready], grants: [...ASK, { power: 'page.never', mode: 'ask' } as const] };
  const log = emptyLog();
  const { runtime: first, run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  await expect.poll(() => wrote(log, 'parked')).toBe(2);
  for (const { id, capability } of await first.grants.list())
    if (capability === 'mail.send') await first.grants.revoke(id);
  const { runtime, again } = await resume(crash(log), run, given);
  await expect.poll(() => again.view.pending?.capability).toBe('page.never');
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  const records = await finish(runtime, again);
  expect(await told(runtime, again, records)).toMatchObject({ result: ['sent', 'at last'] });
  expect([codes(records), seen, wrote(log, 'revocation')]).toEqual([['SUCCESS', 'SUCCESS'], ['a'], 1]);
});

test('a resumed guest that asks for other arguments does not get the answer of the first use', async () => {
  const { power, seen } = mail();
  const body =
    'await powers.mail.send("a"); const at = await powers.clock(); await powers.mail.send(at); return powers.page.never(1)';
  let now = 1_000;
  const given: Given = {
    body,
    powers: [power, never],
    own: ['clock'],
    grants: [
      { power: 'mail.send', mode: 'ask' },
      { power: 'page.never', mode: 'allow' },
    ],
    now: () => now,
  };
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  // The second use is then not asked about, so that the call is not parked a second time.
  await run.answer(run.view.pending?.digest ?? '', { approved: true, standing: { args: 'any' } });
  await expect.poll(() => seen.length).toBe(2);
  await expect.poll(() => wrote(log, 'power')).toBe(4);
  now = 2_000;
  const { runtime, again } = await resume(crash(log), run, given);
  const records = await finish(runtime, again);
  expect([codes(records), seen]).toEqual([
    ['interrupted', 'SUCCESS'],
    ['a', 1_000],
  ]);
});

test.each([
  ['is gone', (log: MemoryLog) => log.tables.kept.clear()],
  ['has a byte changed', (log: MemoryLog) => change(log, ({ bytes }) => (bytes[100] = 1 ^ (bytes[100] ?? 0)))],
  ['says it has more fuel', (log: MemoryLog) => change(log, ({ state }) => (state.fuel = 0))],
  ['is something else', (log: MemoryLog) => log.tables.kept.forEach((_, key) => log.tables.kept.set(key, 'x'))],
])('a parked call whose heap %s is closed as interrupted', async (_, harm) => {
  const { power, seen } = mail();
  const given = { body: 'return powers.mail.send("a")', powers: [power], grants: ASK };
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  const after = crash(log);
  harm(after);
  const { runtime, again } = await resume(after, run, given);
  const records = await finish(runtime, again);
  expect([codes(records), seen, kept(after)]).toEqual([['interrupted', 'SUCCESS'], [], []]);
});

function change(log: MemoryLog, harm: (parked: { bytes: Uint8Array; state: { fuel: number } }) => unknown): void {
  for (const [key, value] of log.tables.kept) if (key.startsWith('parked/')) harm(value as never);
}

test('a parked call that is aborted ends with a receipt, and its heap is removed', async () => {
  const { power, seen } = mail();
  const given = { body: 'return powers.mail.send("a")', powers: [power], grants: ASK };
  const log = emptyLog();
  const { runtime, run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  await run.abort('enough');
  expect(await run.result).toMatchObject({ state: 'aborted' });
  expect([codes(await runtime.ledger.records(run.id)), seen, kept(log)]).toEqual([['call_aborted'], [], []]);
});

test('a parked call ends when its grant is revoked, in this process and in the next', async () => {
  const { power, seen } = mail();
  const given = { body: 'return powers.mail.send("a")', powers: [power], grants: ASK };
  const log = emptyLog();
  const { runtime, run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  const after = crash(log);
  const grants = await runtime.grants.list();
  const { id = '' } = grants.find(({ capability }) => capability === 'use') ?? {};
  const next = await open(after, 1, given);
  await Promise.all([runtime.grants.revoke(id), next.grants.revoke(id)]);
  const again = await next.resume(run.id, fromScript([done]));
  for (const [own, its, taken] of [[runtime, log, run] as const, [next, after, again] as const]) {
    const records = await finish(own, taken);
    expect([codes(records), seen, kept(its)]).toEqual([['permission_revoked', 'SUCCESS'], [], []]);
  }
});

test('a power with other terms is not the power that was granted', async () => {
  const { power, seen } = mail();
  const given = { body: 'return powers.mail.send("a").catch((e) => e.name)', powers: [power], grants: ASK };
  const log = emptyLog();
  const { run } = await start(log, given);
  await expect.poll(() => wrote(log, 'parked')).toBe(1);
  const other = definePower({ ...power, version: '2.0.0' } as never);
  const { runtime, again } = await resume(crash(log), run, { ...given, powers: [other] });
  await expect.poll(() => again.view.pending?.digest).toBeDefined();
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  const records = await finish(runtime, again);
  expect(await told(runtime, again, records)).toMatchObject({ result: 'power_unknown' });
  expect(seen).toEqual([]);
});
