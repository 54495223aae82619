import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PREBUNDLED } from '../setup/prebundled.ts';
import { importsOf } from './imports.ts';

/** The packages that a file loads, itself and through the files it imports. */
function packagesOf(file: string, seen: Set<string>): string[] {
  if (seen.has(file) || !/\.[jt]s$/.test(file)) return [];
  seen.add(file);
  return importsOf(file, readFileSync(file, 'utf8'))
    .filter(({ typeOnly, to }) => !typeOnly && to !== '?' && !to.includes('?'))
    .flatMap(({ to }) => (/^(core|sandbox|workers|web|test)\//.test(to) ? packagesOf(to, seen) : [to]));
}

test('every package that a test loads in a browser is bundled before the tests begin', () => {
  const seen = new Set<string>();
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !/\.(node|process)\.test\.ts$/.test(file))
    .map((file) => `test/${file}`);
  const packages = new Set(tests.flatMap((file) => packagesOf(file, seen)));
  const missing = [...packages].filter((name) => !PREBUNDLED.includes(name) && !/^(node:|vitest(?:$|\/))/.test(name));
  expect(missing.sort()).toEqual([]);
});
