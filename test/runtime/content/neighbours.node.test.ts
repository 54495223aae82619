import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contentHash } from '../../../core/index.ts';
import { type Desk, movedBy, openDesk } from './desk.ts';
import { message, name, put, read, write } from './messages.ts';

const MINE = '# Mine\naaaa\n';
const SALARIES = '# Salaries\nAnn 1, Bob 2\n';
const where = { properties: { target: { const: '@N/mine' } } };
const hash = contentHash;

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk([
    { capability: 'content.read', mode: 'allow', where },
    { capability: 'content.write', mode: 'allow', where },
  ]);
});
beforeEach(async () => {
  await put(desk.runtime, { 'a.md': MINE + SALARIES });
  await name(desk.runtime, '@N/mine', 'SECTION', 'a.md#["Mine"]');
  await name(desk.runtime, '@N/salaries', 'SECTION', 'a.md#["Salaries"]');
});
afterAll(() => desk.close());

const change = (content: string, expected_hash = hash(MINE)) => write('@N/mine', { content, expected_hash });
const codes = ({ receipts }: Awaited<ReturnType<Desk['send']>>) =>
  receipts.map(({ evidence }) => evidence.reason?.code);

async function whole(run_id: string): Promise<void> {
  const { checks } = await desk.runtime.ledger.verify(run_id);
  expect(
    checks.filter(({ id, status, skipped }) => status === 'fail' || (id !== 'anchor' && skipped !== undefined)),
  ).toEqual([]);
}

describe('a grant for one section', () => {
  test('a grant for one section does not reach the next section after a WRITE deletes the first', async () => {
    const told = await desk.send([
      message([read('@N/salaries')]),
      message([change('')]),
      message([read('@N/mine')]),
      message([change('# Salaries\nmine\n', hash(SALARIES))]),
    ]);
    expect(codes(told).slice(0, 4)).toEqual(['grant_constraint', undefined, 'target_gone', 'target_gone']);
    expect(await desk.runtime.content.text('a.md')).toBe(SALARIES);
    expect(JSON.stringify(told.replies)).not.toContain('Ann');
    expect(movedBy(told.bodies('content')[0]).map(({ symbol_id, to }) => [symbol_id, to !== undefined])).toEqual([
      ['@N/mine', false],
      ['@N/salaries', true],
    ]);
    expect((await desk.runtime.content.expand('@N/salaries', 'head(1)')).ok).toBe(true);
    await whole(told.run_id);
    await desk.runtime.content.undo(told.run_id, 2);
    expect(await desk.runtime.content.expand('@N/mine', 'tail(1)')).toMatchObject({ value: { text: 'aaaa\n' } });
  });

  test('a READ behind the WRITE that deletes its section delivers no text', async () => {
    const told = await desk.send([message([change(''), read('@N/mine')])]);
    expect(codes(told)[0]).toBe('target_gone');
    expect(await desk.runtime.content.text('a.md')).toBe(MINE + SALARIES);
    expect(JSON.stringify(told.replies)).not.toContain('Ann');
  });

  test.each(['# Mine\n```\n', '# Mine\n<!--\n', '# Mine\n<script>\n'])(
    'a WRITE that would take in the section behind it is refused: %j',
    async (content) => {
      const told = await desk.send([message([change(content)]), message([read('@N/mine', { slice: 'lines[0:2]' })])]);
      expect(codes(told).slice(0, 2)).toEqual(['content_neighbour', undefined]);
      expect(told.replies[0]).toMatchObject({ details: { path: 'a.md', neighbour: 'behind' } });
      expect(await desk.runtime.content.text('a.md')).toBe(MINE + SALARIES);
      await whole(told.run_id);
    },
  );

  test('a message writes twice through its symbol, and reads the text that it wrote', async () => {
    const [first, second] = ['# Mine\nb\n# More\nc\n', '# Mine\nd\n'];
    const told = await desk.send([message([change(first), change(second, hash('# Mine\nb\n')), read('@N/mine')])]);
    expect(codes(told)[0]).toBeUndefined();
    expect(await desk.runtime.content.text('a.md')).toBe(`${second}# More\nc\n${SALARIES}`);
    await whole(told.run_id);
  });
});

describe('a WRITE against another hash than that of the content', () => {
  test('a WRITE against a wrong hash tells the hash that it named, never the stored hash, and counts as reading', async () => {
    const told = await desk.send([message([change('', '0'.repeat(64))])]);
    expect(told.replies[0]).toMatchObject({ details: { path: 'a.md', expected: '0'.repeat(64) } });
    const shown = JSON.stringify([told.replies[0], told.events]);
    for (const text of [MINE, MINE + SALARIES]) expect(shown).not.toContain(hash(text));
    expect(told.receipts[0]?.evidence.labels).toEqual(['private', 'untrusted']);
  });
});

test('a symbol whose section is gone does not stand for a twin section that moves to its lines', async () => {
  const TWIN = '# B\ntwo\n';
  await put(desk.runtime, { 'a.md': `${MINE}${TWIN}# C\nc\n${TWIN}` });
  const ids = (await desk.runtime.content.sections('a.md')).map(({ section_id }) => section_id);
  await name(desk.runtime, '@N/mine', 'SECTION', ids[0] ?? '');
  await name(desk.runtime, '@N/twin', 'SECTION', ids[3] ?? '');
  await put(desk.runtime, { 'a.md': `${MINE}${TWIN}` });
  const told = await desk.send([message([change('# Mine\n1\n2\n3\n4\n5\n')])]);
  expect(codes(told)[0]).toBeUndefined();
  expect(await desk.runtime.content.expand('@N/twin', 'head(1)')).toMatchObject({ refusal: { code: 'target_gone' } });
});
