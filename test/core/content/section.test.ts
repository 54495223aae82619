import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildIndex } from '../../../core/content/build.ts';
import { checkPath, extractSections, sectionId } from '../../../core/content/section.ts';
import { applySlice } from '../../../core/content/slice.ts';
import { contentHash, normalizeText } from '../../../core/content/text.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { must } from '../validator.ts';

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encodeText(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function outline(text: string, path = 'a.md') {
  return must(extractSections(path, text)).map((each) => [
    each.heading_path.join(' > '),
    each.line_start,
    each.line_end,
  ]);
}

describe('text', () => {
  test.each([
    ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
    ['a lone CR', 'a\rb', 'a\nb'],
    ['CR CR LF', 'a\r\r\nb', 'a\n\nb'],
    ['a byte order mark, which stays', '\ufeff# a', '\ufeff# a'],
    ['NUL and separators that end no line', 'a\0\u2028\u0085\fb', 'a\0\u2028\u0085\fb'],
  ])('text is normalised: %s', (_what, text, normal) => {
    expect(must(normalizeText(encodeText(text)))).toBe(normal);
  });

  test.each([
    ['a stray byte', [0x61, 0xff], 1],
    ['an overlong form', [0xc0, 0x80], 0],
    ['half of a surrogate pair', [0x61, 0xed, 0xa0, 0x80], 1],
    ['a character cut off', [0x61, 0x62, 0xe2, 0x82], 2],
  ])('text that is not UTF-8 is refused: %s', (_what, bytes, offset) => {
    expect(normalizeText(Uint8Array.from(bytes))).toMatchObject({
      refusal: { code: 'content_utf8', class: 'resolution', details: { offset } },
    });
  });
});

describe('sections', () => {
  test('sections have six members and the ids of the contract', async () => {
    const [section, ...others] = must(extractSections('docs/a.md', '# A\ntext\n'));
    const content_hash = await sha256('# A\ntext\n');
    const section_id = await sha256(`docs/a.md:0:2:${content_hash}`);
    expect([section, others]).toEqual([
      { section_id, file_path: 'docs/a.md', heading_path: ['A'], line_start: 0, line_end: 2, content_hash },
      [],
    ]);
    expect(sectionId({ file_path: 'docs/a.md', line_start: 0, line_end: 2, content_hash })).toBe(section_id);
  });

  test.each([
    [
      'leaves, with what stands before the first heading',
      'intro\n# A\na\n## B\nb\n# C',
      [
        ['', 0, 1],
        ['A', 1, 3],
        ['A > B', 3, 5],
        ['C', 5, 6],
      ],
    ],
    [
      'a level that is skipped',
      '# A\n### C\n## B\n',
      [
        ['A', 0, 1],
        ['A > C', 1, 2],
        ['A > B', 2, 3],
      ],
    ],
    ['no heading', 'only\ntext', [['', 0, 2]]],
    ['nothing at all', '', [['', 0, 0]]],
    [
      'a setext heading of two lines',
      'a\n\nThe long\n  name\n====\ntext\n',
      [
        ['', 0, 2],
        ['The long name', 2, 6],
      ],
    ],
    [
      'a setext heading behind definitions',
      '[a]: /u\n"t"\nName\n---\n',
      [
        ['', 0, 2],
        ['Name', 2, 4],
      ],
    ],
    [
      'an empty name',
      '#\n# #\n',
      [
        ['', 0, 1],
        ['', 1, 2],
      ],
    ],
    [
      'closing marks',
      '# A ##\n## B#\n',
      [
        ['A', 0, 1],
        ['A > B#', 1, 2],
      ],
    ],
    [
      'front matter',
      '---\ntitle: x\n---\n# A\n',
      [
        ['', 0, 3],
        ['A', 3, 4],
      ],
    ],
    [
      'front matter in TOML, whose comment is no heading',
      '+++\n# no\n---\n+++\n# Real\n',
      [
        ['', 0, 4],
        ['Real', 4, 5],
      ],
    ],
    [
      'front matter in TOML that is left open',
      '+++\n# Real\n---\n',
      [
        ['', 0, 1],
        ['Real', 1, 3],
      ],
    ],
    ['front matter around a heading', '---\n\n# Real\n\n---\n', [['', 0, 5]]],
    [
      'front matter with dots',
      '---\ntitle: x\n...\n# A\n',
      [
        ['', 0, 3],
        ['A', 3, 4],
      ],
    ],
    [
      'front matter that is left open',
      '---\n# A\n',
      [
        ['', 0, 1],
        ['A', 1, 2],
      ],
    ],
    ['a byte order mark', '\ufeff# A\n', [['A', 0, 1]]],
    [
      'twins',
      '# A\n# A\n',
      [
        ['A', 0, 1],
        ['A', 1, 2],
      ],
    ],
    [
      'names like inherited members',
      '# __proto__\n# constructor\n',
      [
        ['__proto__', 0, 1],
        ['constructor', 1, 2],
      ],
    ],
    ['markup in a name, as it is written', '# *A* `b` &amp;\n', [['*A* `b` &amp;', 0, 1]]],
    ['code, quotes, lists and HTML', '```\n# a\n```\n> # b\n\n- # c\n\n<!--\n# d\n-->\n\n    # e\n', [['', 0, 12]]],
  ] as const)('sections of a Markdown file are %s', (_what, text, expected) => {
    expect(outline(text)).toEqual(expected);
  });

  test('a file that is not Markdown is a single section', () => {
    expect(outline('-- x\n# y\n', 'CORTEX/db/a.sql')).toEqual([['', 0, 2]]);
  });

  test('sections are the same with CRLF as with LF', () => {
    const bytes = (eol: string) => must(normalizeText(encodeText(`# A${eol}b${eol}`)));
    expect(extractSections('a.md', bytes('\r\n'))).toEqual(extractSections('a.md', bytes('\n')));
  });

  const WORD = fc.constantFrom(
    '# A',
    '## B',
    'text',
    '',
    '===',
    '---',
    '> q',
    '- l',
    '```',
    '\u2028',
    '\r',
    '\f#',
    '\t',
  );
  const MARKDOWN = fc.array(WORD, { maxLength: 20 }).map((lines) => lines.join('\n'));

  test('each line of a file is in exactly a single section, and lines[0:N] of a section is its text', () => {
    fc.assert(
      fc.property(MARKDOWN, (source) => {
        const text = must(normalizeText(encodeText(source)));
        const sections = must(extractSections('a.md', text));
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        let line = 0;
        for (const section of sections) {
          const own = lines.slice(section.line_start, section.line_end).join('');
          expect([section.line_start, section.content_hash]).toEqual([line, contentHash(own)]);
          const size = section.line_end - section.line_start;
          if (size > 0) expect(must(applySlice(own, `lines[0:${size}]`)).content_hash).toBe(section.content_hash);
          line = section.line_end;
        }
        expect(line).toBe(lines.length);
      }),
    );
  });

  test('buildIndex never throws for arbitrary bytes and paths', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, path) => {
        const built = buildIndex([{ path, bytes }]);
        if (!built.ok) expect(['content_utf8', 'path_invalid']).toContain(built.refusal.code);
      }),
    );
  });

  test('sections take time in proportion to the text, also for hostile text', () => {
    const size = 200_000;
    for (const hostile of [
      '- ',
      '> ',
      '#',
      ' ',
      '\t',
      '[',
      '[a',
      '`',
      '<a ',
      '<!',
      '1. ',
      '\n- \n',
      '===\n',
      '[a]: /u\n',
      '- a\n ',
    ]) {
      expect(extractSections('a.md', hostile.repeat(size)).ok).toBe(true);
    }
    expect(extractSections('a.md', '- '.repeat(size) + '\n'.repeat(size)).ok).toBe(true);
    expect(extractSections('a.md', `# ${' '.repeat(size)}${'#'.repeat(size)} x`).ok).toBe(true);
  });
});

describe('a path', () => {
  // A colon is part of a name, as in C:a.md. A path with a drive and a slash is not relative.
  test.each(['a.md', 'a/b.md', '.hidden/x', 'a:b.md', 'C:a.md', 'a/C:/b.md', 'é.md', '日本/a b.md', '...'])(
    'a path may be %j',
    (path) => {
      expect(checkPath(path).ok).toBe(true);
    },
  );

  test.each([
    ...[
      '',
      '/a',
      'a//b',
      'a/',
      './a',
      'a/../b',
      '..',
      'a\\b',
      'C:/a',
      'a\nb',
      'a\0',
      'e\u0301.md',
      '\u212b',
      'a\u0085b',
      'a\u001b[2Jb',
      'a\u2028b',
      'a\u202egpj.md',
      'a\u2066b',
      'a\u200fb',
      'a\u061cb',
    ],
    '\ud800',
  ])('a path is refused as %j, not repaired', (path) => {
    expect(checkPath(path)).toMatchObject({ refusal: { code: 'path_invalid', class: 'resolution' } });
    expect(extractSections(path, '').ok).toBe(false);
  });
});

describe('an index', () => {
  const files = ['b.md', 'a/z.md', 'a.md', '\u{1f600}.md', '\uff5e.md', 'a/Z.md'].map((path) => ({
    path,
    bytes: encodeText(`# ${path}\ntext\n## Two\n`),
  }));

  test('an index does not depend on the order of files, and lists them in UTF-8 order', () => {
    const built = must(buildIndex(files));
    expect(must(buildIndex(files.toReversed()))).toEqual(built);
    // A file without `bytes` is refused, not read as empty.
    expect(() => buildIndex([...files, { path: 'forgotten.md' } as never])).toThrow(
      expect.objectContaining({ code: 'option_invalid', details: { name: 'bytes', wants: 'a Uint8Array' } }),
    );
    const paths = [...new Set(built.sections.map((section) => section.file_path))];
    expect(paths).toEqual(['a.md', 'a/Z.md', 'a/z.md', 'b.md', '\uff5e.md', '\u{1f600}.md']);
    expect(built.sections.map((section) => section.line_start)).toEqual([0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2]);
  });

  test('an index has another hash when a byte changes', () => {
    const [first, ...rest] = files;
    const changed = { path: first?.path ?? '', bytes: encodeText('# b.md\ntext\n## Two!\n') };
    expect(must(buildIndex([changed, ...rest])).index_hash).not.toBe(must(buildIndex(files)).index_hash);
  });

  test('an index is not built when a file is not UTF-8, and the refusal names the file', () => {
    const bad = { path: 'bad.md', bytes: Uint8Array.of(0x61, 0xff) };
    expect(buildIndex([...files, bad])).toMatchObject({
      refusal: { code: 'content_utf8', details: { path: 'bad.md', offset: 1 } },
    });
  });

  test('an index is not built of two files with the same path', () => {
    expect(buildIndex([...files, ...files])).toMatchObject({
      refusal: { code: 'path_twice', details: { path: 'b.md' } },
    });
  });
});
