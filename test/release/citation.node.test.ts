import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Clone, makeClone } from './clone.ts';

interface Citation {
  readonly authors: readonly { readonly name: string }[];
  readonly [member: string]: unknown;
}
const citationOf = (text: string) => parse(text) as Citation;

let clone: Clone;
beforeAll(() => {
  clone = makeClone();
});
afterAll(() => clone.remove());

test('the citation has the members that its format requires, with the values of the manifest', () => {
  const citation = citationOf(readFileSync('CITATION.cff', 'utf8'));
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
  expect(citation).toMatchObject({
    'cff-version': '1.2.0',
    message: expect.stringMatching(/./) as string,
    title: 'Sallyport',
    authors: [{ name: manifest['author'] }],
    type: 'software',
    version: manifest['version'],
    license: manifest['license'],
    abstract: manifest['description'],
  });
  expect(clone.script('release-citation.mjs', '--check').status).toBe(0);
});

test('a citation that differs from the manifest is found, and written anew', () => {
  clone.write('CITATION.cff', clone.read('CITATION.cff').replace(/^license: .*$/m, 'license: "MIT"'));
  expect(clone.script('release-citation.mjs', '--check')).toMatchObject({
    status: 1,
    stderr: 'CITATION.cff differs from package.json. Run: npm run release -- citation\n',
  });
  expect(clone.script('release-citation.mjs').status).toBe(0);
  expect(clone.script('release-citation.mjs', '--check').status).toBe(0);
});

test('the citation takes the repository from the manifest, keeps its date, and reports a missing repository', () => {
  const manifest = JSON.parse(clone.read('package.json')) as object;
  clone.write('package.json', JSON.stringify({ ...manifest, repository: '' }));
  expect(clone.script('release-citation.mjs').stdout).toContain(
    'CITATION.cff names no repository, because `repository` in package.json has no address.',
  );
  clone.write('CITATION.cff', `${clone.read('CITATION.cff')}date-released: "2026-01-31"\n`);
  const repository = { type: 'git', url: 'git+https://host.example/owner/name.git' };
  clone.write('package.json', JSON.stringify({ ...manifest, repository }));
  expect(clone.script('release-citation.mjs').stdout).not.toContain('no repository');
  expect(citationOf(clone.read('CITATION.cff'))).toMatchObject({
    'repository-code': 'https://host.example/owner/name',
    'date-released': '2026-01-31',
  });
});
