import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildIndex } from '../../../../core/content/build.ts';
import { sectionId } from '../../../../core/content/section.ts';
import { sortTexts } from '../../../../core/content/text.ts';
import { sha256Text } from '../../../../core/hash.ts';
import { encodeText } from '../../../../core/json/utf8.ts';
import { pause } from '../../../../workers/async.ts';
import { allPages } from '../../../../workers/client/content-upload.ts';
import { entryOf, formatSections, soundSections } from '../../../../workers/kernel/content/file.ts';
import { newIntake, type Pack, takeIn } from '../../../../workers/kernel/content/ingest.ts';
import { openContentRepository } from '../../../../workers/kernel/content/repository.ts';
import { makeSearch } from '../../../../workers/kernel/content/search.ts';
import { indexHash, inOrder, makeCorpusIndex } from '../../../../workers/kernel/content/section-index.ts';
import { pageOf } from '../../../../workers/kernel/content/service.ts';
import { emptyLog, openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { valueOf } from '../../store/store-suite.ts';

/** Samples of `look`, taken each time that the work lets the thread go. */
async function watch<T>(work: Promise<unknown>, look: () => T): Promise<readonly T[]> {
  const seen: T[] = [];
  const over = work.then(() => true);
  while (!(await Promise.race([over, pause().then(() => false)]))) seen.push(look());
  return seen;
}

const LINE = 'Sixteen letters.';
const FILES = Array.from({ length: 512 }, (_, nth) => ({
  path: `notes/${nth}.md`,
  bytes: encodeText(`# ${nth}\n${LINE.repeat(128)}\n`),
}));

test('the files of a pack are indexed in parts, and other work runs between the parts', async () => {
  const intake = newIntake();
  const known = { files: new Map(), packs: new Set<string>() };
  const seen = await watch(takeIn(intake, packOf(FILES), known), () => intake.filed.size);
  const steps = [...seen, intake.filed.size].map((size, nth, all) => size - (all[nth - 1] ?? 0));
  expect(intake.filed.size).toBe(512);
  expect(Math.max(...steps)).toBeLessThan(160);
});

test('indexing lets other work run between known packs', async () => {
  const [first, second] = [newIntake(), newIntake()];
  const packs = Array.from({ length: 20 }, (_, nth) => packOf(FILES.slice(nth, nth + 1)));
  for (const pack of packs) await takeIn(first, pack, { files: new Map(), packs: new Set() });
  const known = { files: new Map(), packs: new Set(first.packs) };
  const work = async () => {
    for (const pack of packs) valueOf(await takeIn(second, pack, known));
  };
  expect((await watch(work(), () => 0)).length).toBeGreaterThan(15);
  expect(second.filed.size).toBe(0);
});

test('the index hash is the same in pieces and in a single pass, and other work runs between the pieces', async () => {
  const tables = FILES.map((file) => {
    const { sections } = valueOf(buildIndex([file]));
    return formatSections(
      file.path,
      [...Array(24)].flatMap(() => sections),
    );
  });
  const expected = sha256Text(`[${tables.map((table) => table.slice(1, -1)).join(',')}]`);
  expect(await indexHash(tables)).toBe(expected);
  const inPieces = indexHash(tables, 0);
  expect((await watch(inPieces, () => 0)).length).toBeGreaterThan(6);
  expect(await inPieces).toBe(expected);
  expect(await indexHash([], 0)).toBe(sha256Text('[]'));
  expect(await makeCorpusIndex().indexHash()).toBe(sha256Text('[]'));
});

test('callers that refresh a repository at the same time wait for a single reading of the store', async () => {
  const store = openMemoryStore(emptyLog());
  const writer = openContentRepository(store);
  const intake = newIntake();
  await takeIn(intake, packOf(FILES), { files: new Map(), packs: new Set() });
  valueOf(await writer.put({ files: intake.filed }));
  let pages = 0;
  const counted: typeof store = {
    ...store,
    all: (...asked) => {
      if (asked[0] === 'files') pages++;
      return store.all(...asked);
    },
  };
  const reader = openContentRepository(counted);
  await Promise.all(Array.from({ length: 5 }, () => reader.refresh()));
  const once = pages;
  await openContentRepository(counted).refresh();
  expect(pages).toBe(2 * once);
  expect(reader.corpus.files.size).toBe(512);
  expect(await reader.corpus.indexHash()).toBe(valueOf(buildIndex(FILES)).index_hash);
});

test('a repository reads the store again when another writer commits during the reading', async () => {
  const store = openMemoryStore(emptyLog());
  const writer = openContentRepository(store);
  const intake = newIntake();
  await takeIn(intake, packOf(FILES), { files: new Map(), packs: new Set() });
  valueOf(await writer.put({ files: intake.filed }));
  const gone = new Map(FILES.map(({ path }) => [path, undefined]));
  let before = true;
  const raced: typeof store = {
    ...store,
    async all(...asked) {
      const page = await store.all(...asked);
      if (asked[0] !== 'files' || !before) return page;
      before = false;
      valueOf(await writer.put({ files: gone }));
      return page;
    },
  };
  const reader = openContentRepository(raced);
  valueOf(await reader.refresh());
  expect(reader.corpus.files.size).toBe(0);
  expect(await reader.corpus.indexHash()).toBe(sha256Text('[]'));
});

test('a long listing comes in pages of a single state, and begins again when the content changes in between', async () => {
  const repository = openContentRepository(openMemoryStore(emptyLog()));
  const intake = newIntake();
  const many = Array.from({ length: 9_000 }, (_, nth) => ({ path: `${nth}.md`, bytes: encodeText('') }));
  await takeIn(intake, packOf(many), { files: new Map(), packs: new Set() });
  valueOf(await repository.put({ files: intake.filed }));
  const asked: (number | undefined)[] = [];
  const paths = await allPages(async (cursor) => {
    asked.push(cursor?.from);
    if (asked.length === 2) valueOf(await repository.put({ files: new Map([['0.md', undefined]]) }));
    return pageOf(repository, cursor, (path) => path);
  });
  expect(asked.map((from) => from === undefined)).toEqual([true, false, true, false]);
  expect(paths).toEqual(sortTexts(many.slice(1).map(({ path }) => path)));
});

test('inOrder sorts texts by their UTF-8 as sortTexts does, in several turns', async () => {
  const letter = fc.constantFrom('a', 'b', '/', '\uffee', '\u{1f600}', 'é');
  const text = fc.array(letter, { maxLength: 4 }).map((letters) => letters.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 40 }), async (some) => {
      // More texts than a turn sorts, each part in a different order.
      const texts = Array.from({ length: 7_000 }, (_, nth) => `${some[(nth * 31) % some.length]}${nth % 977}`);
      expect(await inOrder(texts)).toEqual(sortTexts(texts));
    }),
    { numRuns: 10 },
  );
});

function packOf(files: typeof FILES): Pack {
  const text = files.map((file) => new TextDecoder().decode(file.bytes)).join('');
  return {
    paths: files.map(({ path }) => path),
    sizes: files.map((file) => file.bytes.length),
    bytes: encodeText(text),
  };
}

test('a search skips a file whose table of sections is malformed or repeats a section', async () => {
  const store = openMemoryStore(emptyLog());
  const text = encodeText('# Rye\n');
  const { sections: table } = valueOf(buildIndex([{ path: 'a.md', bytes: text }]));
  const hash = sha256Text('# Rye\n');
  const row = (sections: string) => ({ source_hash: hash, content_hash: hash, text, sections });
  const tables = ['no table', '[null]', formatSections('a.md', [...table, ...table]), formatSections('a.md', table)];
  const rows = tables.map((sections, nth) => ({
    table: 'files' as const,
    key: nth === 3 ? 'a.md' : `${nth}.md`,
    value: row(sections),
  }));
  valueOf(await store.put(rows, 'strict'));
  const repository = openContentRepository(store);
  valueOf(await repository.refresh());
  const search = makeSearch(store, () => repository.corpus);
  const found = valueOf(await search.find('rye', 9));
  expect(found.sections.map(({ file_path }) => file_path)).toEqual(['a.md']);
  valueOf(
    await store.put(
      [...rows.map((each) => ({ ...each, value: undefined })), { table: 'files', key: '', value: 'x' }],
      'strict',
    ),
  );
  valueOf(await repository.refresh());
  expect(valueOf(await search.find('rye', 9)).sections).toEqual([]);
});

test('soundSections gives no sections for a table that repeats a section without lines', () => {
  const empty = { file_path: 'a.txt', line_start: 0, line_end: 0, content_hash: sha256Text('') };
  const section = { section_id: sectionId(empty), heading_path: [], ...empty };
  const entry = (sections: string) =>
    entryOf({ source_hash: empty.content_hash, content_hash: empty.content_hash, text: encodeText(''), sections });
  expect(soundSections('a.txt', entry(formatSections('a.txt', [section])))).toEqual([section]);
  expect(soundSections('a.txt', entry(formatSections('a.txt', [section, section])))).toEqual([]);
});
