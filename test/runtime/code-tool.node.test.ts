import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { declarationsOf, parseExport } from '../../core/index.ts';
import type { Bodies } from '../../core/ledger/record.ts';
import type { StampedEvent } from '../../core/telemetry/event.ts';
import { toOtlp } from '../../core/telemetry/otlp.ts';
import type { Called, Runtime, RuntimeOptions, Session } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import { defineCodeTool, defineTool, type NodeOptions } from '../../workers/node.ts';
import type { Ports } from '../../workers/ports.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { rewrite } from '../core/replay/rewrite.ts';
import { temporaryFolder } from '../folder.ts';
import { expectReplayed, replayed } from './replayed.ts';
import { forChecks, forRuns, openRuntime } from './shared.ts';

const common = { version: '1.0.0' } as const;
const files: Record<string, string> = {};
const read = defineTool({
  ...common,
  name: 'fs.read',
  description: 'Reads a file. */ declare const evil: 1; /*',
  effect: 'read',
  labels: [],
  args: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
  result: { type: 'string' },
  run: ({ path }) => files[path] ?? '',
});
const write = defineTool({
  ...common,
  name: 'fs.write',
  description: 'Writes a file.',
  effect: 'write',
  args: {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string', description: 'The new text.' } },
    required: ['path', 'text'],
    additionalProperties: false,
  },
  run: ({ path, text }) => {
    files[path] = text;
    return text.length;
  },
});
const list = defineTool({
  ...common,
  name: 'fs',
  description: 'Lists the files.',
  effect: 'read',
  labels: [],
  args: {},
  result: { type: 'array', items: { type: 'string' } },
  run: () => Object.keys(files).sort(),
});
const tools = [read, write, list];
const program = defineCodeTool({ name: 'program', tools });
const grants = (writing: 'allow' | 'ask' | 'deny') => [
  ...['program', 'fs', 'fs.read'].map((name) => ({ capability: name, mode: 'allow' }) as const),
  { capability: 'fs.write', mode: writing } as const,
];

let open: Runtime | undefined;
afterEach(async () => {
  await open?.close();
  for (const path of Object.keys(files)) delete files[path];
});

async function session(given: NodeOptions = {}): Promise<Session> {
  open = await openRuntime({ tools, capabilities: [program], grants: grants('allow'), ...given });
  return open.openSession();
}

const valueOf = (called: Called) => (called.ok ? called.value : called.refusal.code);
const call = async (in_: Session, text: string) => valueOf(await in_.call('program', { program: text }));

async function replays(in_: Session): Promise<void> {
  await in_.close();
  await expectReplayed((await open?.ledger.export(in_.run.id, { secrets: true })) ?? '');
}

const COPY = `
  const names = await tools.fs();
  for (const path of names) await tools.fs.write({ path: path + '.copy', text: (await tools.fs.read({ path })).toUpperCase() });
  return (await tools.fs()).length;
`;

describe('a program of a model', () => {
  test('a program calls tools in a loop, and its run replays with the recorded answers', async () => {
    Object.assign(files, { a: 'one', b: 'two' });
    const in_ = await session();
    expect(await call(in_, COPY)).toBe(4);
    expect(files).toEqual({ a: 'one', b: 'two', 'a.copy': 'ONE', 'b.copy': 'TWO' });
    await replays(in_);
  });

  test('each call inside a program is told as a call of its own, also over OTLP, and wrong arguments have a verdict', async () => {
    const broken = defineTool({
      ...common,
      name: 'broken',
      description: 'Fails.',
      effect: 'egress',
      args: {},
      run: () => Promise.reject(new Error('no')),
    });
    const all = [...tools, broken];
    const in_ = await session({
      tools: all,
      capabilities: [defineCodeTool({ name: 'program', tools: all })],
      grants: [...grants('deny'), { capability: 'broken', mode: 'allow' }],
      guard: false,
    });
    const asks = [
      `tools.fs()`,
      `tools.fs.read({ path: 1 })`,
      `tools.fs.write({ path: 'a', text: '' })`,
      `tools.broken()`,
    ];
    const text = `const names = []; for (const ask of [${asks.map((ask) => `() => ${ask}`).join()}]) { try { await ask(); names.push('ok'); } catch (e) { names.push(e.name); } } return names;`;
    expect(await call(in_, text)).toEqual(['ok', 'power_arguments', 'grant_denied', 'host_failed']);
    await in_.close();
    const stamped: StampedEvent[] = [];
    for await (const event of in_.run.telemetry()) stamped.push(event);
    const told = stamped.flatMap(({ event }) =>
      'ticket' in event && event.ticket !== undefined
        ? [`${event.ticket} ${event.event_type} ${event.capability}${'code' in event ? ` ${event.code}` : ''}`]
        : [],
    );
    expect(told).toEqual([
      '1 capability_requested fs',
      '1 capability_authorized fs',
      '1 capability_started fs',
      '1 capability_completed fs',
      '2 capability_requested fs.read',
      '2 capability_denied fs.read power_arguments',
      '3 capability_requested fs.write',
      '3 capability_denied fs.write grant_denied',
      '4 capability_requested broken',
      '4 capability_authorized broken',
      '4 capability_started broken',
      '4 capability_failed broken host_failed',
    ]);
    const spans = toOtlp(stamped).traces.resourceSpans[0].scopeSpans[0].spans;
    const outer = spans.find(({ name }) => name === 'execute_tool program');
    const inner = spans.filter(({ parentSpanId }) => parentSpanId === outer?.spanId);
    expect(inner.map(({ name, status }) => [name, status.message])).toEqual([
      ['execute_tool fs', undefined],
      ['execute_tool broken', 'host_failed'],
    ]);
    expect(outer?.status).toEqual({});
    const records = (await open?.ledger.records(in_.run.id)) ?? [];
    const receipt = records.find(({ kind }) => kind === 'receipt')?.body as Bodies['receipt'] | undefined;
    expect(receipt?.evidence.powers?.map(({ decision, code }) => [decision, code])).toEqual([
      ['AUTHORIZED', undefined],
      ['DENIED_ARGUMENT_INVALID', 'power_arguments'],
      ['DENIED_POLICY_VIOLATION', 'grant_denied'],
      ['AUTHORIZED', undefined],
    ]);
    await expectReplayed((await open?.ledger.export(in_.run.id, { secrets: true })) ?? '');
  });

  test('a call inside a program is refused where nobody can answer, and the program goes on', async () => {
    const in_ = await session({ grants: grants('ask') });
    const text = `return [await tools.fs.write({ path: 'a', text: '' }).catch((e) => e.name), (await tools.fs()).length]`;
    expect(await call(in_, text)).toEqual(['approval_unavailable', 0]);
    await replays(in_);
  });

  test('each call inside a program is asked about, and a no reaches the program as an error', async () => {
    files['a'] = 'one';
    const asked: string[] = [];
    const in_ = await session({
      grants: grants('ask'),
      approve: async ({ capability, args }) => {
        asked.push(`${capability} ${args}`);
        return args.includes('yes') ? { approved: true } : { approved: false, reason: 'no' };
      },
    });
    const text = `return Promise.all(['yes', 'never'].map((text) => tools.fs.write({ path: text, text }).catch((e) => e.name)))`;
    expect(await call(in_, text)).toEqual([3, 'approval_denied']);
    expect(asked).toEqual(['fs.write {"path":"yes","text":"yes"}', 'fs.write {"path":"never","text":"never"}']);
    expect(Object.keys(files)).toEqual(['a', 'yes']);
    await replays(in_);
  });

  test('a receipt names each tool of its step whose effect a person has declared, and another word fails the replay', async () => {
    const definition = 'd'.repeat(64);
    const fs = { ...list, declared: definition };
    open = await openRuntime({ tools: [read, write, fs], capabilities: [program], grants: grants('allow') });
    const in_ = open.openSession();
    await in_.call('fs', {});
    await call(in_, 'return tools.fs()');
    await call(in_, `return tools.fs.read({ path: 'a' })`);
    await in_.close();
    const text = await open.ledger.export(in_.run.id);
    const receipts = parseExport(text).records.flatMap((line) =>
      line?.record.kind === 'receipt' ? [line.record.body.evidence.declared_effects] : [],
    );
    const row = (await open.capabilities.list()).find(({ name }) => name === 'fs');
    const said = [{ capability: 'fs', capability_hash: row?.hash, definition, effect: 'read' }];
    expect(receipts).toEqual([said, said, undefined]);
    await expectReplayed(text);
    for (const other of [
      undefined,
      [],
      [{ ...said[0], effect: 'pure' }],
      [{ ...said[0], definition: 'e'.repeat(64) }],
    ]) {
      const forged = rewrite(text, ({ kind, body }) => {
        if (kind !== 'receipt') return body;
        const { declared_effects: _, ...evidence } = body['evidence'] as { declared_effects: unknown };
        return { ...body, evidence: { ...evidence, ...(other && { declared_effects: other }) } };
      });
      expect((await replayed(forged)).ok).toBe(false);
    }
  });

  test('a program reaches nothing beside its tools, and keeps nothing for the next program', async () => {
    const in_ = await session();
    expect(await call(in_, 'return typeof fetch + typeof process + typeof require + typeof setTimeout')).toBe(
      'undefined'.repeat(4),
    );
    expect(await call(in_, 'globalThis.kept = 1; return 1')).toBe(1);
    expect(await call(in_, 'return typeof kept')).toBe('undefined');
    expect(await call(in_, 'for (;;);')).toBe('fuel_exhausted');
    expect(await call(in_, 'return tools.fs.read({ way: 1 })')).toBe('power_failed');
    expect(await call(in_, 'return tools.fs.delete({ path: "a" })')).toBe('capability_threw');
    expect(await call(in_, 'this is no program')).toBe('capability_threw');
    expect(await call(in_, '')).toBe(null);
    await replays(in_);
  });

  test('a program that its caller gives up at any moment gets its receipt, and the session goes on', async () => {
    files['a'] = 'one';
    const in_ = await session();
    for (let turns = 0; turns < 400; turns += 10) {
      const stop = new AbortController();
      const call = in_.call('program', { program: COPY }, { signal: stop.signal }).then(valueOf, () => 'given up');
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      if (turns % 20 === 0) await new Promise((later) => setTimeout(later, turns / 20));
      stop.abort();
      await call;
    }
    expect(await call(in_, 'return (await tools.fs()).includes("a")')).toBe(true);
    await replays(in_);
  }, 60_000);

  test('a program that waits for a person is given up', async () => {
    open = await openRuntime({ tools, capabilities: [program], grants: grants('ask') });
    const in_ = open.openSession({ questions: 'wait' });
    const stop = new AbortController();
    const asked = in_.call(
      'program',
      { program: 'return tools.fs.write({ path: "a", text: "b" })' },
      { signal: stop.signal },
    );
    await expect.poll(() => in_.run.view.pending?.capability).toBe('fs.write');
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(await call(in_, 'return 1')).toBe(1);
    expect(files).toEqual({});
    await replays(in_);
  });

  test('a program that waits for a person goes on in the next process, and writes once', async () => {
    files['a'] = 'one';
    const log = emptyLog();
    const before = (await over(log)).openSession({ questions: 'wait' });
    void before.call('program', { program: COPY }).catch(() => undefined);
    await expect.poll(() => before.run.view.pending?.capability).toBe('fs.write');
    await expect.poll(async () => (await kinds(before))?.includes('parked')).toBe(true);
    open = await over(log);
    const again = open.openSession({ resume: before.run.id, questions: 'wait' });
    await expect.poll(() => again.run.view.pending?.capability).toBe('fs.write');
    await again.run.answer(again.run.view.pending?.digest ?? '', { approved: true });
    expect(await again.resumed).toMatchObject({ ok: true, value: 2 });
    expect(files).toEqual({ a: 'one', 'a.copy': 'ONE' });
    await replays(again);
  });
});

const kinds = async ({ run }: Session) => {
  const seen: string[] = [];
  const stop = AbortSignal.timeout(200);
  for await (const { kind } of run.records({ signal: stop })) seen.push(kind);
  return seen;
};

/** A process over a log that outlives it. */
async function over(log: MemoryLog): Promise<Runtime> {
  const ports: Ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore(log) };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const given: RuntimeOptions = { tools, capabilities: [program], grants: grants('ask') };
  return openClient(kernel, async () => localAuditor(forChecks), given);
}

test('names that are tools and beginnings of names, and odd names, are all called', async () => {
  const odd = ['a', 'a.name', 'a.length', 'a.b-c', 'b.__proto__.x', 'constructor.prototype', '__proto__'];
  const all = odd.map((name) =>
    defineTool({ ...common, name, description: name, effect: 'read', labels: [], args: {}, run: () => name }),
  );
  const text = `return [
    await tools.a(), await tools.a.name(), await tools.a.length(), await tools.a['b-c'](), await tools.b.__proto__.x(),
    await tools.constructor.prototype(), await tools['__proto__'](),
  ]`;
  for (const order of [all, [...all].reverse()]) {
    const code = defineCodeTool({ name: 'code', tools: order });
    const in_ = await session({
      tools: order,
      capabilities: [code],
      grants: ['code', ...odd].map((name) => ({ capability: name, mode: 'allow' }) as const),
    });
    expect(valueOf(await in_.call('code', { program: text }))).toEqual(odd);
    await open?.close();
  }
});

const SHAPES = defineTool({
  ...common,
  name: 'shapes.all-of',
  description: 'Takes many shapes.',
  effect: 'read',
  args: {
    type: 'object',
    properties: {
      word: { enum: ['one', 'two', 3] },
      when: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      tree: { $ref: '#/$defs/tree' },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      bag: { type: 'object', additionalProperties: { type: 'boolean' } },
      "it's odd": { const: true },
      open: { type: 'object', properties: { known: { type: 'string' } } },
      none: { type: 'object', additionalProperties: false },
      any: true,
    },
    required: ['word'],
    additionalProperties: false,
    $defs: {
      tree: {
        type: 'object',
        properties: { name: { type: 'string' }, leaves: { type: 'array', items: { $ref: '#/$defs/tree' } } },
        required: ['name'],
        additionalProperties: false,
      },
    },
  } as never,
  result: { type: ['integer', 'null'] } as never,
  run: (() => 1) as never,
});

const GOOD = [
  'const text: string = await tools.fs.read({ path: "a" });',
  'const names: readonly string[] = await tools.fs({});',
  'await tools.fs.write({ path: "a", text: "b" });',
  'const n: number | null = await tools.shapes["all-of"]({ word: "one" });',
  'await tools.shapes["all-of"]({ word: 3, when: null, tree: { name: "a", leaves: [{ name: "b" }] }, pair: ["a", 1] });',
  'await tools.shapes["all-of"]({ word: "two", bag: { a: true }, "it\'s odd": true, open: { known: "a", more: 1 }, none: {}, any: [1] });',
];
const BAD = [
  'await tools.fs.read({});',
  'await tools.fs.read({ path: 1 });',
  'await tools.fs.read({ path: "a", more: 1 });',
  'await tools.fs.delete({});',
  'const text: number = await tools.fs.read({ path: "a" });',
  'await tools.shapes["all-of"]({ word: "four" });',
  'await tools.shapes["all-of"]({ word: "one", tree: { leaves: [] } });',
  'await tools.shapes["all-of"]({ word: "one", pair: [1, "a"] });',
  'await tools.shapes["all-of"]({ word: "one", bag: { a: 1 } });',
  'evil;',
];

test('the declarations of a code tool compile, accept right programs and reject wrong ones', () => {
  const declared = declarationsOf([...tools, SHAPES]);
  expect(program.description).toContain('declare const tools: ');
  const folder = temporaryFolder();
  const all = [...GOOD, ...BAD];
  all.forEach((line, at) =>
    writeFileSync(join(folder, `p${at}.ts`), `${declared}\nexport async function run() {\n${line}\n}\n`),
  );
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const names = all.map((_, at) => `p${at}.ts`);
  let said = '';
  try {
    execFileSync(tsc, ['--strict', '--noEmit', '--target', 'es2022', '--module', 'esnext', '--types', '', ...names], {
      cwd: folder,
    });
  } catch (error) {
    said = String((error as { stdout: Buffer }).stdout);
  }
  const failed = new Set([...said.matchAll(/^p(\d+)\.ts/gm)].map(([, at]) => Number(at)));
  expect(all.filter((_, at) => failed.has(at))).toEqual(BAD);
}, 60_000);

test.each(['#/%', '#/%zz', '#item', '#/$defs/none', 'elsewhere'])(
  'a reference to %s, which names no place of the schema, declares a member of any type',
  (ref) => {
    const args = { type: 'object', required: ['item'], properties: { item: { $ref: ref } } };
    expect(declarationsOf([{ name: 'shelf', args } as never])).toContain('item: unknown');
  },
);
