import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/index.ts';
import { type Desk, openDesk, type Told } from './desk.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read } from './messages.ts';

const call = (title: string, powers: readonly string[], source: string) => ({
  name: title,
  version: '1.0.0',
  description: 'For these tests.',
  effect: powers.includes('store.put') ? ('write' as const) : ('read' as const),
  labels: [],
  args: { type: 'object' },
  powers: [...powers],
  source,
});
const CAPABILITIES = [
  call('gives', [], 'export default () => 1;'),
  call('throws', [], 'export default () => { throw new RangeError("no"); };'),
  call(
    'peeks',
    ['sections.expand'],
    `export default async ({ ref, slice }, { sections }) =>
      sections.expand(ref, slice).catch((error) => { error.name = 'Quiet'; delete error.message; return 'quiet'; });`,
  ),
  call(
    'keeps',
    ['store.put', 'store.get'],
    `export default async ({ value }, { store }) => {
      if (value !== undefined) await store.put('key', value);
      return store.get('key');
    };`,
  ),
];

let desk: Desk;
beforeAll(async () => {
  const grants = CAPABILITIES.map((each) => ({ capability: each.name, mode: 'allow' as const }));
  desk = await openDesk([...OPERATIONS, ...grants], CAPABILITIES);
  await put(desk.runtime, { 'a.md': '# A\none\n# B\ntwo\n' });
  await name(desk.runtime, '@x/a', 'FILE', 'a.md');
  await name(desk.runtime, '@x/b', 'FILE', 'a.md');
});
afterAll(() => desk.close());

const critical = false;
const tool = (title: string, args: JsonObject = {}, more: JsonObject = {}) =>
  execute(`@TOOLS/${title}`, { args, ...more });
const statuses = ({ receipts }: Told) => receipts[0]?.receipt.actions.map(({ status }) => status);

async function send(ops: readonly JsonObject[], more: JsonObject = {}): Promise<Told> {
  const told = await desk.send([message(ops, more)]);
  const { checks } = await desk.runtime.ledger.check(await desk.runtime.ledger.export(told.run_id), { replay: true });
  expect(checks.map(({ id, status }) => [id, status])).toEqual([
    ['form', 'pass'],
    ['hashes', 'pass'],
    ['links', 'pass'],
    ['anchor', 'not_run'],
    ['decisions', 'pass'],
    ['replay', 'pass'],
  ]);
  return told;
}

describe('failures that fail a message although it calls the operation not critical', () => {
  const wide = { slice: 'head(4)', critical };
  const peek = (ref: string, slice: string) => tool('peeks', { ref, slice }, { critical });

  test.each([
    ['max_sections', 1, 'budget_sections', [read('@x/a', { slice: 'head(2)' }), read('@x/a', wide)]],
    ['max_bytes_expanded', 9, 'budget_bytes', [read('@x/a', { slice: 'head(2)' }), read('@x/a', wide)]],
    ['max_expands_per_step', 1, 'budget_expands', [read('@x/a', { slice: 'head(2)' }), read('@x/a', wide)]],
    ['max_sections', 1, 'budget_sections', [read('@x/a', { slice: 'head(2)' }), peek('@x/a', 'head(4)')]],
    ['max_bytes_expanded', 9, 'budget_bytes', [read('@x/a', { slice: 'head(2)' }), peek('@x/a', 'head(2)')]],
    ['max_expands_per_step', 1, 'budget_expands', [read('@x/a', { slice: 'head(2)' }), peek('@x/a', 'head(2)')]],
  ] as const)(
    'an operation that goes over %s of %i fails its message with %s, although it is not critical',
    async (budget, limit, code, ops) => {
      const behind = read('@x/a', { slice: 'head(1)' });
      const told = await send([...ops, behind], { budgets: { ...BUDGETS, [budget]: limit } });
      const { receipt, evidence } = told.receipts[0] ?? {};
      expect([receipt?.status, evidence?.reason?.code, receipt?.outputs]).toEqual(['FAILURE', code, {}]);
      expect(statuses(told)).toEqual(['SUCCESS', 'FAILURE']);
      expect(receipt?.expanded.length).toBe(1);
      const used = expect.any(Number);
      expect(told.replies[0]).toMatchObject({ details: { code, limit, breaches: [{ code, limit, used }] } });
    },
  );

  test.each([
    ['a READ out of bounds', read('@x/a', { slice: 'head(9)', critical }), 'slice_bounds'],
    ['an expansion out of bounds', peek('@x/a', 'head(9)'), 'slice_bounds'],
    ['an expansion of what is not there', peek('@x/none', 'head(1)'), 'power_failed'],
  ])('a message fails by %s, although the operation is not critical', async (_what, op, code) => {
    const told = await send([tool('gives'), op, tool('gives')]);
    const { receipt, evidence } = told.receipts[0] ?? {};
    expect([receipt?.status, evidence?.reason?.code]).toEqual(['FAILURE', code]);
    expect(statuses(told)).toEqual(['SUCCESS', 'FAILURE']);
  });

  test('an operation that goes over the expanded bytes of its run fails its message, although it is not critical', async () => {
    const told = await desk.send([message([tool('gives'), read('@x/a', { slice: 'head(4)', critical })])], {
      limits: { expandedBytes: 3 },
    });
    expect(told.receipts[0]).toMatchObject({
      receipt: { status: 'FAILURE' },
      evidence: { reason: { code: 'budget_run' } },
    });
  });
});

test('a message whose operations all failed is FAILURE, though each of them was not critical', async () => {
  const told = await send([tool('throws', {}, { critical }), tool('throws', { n: 1 }, { critical })]);
  const { receipt, evidence } = told.receipts[0] ?? {};
  expect([receipt?.status, evidence?.reason?.code]).toEqual(['FAILURE', 'capability_threw']);
  expect(statuses(told)).toEqual(['FAILURE', 'FAILURE']);
});

describe('values that a successful call has put', () => {
  const kept = async () => {
    const told = await desk.send([message([tool('keeps', {}, { output: 'o' })])]);
    return told.text(told.receipts[0]?.receipt.outputs['o']?.sha256 ?? '');
  };

  test('a put of a successful call is kept when a later operation fails that is not critical', async () => {
    const told = await send([tool('keeps', { value: 1 }), tool('throws', {}, { critical })]);
    expect(told.receipts[0]?.receipt.status).toBe('PARTIAL');
    expect(statuses(told)).toEqual(['SUCCESS', 'FAILURE']);
    expect(await kept()).toBe('1');
  });

  test('a put of a successful call is kept when a later operation fails its message; its action is SUCCESS in the receipt', async () => {
    const told = await send([tool('keeps', { value: 2 }), tool('throws')]);
    expect(told.receipts[0]?.receipt.status).toBe('FAILURE');
    expect(statuses(told)).toEqual(['SUCCESS', 'FAILURE']);
    expect(await kept()).toBe('2');
  });

  test('a put of a successful call is kept when a later operation goes over a budget', async () => {
    await send([tool('keeps', { value: 3 }), read('@x/a', { slice: 'head(9)' })]);
    expect(await kept()).toBe('3');
  });
});
