import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import { type CorpusState, openCorpus } from '../../../../web/playground/corpus/corpus.ts';
import type { Job } from '../../../../web/playground/corpus/job.ts';
import type { Source } from '../../../../web/playground/corpus/sources/source.ts';
import type { Runtime } from '../../../../workers/api.ts';
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
