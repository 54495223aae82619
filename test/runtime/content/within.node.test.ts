import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contentHash, type JsonObject } from '../../../core/index.ts';
import { definePower } from '../../../workers/node.ts';
import { type Desk, openDesk, type Told } from './desk.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read, write } from './messages.ts';

const [A, B, C] = ['# A\naaaa\n', '# B\nbbbb\n', '# C\ncccc\n'] as const;
const NEW = '# B\nfresh words\n';

const call = (title: string, powers: readonly string[], source: string) => ({
  name: title,
  version: '1.0.0',
  description: 'For these tests.',
  effect: 'write' as const,
  labels: [],
  args: { type: 'object' },
  powers: [...powers],
  source,
});
const CAPABILITIES = [
  call(
    'reader',
    ['sections.expand', 'page.wait'],
    `export default async ({ ref, slice, waits }, { sections, page }) => {
      if (ref === undefined) return page.wait('now');
      const before = waits ? await sections.expand(ref, slice) : undefined;
      if (waits) await page.wait('now');
      return [before, await sections.expand(ref, slice)];
    };`,
  ),
  call('finder', ['sections.search'], 'export default ({ query }, { sections }) => sections.search(query, 5);'),
  call(
    'keeper',
    ['store.put', 'store.get'],
    `export default async ({ value }, { store }) => {
      const before = await store.get('key');
      if (value !== undefined) await store.put('key', value);
      return before;
    };`,
  ),
];

let desk: Desk;
let meanwhile: () => Promise<void>;
beforeAll(async () => {
  const grants = CAPABILITIES.map((each) => ({ capability: each.name, mode: 'allow' as const }));
  const wait = definePower({
    name: 'page.wait',
    version: '1.0.0',
    description: 'Waits for a person.',
    effect: 'read',
    labels: [],
    args: { type: 'string' },
    run: async () => meanwhile().then(() => null),
  });
  // A call is parked while a person is asked about its power.
  const asked = [{ power: 'page.wait', mode: 'ask' as const }];
  desk = await openDesk([...OPERATIONS, ...grants, ...asked], CAPABILITIES, () => ({ approved: true }), [wait]);
});
beforeEach(async () => {
  meanwhile = async () => undefined;
  const { runtime } = desk;
  await put(runtime, { 'a.md': A + B + C, 'b.md': '# Other\nbbbb\n' });
  const ids = (await runtime.content.sections('a.md')).map((section) => section.section_id);
  for (const [index, symbol] of ['@x/a', '@x/b', '@x/c'].entries())
    await name(runtime, symbol, 'SECTION', ids[index] ?? '');
  await name(runtime, '@x/file', 'FILE', 'a.md');
});
afterAll(() => desk.close());

const write_b = write('@x/b', { content: NEW, expected_hash: contentHash(B) });
const reader = (args: JsonObject, more: JsonObject = {}) => execute('@TOOLS/reader', { args, ...more });
const slice = 'lines[1:2]';

async function send(ops: readonly JsonObject[], more: JsonObject = {}): Promise<Told> {
  const told = await desk.send([message(ops, more)]);
  const { checks } = await desk.runtime.ledger.check(await desk.runtime.ledger.export(told.run_id), { replay: true });
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(checks.find(({ id }) => id === 'replay')).toMatchObject({ status: 'pass' });
  return told;
}
const hashes = ({ receipts }: Told) => receipts[0]?.receipt.expanded.map(({ content_hash }) => content_hash);
const codeOf = ({ receipts }: Told) => receipts[0]?.evidence.reason?.code;

describe('operations see the content that their message has written before', () => {
  test('a capability expands the text that a READ gives, and both touch one section', async () => {
    const ops = [write_b, read('@x/b', { slice }), reader({ ref: '@x/b', slice })];
    const told = await send(ops, { budgets: { ...BUDGETS, max_sections: 1 } });
    expect(told.receipts[0]?.receipt.status).toBe('SUCCESS');
    const fresh = contentHash('fresh words\n');
    expect(hashes(told)).toEqual([fresh, fresh]);
    expect(told.receipts[0]?.evidence.spent?.sections).toBe(1);
    expect(told.replies[0]).toMatchObject({
      result: { operations: [{}, { text: 'fresh words\n' }, { result: [null, 'fresh words\n'] }] },
    });
  });

  test('a capability that was parked expands the text that its message wrote before', async () => {
    const told = await send([write_b, reader({ ref: '@x/b', slice, waits: true })]);
    const fresh = contentHash('fresh words\n');
    expect([told.receipts[0]?.receipt.status, hashes(told)]).toEqual(['SUCCESS', [fresh, fresh]]);
    expect(told.kinds).toContain('parked');
  });

  test('a capability reads the written text by its symbol and in the whole file, not by the old id of its section', async () => {
    const [, b] = await desk.runtime.content.sections('a.md');
    const written = await desk.send([message([write_b, reader({ ref: b?.section_id ?? '', slice })])]);
    expect(codeOf(written)).toBe('section_unknown');
    const told = await send([write_b, reader({ ref: '@x/file', slice: 'lines[3:4]' })]);
    expect(hashes(told)).toEqual([contentHash('fresh words\n')]);
  });

  test('a write leaves other sections as they were, and a symbol moves with its section', async () => {
    const longer = write('@x/a', { content: '# A\none\ntwo\n', expected_hash: contentHash(A) });
    const told = await send(
      [read('@x/c', { slice }), longer, read('@x/c', { slice }), reader({ ref: '@x/c', slice })],
      {
        budgets: { ...BUDGETS, max_sections: 1 },
      },
    );
    const c = contentHash('cccc\n');
    expect([told.receipts[0]?.receipt.status, hashes(told)]).toEqual(['SUCCESS', [c, c, c]]);
  });

  test('a search behind a write finds the new text and not the old text', async () => {
    const search = (query: string) => execute('@TOOLS/finder', { args: { query }, output: query });
    const told = await send([write_b, search('fresh'), search('bbbb')]);
    const { outputs = {}, status } = told.receipts[0]?.receipt ?? {};
    expect(status).toBe('SUCCESS');
    const found = async (query: string) => JSON.parse(await told.text(outputs[query]?.sha256 ?? '')) as JsonObject;
    expect(await found('fresh')).toMatchObject({
      sections: [{ path: 'a.md', symbols: ['@x/b', '@x/file'] }],
      matches: 1,
    });
    expect(await found('bbbb')).toMatchObject({ sections: [{ path: 'b.md' }], matches: 1 });
  });

  test('a capability gets the value that an earlier operation of its message put', async () => {
    const keeper = (value: unknown, output: string) =>
      execute('@TOOLS/keeper', { args: value === undefined ? {} : { value: value as string }, output });
    const told = await send([keeper('one', 'a'), keeper(null, 'b'), keeper(undefined, 'c')]);
    const { outputs = {} } = told.receipts[0]?.receipt ?? {};
    const texts = ['a', 'b', 'c'].map((each) => told.text(outputs[each]?.sha256 ?? ''));
    expect(await Promise.all(texts)).toEqual(['null', '"one"', 'null']);
  });
});

describe('a receipt holds one content for one slice', () => {
  const change = () => put(desk.runtime, { 'a.md': A + B.replace('bbbb', 'changed') + C });

  const again = { ref: '@x/file', slice: 'lines[3:4]' };

  test.each([
    ['between two operations', [read('@x/file', { slice: 'lines[3:4]' }), reader({}), reader(again)]],
    ['in the middle of one call', [reader({ ...again, waits: true })]],
  ])('a message fails when its file changes %s: one slice has one content in a receipt', async (_where, ops) => {
    meanwhile = change;
    const told = await send(ops);
    expect([told.receipts[0]?.receipt.status, codeOf(told)]).toEqual(['FAILURE', 'content_changed']);
    expect(hashes(told)).toEqual([contentHash('bbbb\n')]);
  });
});
