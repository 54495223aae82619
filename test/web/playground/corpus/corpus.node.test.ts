import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import { openNoticeLine } from '../../../../web/playground/corpus/content-copy.ts';
import { type CorpusState, openCorpus, openTakeBack, SELECTIONS } from '../../../../web/playground/corpus/corpus.ts';
import type { Job } from '../../../../web/playground/corpus/job.ts';
import type { Source } from '../../../../web/playground/corpus/sources/source.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const PAPERS: Source = {
  name: 'papers',
  list: async () => ['a.md', 'b.md'].map((path) => ({ path, size: 4, read: async () => encodeText('# A\n') })),
};

let runtime: Runtime;
let corpus: CorpusState;
beforeEach(async () => {
  runtime = await openRuntime();
  corpus = openCorpus(runtime);
});
afterEach(() => runtime.close());

/** Loads the papers, and cancels when the job reaches `phase`. */
async function loadUntil(phase: Job['phase']): Promise<void> {
  const stop = corpus.job.subscribe((job) => {
    if (job?.phase === phase) corpus.cancel();
  });
  await corpus.load(PAPERS, true);
  stop();
}

test.each(['listing', 'indexing'] as const)(
  'a load that is cancelled while %s reports that no file was added',
  async (phase) => {
    await loadUntil(phase);
    expect(corpus.said.value?.text).toBe('Cancelled. Nothing was added.');
    expect((await runtime.content.overview()).files).toBe(0);
  },
);

test('a load that is cancelled while it is stored reports the files that it added', async () => {
  await loadUntil('storing');
  expect(corpus.said.value?.text).toBe('papers: 2 added, 0 changed, 0 unchanged.');
  expect(corpus.overview.value?.files).toBe(2);
  expect((await runtime.content.overview()).files).toBe(2);
});

test('papers that are added twice at the same time are stored once', async () => {
  const place = {
    symbol_id: '@A/PAPER',
    target_type: 'FILE',
    target_ref: 'a.md',
    default_slice_policy: 'head(7)',
  } as const;
  const papers = { files: { 'a.md': '# A\n' }, symbols: [place] };
  await corpus.addPapers({ ...papers, symbols: [] });
  await Promise.all([corpus.addPapers(papers), corpus.addPapers(papers)]);
  expect((await runtime.content.symbols()).map(({ symbol_id }) => symbol_id)).toEqual(['@A/PAPER']);
});

test('the file and the section that a person chooses stay while the content is read again', async () => {
  await corpus.load(PAPERS, true);
  const [section] = await runtime.content.sections('b.md');
  const chosen = section?.section_id ?? '';
  // each order of the two: the later call has the last word, and both speak of the same file
  await Promise.all([corpus.refresh(), corpus.show('b.md', chosen)]);
  expect(corpus.open.value?.path).toBe('b.md');
  expect(corpus.ref.value).toBe(chosen);
  await Promise.all([corpus.show('a.md'), corpus.show('b.md', chosen), corpus.refresh()]);
  expect(corpus.open.value?.path).toBe('b.md');
  expect(corpus.ref.value).toBe(chosen);
  await corpus.refresh();
  expect(corpus.ref.value).toBe(chosen);
  // the open file is gone, and with it its section
  await corpus.remove('b.md');
  expect(corpus.open.value?.path).toBe('a.md');
  expect(corpus.ref.value).toBe('a.md');
});

const PLACE = {
  symbol_id: '@A/PAPER',
  target_type: 'FILE',
  target_ref: 'a.md',
  default_slice_policy: 'head(7)',
} as const;

/** The content as it is compared: the index, the symbols and a text. */
async function state(): Promise<object> {
  const { content } = runtime;
  return { ...(await content.overview()), named: await content.symbols() };
}

const sourceOf = (texts: { readonly [path: string]: string }): Source => ({
  name: 'other papers',
  list: async () =>
    Object.entries(texts).map(([path, text]) => ({ path, size: text.length, read: async () => encodeText(text) })),
});

/** A file of symbols with a symbol that is not there. */
let exported = '';

test.each<[string, () => Promise<unknown>]>([
  ['a removed file', () => corpus.remove('a.md')],
  ['a forgotten symbol', () => corpus.undefine('@A/PAPER')],
  ['the symbols before a definition', () => corpus.define({ ...PLACE, symbol_id: '@A/OTHER' })],
  ['the symbols before an import', () => corpus.importSymbols(exported)],
  ['the files that an import replaced', () => corpus.load(sourceOf({ 'a.md': '# Other\r\n', 'c.md': 'new' }), true)],
])('undo brings back %s', async (_, change) => {
  await corpus.load(PAPERS, true);
  await corpus.define({ ...PLACE, symbol_id: '@A/THIRD' });
  exported = await runtime.content.exportSymbols();
  await corpus.undefine('@A/THIRD');
  await corpus.define(PLACE);
  const before = await state();
  await change();
  expect(await state()).not.toEqual(before);
  expect(corpus.said.value?.action?.kind).toBe('undo');
  await corpus.said.value?.action?.act();
  expect(corpus.said.value).toMatchObject({ tone: 'good' });
  expect(await state()).toEqual(before);
  expect(corpus.said.value?.action).toBeUndefined();
});

/** A folder as a person keeps it: one file is not text, one name is a stranger's, one is written as macOS writes it. */
const MIXED: Source = {
  name: 'notes',
  list: async () =>
    Object.entries({
      'a.md': [0x61],
      'deep/u\u0308ben.txt': [0x62],
      'utf16.md': [0xff, 0xfe, 0x61, 0x00],
      'a/../b.md': [0x62],
      'photo.png': [0x89],
    }).map(([path, bytes]) => ({ path, size: bytes.length, read: async () => Uint8Array.from(bytes) })),
};

test('a folder adds its Markdown and text, lists the files that cannot be added, and is undone at once', async () => {
  await corpus.load(sourceOf({ 'mine.md': 'mine' }), true);
  const before = await state();
  await corpus.load(MIXED);
  expect((await runtime.content.files()).map(({ path }) => path)).toEqual(['a.md', 'deep/\u00fcben.txt', 'mine.md']);
  const { text, left = [], action } = corpus.said.value ?? {};
  expect(text).toBe('notes: 2 added, 0 changed, 0 unchanged.');
  expect(left.map(({ path, why }) => `${path}: ${why()}`)).toEqual([
    'utf16.md: it is not UTF-8 text: byte 0 is invalid',
    'a/../b.md: its name is not taken: it climbs',
  ]);
  await action?.act();
  expect(await state()).toEqual(before);
});

test('a file above the limit is left out without being read', async () => {
  const read = () => Promise.reject(new Error('read'));
  await corpus.load({ name: 'big', list: async () => [{ path: 'big.md', size: (64 << 20) + 1, read }] });
  expect(corpus.said.value?.text).toBe('big: 0 added, 0 changed, 0 unchanged.');
  expect(corpus.said.value?.action).toBeUndefined();
  expect(corpus.said.value?.left.map(({ why }) => why())).toEqual([
    'it has 67,108,865 bytes, and the limit is 67,108,864 bytes',
  ]);
});

test('the sources of the contract are a choice, and where they select no file the page offers the notes', async () => {
  corpus.globs.value = SELECTIONS.contract;
  await corpus.load(MIXED);
  expect(corpus.overview.value?.files ?? 0).toBe(0);
  expect(corpus.said.value).toMatchObject({ tone: 'wait', action: { kind: 'notes' } });
  expect(corpus.said.value?.text).toBe('No file of notes matches the patterns, but 4 are Markdown or text.');
  await corpus.said.value?.action?.act();
  expect(corpus.globs.value).toBe(SELECTIONS.notes);
  expect(corpus.overview.value?.files).toBe(2);
});

const BUDGETS = { max_symbols: 1, max_sections: 1, max_bytes_expanded: 1, max_expands_per_step: 1 };

/** A run that rewrites the section `@A/HEAD` of a file, whose other sections move and, where two are equal, get lost. */
async function written(): Promise<string> {
  const { content, grants } = runtime;
  await content.add([{ path: 'n.md', bytes: encodeText('# A\none\n## B\ntwo\n## B\ntwo\n# C\nthree\n') }]);
  const sections = await content.sections('n.md');
  for (const [nth, { section_id }] of sections.entries())
    await content.define({ ...PLACE, symbol_id: `@A/S${nth}`, target_type: 'SECTION', target_ref: section_id });
  await grants.grant({ capability: 'content.write', mode: 'allow' });
  const params = { content: '# A\nmore\nlines\n', expected_hash: sections[0]?.content_hash ?? '' };
  const ops = [{ type: 'WRITE', target: '@A/S0', params }];
  const model = fromScript([
    { intent: 'write', refs: ['@A/S0'], ops, budgets: BUDGETS, required_outputs: [] },
    { intent: 'done', refs: [], ops: [], budgets: BUDGETS, required_outputs: [] },
  ]);
  const run = runtime.start({ dialect: 'catalytic', task: 'Write.', model });
  await run.result;
  expect(await content.text('n.md')).toContain('more');
  return run.id;
}

test('undo brings back the changes of a run that were taken back, with the symbols that they moved', async () => {
  const run_id = await written();
  const { content } = runtime;
  const reads = async () => Promise.all(['@A/S0', '@A/S1', '@A/S3'].map((each) => content.expand(each, 'head(9)')));
  const before = [(await content.overview()).index_hash, await reads()];
  await corpus.takeBack({ run_id, step: 1, paths: ['n.md'] });
  expect(await content.text('n.md')).toContain('one');
  expect(corpus.said.value).toMatchObject({ text: 'The changes of step 1 were taken back.', action: { kind: 'undo' } });
  await corpus.said.value?.action?.act();
  expect(corpus.said.value).toMatchObject({ tone: 'good', text: 'The changes of step 1 are back.' });
  expect([(await content.overview()).index_hash, await reads()]).toEqual(before);
  // the same changes can be taken back again
  await corpus.takeBack({ run_id, step: 1, paths: ['n.md'] });
  expect(await content.text('n.md')).toContain('one');
});

test('changes of more text than the page keeps are taken back after a question', async () => {
  const taken: number[] = [];
  const notice = openNoticeLine();
  const content = {
    files: async () => [{ path: 'n.md', bytes: 33 << 20 }],
    symbols: async () => [],
    undo: async (_: string, step: number) => void taken.push(step),
  };
  const takeBack = openTakeBack(content as never, { read: async () => {} }, notice);
  await takeBack({ run_id: 'r', step: 7, paths: ['n.md'] });
  expect([taken, notice.said.value?.action?.kind]).toEqual([[], 'takeBack']);
  await notice.said.value?.action?.act();
  expect([taken, notice.said.value?.action]).toEqual([[7], undefined]);
});

test('files that replace more text than the page keeps are added after a question', async () => {
  const { content } = runtime;
  const large = async () => (await content.files()).map((each) => ({ ...each, bytes: 33 << 20 }));
  corpus = openCorpus({ ...runtime, content: { ...content, files: large } });
  await corpus.load(sourceOf({ 'large.md': 'large' }), true);
  const before = await state();
  await corpus.load(sourceOf({ 'large.md': 'small' }), true);
  expect(corpus.said.value?.action?.kind).toBe('replace');
  expect(await state()).toEqual(before);
  await corpus.said.value?.action?.act();
  expect(corpus.said.value?.text).toBe('other papers: 0 added, 1 changed, 0 unchanged.');
});
