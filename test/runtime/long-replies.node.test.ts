import { afterEach, expect, test } from 'vitest';
import { type JsonObject, type JsonValue, sha256Text } from '../../core/index.ts';
import type { ModelPort, ModelRequest, Runtime, StartOptions } from '../../workers/api.ts';
import { execute, message, read } from './content/messages.ts';
import { expectReplayed } from './replayed.ts';
import { openRuntime } from './shared.ts';

let open: Runtime | undefined;
afterEach(() => open?.close());

const CAPABILITIES = [
  ['big', 'export default ({ n }) => "x".repeat(n)'],
  ['throws', 'export default ({ n }) => { throw new Error("e".repeat(n)) }'],
].map(([name = '', source = '']) => ({
  name,
  version: '1.0.0',
  description: 'For a test.',
  effect: 'pure' as const,
  args: { type: 'object' },
  source,
}));

/** Runs these proposals; returns the reply that the model reads after each of them. */
async function told(proposals: readonly JsonValue[], more: Partial<StartOptions> = {}) {
  const heard: ModelRequest[] = [];
  const model: ModelPort = {
    id: 'test',
    locality: { kind: 'local' },
    propose: async (request) => ({ text: JSON.stringify(proposals[heard.push(request) - 1]) }),
  };
  const names = [...CAPABILITIES.map(({ name }) => name), 'content.read'];
  open = await openRuntime({
    capabilities: CAPABILITIES,
    grants: names.map((capability) => ({ capability, mode: 'allow' as const })),
  });
  const bytes = new TextEncoder().encode(`${'x'.repeat(100_000)}\n`);
  await open.content.add([{ path: 'a.md', bytes }]);
  await open.content.define({
    symbol_id: '@N/a',
    target_type: 'FILE',
    target_ref: 'a.md',
    default_slice_policy: 'head(1)',
  });
  const run = open.start({ dialect: 'xct', task: 'Work.', model, ...more });
  expect((await run.result).state).toBe('completed');
  await expectReplayed(await open.ledger.export(run.id, { secrets: true }));
  const records = await open.ledger.records(run.id);
  const replies = heard.slice(1).map(({ messages }) => messages.at(-1)?.content ?? '');
  const observed = records.flatMap((record) => (record.kind === 'observation' ? [record.body.payload.sha256] : []));
  expect(observed).toEqual(replies.map(sha256Text));
  const receipts = records.flatMap((record) => (record.kind === 'receipt' ? [record.body.receipt] : []));
  return { replies: replies.map((reply) => JSON.parse(reply) as JsonObject), receipts };
}

const call = (tool: string, n: number) => ({ next_step: { tool, arguments: { n }, goal: 'g' } });
const DONE = { done: true, message: 'x' };
const budgets = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 200_000, max_expands_per_step: 3 };
const LIMIT = 65_536 - 'Work.'.length;

test('a result that has no room in the context is told as a success with its code and its reference', async () => {
  const { replies, receipts } = await told([call('big', 70_000), DONE]);
  const text = JSON.stringify('x'.repeat(70_000));
  const result = { sha256: sha256Text(text), bytes: 70_002 };
  expect(replies).toEqual([
    { status: 'success', result: { class: 'output', code: 'reply_omitted', limit: LIMIT, used: 70_032, ...result } },
  ]);
  expect(receipts[0]).toMatchObject({ status: 'SUCCESS', actions: [{ result }] });
});

test('a reply that fits the context exactly is told whole, and a reply of one byte more is omitted', async () => {
  const rest = '{"result":"","status":"success"}'.length;
  const { replies } = await told([call('big', LIMIT - rest), call('big', LIMIT - rest + 1), DONE]);
  expect(replies.map(({ result }) => typeof result)).toEqual(['string', 'object']);
});

test('a READ that has no room in the context is told like any result', async () => {
  const messages = [message([read('@N/a')], { budgets }), message([], { budgets })];
  const { replies, receipts } = await told(messages, { dialect: 'catalytic', budgets });
  const result = { sha256: sha256Text(`${'x'.repeat(100_000)}\n`), bytes: 100_001 };
  const results = [{ operation: 0, ...result }];
  expect(replies).toMatchObject([{ status: 'success', result: { code: 'reply_omitted', limit: LIMIT, results } }]);
  expect(receipts[0]).toMatchObject({ status: 'SUCCESS', actions: [{ result }] });
});

test('a message whose results have no room refers to as many of them as fit', async () => {
  const ops = Array.from({ length: 12 }, () => execute('@TOOLS/big', { args: { n: 2_000 } }));
  const limits = { contextBytes: 1_024 };
  const { replies, receipts } = await told([message(ops), message([])], { dialect: 'catalytic', limits });
  const [{ result: told_ }] = replies as unknown as [{ readonly result: { readonly results: readonly JsonObject[] } }];
  expect(JSON.stringify(replies[0]).length).toBeLessThanOrEqual(1_024 - 'Work.'.length);
  expect(told_.results.length).toBeGreaterThan(4);
  const actions = receipts[0]?.actions ?? [];
  expect(told_.results).toEqual(
    actions.slice(0, told_.results.length).map(({ result }, operation) => ({ operation, ...result })),
  );
});

test('an error that has no room in the context keeps its sentence, its code and its pointer', async () => {
  const throws = execute('@TOOLS/throws', { args: { n: 1 }, critical: false });
  const messages = [message([read('@N/a'), throws], { budgets }), message([], { budgets })];
  const { replies, receipts } = await told(messages, { dialect: 'catalytic', budgets });
  const results = [{ operation: 0, sha256: sha256Text(`${'x'.repeat(100_000)}\n`), bytes: 100_001 }];
  const omitted = { class: 'output', code: 'reply_omitted', limit: LIMIT, results };
  expect(replies).toEqual([
    {
      status: 'error',
      message: expect.stringContaining('The capability failed'),
      details: {
        class: 'execution',
        code: 'capability_threw',
        step: 'execute',
        pointer: '/ops/1',
        error: { name: 'Error', message: 'e', line: 1, column: expect.any(Number) },
        omitted,
      },
    },
  ]);
  expect(receipts[0]?.status).toBe('PARTIAL');
});
