import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/index.ts';
import { defineTool, fromScript } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';
import { type Desk, openDesk } from './desk.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put } from './messages.ts';

/** Catches every error, goes on, and sends what it has read. */
const STUBBORN = `export default async ({ asks, atOnce }, { sections, tools }) => {
  const one = async ([ref, slice]) => {
    if (ref === 'send') return tools.call('send', { text: slice });
    return sections.expand(ref, slice);
  };
  const heard = [];
  if (atOnce) return Promise.all(asks.map((ask) => one(ask).catch(({ name }) => name)));
  for (const ask of asks) heard.push(await one(ask).catch(({ name }) => name));
  return heard;
};`;

let sent: string[] = [];
const send = defineTool({
  name: 'send',
  version: '1.0.0',
  description: 'Sends a text.',
  effect: 'egress',
  labels: [],
  args: { type: 'object' },
  run: ({ text }: JsonObject) => {
    sent.push(String(text));
    return null;
  },
});
const stubborn = {
  name: 'stubborn',
  version: '1.0.0',
  description: 'Reads and sends.',
  effect: 'egress' as const,
  labels: [],
  args: { type: 'object' },
  powers: ['sections.expand'],
  tools: ['send'],
  source: STUBBORN,
};

let desk: Desk;
let sections: readonly string[];
beforeAll(async () => {
  const grants = ['stubborn', 'send'].map((capability) => ({ capability, mode: 'allow' as const }));
  desk = await openDesk([...OPERATIONS, ...grants], [stubborn], undefined, [], [send]);
  await put(desk.runtime, { 'a.md': '# A\nthe longest of all\n# B\nbb\n# C\ncc\n', 'b.md': '# Other\nhidden\n' });
  sections = (await desk.runtime.content.sections()).map(({ section_id }) => section_id);
  for (const [index, symbol] of ['@x/a', '@x/b', '@x/c', '@x/other'].entries())
    await name(desk.runtime, symbol, 'SECTION', sections[index] ?? '');
});
beforeEach(() => {
  sent = [];
});
afterAll(() => desk.close());

type Ask = readonly [ref: string, slice: string];

/** The receipt of a message with this single call, after a replay that passes. */
async function run(asks: readonly Ask[], { budgets = {}, atOnce = false, ...more }: JsonObject = {}) {
  const call = execute('@TOOLS/stubborn', { args: { asks: asks as never, atOnce } });
  const told = await desk.send([message([call], { budgets: { ...BUDGETS, ...(budgets as JsonObject) }, ...more })]);
  const { checks } = await desk.runtime.ledger.check(await desk.runtime.ledger.export(told.run_id), { replay: true });
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  const [body] = told.receipts;
  const error = (told.replies[0]?.['details'] as JsonObject | undefined)?.['error'] as JsonObject | undefined;
  return {
    status: body?.receipt.status,
    code: body?.evidence.reason?.code,
    error: error?.['name'],
    expanded: body?.receipt.expanded.map((each) => `${each.symbol_or_section_id} ${each.slice}`),
  };
}

describe.each([
  ['one after the other', false],
  ['in one turn', true],
])('the first breach ends the call of a guest that catches it and asks %s', (_how, atOnce) => {
  const behind: readonly Ask[] = [
    ['send', 'behind'],
    ['@x/c', 'head(1)'],
    ['send', 'last'],
  ];

  test.each<[string, string, JsonObject, readonly Ask[], string | undefined]>([
    ['the bytes', 'budget_bytes', { max_bytes_expanded: 10 }, [['@x/a', 'head(2)']], undefined],
    [
      'the sections',
      'budget_sections',
      { max_sections: 1 },
      [
        ['@x/b', 'head(1)'],
        ['@x/a', 'head(1)'],
      ],
      undefined,
    ],
    ['the expansions', 'budget_expands', { max_expands_per_step: 0 }, [['@x/a', 'head(1)']], undefined],
    ['the end of the text', 'slice_bounds', {}, [['@x/b', 'head(9)']], undefined],
    ['every bound', 'slice_unbounded', {}, [['@x/b', 'ALL']], undefined],
    ['the content that there is', 'power_failed', {}, [['@x/none', 'head(1)']], 'target_undeclared'],
  ])(
    'an expansion over %s is %s, and nothing is expanded or sent behind it',
    async (_what, code, budgets, asks, error) => {
      const told = await run([['send', 'before'], ...asks, ...behind], { budgets, atOnce });
      expect(told).toMatchObject({ status: 'FAILURE', code, error });
      expect(sent).toEqual(['before']);
      expect(told.expanded).toEqual(asks.length > 1 ? ['@x/b head(1)'] : []);
    },
  );
});

describe('what a message declares bounds what its guests expand', () => {
  const only = (refs: readonly string[]) => ({ refs: ['@TOOLS/stubborn', ...refs] });

  test('accepts a declared symbol, and a section that a declared symbol covers', async () => {
    const told = await run(
      [
        ['@x/b', 'head(1)'],
        [sections[1] ?? '', 'head(1)'],
      ],
      only(['@x/b']),
    );
    expect(told).toMatchObject({ status: 'SUCCESS', expanded: ['@x/b head(1)', `${sections[1]} head(1)`] });
  });

  test.each([
    ['a symbol', () => '@x/other'],
    ['a section', () => sections[3] ?? ''],
  ])('refuses %s that the message does not declare', async (_what, ref) => {
    const told = await run(
      [
        ['@x/b', 'head(1)'],
        [ref(), 'head(1)'],
        ['send', 'behind'],
      ],
      only(['@x/b']),
    );
    expect(told).toMatchObject({ status: 'FAILURE', code: 'power_failed', error: 'target_undeclared' });
    expect([told.expanded, sent]).toEqual([['@x/b head(1)'], []]);
  });

  test('a call of another dialect has no refs, and expands what its grants permit', async () => {
    const { runtime } = desk;
    const proposal = { next_step: { tool: 'stubborn', arguments: { asks: [['@x/other', 'head(2)']] }, goal: 'read' } };
    const model = fromScript([proposal, { done: true, message: '' }]);
    const started = runtime.start({ dialect: 'xct', task: 'Read.', model });
    await started.result;
    const receipt = (await runtime.ledger.records(started.id)).find(({ kind }) => kind === 'receipt');
    expect(receipt?.body).toMatchObject({ receipt: { status: 'SUCCESS', expanded: [{ slice: 'head(2)' }] } });
  });
});

test('an expansion that waited beside a question is charged once', async () => {
  const runtime = await openRuntime({
    capabilities: [stubborn],
    tools: [send],
    grants: [
      { capability: 'send', mode: 'ask' },
      ...['stubborn', 'content.read'].map((capability) => ({ capability, mode: 'allow' as const })),
    ],
    guard: false,
    approve: async () => ({ approved: true }),
  });
  await put(runtime, { 'a.md': '# A\naa\n' });
  await name(runtime, '@x/a', 'FILE', 'a.md');
  const session = runtime.openSession({ label: 'test' });
  // the run's own budgets: three expansions in a step
  const asks = [['send', 'asked'], ...Array.from({ length: 3 }, () => ['@x/a', 'head(1)'])];
  const text = '# A\n';
  expect(await session.call('stubborn', { asks, atOnce: true })).toMatchObject({ value: [null, text, text, text] });
  await runtime.close();
});
