import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as sallyport from '../../workers/node.ts';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  ...parts: string[]
) => (...args: unknown[]) => Promise<void>;

test('the example of the README runs as it is written', async () => {
  const block = /```js\n(?<code>[\s\S]+?)```/.exec(README)?.groups?.['code'] ?? '';
  expect(block.trim().split('\n').length).toBeLessThanOrEqual(25);
  const code = block.replace(/^import (?<names>\{.+\}) from 'sallyport\/node';.*$/m, 'const $<names> = sallyport;');
  expect(code).not.toContain('import');
  const said: unknown[][] = [];
  await new AsyncFunction('sallyport', 'console', code)(sallyport, { log: (...words: unknown[]) => said.push(words) });
  expect(said.slice(0, -1).map(([, kind]) => kind)).toEqual([
    'configuration',
    'task',
    ...['proposal', 'verdict', 'observation', 'receipt'],
    ...['proposal', 'verdict', 'decision', 'observation', 'receipt'],
    ...['proposal', 'verdict', 'receipt', 'seal'],
  ]);
  expect(said.at(-1)).toMatchObject([
    { state: 'completed', message: 'The sum is 5.', steps: 3 },
    [{ step: 1, code: 'duplicate_member' }],
    { ok: true },
  ]);
});

test.each(['README.md', 'web/docs/threats.md'])('every path that %s names exists', (file) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  const paths = [...text.matchAll(/`((?:core|test|web|workers|sandbox|e2e)\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? '',
  );
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) expect(existsSync(join(import.meta.dirname, '../..', path)), path).toBe(true);
});

test('the README has at most 150 lines, and its links lead to files', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(150);
  const links = [...README.matchAll(/\]\(([^)#:]+)(?:#[\w-]+)?\)|src="([^":]+)"/g)].map(
    ([, link, src]) => link ?? src ?? '',
  );
  expect(links.length).toBeGreaterThan(20);
  for (const link of links) expect(existsSync(join(import.meta.dirname, '../..', link)), link).toBe(true);
});
