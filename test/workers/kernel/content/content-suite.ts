import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildIndex, encodeText, type Section, sha256Hex } from '../../../../core/index.ts';
import type { Content, ContentSource } from '../../../../workers/api.ts';
import { makeTurnQueue } from '../../../../workers/async.ts';
import { contentClient } from '../../../../workers/client/client.ts';
import { openContentRepository } from '../../../../workers/kernel/content/repository.ts';
import { makeSearch } from '../../../../workers/kernel/content/search.ts';
import { makeContentService } from '../../../../workers/kernel/content/service.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { type Place, valueOf } from '../../store/store-suite.ts';

function contentOver(store: LedgerStore, exclusive?: () => Promise<() => void>): Content {
  const repository = openContentRepository(store, exclusive);
  const search = makeSearch(store, () => repository.corpus);
  return contentClient(makeContentService(store, repository, search, (name) => name === 'calc.eval'));
}

const GUIDE = '# Guide\n\nWelcome.\n\n## Ovens\n\nHot.\n\n## Doors\n\nShut.\n';
const FILES: readonly ContentSource[] = [
  file('notes/guide.md', GUIDE),
  file('notes/crlf.md', 'a\r\n# B\r\nc\rd'),
  file('db/schema.sql', '-- # not a heading\nselect 1;\n'),
  file('empty.md', ''),
  file('ü/\u{1f600}.md', '\ufeff# Ünï\n'),
  file('ü/\uffee.md', '```\n# code\n```\n'),
];

function file(path: string, text: string): ContentSource {
  return { path, bytes: encodeText(text) };
}

/** Tests of content over a store. `newPlace` makes the place of the store, and `runs` is the number of random cases. */
export function contentSuite(name: string, newPlace: () => Promise<Place>, runs: number): void {
  const open = async () => {
    const store = await (await newPlace()).open();
    return { store, content: contentOver(store) };
  };

  describe(`content ${name}`, () => {
    test('content is empty at first, with the hash of an empty index', async () => {
      const { store, content } = await open();
      const index_hash = sha256Hex(encodeText('[]'));
      expect(await content.overview()).toEqual({ files: 0, sections: 0, symbols: 0, bytes: 0, index_hash });
      expect(await content.sections()).toEqual([]);
      await store.close();
    });

    test('content has the sections and the index hash that buildIndex gives, in either order of the files', async () => {
      const built = valueOf(buildIndex(FILES));
      for (const files of [FILES, FILES.toReversed()]) {
        const { store, content } = await open();
        const change = await content.add(files);
        expect(change).toMatchObject({ added: 6, changed: 0, unchanged: 0, removed: 0, index_hash: built.index_hash });
        expect(await content.sections()).toEqual(built.sections);
        await store.close();
      }
    });

    test('an addition is refused when another tab has meanwhile changed a file that it took as unchanged', async () => {
      const place = await newPlace();
      const [store, other] = [await place.open(), await place.open()];
      const turn = makeTurnQueue();
      const [here, there] = [contentOver(store, turn), contentOver(other, turn)];
      await here.add([file('a.md', 'one'), file('b.md', 'two')]);
      const many = Array.from({ length: 300 }, (_, nth) => file(`more/${nth}.md`, ''));
      const changed = here.add(
        (async function* () {
          yield file('a.md', 'one');
          // These files fill a pack, so that it is sent to the kernel.
          yield* many;
          await there.replace([file('a.md', 'other')]);
        })(),
      );
      await expect(changed).rejects.toMatchObject({ code: 'content_changed', details: { path: 'a.md' } });
      expect([await here.text('a.md'), (await here.files()).length]).toEqual(['other', 1]);
      await Promise.all([store.close(), other.close()]);
    });

    test('an addition waits until another tab releases the turn to commit', async () => {
      const place = await newPlace();
      const [store, other] = [await place.open(), await place.open()];
      const turn = makeTurnQueue();
      const [here, there] = [contentOver(store, turn), contentOver(other, turn)];
      const release = await turn();
      const done: string[] = [];
      const adding = here.add([file('a.md', 'one')]).then(() => done.push('added'));
      await there.overview();
      done.push('released');
      release();
      await adding;
      expect(done).toEqual(['released', 'added']);
      await Promise.all([store.close(), other.close()]);
    });

    test('content is the same in another tab at once, and after reopening', async () => {
      const place = await newPlace();
      const [store, other] = [await place.open(), await place.open()];
      const [here, there] = [contentOver(store), contentOver(other)];
      expect((await there.overview()).files).toBe(0);
      const change = await here.add(FILES);
      await here.define(symbol('@BAKERY/GUIDE', 'FILE', 'notes/guide.md'));
      expect((await there.overview()).index_hash).toBe(change.index_hash);
      expect(await there.symbols()).toHaveLength(1);
      await there.remove(['empty.md']);
      expect((await here.overview()).files).toBe(5);
      await Promise.all([store.close(), other.close()]);
      const again = await place.open();
      expect((await contentOver(again).files()).map(({ path }) => path)).toEqual([
        'db/schema.sql',
        'notes/crlf.md',
        'notes/guide.md',
        'ü/\uffee.md',
        'ü/\u{1f600}.md',
      ]);
      await again.close();
    });

    test('an addition writes no row for known bytes, and only a row and the stamp for a changed file', async () => {
      const { store, content } = await open();
      await content.add(FILES);
      const puts: number[] = [];
      const counted = contentOver({
        ...store,
        put: (writes, durability) => {
          puts.push([...writes].length);
          return store.put(writes, durability);
        },
      });
      expect(await counted.add(FILES)).toMatchObject({ added: 0, changed: 0, unchanged: 6 });
      expect(puts).toEqual([]);
      const edited = file('notes/guide.md', `${GUIDE}More.\n`);
      const change = await counted.add([...FILES.slice(1), edited]);
      expect(change).toMatchObject({ added: 0, changed: 1, unchanged: 5, removed: 0 });
      // The row of the file, and the stamp by which other tabs see a change.
      expect(puts).toEqual([2]);
      const built = valueOf(buildIndex([...FILES.slice(1), edited]));
      expect(change.index_hash).toBe(built.index_hash);
      await store.close();
    });

    test('a pack counts as known only until a file of it is changed or removed', async () => {
      const { store, content } = await open();
      const [first, second] = [file('a.md', '# One\n'), file('a.md', '# Two\n')];
      const { index_hash } = await content.add([first]);
      await content.add([second]);
      expect(await content.add([first])).toMatchObject({ changed: 1, index_hash });
      await content.remove(['a.md']);
      expect(await content.add([first])).toMatchObject({ added: 1, index_hash });
      await content.define(symbol('@A/B', 'FILE', 'a.md'));
      expect(await content.add([first])).toMatchObject({ unchanged: 1, index_hash });
      await store.close();
    });

    test('line endings do not change the index hash, but a file with other line endings counts as changed', async () => {
      const { store, content } = await open();
      const lines = file('a.md', '# A\nb\n');
      const before = await content.add([lines]);
      const windows = file('a.md', '# A\r\nb\r\n');
      expect(await content.add([windows])).toMatchObject({ changed: 1, index_hash: before.index_hash });
      expect(await content.add([windows])).toMatchObject({ unchanged: 1 });
      expect(await content.text('a.md')).toBe('# A\nb\n');
      await store.close();
    });

    test('replace leaves exactly the files that it was given', async () => {
      const { store, content } = await open();
      await content.add(FILES);
      const some = [file('new.md', '# New\n'), ...FILES.slice(0, 2)];
      const change = await content.replace(some);
      expect(change).toMatchObject({ added: 1, changed: 0, unchanged: 2, removed: 4, files: 3 });
      expect(change.index_hash).toBe(valueOf(buildIndex(some)).index_hash);
      expect(await content.replace([])).toMatchObject({ removed: 3, files: 0, sections: 0 });
      await store.close();
    });

    test.each([
      ['is not UTF-8', { path: 'bad.md', bytes: Uint8Array.of(0x61, 0xff) }, 'content_utf8', 'bad.md'],
      [
        'holds half of a surrogate pair',
        { path: 'half.md', bytes: Uint8Array.of(0xed, 0xa0, 0x80) },
        'content_utf8',
        'half.md',
      ],
      ['climbs', file('../a.md', ''), 'path_invalid', '../a.md'],
      ['is absolute', file('/a.md', ''), 'path_invalid', '/a.md'],
      ['has no path', file('', ''), 'path_invalid', ''],
      ['comes twice', file('notes/guide.md', 'other'), 'path_twice', 'notes/guide.md'],
    ])(
      'content refuses a whole addition with a file that %s, names the file, and stays as it was',
      async (_, bad, code, path) => {
        const { store, content } = await open();
        const before = await content.add([file('first.md', '# First\n')]);
        const refusal = { code, details: { path } };
        await expect(content.add([...FILES, bad])).rejects.toMatchObject(refusal);
        await expect(content.replace([...FILES, bad])).rejects.toMatchObject(refusal);
        expect((await content.overview()).index_hash).toBe(before.index_hash);
        expect(valueOf(await store.all('files')).length).toBe(2);
        expect((await content.add(FILES)).files).toBe(7);
        await store.close();
      },
    );

    test('content stays as it was while the store is full, and takes the same files later', async () => {
      const { store } = await open();
      let full = false;
      const content = contentOver({
        ...store,
        put: async (writes, durability) => (full ? { ok: false, refusal: STORE_FULL } : store.put(writes, durability)),
      });
      const before = await content.add([file('a.md', 'a')]);
      full = true;
      await expect(content.add(FILES)).rejects.toMatchObject({ code: 'store_full' });
      await expect(content.define(symbol('@A/B', 'FILE', 'a.md'))).rejects.toMatchObject({ code: 'store_full' });
      const after = await content.overview();
      expect([after.files, after.symbols, after.index_hash]).toEqual([1, 0, before.index_hash]);
      full = false;
      expect((await content.add(FILES)).files).toBe(7);
      await store.close();
    });

    test('an addition ends at its signal without a trace, and the next addition begins', async () => {
      const { store, content } = await open();
      const controller = new AbortController();
      const progress: number[] = [];
      const adding = content.add(
        Array.from({ length: 2_000 }, (_, n) => file(`${n}.md`, `# ${n}\n`)),
        {
          signal: controller.signal,
          onProgress: ({ files }) => {
            progress.push(files);
            if (progress.length === 3) controller.abort(new Error('enough'));
          },
        },
      );
      const next = content.add([file('a.md', 'a')]);
      await expect(adding).rejects.toThrow('enough');
      expect(progress).toEqual([256, 512, 768]);
      expect(await next).toMatchObject({ added: 1, files: 1 });
      await expect(content.add(FILES, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
      expect((await content.overview()).files).toBe(1);
      await store.close();
    });

    test('an addition whose source fails in the middle rejects, and the next addition succeeds', async () => {
      const { store, content } = await open();
      async function* failing() {
        yield* FILES;
        throw new Error('notes/x.md could not be read');
      }
      await expect(content.add(failing())).rejects.toThrow('notes/x.md could not be read');
      expect((await content.add([file('a.md', 'a')])).files).toBe(1);
      await store.close();
    });

    test('content copies the bytes of a file, without the buffer under a view and without later changes', async () => {
      const { store, content } = await open();
      const buffer = new Uint8Array(1 << 16).fill(0x61);
      await content.add([{ path: 'a.txt', bytes: buffer.subarray(10, 13) }]);
      buffer.fill(0x62);
      expect(await content.text('a.txt')).toBe('aaa');
      const row = valueOf(await store.get('files', 'a.txt')) as { text: Uint8Array };
      expect(row.text.buffer.byteLength).toBe(3);
      await store.close();
    });

    test('expand gives slices of symbols, sections and files, with their bytes and sections', async () => {
      const { store, content } = await open();
      await content.add(FILES);
      const sections = await content.sections('notes/guide.md');
      const ovens = sections.find((section) => section.heading_path[1] === 'Ovens') as Section;
      await content.define(symbol('@BAKERY/OVENS', 'SECTION', ovens.section_id));
      await content.define(symbol('@BAKERY/ALL', 'HEADING', 'notes/guide.md#["Guide"]'));
      for (const ref of ['@BAKERY/OVENS', ovens.section_id]) {
        expect(valueOf(await content.expand(ref, 'head(1)'))).toMatchObject({
          text: '## Ovens\n',
          bytes: 9,
          sections: 1,
        });
      }
      const whole = `lines[0:11]`;
      for (const ref of ['@BAKERY/ALL', 'notes/guide.md']) {
        const read = valueOf(await content.expand(ref, whole));
        expect(read).toMatchObject({ text: GUIDE, bytes: GUIDE.length, sections: 3, file_path: 'notes/guide.md' });
        expect(read.payload_ref).toBe(`sha256:${sha256Hex(encodeText(GUIDE))}`);
      }
      await store.close();
    });

    test.each([
      ['ALL', 'slice_unbounded'],
      ['lines[0:99]', 'slice_bounds'],
      ['lines[2:2]', 'slice_bounds'],
      ['head(01)', 'slice_syntax'],
    ])('expand refuses the slice %s and gives no text', async (slice, code) => {
      const { store, content } = await open();
      await content.add(FILES);
      expect(await content.expand('notes/guide.md', slice)).toMatchObject({ ok: false, refusal: { code } });
      await store.close();
    });

    test('expand refuses unknown references, a slice over budget, and text that changed after it was indexed', async () => {
      const { store, content } = await open();
      await content.add([...FILES, file('long.txt', 'x'.repeat(10_001))]);
      const codeOf = async (ref: string, slice = 'head(1)') => {
        const read = await content.expand(ref, slice);
        return read.ok ? 'ok' : read.refusal.code;
      };
      expect(await codeOf('@NO/SUCH')).toBe('symbol_unknown');
      expect(await codeOf('f'.repeat(64))).toBe('section_unknown');
      expect(await codeOf('none.md')).toBe('target_gone');
      expect(await codeOf('long.txt')).toBe('budget_bytes');
      await content.define(symbol('@A/B', 'FILE', 'empty.md'));
      await content.remove(['empty.md']);
      expect(await codeOf('@A/B')).toBe('target_gone');
      const row = valueOf(await store.get('files', 'db/schema.sql')) as { text: Uint8Array };
      row.text[0] = 0x2b;
      valueOf(await store.put([{ table: 'files', key: 'db/schema.sql', value: row }], 'relaxed'));
      expect(await codeOf('db/schema.sql')).toBe('content_changed');
      await store.close();
    });

    test('define refuses a second symbol of the same name and an unknown target, and undefine removes a symbol', async () => {
      const { store, content } = await open();
      await content.add(FILES);
      const row = symbol('@BAKERY/GUIDE', 'FILE', 'notes/guide.md');
      expect(await content.define(row)).toEqual(row);
      await expect(content.define(row)).rejects.toMatchObject({ code: 'symbol_twice' });
      for (const [wrong, code] of [
        [symbol('@TOOLS/calc.eval', 'FILE', 'empty.md'), 'symbol_twice'],
        [symbol('@A', 'FILE', 'empty.md'), 'symbol_syntax'],
        [symbol('@A/B', 'FILE', 'none.md'), 'target_unknown'],
        [{ ...symbol('@A/B', 'FILE', 'empty.md'), default_slice_policy: 'ALL' }, 'slice_unbounded'],
        [Object.assign(symbol('@A/B', 'FILE', 'empty.md'), { note: '' }), 'unknown_member'],
        [symbol('@A/B', 'URL' as 'FILE', 'empty.md'), 'wrong_type'],
      ] as const) {
        await expect(content.define(wrong), code).rejects.toMatchObject({ code });
      }
      expect(await content.symbols()).toEqual([row]);
      await content.undefine('@BAKERY/GUIDE');
      await expect(content.undefine('@BAKERY/GUIDE')).rejects.toMatchObject({ code: 'symbol_unknown' });
      expect(await content.symbols()).toEqual([]);
      await store.close();
    });

    test('importSymbols takes all exported symbols, or refuses all of them', async () => {
      const { store, content } = await open();
      await content.add(FILES);
      for (const n of [2, 1]) await content.define(symbol(`@N/${n}`, 'FILE', 'empty.md'));
      const text = await content.exportSymbols();
      await expect(content.importSymbols(text)).rejects.toMatchObject({ code: 'symbol_twice' });
      for (const n of [1, 2]) await content.undefine(`@N/${n}`);
      const half = text.replace('"target_ref":"empty.md"', '"target_ref":"none.md"');
      await expect(content.importSymbols(half)).rejects.toMatchObject({ code: 'target_unknown' });
      expect(await content.symbols()).toEqual([]);
      expect(await content.importSymbols(text)).toHaveLength(2);
      expect(await content.exportSymbols()).toBe(text);
      await store.close();
    });

    test('search finds exactly the sections that hold every word, also after files changed', async () => {
      const { store, content } = await open();
      await content.add(FILES);
      const paths = async (query: string) =>
        (await content.search(query)).sections.map(({ heading_path, file_path }) =>
          [file_path, ...heading_path].join('>'),
        );
      expect(await paths('hot')).toEqual(['notes/guide.md>Guide>Ovens']);
      expect(await paths('OVENS hot')).toEqual(['notes/guide.md>Guide>Ovens']);
      expect(await paths('ovens shut')).toEqual([]);
      expect(await paths('welc')).toEqual(['notes/guide.md>Guide']);
      expect(await paths('  ')).toEqual([]);
      await content.add([file('notes/guide.md', '# Cold\n\nIce.\n'), file('more.md', '# Hot ovens\n')]);
      expect(await paths('hot')).toEqual(['more.md>Hot ovens']);
      await content.remove(['more.md']);
      expect(await paths('hot')).toEqual([]);
      expect(await content.search('ice')).toMatchObject({ matches: 1, searched: 6, files: 6 });
      await store.close();
    });

    test('expand finds a section by its id, also when headings contain text that looks like an id', async () => {
      const { store, content } = await open();
      const id = 'f'.repeat(64);
      const change = await content.add([file('a.md', `# "section_id":"${id}"\n# \\"section_id":"${id}\n`)]);
      expect(change.sections).toBe(2);
      for (const { section_id } of await content.sections()) {
        expect(valueOf(await content.expand(section_id, 'head(1)')).text).toContain(id);
      }
      expect(await content.expand(id, 'head(1)')).toMatchObject({ ok: false, refusal: { code: 'section_unknown' } });
      await store.close();
    });

    test('rebuild lists the files whose stored text was changed or removed', async () => {
      const { store, content } = await open();
      const { index_hash } = await content.add(FILES);
      expect(await content.rebuild()).toEqual({ index_hash, same: true, differing: [] });
      const row = valueOf(await store.get('files', 'notes/guide.md')) as { text: Uint8Array };
      row.text[3] = 0x58;
      valueOf(await store.put([{ table: 'files', key: 'notes/guide.md', value: row }], 'relaxed'));
      valueOf(await store.put([{ table: 'files', key: 'empty.md', value: undefined }], 'relaxed'));
      const rebuilt = await content.rebuild();
      expect(rebuilt.same).toBe(false);
      expect(rebuilt.differing.toSorted()).toEqual(['empty.md', 'notes/guide.md']);
      await store.close();
    });

    test('content equals a build of its files after any series of add, replace and remove', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const { store, content } = await open();
          const model = new Map<string, ContentSource>();
          for (const each of steps) await perform(each, content, model);
          const built = valueOf(buildIndex([...model.values()]));
          expect((await content.overview()).index_hash).toBe(built.index_hash);
          expect(await contentOver(store).sections()).toEqual(built.sections);
          await store.close();
        }),
        { numRuns: runs },
      );
    });
  });
}

const STORE_FULL = { class: 'storage', code: 'store_full', message: 'full', details: {} } as const;

function symbol(symbol_id: string, target_type: 'SECTION' | 'FILE' | 'HEADING', target_ref: string) {
  return { symbol_id, target_type, target_ref, default_slice_policy: 'head(1)' };
}

type Step = { readonly do: 'add' | 'replace' | 'remove'; readonly files: readonly ContentSource[] };

const text = fc
  .array(fc.constantFrom('# A\n', '## B\n', 'c', '\r\n', '\n', 'ü', '---\n'))
  .map((parts) => parts.join(''));
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('add', 'add', 'replace', 'remove'),
  files: fc.uniqueArray(
    fc.record({
      path: fc.constantFrom('a.md', 'b.md', 'c/d.md', 'e.sql'),
      bytes: text.map((each) => encodeText(each)),
    }),
    { selector: ({ path }) => path, maxLength: 4 },
  ),
});

async function perform({ do: act, files }: Step, content: Content, model: Map<string, ContentSource>): Promise<void> {
  if (act === 'remove') {
    const known = files.map(({ path }) => path).filter((path) => model.has(path));
    await content.remove(known);
    for (const path of known) model.delete(path);
    return;
  }
  await content[act](files);
  if (act === 'replace') model.clear();
  for (const each of files) model.set(each.path, each);
}
