import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runStages } from '../../.scripts/test/run.mjs';
import { temporaryFolder } from '../folder.ts';

type Stage = Parameters<typeof runStages>[0][number];
const exits = (name: string, code: number, more: Partial<Stage> = {}): Stage => ({
  name,
  does: `exits with ${code}`,
  tool: 'script',
  args: ['-e', `process.exit(${code})`],
  ...more,
});

async function states(...stages: Stage[]) {
  const folder = temporaryFolder();
  const ended = await runStages(stages, folder);
  return ended.map(({ stage, state }) => `${stage.name} ${state}`);
}

describe('the stages of a run', () => {
  test('all stages run, also behind a stage that failed', async () => {
    expect(await states(exits('check', 1), exits('unit', 0))).toEqual(['check failed', 'unit passed']);
  });

  test('a stage that needs a build fails without it', async () => {
    const needs: Partial<Stage> = { needs: 'build' };
    expect(await states(exits('build', 1), exits('unit', 0), exits('e2e', 0, needs))).toEqual([
      'build failed',
      'unit passed',
      'e2e failed',
    ]);
    expect(await states(exits('build', 0), exits('e2e', 0, needs))).toEqual(['build passed', 'e2e passed']);
    expect(await states(exits('e2e', 0, needs))).toEqual(['e2e passed']);
  });

  test('a stage beside the tests runs while they run, and its output stands together', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const both = join(temporaryFolder(), 'both');
    // each waits for a file that the other writes
    const meets = (name: string, mine: string, other: string, more: Partial<Stage> = {}) => {
      const wait = `const fs = require('node:fs'); fs.writeFileSync('${both}${mine}', ''); console.log('${name} has begun');
        const look = () => fs.existsSync('${both}${other}') ? console.log('${name} has ended') : setTimeout(look, 10); look();`;
      return exits(name, 0, { args: ['-e', wait], ...more });
    };
    const check = meets('check', 'a', 'b', { beside: true });
    expect(await states(check, meets('unit', 'b', 'a'))).toEqual(['check passed', 'unit passed']);
    const lines = log.mock.calls.map(([line]) => String(line));
    expect(lines.find((line) => line.includes('check has begun'))).toMatch(
      /^check has begun\ncheck has ended\nok {3}check/,
    );
  });

  test('a stage over the build waits for a build beside the tests', async () => {
    const built = join(temporaryFolder(), 'built');
    const later = `setTimeout(() => require('node:fs').writeFileSync('${built}', ''), 300)`;
    const reads = `process.exit(require('node:fs').existsSync('${built}') ? 0 : 1)`;
    const build = exits('build', 0, { args: ['-e', later], beside: true });
    const needs: Partial<Stage> = { needs: 'build', args: ['-e', reads] };
    const ended = await states(
      build,
      exits('size', 0, { ...needs, beside: true }),
      exits('unit', 0),
      exits('e2e', 0, needs),
    );
    expect(ended).toEqual(['build passed', 'size passed', 'unit passed', 'e2e passed']);
  });

  test('a stage is absent at exit code 2 when the machine may lack its program, and failed otherwise', async () => {
    expect(await states(exits('webkit', 2, { mayBeAbsent: true }), exits('size', 2))).toEqual([
      'webkit absent',
      'size failed',
    ]);
  });

  test('a stage that ends tells its duration and how many cores were busy', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    await states(exits('work', 0, { args: ['-e', 'const end = Date.now() + 300; while (Date.now() < end);'] }));
    const [, busy, cores] =
      /^ok {3}work \(\d+\.\d s, ([\d.]+) of (\d+) cores busy\)$/.exec(log.mock.lastCall?.[0]) ?? [];
    expect(Number(busy)).toBeGreaterThan(0);
    expect(Number(busy)).toBeLessThanOrEqual(Number(cores));
  });
});
