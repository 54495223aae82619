import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';

interface Small {
  /** Arguments of the smallest run. */
  readonly words: readonly string[];
  readonly options: readonly string[];
  readonly members: object;
}

const NUMBER = expect.any(Number) as number;
const SEEDED = ['seed'];

const TESTS: { readonly [name: string]: Small } = {
  kills: {
    words: ['node', '1', '--seed', '7'],
    options: ['count', 'engine', ...SEEDED],
    members: {
      ...{ engine: 'node', count: 1, seed: 7, lost: 0, told: 0, contradicted: 0, broken: 0, twice: 0 },
      ...{ acknowledged: NUMBER, interruptedSteps: NUMBER, openSteps: NUMBER, torn: 0, restored: 0, epochs: 0 },
    },
  },
  chaos: {
    words: ['--lives', '1', '--seed', '20260'],
    options: ['lives', ...SEEDED],
    members: { lives: 1, seed: 20_260, faults: 0, failed: 0, kills: NUMBER, records: NUMBER, receipts: NUMBER },
  },
  soak: {
    words: ['--calls', '100'],
    options: ['calls'],
    members: { calls: 100, arguments: 50, differing: 0, microseconds: NUMBER, grownMb: NUMBER, heapChanged: 0 },
  },
  'power-cut': {
    words: ['--cuts', '10', '--seed', '1'],
    options: ['cuts', ...SEEDED],
    members: { cuts: 10, seed: 1, faults: 0, failed: 0, unflushed: NUMBER, witnessed: NUMBER },
  },
  bench: {
    words: ['schema', '--engine', 'node'],
    options: ['engine', 'section', 'before', 'results'],
    members: {
      ...{ engine: 'node', rows: NUMBER, goals: NUMBER, load: NUMBER },
      ...{ met: NUMBER, best: NUMBER, median: NUMBER, missed: NUMBER },
    },
  },
};

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const commandOf = (name: string) => (name.startsWith('bench') ? 'npm run bench --' : `npm run test:long -- ${name}`);

/** The command as `npm run` starts it. */
async function run(name: string, ...words: readonly string[]): Promise<Ended> {
  const [first = '', second] = name.split(' ');
  const command =
    first === 'bench'
      ? ['.scripts/command.mjs', 'bench', ...(second ? [second] : [])]
      : ['.scripts/test-long.mjs', name];
  const child = spawn(process.execPath, [...command, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  // The first line says how long a part takes.
  return { status, stdout, stderr: stderr.replace(/^test:long .+: about \d+ minutes on two cores\n/, '') };
}

describe.each(Object.entries(TESTS))('the long test %s', (name, { words, options, members }) => {
  let help: Ended;
  beforeAll(async () => {
    help = await run(name, '--help');
  });

  test('the help of a long test names each option with a default, and ends with 0', () => {
    const { status, stdout, stderr } = help;
    expect([status, stderr]).toEqual([0, '']);
    const printed = [...stdout.matchAll(/^ {2}--([a-z]+) .*Default: /gm)].map(([, option]) => option);
    expect(new Set(printed)).toEqual(new Set(options));
  });

  test('a long test refuses an unknown option by its name, with 2', async () => {
    const { status, stdout, stderr } = await run(name, '--nonesuch');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`${name}: Unknown option '--nonesuch'. See ${commandOf(name)} --help\n`);
  });

  test('a long test ends with 0 and a line of JSON, whose members its help names', async () => {
    const { status, stdout, stderr } = await run(name, ...words);
    expect(status, stderr).toBe(0);
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as object;
    expect(last).toEqual({ test: name, ok: true, seconds: NUMBER, ...members });
    expect(Object.keys(last).slice(0, 3)).toEqual(['test', 'ok', 'seconds']);
    for (const member of Object.keys(last)) expect(help.stdout).toMatch(new RegExp(`^ {2}${member} `, 'm'));
  }, 120_000);
});

test('npm run bench -- page, which needs a build, has the same help and refusals', async () => {
  const [help, refused] = [await run('bench page', '--help'), await run('bench page', '--nonesuch')];
  expect([help.status, help.stdout]).toEqual([0, expect.stringMatching(/^ {2}--rounds N .* Default: 5\.$/m)]);
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain("Unknown option '--nonesuch'");
});

test('npm run test:long -- load, which needs a server, has the same help and refusals', async () => {
  const [help, refused] = [await run('load', '--help'), await run('load', '--nonesuch')];
  expect([help.status, help.stdout]).toEqual([0, expect.stringMatching(/^ {2}--minutes N .* Default: 10\.$/m)]);
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain("Unknown option '--nonesuch'");
});

test('npm run bench takes the name of each section that is measured', async () => {
  const files = [
    ...['sections', 'node', 'worker'].map((file) => `test/bench/${file}.ts`),
    '.scripts/bench/outside.mjs',
  ];
  const sources = files.map((file) => readFileSync(file, 'utf8'));
  const measured = sources.flatMap((source) => [...source.matchAll(/\{ name: '(\w+)'/g)].map(([, name]) => name));
  const [, listed = ''] =
    /--section NAME +What to measure: ([^.]+)\./.exec((await run('bench', '--help')).stdout) ?? [];
  expect(new Set(listed.split(', '))).toEqual(new Set([...measured, 'large', 'all']));
});
