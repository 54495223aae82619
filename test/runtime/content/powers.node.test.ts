import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentHash, type JsonObject } from '../../../core/index.ts';
import { fromScript } from '../../../workers/node.ts';
import { type Desk, openDesk } from './desk.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read } from './messages.ts';

const peek = (title: string, source: string) => ({
  name: title,
  version: '1.0.0',
  description: 'Reads content.',
  effect: 'read' as const,
  labels: [],
  args: { type: 'object' },
  powers: ['sections.expand'],
  source,
});
const CAPABILITIES = [
  peek(
    'peek.once',
    'export default async ({ ref, slice }, { sections }) => (await sections.expand(ref, slice)).length;',
  ),
  peek(
    'peek.all',
    `export default async ({ asks }, { sections }) => {
      const tries = asks.map(([ref, slice]) => sections.expand(ref, slice).then((text) => text.length, (error) => error.name));
      return Promise.all(tries);
    };`,
  ),
];
const TEXT = '# A\none\n# B\ntwo\n';

let desk: Desk;
beforeAll(async () => {
  const grants = CAPABILITIES.map((each) => ({ capability: each.name, mode: 'allow' as const }));
  desk = await openDesk([...OPERATIONS, ...grants], CAPABILITIES);
  await put(desk.runtime, { 'a.md': TEXT });
  await name(desk.runtime, '@x/a', 'FILE', 'a.md');
});
afterAll(() => desk.close());

const all = (asks: readonly (readonly string[])[]): JsonObject => execute('@TOOLS/peek.all', { args: { asks } });

test('a capability reaches content by its power, and the receipt tells every expansion', async () => {
  const once = { args: { ref: '@x/a', slice: 'head(2)' } };
  const told = await desk.send([message([execute('@TOOLS/peek.once', once), read('@x/a', { slice: 'tail(1)' })])]);
  const { receipt, evidence } = told.receipts[0] ?? {};
  expect(receipt?.status).toBe('SUCCESS');
  expect(receipt?.expanded.map(({ slice }) => slice)).toEqual(['head(2)', 'tail(1)']);
  expect(await told.text(contentHash('# A\none\n'))).toBe('# A\none\n');
  expect(evidence?.spent).toEqual({ symbols: 2, sections: 2, bytes: 12, expands: 2 });
  expect(evidence?.labels).toEqual(['private', 'untrusted']);
  expect(await desk.runtime.ledger.verify(told.run_id)).toMatchObject({ ok: true });
});

test.each([
  ['max_expands_per_step', 1, 'budget_expands'],
  ['max_bytes_expanded', 9, 'budget_bytes'],
  ['max_sections', 1, 'budget_sections'],
] as const)(
  'a capability that goes over %s fails its step, though it caught the error',
  async (budget, limit, code) => {
    const asks = [
      ['@x/a', 'head(2)'],
      ['@x/a', 'tail(2)'],
    ];
    const told = await desk.send([message([all(asks)], { budgets: { ...BUDGETS, [budget]: limit } })]);
    const { receipt, evidence } = told.receipts[0] ?? {};
    expect([receipt?.status, evidence?.reason?.code, evidence?.reason?.class]).toEqual(['FAILURE', code, 'budget']);
    expect(receipt?.expanded.map(({ slice }) => slice)).toEqual(['head(2)']);
    expect(told.replies[0]).toMatchObject({ details: { code, limit } });
  },
);

test('a capability cannot spend expansions that its message has spent before', async () => {
  const told = await desk.send([
    message([read('@x/a', { slice: 'head(4)' }), all([['@x/a', 'head(1)']])], {
      budgets: { ...BUDGETS, max_expands_per_step: 1 },
    }),
  ]);
  expect(told.receipts[0]?.evidence.reason?.code).toBe('budget_expands');
});

test.each([
  ['an unknown symbol', ['@x/none', 'head(1)'], 'power_failed'],
  ['an unknown section', ['f'.repeat(64), 'head(1)'], 'power_failed'],
  ['ALL', ['@x/a', 'ALL'], 'slice_unbounded'],
  ['a path', ['a.md', 'head(1)'], 'power_failed'],
  ['nothing', [], 'power_failed'],
])('an expansion of %s fails the step', async (_what, ask, code) => {
  const told = await desk.send([message([all([ask])])]);
  expect(told.receipts[0]).toMatchObject({
    receipt: { status: 'FAILURE', expanded: [] },
    evidence: { reason: { code } },
  });
});

test('calls of other dialects have the budgets of their run, and their receipts tell expansions', async () => {
  const call = (asks: readonly (readonly string[])[]) => ({
    next_step: { tool: 'peek.all', arguments: { asks }, goal: 'read' },
  });
  const one = ['@x/a', 'head(1)'];
  const model = fromScript([call([one, one]), call([one, one, one]), { done: true, message: '' }]);
  const { runtime } = desk;
  const run = runtime.start({ dialect: 'xct', task: 'Read.', model, budgets: { ...BUDGETS, max_expands_per_step: 2 } });
  await run.result;
  const receipts = (await runtime.ledger.records(run.id)).flatMap((each) =>
    each.kind === 'receipt' ? [each.body] : [],
  );
  expect(receipts.map(({ receipt }) => [receipt.status, receipt.expanded.length])).toEqual([
    ['SUCCESS', 2],
    ['FAILURE', 2],
    ['SUCCESS', 0],
  ]);
  expect(receipts[1]?.evidence.reason?.code).toBe('budget_expands');
  const { checks } = await runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
});
