import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listed, PAGE } from './tables.ts';

const FOLDERS = ['core', 'sandbox', 'workers', 'web'];
const SOURCES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.includes('generated'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
);

/** The source files in which a pattern occurs. */
function filesWith(pattern: RegExp): readonly string[] {
  return SOURCES.filter((file) => pattern.test(readFileSync(file, 'utf8')));
}

test('each path on the page "Add to it" exists', () => {
  const paths = [...PAGE.matchAll(/`((?:core|sandbox|test|web|workers)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

/** A list of the page beside the pattern that shows that a source file handles the thing. */
const LISTS: readonly (readonly [title: string, knows: RegExp])[] = [
  // A member or case named by the dialect.
  ['A dialect', /^\s*(?:case 'femtoclaw':|femtoclaw:)|=== 'femtoclaw'/m],
  ['A refusal code', /^ {2}\w+: \{\s*class: '\w+',\s*what: /m],
  // An icon, a line, a form, a case.
  ['A record kind', /^\s*(?:case 'seal':|seal: (?:\{|svg|\(body\)))/m],
  ['A limit', /\brefusalsInRow: \{/],
  ['A term of a grant', /^\s*rate: \{/m],
  ['A store', /^\s*kind: '(?:directory|indexeddb|memory|postgres|sqlite)',$/m],
];

describe('a list of the page "Add to it" is complete', () => {
  test.each(LISTS)('the list "%s" of the page "Add to it" is complete', (title, knows) => {
    const found = filesWith(knows);
    expect(found.length).toBeGreaterThan(1);
    expect(found.filter((file) => !listed(title).includes(file))).toEqual([]);
  });

  test('a planted dialect in a file that the page does not list is found', () => {
    expect(LISTS[0]?.[1].test("switch (dialect) {\n  case 'femtoclaw':\n")).toBe(true);
    expect(listed('A dialect')).not.toContain('core/planted.ts');
  });
});
