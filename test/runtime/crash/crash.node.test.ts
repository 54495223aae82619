import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentHash, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import type { Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { defineCapability, defineTool, fromScript } from '../../../workers/node.ts';
import type { Ports } from '../../../workers/ports.ts';
import { openDirectoryStore } from '../../../workers/store/directory/store.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import type { LedgerStore } from '../../../workers/store/store.ts';
import { isTried } from '../../cases.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read, write } from '../content/messages.ts';
import { forChecks } from '../shared.ts';
import { receiptFaults } from './receipt-schema.ts';

let sandboxes: Awaited<ReturnType<typeof openSandboxes>>;
beforeAll(async () => {
  sandboxes = await openSandboxes();
});
const base = mkdtempSync(join(tmpdir(), 'sallyport-crash-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const terms = { version: '1.0.0', description: 'For this test.', labels: [], args: { type: 'object' } } as const;
const tool = (title: string, effect: 'read' | 'egress') =>
  defineTool({ ...terms, name: title, effect, run: () => title });
const guest = (title: string, effect: 'pure' | 'egress', source: string, more: object = {}) =>
  defineCapability({ ...terms, name: title, effect, source, ...more });
const TOOLS = [tool('host.send', 'egress'), tool('host.read', 'read'), tool('host.ask', 'egress')];
const CAPABILITIES = [
  guest('pure', 'pure', 'export default () => 1;'),
  guest('send', 'egress', 'export default () => "sent";'),
  guest(
    'program',
    'egress',
    `export default async ({ ref }, { sections, tools }) => {
      await sections.expand(ref, 'head(1)');
      await tools.call('host.read', {});
      await sections.expand(ref, 'head(2)');
      return tools.call('host.send', {});
    };`,
    { powers: ['sections.expand'], tools: TOOLS.map((each) => each.name) },
  ),
  guest('asks', 'egress', 'export default (args, { tools }) => tools.call("host.ask", {});', { tools: ['host.ask'] }),
];

/** A store of a process, and the store as the next process finds it. */
interface Place {
  readonly first: LedgerStore;
  next(): Promise<LedgerStore>;
}
const PLACES: readonly (readonly [string, () => Promise<Place>])[] = [
  [
    'memory',
    async () => {
      const log = emptyLog();
      return { first: openMemoryStore(log), next: async () => openMemoryStore(log) };
    },
  ],
  [
    'directory',
    async () => {
      const directory = mkdtempSync(join(base, 'place-'));
      const open = () => {
        const store = openDirectoryStore(directory);
        if (!store.ok) throw new Error(store.refusal.message);
        return store.value;
      };
      const first = open();
      return {
        first,
        next: async () => {
          await first.close?.();
          return open();
        },
      };
    },
  ],
];

/** A store whose process dies behind its `most`th write of the step: that write is durable, and no later one is. */
function dying(store: LedgerStore, most: number, died: () => void): LedgerStore {
  let writes = 0;
  const append: LedgerStore['append'] = async (asked, durability) => {
    const isOfStep = asked.records.some(({ record }) => 'step_id' in record.body || record.kind === 'receipt');
    if (isOfStep && ++writes > most) {
      died();
      return new Promise<never>(() => undefined);
    }
    return store.append(asked, durability);
  };
  return new Proxy(store, { get: (target, key) => (key === 'append' ? append : Reflect.get(target, key, target)) });
}

async function open(store: LedgerStore): Promise<Runtime> {
  const ports: Ports = { store, ...sandboxes, ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const grants = [...CAPABILITIES, ...TOOLS].map((each) => ({
    capability: each.name,
    mode: each.name === 'host.ask' ? ('ask' as const) : ('allow' as const),
  }));
  return openClient(kernel, async () => localAuditor(forChecks), {
    capabilities: CAPABILITIES,
    tools: TOOLS,
    grants: [...grants, ...OPERATIONS],
    guard: false,
  });
}

/**
 * The model: what each write of a message makes durable, by the contract and the rules of the record alone. `settled`
 * counts the operations whose outcome is known, `given` the expansions.
 */
interface Known {
  readonly settled: number;
  readonly given: number;
}
const ASKED = ['host.read asked', 'host.read answered', 'host.send asked', 'host.send answered'] as const;

function writesOf(ops: readonly JsonObject[]): readonly Known[] {
  const writes: Known[] = [];
  let given = 0;
  ops.forEach(({ target, type }, settled) => {
    const before = ops[settled - 1]?.['target'];
    const isEffect = (symbol: JsonValue | undefined) => /host|send|program/.test(String(symbol));
    // an intent, or the outcome of an effect, waits for a write
    if (isEffect(target) || isEffect(before)) writes.push({ settled, given });
    if (type === 'READ') given += 1;
    if (target !== '@TOOLS/program') return;
    for (const write of ASKED) writes.push({ settled, given: given + (write.startsWith('host.read') ? 1 : 2) });
    given += 2;
  });
  return writes;
}

const call = (title: string, args: JsonObject = {}) => execute(`@TOOLS/${title}`, { args });
const MESSAGES: readonly (readonly [string, readonly JsonObject[]])[] = [
  [
    'egress of the host',
    [read('@x/a'), call('host.send'), call('pure'), call('host.send'), call('host.read'), read('@x/a')],
  ],
  ['pure guests around an egress', [call('pure'), call('send'), read('@x/a'), call('pure')]],
  ['reads inside a program', [read('@x/a'), call('program', { ref: '@x/a' }), call('pure')]],
];
const CASES = PLACES.flatMap(([place, openPlace]) =>
  MESSAGES.flatMap(([title, ops]) => writesOf(ops).map((known, nth) => ({ place, openPlace, title, ops, known, nth }))),
).filter((_, nth) => isTried(nth));

describe('a message whose process dies', () => {
  test.each(CASES)(
    '$title, behind write $nth, in $place: the receipt has what had settled',
    async ({ openPlace, ops, known, nth }) => {
      const place = await openPlace();
      let died: () => void = () => undefined;
      const death = new Promise<void>((resolve) => {
        died = resolve;
      });
      const first = await open(dying(place.first, nth + 1, () => died()));
      await put(first, { 'a.md': '# A\none\n' });
      await name(first, '@x/a', 'FILE', 'a.md', 'head(1)');
      const budgets = { ...BUDGETS, max_expands_per_step: 3 };
      const run = first.start({ dialect: 'catalytic', task: 'Work.', model: fromScript([message(ops, { budgets })]) });
      await death;

      const second = await open(await place.next());
      const again = await second.resume(run.id, fromScript([message([])]));
      await again.run();
      expect(await again.result).toMatchObject({ state: 'completed' });
      const receipt = (await second.ledger.records(run.id)).flatMap((record: LedgerRecord) =>
        record.kind === 'receipt' ? [record.body] : [],
      )[0];
      const expected = ops.slice(0, known.settled + 1).map(({ type, target }, at) => {
        return { type, target, status: at < known.settled ? 'SUCCESS' : 'FAILURE' };
      });
      expect(receipt?.receipt.actions).toMatchObject(expected);
      expect(receipt?.receipt.actions.length).toBe(expected.length);
      expect(receipt?.receipt.expanded.map(({ symbol_or_section_id: id }) => id)).toEqual(
        Array(known.given).fill('@x/a'),
      );
      expect(receiptFaults(receipt?.receipt as unknown as JsonValue)).toEqual([]);
      const { operations = [], reason, labels, spent } = receipt?.evidence ?? {};
      expect(reason?.code).toMatch(/^(?:power_)?interrupted$/);
      expect(operations.map((each) => each.reason?.code)).toEqual([
        ...Array(known.settled).fill(undefined),
        reason?.code,
      ]);
      // each of these messages names content, and a look-up counts like content
      expect(labels).toEqual(['private', 'untrusted']);
      expect(spent).toMatchObject({ expands: known.given });
      const { checks } = await second.ledger.check(await second.ledger.export(run.id), { replay: true });
      expect(checks.flatMap(({ id, status, first: fault }) => (status === 'fail' ? [{ id, fault }] : []))).toEqual([]);
    },
  );
});

test('a message of reads alone has no record beside those that a message always had', async () => {
  const runtime = await open(openMemoryStore());
  await put(runtime, { 'a.md': '# A\none\n' });
  await name(runtime, '@x/a', 'FILE', 'a.md', 'head(1)');
  const script = [message([read('@x/a'), call('pure'), read('@x/a')]), message([])];
  const run = runtime.start({ dialect: 'catalytic', task: 'Read.', model: fromScript(script) });
  await run.result;
  const kinds = (await runtime.ledger.records(run.id)).map(({ kind }) => kind);
  expect(kinds.slice(2, 9)).toEqual([
    'proposal',
    'verdict',
    'decision',
    'decision',
    'decision',
    'observation',
    'receipt',
  ]);
});

test('a question inside a program of a message is put again, behind the operations that had settled', async () => {
  const log = emptyLog();
  const first = await open(openMemoryStore(log));
  await put(first, { 'a.md': '# A\none\n' });
  await name(first, '@x/a', 'FILE', 'a.md', 'head(1)');
  const change = write('@x/a', { content: '# A\ntwo\n', expected_hash: contentHash('# A\none\n') });
  const ops = [read('@x/a'), change, call('host.send'), call('asks'), read('@x/a', { slice: 'lines[1:2]' })];
  const run = first.start({ dialect: 'catalytic', task: 'Work.', model: fromScript([message(ops)]) });
  run.run().catch(() => undefined);
  const kinds = async () => (await first.ledger.records(run.id)).map(({ kind }) => kind);
  await expect.poll(kinds, { timeout: 20_000 }).toContain('parked');

  const second = await open(openMemoryStore(log));
  const again = await second.resume(run.id, fromScript([message([])]));
  await expect.poll(() => again.view.pending?.capability, { timeout: 20_000 }).toBe('host.ask');
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed' });
  const [receipt] = (await second.ledger.records(run.id)).flatMap((record) =>
    record.kind === 'receipt' ? [record.body] : [],
  );
  expect(receipt?.evidence.reason).toBeUndefined();
  expect(receipt?.receipt.actions.map(({ status }) => status)).toEqual(Array(5).fill('SUCCESS'));
  expect(receipt?.receipt.expanded.map(({ slice }) => slice)).toEqual(['head(1)', 'lines[1:2]']);
  expect(receiptFaults(receipt?.receipt as unknown as JsonValue)).toEqual([]);
  const { checks } = await second.ledger.check(await second.ledger.export(run.id), { replay: true });
  expect(checks.flatMap(({ id, status, first: fault }) => (status === 'fail' ? [{ id, fault }] : []))).toEqual([]);
});
