import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

/** Sources of the tests that `web/docs/mcp-attacks.md` names, by their file names. */
const SOURCES = new Map(
  ['test/workers/bridges/mcp', 'test/runtime', 'e2e'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(test|spec)\.ts$/.test(path))
      .map((path) => [basename(path), readFileSync(join(folder, path), 'utf8')] as const),
  ),
);

const ROWS = readFileSync('web/docs/mcp-attacks.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| **'))
  .map((line) => line.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '');

test('each row of the page about attacks names tests that exist', () => {
  expect(ROWS.length).toBeGreaterThan(10);
  let file = '';
  for (const part of ROWS.flatMap((row) => row.split('; '))) {
    const [, name, title = ''] = /^(?:`([^`]+)`(?:: )?)?(.*)$/.exec(part) ?? [];
    file = name ?? file;
    expect([...SOURCES.keys()]).toContain(file);
    expect(SOURCES.get(file)).toContain(title);
  }
});
