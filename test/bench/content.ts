import { scanHeadings } from '../../core/content/markdown/headings.ts';
import type { Section } from '../../core/content/section.ts';
import { sha256, sha256Texts } from '../../core/hash.ts';
import type { Content, ContentOverview, ContentSource } from '../../workers/api.ts';
import { contentClient } from '../../workers/client/client.ts';
import { openContentRepository } from '../../workers/kernel/content/repository.ts';
import { makeSearch, sectionTexts } from '../../workers/kernel/content/search.ts';
import { makeContentService } from '../../workers/kernel/content/service.ts';
import { openDatabaseStore } from '../../workers/store/page/database-store.ts';
import { openPageStore } from '../../workers/store/page/store.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import type { TableWrite } from '../../workers/store/tables.ts';
import { markdownCorpus, markdownFiles } from './corpus.ts';
import { must } from './must.ts';
import { calls, race, type Side } from './race.ts';
import type { LARGE } from './sections.ts';
import { type Row, rowsOf } from './table.ts';

const BYTES = 20 << 20;
/** 15,000 sections in a second. */
const SECTION_US = 1e6 / 15_000;

/** A corpus of 20 MB: scanned, indexed into a database on disk, indexed again, and read by slices. */
export async function content(rounds: number): Promise<Row[]> {
  const files = markdownCorpus(BYTES);
  const home = await openHome();
  await home.content.add(files);
  const sections = await home.content.sections();
  const rows = [
    ...(await scanning(files)),
    ...(await indexing(files, home, sections, rounds)),
    ...(await expanding(home, sections)),
  ];
  await home.store.close();
  return rows;
}

/**
 * A corpus of 100 MB in 50,000 files, requested by name. The rows give the cost of a section, the making of the files
 * included, and the longest wait of other work on the worker, during the indexing and at a second opening.
 */
export async function largeContent(part: (typeof LARGE)[number]): Promise<Row[]> {
  const { made, ms, longestMs } = await watched('bench-content-large', USES[part]);
  const wait = once(`${part}: the longest wait of another`, longestMs * 1000, 'a tenth of a second', 100_000);
  // The goals are those of the indexing itself.
  if (part !== 'large: added') return [wait];
  const what = `cold index, ${made.files} files of 100 MB, each section`;
  const pace = once(what, (ms * 1000) / made.sections, '15,000 sections/s', SECTION_US);
  return [
    { ...pace, goal: { ratio: 1 } },
    { ...wait, goal: { us: 100_000 } },
  ];
}

const largeFiles = () => markdownFiles(100 << 20, 2_000);

const USES: Readonly<Record<(typeof LARGE)[number], (content: Content) => Promise<ContentOverview>>> = {
  'large: added': (content) => content.add(largeFiles()),
  'large: unchanged': (content) => content.add(largeFiles()),
  'large: opened': (content) => content.overview(),
  'large: rebuilt': async (content) => ({ ...(await content.overview()), ...(await content.rebuild()) }),
};

/** The duration of one use of the content, and the longest time in which other work did not get the thread. */
async function watched<T>(name: string, use: (content: Content) => Promise<T>) {
  // With its private files, as in a page.
  const store = must(await openPageStore(name));
  let [longestMs, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 1);
  const start = performance.now();
  const made = await use(contentOver(store));
  const ms = performance.now() - start;
  clearInterval(timer);
  await store.close();
  return { made, ms, longestMs };
}

/** The row of a value that was measured a single time. */
function once(what: string, ours: number, against: string, theirs: number): Row {
  const timed = (us: number): Row['ours'] => ({ best: us, median: us });
  return { what, against, ours: timed(ours), theirs: timed(theirs), ratio: timed(ours / theirs) };
}

interface Home {
  readonly store: LedgerStore;
  readonly content: Content;
}

async function openHome(): Promise<Home> {
  const store = must(await openDatabaseStore(`bench-content-${crypto.randomUUID()}`));
  return { store, content: contentOver(store) };
}

function contentOver(store: LedgerStore): Content {
  const repository = openContentRepository(store);
  const search = makeSearch(store, () => repository.corpus);
  return contentClient(makeContentService(store, repository, search, () => false));
}

async function scanning(files: readonly ContentSource[]): Promise<Row[]> {
  const texts = files.slice(0, 400).map(({ bytes }) => new TextDecoder().decode(bytes));
  const sides = [
    calls('scanHeadings', () => texts.map((text) => scanHeadings(text).length)),
    calls("split('\\n')", () => texts.map((text) => text.split('\n').length)),
  ];
  return rowsOf('heading scan, 1.8 MB', await race(sides, 9), { ratio: 4 });
}

async function indexing(
  files: readonly ContentSource[],
  home: Home,
  sections: readonly Section[],
  rounds: number,
): Promise<Row[]> {
  const floor = await floorOf(files, home);
  const cold: Side = {
    name: 'content.add',
    async sample() {
      const { store, content: empty } = await openHome();
      const start = performance.now();
      const change = await empty.add(files);
      const spent = performance.now() - start;
      if (change.added !== files.length || change.sections !== sections.length) throw new Error('not all was added');
      await store.close();
      return (spent * 1000) / sections.length;
    },
  };
  const again: Side = {
    name: 'content.add, nothing changed',
    async sample() {
      const start = performance.now();
      const change = await home.content.add(files);
      const spent = performance.now() - start;
      if (change.unchanged !== files.length) throw new Error('something changed');
      return (spent * 1000) / sections.length;
    },
  };
  const raced = await race([cold, floor, again], rounds);
  const [ours, theirs, unchanged] = raced;
  if (ours === undefined || theirs === undefined || unchanged === undefined) return [];
  const what = `cold index, ${sections.length} sections, each`;
  const per = rowsOf(what, [ours, theirs], { ratio: 1.3 });
  const ratio = {
    best: unchanged.times.best / ours.times.best,
    median: unchanged.times.median / ours.times.median,
  };
  const paceUs = { best: SECTION_US, median: SECTION_US };
  const pace = { best: ours.times.best / SECTION_US, median: ours.times.median / SECTION_US };
  return [
    ...per,
    { what, against: '15,000 sections/s', ours: ours.times, theirs: paceUs, ratio: pace, goal: { ratio: 1 } },
    {
      what: 're-index, nothing changed, each',
      against: 'cold index',
      ours: unchanged.times,
      theirs: ours.times,
      ratio,
      goal: { ratio: 0.05 },
    },
  ];
}

/** The hashes that an index needs and one packed record a file: the least cost of an index of this kind. */
async function floorOf(files: readonly ContentSource[], home: Home): Promise<Side> {
  const rows = new Map<string, TableWrite['value']>();
  const hashed: string[] = [];
  for (const { path, bytes } of files) {
    rows.set(path, must(await home.store.get('files', path)));
    const sections = await home.content.sections(path);
    const texts = sectionTexts(sections, new TextDecoder().decode(bytes));
    for (const [at, text] of texts.entries()) {
      const { line_start, line_end, content_hash } = sections[at] as Section;
      hashed.push(text, `${path}:${line_start}:${line_end}:${content_hash}`);
    }
  }
  const writes = [...rows].map(([key, value]): TableWrite => ({ table: 'files', key, value }));
  return {
    name: 'hashes + one put a file',
    async sample() {
      const { store } = await openHome();
      const start = performance.now();
      for (const { bytes } of files) {
        if (bytes.length > 4096) await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
        else sha256(bytes);
      }
      sha256Texts('', hashed);
      must(await store.put(writes, 'strict'));
      const spent = performance.now() - start;
      await store.close();
      return (spent * 2000) / hashed.length;
    },
  };
}

async function expanding({ store, content: face }: Home, sections: readonly Section[]): Promise<Row[]> {
  const some = (from: number) => sections.filter((_, at) => at % 1009 === from % 1009);
  const expandAll = async (wanted: readonly Section[]): Promise<number> => {
    const start = performance.now();
    for (const { section_id } of wanted) must(await face.expand(section_id, 'head(1)'));
    return ((performance.now() - start) * 1000) / wanted.length;
  };
  // Other files each time, so that no file was read before.
  let turn = 0;
  const bare: Side = {
    name: 'a bare get of the file’s record',
    async sample() {
      const wanted = some(++turn * 7);
      const start = performance.now();
      for (const { file_path } of wanted) await store.get('files', file_path);
      return ((performance.now() - start) * 1000) / wanted.length;
    },
  };
  const cold: Side = { name: 'expand', sample: () => expandAll(some(++turn * 7)) };
  const warm: Side = { name: 'expand, read before', sample: () => expandAll(some(0)) };
  await expandAll(some(0));
  return [
    ...rowsOf('one expansion, cold', await race([cold, bare], 7), { ratio: 1.5 }),
    ...rowsOf('one expansion, read before', await race([warm, bare], 9), { ratio: 0.1 }),
  ];
}
