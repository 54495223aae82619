import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const shots = (...words: readonly string[]) =>
  spawnSync(process.execPath, ['e2e/shots/shots.mjs', ...words], { encoding: 'utf8' });

test('the command for pictures explains itself, and ends with 64 for an option that it does not have', () => {
  expect(shots('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('npm run docs -- shots') as string,
  });
  expect(shots('--all')).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("Unknown option '--all'") as string,
  });
});
