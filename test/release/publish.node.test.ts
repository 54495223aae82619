import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contactOf, editAddress, type Manifest, missingFields, repositoryOf } from '../../.scripts/publish-address.mjs';
import { editLink } from '../../.scripts/vite/edit-link.ts';
import { type Clone, makeClone } from './clone.ts';

const WHOLE = {
  author: 'The Sallyport developers',
  repository: { type: 'git', url: 'git+https://host.example/owner/name.git' },
  bugs: { url: 'https://host.example/owner/name/issues' },
};

describe('publishing', () => {
  let clone: Clone;
  beforeAll(() => {
    clone = makeClone();
  });
  afterAll(() => clone.remove());

  const publishable = (fields: Manifest) => {
    const manifest = JSON.parse(clone.read('package.json')) as object;
    clone.write('package.json', JSON.stringify({ ...manifest, author: '', repository: '', bugs: '', ...fields }));
    return clone.script('publish-ready.mjs');
  };

  test('publishing is permitted with an author, a repository and a contact', () => {
    expect(publishable(WHOLE)).toMatchObject({ status: 0, stderr: '' });
  });

  test.each(['author', 'repository', 'bugs'] as const)(
    'publishing is refused while %s is empty, and the message names it',
    (field) => {
      const { status, stderr } = publishable({ ...WHOLE, [field]: '' });
      expect(status).toBe(1);
      expect(stderr.split('\n').filter((line) => line.startsWith('  `'))).toEqual([
        expect.stringMatching(new RegExp(`^ {2}\`${field}\``)),
      ]);
      expect(stderr).toMatch(/^Publishing is refused\. In package\.json:\n/);
      expect(stderr).toContain('npm run release -- citation');
    },
  );

  test('publishing is refused when no tarball was packed', () => {
    publishable(WHOLE);
    expect(clone.script('publish.mjs', '--dry-run')).toMatchObject({
      status: 1,
      stderr: 'test-results/package holds 0 tarballs; one is expected. Run: npm run release -- pack\n',
    });
  });

  test('publishing a tarball, for which npm runs no script of the package, is refused by the same rule', () => {
    clone.write('test-results/package/sallyport-0.1.0.tgz', '');
    publishable({});
    expect(clone.script('publish.mjs', '--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Publishing is refused/) as string,
    });
  });

  test('publishing a folder is held by npm to the same rule', () => {
    const { scripts } = JSON.parse(clone.read('package.json')) as { readonly scripts: Record<string, string> };
    expect(scripts['prepublishOnly']).toBe('node .scripts/publish-ready.mjs');
  });
});

describe('the address of the repository', () => {
  test.each([
    ['git+https://host.example/owner/name.git', 'https://host.example/owner/name'],
    ['https://host.example/owner/name', 'https://host.example/owner/name'],
    ['https://host.example/group/owner/name.git', 'https://host.example/group/owner/name'],
  ])('the address of %s is %s', (url, address) => {
    expect(repositoryOf({ repository: { url } })).toBe(address);
    expect(repositoryOf({ repository: url })).toBe(address);
    expect(editAddress({ repository: url }, 'web/docs/why.md')).toBe(`${address}/edit/main/web/docs/why.md`);
  });

  test.each([
    '',
    'owner/name',
    'git@host.example:owner/name.git',
    'http://host.example/owner/name',
    'https://host.example',
  ])('the address of “%s” is undefined', (url) => {
    expect(repositoryOf({ repository: { url } })).toBe(undefined);
    expect(editAddress({ repository: url }, 'web/docs/why.md')).toBe(undefined);
  });

  test('the contact for reports is a page or a mailbox', () => {
    expect(contactOf({ bugs: { url: 'https://host.example/issues' } })).toBe('https://host.example/issues');
    expect(contactOf({ bugs: { email: 'reports@host.example' } })).toBe('reports@host.example');
    expect(contactOf({ bugs: { url: '' } })).toBe(undefined);
    expect(contactOf({})).toBe(undefined);
  });

  test('a manifest without fields lacks an author, a repository and a contact', () => {
    expect(missingFields({})).toHaveLength(3);
    expect(missingFields(WHOLE)).toEqual([]);
  });
});

describe('a page of the documentation', () => {
  test('a page of the documentation links to its source when the manifest has an address', () => {
    expect(editLink(WHOLE, 'web/docs/why.md')).toBe(
      '<p class="edit"><a href="https://host.example/owner/name/edit/main/web/docs/why.md">Edit this page</a></p>\n',
    );
  });

  test('a page of the documentation has no edit link when the manifest has no address', () => {
    expect(editLink({ ...WHOLE, repository: '' }, 'web/docs/why.md')).toBe('');
  });
});

test('the manifest names the author', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  expect(manifest.author).toBe('The Sallyport developers');
});
