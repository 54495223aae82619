import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextVersion, unreleasedPart, versionPart } from '../../.scripts/release-text.mjs';
import { type Clone, makeClone } from './clone.ts';

const CHANGELOG =
  '# Changelog\n\nAbout versions.\n\n## Unreleased\n\n- One thing came.\n- `$&` stays.\n\n## 0.1.0\n\n- The first.\n';
const EMPTY = CHANGELOG.replace(/- One[\s\S]*stays\.\n\n/, '');

interface Lock {
  version: string;
  packages: { '': { version: string } };
}

describe('the next version', () => {
  test.each([
    ['minor', '0.1.4', '0.2.0'],
    ['patch', '0.1.4', '0.1.5'],
    ['0.1.10', '0.1.9', '0.1.10'],
    ['1.0.0', '0.9.9', '1.0.0'],
  ])('the next version for %s behind %s is %s', (wanted, current, version) => {
    expect(nextVersion(current, wanted)).toBe(version);
  });

  test.each(['0.2.3', '0.2.2', '0.1.9', '0.02.4', '0.2', '0.2.4-beta', 'major', ''])(
    'the next version is undefined for %j behind 0.2.3',
    (wanted) => {
      expect(nextVersion('0.2.3', wanted)).toBe(undefined);
    },
  );
});

describe('the changelog', () => {
  test('the changelog has an unreleased part, unless the part is missing or empty', () => {
    expect(unreleasedPart(CHANGELOG)).toBe('- One thing came.\n- `$&` stays.');
    expect(unreleasedPart(EMPTY)).toBe(undefined);
    expect(unreleasedPart(CHANGELOG.replace('## Unreleased', '## Later'))).toBe(undefined);
  });

  test('the changelog has a part for a version, with or without a date', () => {
    expect(versionPart(CHANGELOG, '0.1.0')).toBe('- The first.');
    expect(versionPart(CHANGELOG.replace('## 0.1.0', '## 0.1.0, 2026-01-31'), '0.1.0')).toBe('- The first.');
    expect(versionPart(CHANGELOG, '0.1')).toBe(undefined);
  });
});

/** A repository at version 0.1.0, so that the test does not depend on the version of this repository. */
function makeRepository(changelog: string): Clone {
  const clone = makeClone();
  clone.write('package.json', clone.read('package.json').replace(/"version": "[^"]+"/, '"version": "0.1.0"'));
  const lock = JSON.parse(clone.read('package-lock.json')) as Lock;
  lock.version = '0.1.0';
  lock.packages[''].version = '0.1.0';
  clone.write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  clone.write('web/docs/changelog.md', changelog);
  clone.write('web/docs/versions.json', '[]\n');
  clone.git('init', '--quiet', '--initial-branch', 'main');
  clone.git('add', '.');
  clone.git('commit', '--quiet', '--message', 'begin');
  return clone;
}

describe('a release', () => {
  let clone: Clone;
  beforeAll(() => {
    clone = makeRepository(CHANGELOG);
  });
  afterAll(() => clone.remove());
  const release = (...args: readonly string[]) => clone.script('release.mjs', ...args);

  test.each([[[]], [['minor', 'patch']], [['minor', '--force']]])(
    'a release called with %j prints its usage and ends with 64',
    (args) => {
      const { status, stderr } = release(...args);
      expect(status).toBe(64);
      expect(stderr).toMatch(/^Usage: npm run release -- /);
    },
  );

  test('a release prints its usage with --help', () => {
    expect(release('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--dry-run') as string });
  });

  test('a release refuses a version that is not later', () => {
    expect(release('0.1.0')).toMatchObject({
      status: 1,
      stderr: 'Release refused: 0.1.0 is no version later than 0.1.0.\n',
    });
  });

  test('a dry run prints the version and the part, and changes no file', () => {
    const { status, stdout } = release('patch', '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toContain('0.1.0 -> 0.1.1\n\n- One thing came.\n- `$&` stays.\n');
    expect(stdout).toContain(
      'Dry run: package.json, package-lock.json, web/docs/changelog.md, CITATION.cff, web/docs/versions.json would change.',
    );
    expect(clone.git('status', '--porcelain')).toBe('');
  });

  test('a release refuses a version whose tag exists', () => {
    clone.git('tag', 'v0.3.0');
    expect(release('0.3.0')).toMatchObject({
      status: 1,
      stderr: 'Release refused: The tag v0.3.0 is there already.\n',
    });
  });

  test('a release sets the version in manifest, lockfile and citation, and moves the unreleased part beneath it', () => {
    const files = ['package.json', 'package-lock.json'];
    const before = files.map((file) => clone.read(file).split('\n'));
    expect(release('minor')).toMatchObject({ status: 0, stderr: '' });
    const changes = files.map((file, at) => {
      return clone
        .read(file)
        .split('\n')
        .filter((line, index) => line !== before[at]?.[index]);
    });
    expect(changes).toEqual([['  "version": "0.2.0",'], ['  "version": "0.2.0",', '      "version": "0.2.0",']]);
    const today = new Date().toISOString().slice(0, 10);
    expect(clone.read('CITATION.cff')).toMatch(/^version: "0\.2\.0"$/m);
    expect(clone.read('CITATION.cff')).toContain(`date-released: "${today}"`);
    expect(clone.read('web/docs/changelog.md')).toBe(
      CHANGELOG.replace('## Unreleased\n', () => `## Unreleased\n\n## 0.2.0, ${today}\n`),
    );
    expect(clone.git('diff', '--name-only').split('\n')).toEqual([
      'CITATION.cff',
      'package-lock.json',
      'package.json',
      'web/docs/changelog.md',
    ]);
    expect(clone.git('tag')).toBe('v0.3.0');
  });

  test('a release adds the version that it replaces to the versions of the documentation, if that has a tag', () => {
    clone.git('checkout', '--', '.');
    clone.write('web/docs/versions.json', '["0.0.9"]\n');
    clone.git('commit', '--quiet', '--all', '--message', 'an older version');
    expect(release('minor')).toMatchObject({ status: 0, stderr: '' });
    expect(clone.read('web/docs/versions.json')).toBe('["0.0.9"]\n');
    clone.git('checkout', '--', '.');
    clone.git('tag', 'v0.1.0');
    expect(release('minor')).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(clone.read('web/docs/versions.json'))).toEqual(['0.1.0', '0.0.9']);
  });

  test('a release refuses a changed working tree, also in a dry run', () => {
    clone.git('checkout', '--', '.');
    clone.write('new.txt', '');
    const expected = 'Release refused: The working tree has changes. Commit or remove them first.\n';
    for (const options of [[], ['--dry-run'], ['--commit']])
      expect(release('minor', ...options)).toMatchObject({ status: 1, stderr: expected });
  });

  test('a release with --commit commits and tags the five files, and the next release refuses an empty part', () => {
    clone.git('clean', '--quiet', '--force');
    expect(release('minor', '--commit')).toMatchObject({ status: 0, stderr: '' });
    expect(clone.git('status', '--porcelain')).toBe('');
    expect(clone.git('log', '-1', '--format=%s')).toBe('release: set the version 0.2.0');
    expect(JSON.parse(clone.git('show', 'HEAD:web/docs/versions.json'))).toEqual(['0.1.0', '0.0.9']);
    expect(clone.git('rev-parse', 'v0.2.0^{commit}')).toBe(clone.git('rev-parse', 'HEAD'));
    const { status, stdout } = clone.script('release-tag.mjs', 'v0.2.0');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'v0.2.0\n\n- One thing came.\n- `$&` stays.\n' });
    expect(release('patch')).toMatchObject({
      status: 1,
      stderr: 'Release refused: The unreleased part of web/docs/changelog.md is empty.\n',
    });
  });

  test('release-tag.mjs refuses a missing tag, a tag of another version, and a changelog without a part', () => {
    expect(clone.script('release-tag.mjs').stderr).toBe('The tag is missing; package.json has 0.2.0.\n');
    expect(clone.script('release-tag.mjs', 'v0.3.0')).toMatchObject({
      status: 1,
      stderr: 'The tag is v0.3.0; package.json has 0.2.0.\n',
    });
    clone.write('web/docs/changelog.md', CHANGELOG);
    expect(clone.script('release-tag.mjs', 'v0.2.0').stderr).toBe('web/docs/changelog.md has no part for 0.2.0.\n');
  });
});
