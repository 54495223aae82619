import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withFiles } from '../../../sandbox/capabilities/index.ts';
import { CORPUS } from '../../../web/playground/demo/corpus.ts';
import { capability, cases, load } from './guest.ts';

const lines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const smallText = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 24 });

const diff = (before: string, after: string) => ({ before: { text: before }, after: { text: after } });

describe('text.diff', () => {
  cases('text.diff', [
    {
      title: 'finds nothing between equal texts',
      args: diff('a\nb\n', 'a\nb\n'),
      gives: { removed: 0, added: 0, changes: [] },
    },
    {
      title: 'numbers a line in the text it stands in',
      args: diff('a\nb\nc\n', 'a\nc\nd\n'),
      gives: {
        removed: 1,
        added: 1,
        changes: [
          { op: 'removed', line: 1, text: 'b\n' },
          { op: 'added', line: 2, text: 'd\n' },
        ],
      },
    },
    {
      title: 'sees a missing last line end',
      args: diff('a', 'a\n'),
      gives: {
        removed: 1,
        added: 1,
        changes: [
          { op: 'removed', line: 0, text: 'a' },
          { op: 'added', line: 0, text: 'a\n' },
        ],
      },
    },
    {
      title: 'refuses more than 600 different lines',
      args: diff('a\n'.repeat(601), 'b\n'),
      throws: /^RangeError: More than 600 lines differ/,
    },
    {
      title: 'accepts any number of equal lines',
      args: diff('a\n'.repeat(5000), 'a\n'.repeat(5000)),
      gives: { removed: 0, added: 0, changes: [] },
    },
    {
      title: 'refuses a file it does not carry',
      args: { before: { path: 'no.md' }, after: { text: '' } },
      throws: /^RangeError: No file "no\.md"/,
    },
  ]);

  test('text.diff lists changes that turn the first text into the second', async () => {
    const guest = await load(capability('text.diff'));
    await fc.assert(
      fc.asyncProperty(smallText, smallText, async (before, after) => {
        const { changes } = (await guest(diff(before, after))) as unknown as { changes: Change[] };
        expect(patched(lines(before), changes).join('')).toBe(after);
      }),
    );
  });

  type Change = { readonly op: 'removed' | 'added'; readonly line: number; readonly text: string };

  function patched(before: readonly string[], changes: readonly Change[]): string[] {
    const gone = changes.filter(({ op }) => op === 'removed');
    for (const { line, text } of gone) expect(before[line]).toBe(text);
    const after = before.filter((_, at) => !gone.some(({ line }) => line === at));
    for (const { op, line, text } of changes) if (op === 'added') after.splice(line, 0, text);
    return after;
  }
});

describe('text.count', () => {
  cases('text.count', [
    { title: 'counts nothing in nothing', args: { text: '' }, gives: { characters: 0, words: 0, lines: 0, bytes: 0 } },
    {
      title: 'starts no line after the last line end',
      args: { text: 'a\nb\n' },
      gives: { characters: 4, words: 2, lines: 2, bytes: 4 },
    },
    {
      title: 'counts code points and their bytes',
      args: { text: '£ é 🥖' },
      gives: { characters: 5, words: 3, lines: 1, bytes: 10 },
    },
    {
      title: 'refuses a file it does not carry',
      args: { path: 'stock.json' },
      throws: /^RangeError: No file "stock\.json"/,
    },
  ]);

  test('text.count agrees with the encoder on any well-formed text', async () => {
    const guest = await load(capability('text.count'));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await guest({ text })).toMatchObject({
          bytes: new TextEncoder().encode(text).length,
          lines: lines(text).length,
        });
      }),
    );
  });
});

describe('corpus.search', () => {
  cases('corpus.search', [
    {
      title: 'finds lines that hold every word, in whatever case',
      args: { query: 'WALTER cake' },
      gives: {
        hits: [
          {
            path: 'notes/tasting.md',
            line: 16,
            excerpt:
              'Eight parts rye, with and without seeds. With seeds, everybody. Walter said it was a cake and took two slices.',
          },
        ],
        more: 0,
      },
    },
    { title: 'finds nothing where there is nothing', args: { query: 'croissant' }, gives: { hits: [], more: 0 } },
    { title: 'takes a pattern for the text it is', args: { query: '.*' }, gives: { hits: [], more: 0 } },
    { title: 'refuses a query of blanks', args: { query: ' \n ' }, throws: /^RangeError: The query has no words/ },
  ]);

  test('corpus.search counts the hits that it does not show', async () => {
    const guest = await load(capability('corpus.search'));
    const all = (await guest({ query: 'rye', limit: 20 })) as unknown as { hits: unknown[]; more: number };
    const one = (await guest({ query: 'rye', limit: 1 })) as unknown as { hits: unknown[]; more: number };
    expect(one.hits).toEqual(all.hits.slice(0, 1));
    expect(one.more).toBe(all.hits.length + all.more - 1);
  });

  test('corpus.search names a line that corpus.read reads', async () => {
    const [search, read] = [await load(capability('corpus.search')), await load(capability('corpus.read'))];
    const { hits } = (await search({ query: 'doris', limit: 20 })) as unknown as {
      hits: { path: string; line: number; excerpt: string }[];
    };
    expect(hits.length).toBeGreaterThan(2);
    for (const { path, line, excerpt } of hits) {
      const { text } = (await read({ path, slice: `lines[${line}:${line + 1}]` })) as unknown as { text: string };
      expect(text).toContain(excerpt);
    }
  });
});

describe('corpus.read', () => {
  const PATH = 'recipes/harbour-loaf.v1.md';
  const asks = (slice: string) => ({ path: PATH, slice });
  const gives = (slice: string, text: string) => ({ args: asks(slice), gives: { path: PATH, slice, text } });
  const size = lines(CORPUS[PATH] ?? '').length;
  cases('corpus.read', [
    { title: 'reads lines with their line ends', ...gives('lines[0:2]', '# Harbour Loaf\n\n') },
    { title: 'reads code points', ...gives('chars[2:9]', 'Harbour') },
    { title: 'reads the first lines', ...gives('head(1)', '# Harbour Loaf\n') },
    {
      title: 'reads the last lines',
      ...gives(
        'tail(1)',
        'A loaf loses about eleven parts in a hundred in the oven: 900 g of dough gives 801 g of bread.\n',
      ),
    },
    { title: 'reads all lines where they are counted out', ...gives(`lines[0:${size}]`, CORPUS[PATH] ?? '') },
    {
      title: 'refuses ALL and says what to use',
      args: asks('ALL'),
      throws: /^slice_unbounded: ALL is not a slice\. Use lines\[a:b\], chars\[a:b\], head\(n\) or tail\(n\)\.$/,
    },
    {
      title: 'refuses one line too many and tells the size',
      args: asks(`lines[0:${size + 1}]`),
      throws: new RegExp(`^slice_bounds: lines\\[0:${size + 1}\\] is not within ${PATH}: it has ${size} lines\\.$`),
    },
    { title: 'refuses a head that is too long', args: asks(`head(${size + 1})`), throws: /^slice_bounds/ },
    { title: 'refuses a tail that is too long', args: asks(`tail(${size + 1})`), throws: /^slice_bounds/ },
    { title: 'refuses an empty range', args: asks('lines[3:3]'), throws: /^slice_bounds/ },
    { title: 'refuses a range that runs backwards', args: asks('lines[4:3]'), throws: /^slice_bounds/ },
    { title: 'refuses no lines at all', args: asks('head(0)'), throws: /^slice_bounds/ },
    {
      title: 'compares twenty digits without rounding',
      args: asks('lines[0:18446744073709551617]'),
      throws: /^slice_bounds: lines\[0:18446744073709551617\]/,
    },
    {
      title: 'refuses a leading zero',
      args: asks('lines[00:2]'),
      throws: /^slice_syntax: "lines\[00:2\]" is not a slice/,
    },
    { title: 'refuses a blank', args: asks('lines[0: 2]'), throws: /^slice_syntax/ },
    { title: 'refuses a line end behind', args: asks('head(1)\n'), throws: /^slice_syntax/ },
    { title: 'refuses an open end', args: asks('lines[0:]'), throws: /^slice_syntax/ },
    { title: 'refuses a negative number', args: asks('tail(-1)'), throws: /^slice_syntax/ },
    { title: 'refuses another spelling of head', args: asks('HEAD(1)'), throws: /^slice_syntax/ },
    { title: 'refuses digits of another script', args: asks('head(\u0661)'), throws: /^slice_syntax/ },
    {
      title: 'refuses a file it does not carry',
      args: { path: '../package.json', slice: 'head(1)' },
      throws: /^RangeError: No file "\.\.\/package\.json"/,
    },
    {
      title: 'refuses an inherited name for a file',
      args: { path: '__proto__', slice: 'head(1)' },
      throws: /^RangeError: No file "__proto__"/,
    },
  ]);

  test('corpus.read joins neighbouring slices to the whole text', async () => {
    const guest = await load(capability('corpus.read'));
    const cut = fc.integer({ min: 1, max: size - 1 });
    await fc.assert(
      fc.asyncProperty(cut, async (at) => {
        const parts = await Promise.all(
          [`lines[0:${at}]`, `lines[${at}:${size}]`].map((slice) => guest({ path: PATH, slice })),
        );
        expect(parts.map((part) => (part as { text: string }).text).join('')).toBe(CORPUS[PATH]);
      }),
    );
  });

  test('corpus.read refuses a slice of more than 6000 characters', async () => {
    const long = withFiles({ 'long.md': `${'a'.repeat(6000)}\n` }).find(({ name }) => name === 'corpus.read');
    const guest = await load(long ?? { source: '' });
    expect(await guest({ path: 'long.md', slice: 'chars[0:6000]' })).toMatchObject({ text: 'a'.repeat(6000) });
    await expect(guest({ path: 'long.md', slice: 'head(1)' })).rejects.toThrow(
      /is 6001 characters, one read gives 6000/,
    );
  });
});

describe('notes.get', () => {
  cases('notes.get', [
    {
      title: 'refuses a note that is not there',
      args: { name: 'bakers' },
      throws: /^RangeError: No file "notes\/bakers\.md"/,
    },
    {
      title: 'refuses a way out of the notes',
      args: { name: '../recipes/harbour-loaf.v1' },
      throws: /^RangeError: No file/,
    },
    {
      title: 'refuses a heading that is not there',
      args: { name: 'suppliers', heading: 'how we pay marlow mill' },
      throws: /^RangeError: No heading/,
    },
  ]);

  test('notes.get outlines a note with slices that corpus.read reads as the same text', async () => {
    const [get, read] = [await load(capability('notes.get')), await load(capability('corpus.read'))];
    const { path, sections } = (await get({ name: 'leaven' })) as unknown as {
      path: string;
      sections: { heading: string; slice: string }[];
    };
    expect(sections.map(({ heading }) => heading)).toContain('If she dies');
    for (const { heading, slice } of sections) {
      const section = (await get({ name: 'leaven', heading })) as unknown as { text: string };
      expect(await read({ path, slice })).toEqual({ path, slice, text: section.text });
    }
  });
});
