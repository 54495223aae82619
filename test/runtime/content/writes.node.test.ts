import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contentHash } from '../../../core/index.ts';
import type { ApprovalAnswer } from '../../../workers/api.ts';
import { deferred } from '../../../workers/async.ts';
import { fromScript } from '../../../workers/node.ts';
import { type Desk, movedBy, openDesk } from './desk.ts';
import { execute, message, name, OPERATIONS, put, read, write } from './messages.ts';

const TEXT = '# A\none\n## B\ntwo\n## B\ntwo\n# C\nthree\n';
const A = '# A\none\n';
const C = '# C\nthree\n';
const hash = contentHash;

let desk: Desk;
let answer: ApprovalAnswer;
let asked: string[];
let meanwhile: () => Promise<void>;
const ASKED = {
  name: 'note.ask',
  version: '1.0.0',
  description: 'Asked about.',
  effect: 'pure',
  args: { type: 'object' },
  source: 'export default () => 1;',
} as const;

beforeAll(async () => {
  desk = await openDesk([...OPERATIONS, { capability: 'note.ask', mode: 'ask' }], [ASKED], async ({ args }) => {
    asked.push(args);
    await meanwhile();
    return answer;
  });
});
beforeEach(async () => {
  [answer, asked, meanwhile] = [{ approved: true }, [], async () => undefined];
  const { runtime } = desk;
  await put(runtime, { 'a.md': TEXT });
  const ids = (await runtime.content.sections('a.md')).map((section) => section.section_id);
  for (const [index, symbol] of ['@x/a', '@x/b1', '@x/b2', '@x/c'].entries())
    await name(runtime, symbol, 'SECTION', ids[index] ?? '');
  await name(runtime, '@x/file', 'FILE', 'a.md');
});
afterAll(() => desk.close());

async function resolves(symbol: string): Promise<string> {
  const got = await desk.runtime.content.expand(symbol, 'tail(1)');
  return got.ok ? got.value.text : got.refusal.code;
}

describe('a write', () => {
  test('a write moves its symbol and the symbols of moved sections; symbols of equal sections are gone', async () => {
    const ops = [write('@x/a', { content: '# A\nmore\nlines\n', expected_hash: hash(A) })];
    const told = await desk.send([message(ops)]);
    expect(told.receipts[0]?.receipt.status).toBe('SUCCESS');
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT.replace('one\n', 'more\nlines\n'));
    expect(await Promise.all(['@x/a', '@x/b1', '@x/b2', '@x/c', '@x/file'].map(resolves))).toEqual([
      'lines\n',
      'target_gone',
      'target_gone',
      'three\n',
      'three\n',
    ]);
    const [change] = told.bodies('content');
    expect(movedBy(change).map(({ symbol_id, to }) => [symbol_id, to !== undefined])).toEqual([
      ['@x/a', true],
      ['@x/b1', false],
      ['@x/b2', false],
      ['@x/c', true],
    ]);
    expect(await desk.runtime.content.rebuild()).toMatchObject({ same: true });
  });

  test('a write is recorded before its receipt with both texts, so that it can be taken back', async () => {
    const ops = [write('@x/file', { content: 'new\n', expected_hash: hash(TEXT) })];
    const told = await desk.send([message(ops)]);
    const [change] = told.bodies('content');
    expect(told.kinds.indexOf('content')).toBeLessThan(told.kinds.indexOf('receipt'));
    expect(await told.text(change?.before.sha256 ?? '')).toBe(TEXT);
    expect(await told.text(change?.after.sha256 ?? '')).toBe('new\n');
    const back = write('@x/file', { content: TEXT, expected_hash: change?.after.sha256 ?? '' });
    expect((await desk.send([message([back])])).receipts[0]?.receipt.status).toBe('SUCCESS');
    // A symbol that has lost its section is defined anew, or comes back when the write itself is undone.
    expect(await resolves('@x/b1')).toBe('target_gone');
    expect(await desk.runtime.ledger.verify(told.run_id)).toMatchObject({ ok: true });
  });

  test('a write is seen by later operations of its message, and by other readers only after the message has succeeded', async () => {
    const ops = [
      write('@x/a', { content: '# A\nnew\nnewer\n', expected_hash: hash(A) }),
      write('@x/c', { content: '# C\n', expected_hash: hash(C) }),
      read('@x/a', { slice: 'tail(1)' }),
      read('@x/c', { slice: 'head(1)' }),
    ];
    const told = await desk.send([message(ops)]);
    expect(told.replies[0]).toMatchObject({ result: { operations: [{}, {}, { text: 'newer\n' }, { text: '# C\n' }] } });
    expect(told.bodies('content').length).toBe(1);
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT.replace('one\n', 'new\nnewer\n').replace('three\n', ''));
  });

  test('a write of empty text removes the section', async () => {
    await desk.send([message([write('@x/c', { content: '', expected_hash: hash(C) })])]);
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT.replace(C, ''));
    expect(await resolves('@x/c')).toBe('target_gone');
  });

  test('a write ends its lines with a line feed, like all content', async () => {
    await desk.send([message([write('@x/file', { content: 'a\r\nb\r', expected_hash: hash(TEXT) })])]);
    expect(await desk.runtime.content.text('a.md')).toBe('a\nb\n');
  });

  test('a permitted write is refused when the content changed in the meantime', async () => {
    const changed = TEXT.replace('three', 'four');
    meanwhile = () => put(desk.runtime, { 'a.md': changed });
    const change = write('@x/c', { content: '# C\n4\n', expected_hash: hash(C) });
    const told = await desk.send([message([change, execute('@TOOLS/note.ask', { args: {} })])]);
    expect(told.receipts[0]?.evidence.reason?.code).toBe('content_changed');
    expect(await desk.runtime.content.text('a.md')).toBe(changed);
  });
});

describe('the undo of a step that wrote', () => {
  const change = () => write('@x/a', { content: '# A\nmore\nlines\n', expected_hash: hash(A) });
  const log = async () =>
    (await desk.runtime.ledger.records('system')).flatMap(({ body }) => ('event' in body ? [body] : []));

  test('an undo of a step restores text and symbols, and the system log records it', async () => {
    const { content } = desk.runtime;
    const before = await content.overview();
    const told = await desk.send([message([change()])]);
    expect(await resolves('@x/b1')).toBe('target_gone');
    const undone = await content.undo(told.run_id, 1);
    expect(undone).toEqual({ ...before, added: 0, changed: 1, unchanged: 0, removed: 0 });
    expect(await content.text('a.md')).toBe(TEXT);
    expect(await Promise.all(['@x/a', '@x/b1', '@x/b2', '@x/c'].map(resolves))).toEqual([
      'one\n',
      'two\n',
      'two\n',
      'three\n',
    ]);
    const after = told.bodies('content')[0]?.after;
    const files = [{ path: 'a.md', before: hash(TEXT), after: after?.sha256 }];
    expect((await log()).at(-1)).toEqual({ event: 'undone', run: told.run_id, step: 1, files });
    expect(await content.rebuild()).toMatchObject({ same: true });
    expect((await desk.runtime.ledger.fsck()).ok).toBe(true);
  });

  test('an undo is refused when the content changed since, and when it is repeated', async () => {
    const { content } = desk.runtime;
    const told = await desk.send([message([change()])]);
    const written = await content.text('a.md');
    const records = (await log()).length;
    await put(desk.runtime, { 'a.md': `${written}more\n` });
    await expect(content.undo(told.run_id, 1)).rejects.toMatchObject({
      code: 'content_changed',
      details: { path: 'a.md' },
    });
    expect(await content.text('a.md')).toBe(`${written}more\n`);
    await put(desk.runtime, { 'a.md': written });
    await expect(content.undo(told.run_id, 2)).rejects.toMatchObject({ code: 'content_unwritten' });
    await expect(content.undo(crypto.randomUUID(), 1)).rejects.toMatchObject({ code: 'run_absent' });
    expect((await log()).length).toBe(records);
    await content.undo(told.run_id, 1);
    await expect(content.undo(told.run_id, 1)).rejects.toMatchObject({ code: 'content_changed' });
  });
});

test('a write that was ready is refused when another write is committed before it, and a replay agrees', async () => {
  const { runtime } = desk;
  const [ready, waits] = [deferred<void>(), deferred<void>()];
  const changed = TEXT.replace('three', 'four');
  const other = runtime.content.add(
    (async function* () {
      ready.resolve();
      await waits.promise;
      yield { path: 'a.md', bytes: new TextEncoder().encode(changed) };
    })(),
  );
  await ready.promise;
  const change = write('@x/c', { content: '# C\n4\n', expected_hash: hash(C) });
  const model = fromScript([message([change]), message([])]);
  const run = runtime.start({ dialect: 'catalytic', task: 'Write.', model });
  await expect.poll(() => run.view.phase === 'MEMORY_COMMITTING' && run.view.steps === 1).toBe(true);
  waits.resolve();
  await other;
  await run.result;
  const receipts = (await runtime.ledger.records(run.id)).filter(({ kind }) => kind === 'receipt');
  expect(receipts.length).toBe(2);
  expect(receipts[0]?.body).toMatchObject({
    receipt: { status: 'FAILURE', expanded: [], actions: [{ status: 'FAILURE' }], outputs: {} },
    evidence: { reason: { code: 'content_changed', step: 'record' } },
  });
  const told = (await runtime.ledger.records(run.id)).find(({ kind }) => kind === 'observation');
  const reply =
    told?.kind === 'observation' ? await runtime.ledger.payload(run.id, told.body.payload.sha256) : undefined;
  expect(JSON.parse(new TextDecoder().decode(reply))).toMatchObject({ details: { path: 'a.md', expected: hash(C) } });
  expect(await runtime.content.text('a.md')).toBe(changed);
  const { checks } = await runtime.ledger.verify(run.id);
  expect(
    checks.filter(({ id, status, skipped }) => status === 'fail' || (id !== 'anchor' && skipped !== undefined)),
  ).toEqual([]);
});

describe('a person', () => {
  test('a person is asked about a single operation of a message, before any operation runs', async () => {
    const ops = [
      read('@x/a'),
      execute('@TOOLS/note.ask', { args: { n: 1 } }),
      execute('@TOOLS/note.ask', { args: { n: 1 } }),
    ];
    const told = await desk.send([message(ops)]);
    expect(asked).toEqual(['{"n":1}', '{"n":1}']);
    expect(told.receipts[0]?.receipt.actions.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
    const digests = told.bodies('approval').flatMap((body) => (body.event === 'asked' ? [body.digest] : []));
    expect(new Set(digests).size).toBe(2);
  });

  test('a denial of one operation refuses the whole message', async () => {
    answer = { approved: false, reason: 'not now' };
    const ops = [write('@x/a', { content: '', expected_hash: hash(A) }), execute('@TOOLS/note.ask', { args: {} })];
    const told = await desk.send([message(ops)]);
    expect(told.receipts[0]).toMatchObject({
      receipt: { status: 'FAILURE', actions: [] },
      evidence: { reason: { code: 'approval_denied' } },
    });
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT);
  });

  test('an approval is of one text: a text of the same length for the same place is a new question', async () => {
    const shown: unknown[] = [];
    const own = await openDesk([{ capability: 'content.write', mode: 'ask' }], [], async ({ args }) => {
      shown.push((JSON.parse(args) as { content: string }).content);
      return { approved: true, standing: { args: 'exact' } };
    });
    await put(own.runtime, { 'a.md': 'now\n' });
    await name(own.runtime, '@x/a', 'FILE', 'a.md');
    const change = (content: string, expected: string) => write('@x/a', { content, expected_hash: hash(expected) });
    // The second operation fails, so that no text is written and the first can be proposed again.
    const taken = (content: string) => message([change(content, 'now\n'), change('', 'other\n')]);
    await own.send([taken('abc\r\n'), taken('xyz\n'), taken('abc\n')]);
    expect(shown).toEqual(['abc\n', '', 'xyz\n']);
    expect(await own.runtime.content.text('a.md')).toBe('now\n');
    await own.close();
  });

  test('a grant constrains reads and writes of a message by path, slice, hash and size', async () => {
    const own = await openDesk([
      { capability: 'content.read', mode: 'allow', where: { properties: { path: { pattern: '^notes/' } } } },
      { capability: 'content.write', mode: 'allow', where: { properties: { bytes: { maximum: 4 } } } },
    ]);
    await put(own.runtime, { 'notes/a.md': 'abc\n', 'b.md': 'abc\n' });
    await name(own.runtime, '@x/a', 'FILE', 'notes/a.md', 'head(1)');
    await name(own.runtime, '@x/b', 'FILE', 'b.md', 'head(1)');
    const short = { content: 'abd\n', expected_hash: hash('abc\n') };
    const told = await own.send([
      message([read('@x/a')]),
      message([read('@x/b')]),
      message([write('@x/b', { ...short, content: 'longer\n' })]),
      message([write('@x/b', short)]),
    ]);
    const codes = told.receipts.map(({ evidence }) => evidence.reason?.code);
    expect(codes).toEqual([undefined, 'grant_constraint', 'grant_constraint', undefined, undefined]);
    await own.close();
  });
});

test('a write after a READ of its run becomes a question for a person', async () => {
  const { openRuntime, fromScript } = await import('../../../workers/node.ts');
  const questions: string[] = [];
  const runtime = await openRuntime({
    grants: OPERATIONS,
    approve: async ({ capability, reason }) => {
      questions.push(`${capability}: ${reason}`);
      return { approved: false, reason: '' };
    },
  });
  await put(runtime, { 'a.md': TEXT });
  await name(runtime, '@x/file', 'FILE', 'a.md');
  const change = write('@x/file', { content: 'x', expected_hash: hash(TEXT) });
  const model = fromScript([message([read('@x/file')]), message([change]), message([])]);
  const run = runtime.start({ dialect: 'catalytic', task: 'Change it.', model });
  await run.result;
  expect(questions).toEqual([expect.stringMatching(/^content\.write: .*outside/)]);
  expect(await runtime.content.text('a.md')).toBe(TEXT);
  await runtime.close();
});
