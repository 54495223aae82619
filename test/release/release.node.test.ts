import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, missingFields, repositoryOf } from '../../.scripts/release.mjs';
import { editLink } from '../../.scripts/vite/docs-written.ts';
import { type Clone, makeClone } from './clone.ts';

const CHANGELOG =
  '# Changelog\n\nAbout versions.\n\n## Unreleased\n\n- One thing came.\n- `$&` stays.\n\n## 0.1.0\n\n- The first.\n';

const WHOLE = {
  author: 'The Sallyport developers',
  repository: { type: 'git', url: 'git+https://host.example/owner/name.git' },
  bugs: { url: 'https://host.example/owner/name/issues' },
};

interface Lock {
  version: string;
  packages: { '': { version: string } };
}

/** A repository at version 0.1.0, so that the test does not depend on the version of this repository. */
function makeRepository(): Clone {
  const clone = makeClone();
  clone.write('package.json', clone.read('package.json').replace(/"version": "[^"]+"/, '"version": "0.1.0"'));
  const lock = JSON.parse(clone.read('package-lock.json')) as Lock;
  lock.version = '0.1.0';
  lock.packages[''].version = '0.1.0';
  clone.write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  clone.write('web/docs/changelog.md', CHANGELOG);
  clone.write('web/docs/versions.json', '["0.0.9"]\n');
  clone.git('init', '--quiet', '--initial-branch', 'main');
  clone.git('add', '.');
  clone.git('commit', '--quiet', '--message', 'begin');
  return clone;
}

describe('npm version', () => {
  let clone: Clone;
  beforeAll(() => {
    clone = makeRepository();
  });
  afterAll(() => clone.remove());
  const refusal = (wanted: string) => {
    const { status, stderr } = clone.npm('version', wanted);
    expect(status).not.toBe(0);
    expect(clone.git('log', '--format=%s')).toBe('begin');
    return stderr;
  };

  test('a release refuses an earlier version, a version whose tag exists, and a changed working tree', () => {
    expect(refusal('0.0.11')).toContain('0.0.11 is earlier than 0.1.0.\n');
    clone.git('tag', 'v0.3.0');
    expect(refusal('0.3.0')).toContain('The tag v0.3.0 is there already.\n');
    clone.write('CITATION.cff', `${clone.read('CITATION.cff')}\n`);
    expect(refusal('minor')).toContain('working directory not clean');
    clone.git('checkout', '--', '.');
    expect(clone.git('status', '--porcelain')).toBe('');
  });

  test('a release commits and tags version, citation and changelog; the next one refuses an empty part', () => {
    expect(clone.npm('version', 'minor').status).toBe(0);
    expect(clone.git('status', '--porcelain')).toBe('');
    expect(clone.git('log', '--format=%s')).toBe('release: set the version 0.2.0\nbegin');
    expect(clone.git('rev-parse', 'v0.2.0^{commit}')).toBe(clone.git('rev-parse', 'HEAD'));
    const changed = clone.git('diff', '--name-only', 'HEAD^').split('\n');
    // The replaced version has no tag, so its documentation is kept nowhere.
    expect(changed).toEqual(['CITATION.cff', 'package-lock.json', 'package.json', 'web/docs/changelog.md']);
    const today = new Date().toISOString().slice(0, 10);
    expect(parse(clone.read('CITATION.cff'))).toMatchObject({ version: '0.2.0', 'date-released': today });
    expect(clone.read('web/docs/changelog.md')).toBe(
      CHANGELOG.replace('## Unreleased\n', () => `## Unreleased\n\n## 0.2.0, ${today}\n`),
    );
    const { status, stderr } = clone.npm('version', 'patch');
    expect(status).not.toBe(0);
    expect(stderr).toContain('The unreleased part of web/docs/changelog.md is empty.\n');
  });

  test('a release adds the version that it replaces to the versions of the documentation, if that has a tag', () => {
    const changelog = clone.read('web/docs/changelog.md');
    clone.write('web/docs/changelog.md', changelog.replace('## Unreleased\n', '## Unreleased\n\n- More.\n'));
    clone.git('commit', '--quiet', '--all', '--message', 'add more');
    expect(clone.npm('version', '0.2.10').status).toBe(0);
    expect(JSON.parse(clone.git('show', 'HEAD:web/docs/versions.json'))).toEqual(['0.2.0', '0.0.9']);
    expect(parse(clone.read('CITATION.cff'))).toMatchObject({ version: '0.2.10' });
  });

  test('a tag is refused unless it names the version of the manifest, with a part of the changelog', () => {
    const tagged = (tag: string) => clone.script('release.mjs', 'tag', tag);
    clone.write('package.json', JSON.stringify({ ...WHOLE, version: '0.2.10' }));
    expect(tagged('v0.2.10')).toMatchObject({ status: 0, stderr: '' });
    expect(tagged('')).toMatchObject({ status: 1, stderr: 'The tag is missing; package.json has 0.2.10.\n' });
    expect(tagged('v0.2.1').stderr).toBe('The tag is v0.2.1; package.json has 0.2.10.\n');
    clone.write('web/docs/changelog.md', CHANGELOG);
    expect(tagged('v0.2.10').stderr).toBe('web/docs/changelog.md has no part for 0.2.10.\n');
    clone.write('package.json', JSON.stringify({ version: '0.1.0' }));
    expect(
      tagged('v0.1.0')
        .stderr.split('\n')
        .filter((line) => line.startsWith('In package.json')),
    ).toHaveLength(3);
  });
});

test('npm asks before it publishes whether the manifest has an author, a repository and a contact', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> };
  expect(scripts['prepublishOnly']).toBe('node .scripts/release.mjs prepublishOnly');
  const clone = makeClone();
  try {
    clone.write('package.json', JSON.stringify({ ...WHOLE, bugs: '' }));
    const { status, stderr } = clone.script('release.mjs', 'prepublishOnly');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^In package\.json, `bugs` has no address\.[^\n]*\n$/);
  } finally {
    clone.remove();
  }
  expect(missingFields(WHOLE)).toEqual([]);
  expect(missingFields({ ...WHOLE, bugs: { email: 'reports@host.example' } })).toEqual([]);
  expect(missingFields({ author: '', repository: '', bugs: { url: '' } })).toHaveLength(3);
});

test('the citation has the members that its format requires, with the values of the manifest', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string> & Manifest;
  expect(manifest.author).toBe('The Sallyport developers');
  const repository = repositoryOf(manifest);
  const citation = parse(readFileSync('CITATION.cff', 'utf8')) as object;
  expect(citation).toEqual({
    'cff-version': '1.2.0',
    message: expect.stringMatching(/./) as string,
    title: 'Sallyport',
    authors: [{ name: manifest.author }],
    type: 'software',
    version: manifest['version'],
    license: manifest['license'],
    abstract: manifest['description'],
    ...(repository !== undefined && { 'repository-code': repository }),
    ...('date-released' in citation && { 'date-released': expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string }),
  });
});

describe('the address of the repository', () => {
  test.each([
    ['git+https://host.example/owner/name.git', 'https://host.example/owner/name'],
    ['https://host.example/owner/name', 'https://host.example/owner/name'],
    ['https://host.example/group/owner/name.git', 'https://host.example/group/owner/name'],
  ])('the address of %s is %s, and a page of the documentation links to its source there', (url, address) => {
    expect(repositoryOf({ repository: { url } })).toBe(address);
    expect(repositoryOf({ repository: url })).toBe(address);
    expect(editLink({ repository: url }, 'web/docs/why.md')).toBe(
      `<p class="edit"><a href="${address}/edit/main/web/docs/why.md">Edit this page</a></p>\n`,
    );
  });

  test.each([
    '',
    'owner/name',
    'git@host.example:owner/name.git',
    'http://host.example/owner/name',
    'https://host.example',
  ])('the address of “%s” is undefined, and no page has an edit link', (url) => {
    expect(repositoryOf({ repository: { url } })).toBe(undefined);
    expect(editLink({ repository: url }, 'web/docs/why.md')).toBe('');
  });
});
