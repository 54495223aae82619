import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { debianServer } from './postgres-server.ts';

const NUMBER = expect.any(Number) as number;

/** Runs `npm run load`, and returns its last line. */
function load(...words: readonly string[]): object {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['.scripts/load.mjs', ...words], { encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as object;
}

/** Expects the help of the command and its page to name each member. */
function expectDescribed(line: object): void {
  const help = spawnSync(process.execPath, ['.scripts/load.mjs', '--help'], { encoding: 'utf8' }).stdout;
  const page = readFileSync('web/docs/long-tests.md', 'utf8');
  for (const member of Object.keys(line)) {
    expect(help).toMatch(new RegExp(`^ {2}${member} `, 'm'));
    expect(page).toContain(`\`${member}\``);
  }
}

test.beforeEach(() => {
  test.setTimeout(600_000);
  const server = debianServer();
  test.skip('reason' in server, 'reason' in server ? server.reason : '');
});

test('processes on a server that are killed and cut off lose no acknowledged record and repeat no effect', () => {
  const line = load('--minutes', '0', '--seed', '3', '--processes', '2', '--runs', '2');
  const zero = { lost: 0, half: 0, twice: 0, unrecorded: 0, broken: 0, contradicted: 0, faults: 0 };
  const disturbed = { kills: NUMBER, pauses: NUMBER, crashes: NUMBER, cuts: NUMBER, minutes: NUMBER };
  const counted = { acknowledged: NUMBER, records: NUMBER, runs: NUMBER, interruptedSteps: NUMBER };
  expect(line).toEqual({ test: 'load', ok: true, seconds: NUMBER, seed: 3, ...zero, ...disturbed, ...counted });
  expect((line as typeof counted).acknowledged).toBeGreaterThan(100);
  expectDescribed(line);
});

test('the throughput of a store is measured beside bare inserts, and its latency at sizes of the log', () => {
  const line = load('--measure', 'throughput', '--measure', 'latency', '--steps', '64', '--size', '1500');
  const measured = { cells: 9, worst: NUMBER, growth: NUMBER, size: 1_500 };
  expect(line).toEqual({ test: 'load', ok: true, seconds: NUMBER, ...measured });
  expectDescribed(line);
});
