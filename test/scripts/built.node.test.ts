import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forgetBuild, hashSources, isBuilt, rememberBuild } from '../../.scripts/built.mjs';
import { temporaryFolder } from '../folder.ts';

/** A repository with a built `dist/`, and how it remembers its builds. */
function repository() {
  const root = temporaryFolder();
  const place = { root, file: join(root, 'node_modules/.cache/built.json') };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const build = (extent: 'site' | 'all') => {
    const sources = hashSources(place);
    forgetBuild(place);
    write('dist/assets/page.js', readFileSync(join(root, 'core/index.ts'), 'utf8'));
    rememberBuild(extent, sources, place);
  };
  write('core/index.ts', 'export const one = 1;');
  write('test/core/index.test.ts', 'test();');
  write('e2e/page.spec.ts', 'test();');
  return { place, write, build };
}

describe('a build that is not made again', () => {
  test('a build is the same while no file that it reads has changed', () => {
    const { place, write, build } = repository();
    expect(isBuilt('all', place)).toBe(false);
    build('all');
    expect(isBuilt('all', place)).toBe(true);
    write('test/core/index.test.ts', 'changed();');
    write('e2e/page.spec.ts', 'changed();');
    expect(isBuilt('all', place)).toBe(true);
  });

  test.each([
    ['a source', 'core/index.ts'],
    ['a new source', 'web/new.ts'],
    ['a file of tests that is no test', 'test/cases.ts'],
    ['an installed package', 'node_modules/.package-lock.json'],
    ['a built file', 'dist/assets/page.js'],
    ['a new file in dist', 'dist/other.js'],
  ])('%s that has changed makes a build necessary', (_, path) => {
    const { place, write, build } = repository();
    build('all');
    write(path, 'changed');
    expect(isBuilt('all', place)).toBe(false);
  });

  test('the whole build has the playground, and a build of the playground has no package', () => {
    const { place, build } = repository();
    build('all');
    expect(isBuilt('site', place)).toBe(true);
    build('site');
    expect(isBuilt('site', place)).toBe(true);
    expect(isBuilt('all', place)).toBe(false);
  });

  test('a build that was cut, or whose source changed meanwhile, is not remembered', () => {
    const { place, write, build } = repository();
    build('all');
    const sources = hashSources(place);
    forgetBuild(place);
    expect(isBuilt('all', place)).toBe(false);
    write('core/index.ts', 'export const two = 2;');
    rememberBuild('all', sources, place);
    write('core/index.ts', 'export const one = 1;');
    expect(isBuilt('all', place)).toBe(false);
  });

  test('a memory that cannot be read makes a build necessary', () => {
    const { place, build } = repository();
    build('all');
    writeFileSync(place.file, '{"extent":');
    expect(isBuilt('all', place)).toBe(false);
  });
});
