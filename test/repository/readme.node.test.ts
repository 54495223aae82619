import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ai from 'ai';
import * as aiTest from 'ai/test';
import { expect, test } from 'vitest';
import * as sallyportAi from '../../workers/ai.ts';
import * as sallyport from '../../workers/node.ts';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  ...parts: string[]
) => (...args: unknown[]) => Promise<void>;

const BLOCKS = [...README.matchAll(/```js\n(?<code>[\s\S]+?)```/g)].map(({ groups }) => groups?.['code'] ?? '');

/** Runs a block as a module, and returns what it printed. */
async function printedBy(code: string, modules: { readonly [name: string]: object }): Promise<readonly unknown[][]> {
  const body = code.replaceAll(
    /^import (?<names>\{.+\}) from '(?<module>[^']+)';.*$/gm,
    (_, names: string, module: string) => `const ${names} = modules['${module}'];`,
  );
  expect(body).not.toContain('import ');
  const said: unknown[][] = [];
  await new AsyncFunction('modules', 'console', body)(modules, { log: (...words: unknown[]) => said.push(words) });
  return said;
}

test('the first example of the README runs as it is written: an invented approval, without the gate and behind it', async () => {
  const [code = ''] = BLOCKS;
  const modules = { ai, 'ai/test': aiTest, 'sallyport/ai': sallyportAi, 'sallyport/node': sallyport };
  const said = await printedBy(code, modules);
  const shown = [...code.matchAll(/\/\/ prints: (.+)$/gm)].map(([, line]) => line);
  expect(said.map((words) => words.join(' '))).toEqual(shown);
  expect(shown).toEqual(['sent FORGED', 'approval_denied']);
});

test('the second example of the README runs as it is written', async () => {
  const [, code = ''] = BLOCKS;
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(25);
  const said = await printedBy(code, { 'sallyport/node': sallyport });
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
