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
