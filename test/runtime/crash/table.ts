import { expect } from 'vitest';
import { defineCapability, defineTool, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Run, Runtime, RuntimeOptions } from '../../../workers/api.ts';
import { fromScript } from '../../../workers/bridges/models/script.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read } from '../content/messages.ts';
import { receiptFaults } from './receipt-schema.ts';

// The table of crashes: messages whose process or page dies behind each write, and what each receipt then has to say.

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

/** Options of each process and page of the table. */
export const OPTIONS = {
  capabilities: CAPABILITIES,
  tools: TOOLS,
  grants: [
    ...[...CAPABILITIES, ...TOOLS].map((each) => ({
      capability: each.name,
      mode: each.name === 'host.ask' ? ('ask' as const) : ('allow' as const),
    })),
    ...OPERATIONS,
  ],
  guard: false,
} satisfies RuntimeOptions;

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

export const call = (title: string, args: JsonObject = {}): JsonObject => execute(`@TOOLS/${title}`, { args });
const MESSAGES: readonly (readonly [string, readonly JsonObject[]])[] = [
  [
    'egress of the host',
    [read('@x/a'), call('host.send'), call('pure'), call('host.send'), call('host.read'), read('@x/a')],
  ],
  ['pure guests around an egress', [call('pure'), call('send'), read('@x/a'), call('pure')]],
  ['reads inside a program', [read('@x/a'), call('program', { ref: '@x/a' }), call('pure')]],
];

/** A message, and the write behind which its process dies: that write is durable, and no later one is. */
interface CrashCase {
  readonly title: string;
  readonly ops: readonly JsonObject[];
  readonly known: Known;
  readonly nth: number;
}
export const CRASHES: readonly CrashCase[] = MESSAGES.flatMap(([title, ops]) =>
  writesOf(ops).map((known, nth) => ({ title, ops, known, nth })),
);

/** Adds the content of the table. */
export async function furnish(runtime: Runtime): Promise<void> {
  await put(runtime, { 'a.md': '# A\none\n' });
  await name(runtime, '@x/a', 'FILE', 'a.md', 'head(1)');
}

/** Starts a run whose model sends this message. */
export function send(runtime: Runtime, ops: readonly JsonObject[]): Run {
  const model = fromScript([message(ops, { budgets: { ...BUDGETS, max_expands_per_step: 3 } })]);
  return runtime.start({ dialect: 'catalytic', task: 'Work.', model });
}

/** Resumes the run in another process or page, and compares its receipt with the model. */
export async function compare(runtime: Runtime, run_id: string, { ops, known }: CrashCase): Promise<void> {
  const again = await runtime.resume(run_id, fromScript([message([])]));
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed' });
  const [receipt] = (await runtime.ledger.records(run_id)).flatMap((record) =>
    record.kind === 'receipt' ? [record.body] : [],
  );
  const expected = ops.slice(0, known.settled + 1).map(({ type, target }, at) => {
    return { type, target, status: at < known.settled ? 'SUCCESS' : 'FAILURE' };
  });
  expect(receipt?.receipt.actions).toMatchObject(expected);
  expect(receipt?.receipt.actions.length).toBe(expected.length);
  expect(receipt?.receipt.expanded.map(({ symbol_or_section_id: id }) => id)).toEqual(Array(known.given).fill('@x/a'));
  expect(receiptFaults(receipt?.receipt as unknown as JsonValue)).toEqual([]);
  const { operations = [], reason, labels, spent } = receipt?.evidence ?? {};
  expect(reason?.code).toMatch(/^(?:power_)?interrupted$/);
  expect(operations.map((each) => each.reason?.code)).toEqual([...Array(known.settled).fill(undefined), reason?.code]);
  // each of these messages names content, and a look-up counts like content
  expect(labels).toEqual(['private', 'untrusted']);
  expect(spent).toMatchObject({ expands: known.given });
  expect(await faultsOf(runtime, run_id)).toEqual([]);
}

/** The checks that a replay of the run fails. */
export async function faultsOf({ ledger }: Runtime, run_id: string): Promise<readonly object[]> {
  const { checks } = await ledger.check(await ledger.export(run_id), { replay: true });
  return checks.flatMap(({ id, status, first: fault }) => (status === 'fail' ? [{ id, fault }] : []));
}
