import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { effectsIn, LedgerProcess } from './ledger-process.ts';
import { PostgresPlace, placeOf } from './postgres-place.ts';

const here = PostgresPlace.forTests();
const PROGRAM = join(import.meta.dirname, 'takeover-process.mjs');
const CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs')).href;
const HOUR_MS = 3_600_000;

/** A log in a database of its own, and the file of the effects of its processes. */
async function newPlace(name: string) {
  const address = await here.newDatabase(here.server, name);
  const effects = join(here.newFolder(), 'effects.txt');
  writeFileSync(effects, '');
  /** A process on the log, whose clock is ahead by so many ms. */
  const start = async (aheadMs = 0): Promise<LedgerProcess> => {
    const shifted = { ...here.env, NODE_OPTIONS: `--import=${CLOCK}`, CLOCK_AHEAD_MS: String(aheadMs) };
    const started = new LedgerProcess(process.execPath, shifted, [placeOf(name, address), effects], PROGRAM);
    await started.answer();
    return started;
  };
  return { address, effects, start };
}

for (const [clocks, first, second] of [
  ['an hour ahead of the clock of its holder', 0, HOUR_MS],
  ['an hour behind the clock of its holder', HOUR_MS, 0],
] as const)
  test(`a process whose clock is ${clocks} takes no run from it without a takeover, and then all of it`, async () => {
    const { address, effects, start } = await newPlace(first === 0 ? 'ahead' : 'behind');
    const [holder, other] = [await start(first), await start(second)];
    const [{ now: one = 0 }, { now: two = 0 }] = [await holder.ask('clock'), await other.ask('clock')];
    expect(Math.abs(Math.abs(one - two) - HOUR_MS)).toBeLessThan(60_000);
    const { run_id = '' } = await holder.ask('think');
    const { records: before = [] } = await holder.ask(`records ${run_id}`);
    // both processes work on the log at the same time
    const own = await Promise.all([holder.ask('think'), other.ask('think')]);
    expect(await other.ask(`take ${run_id}`)).toEqual({ code: 'run_open' });
    // the lease is renewed several times, by the clock of the server
    await new Promise((later) => setTimeout(later, 8_000));
    expect(await other.ask(`take ${run_id}`)).toEqual({ code: 'run_open' });

    // the holder has started another run since, which it keeps
    expect(await other.ask(`take ${run_id} over`)).toEqual({ run_id });
    expect(await other.ask('finish')).toEqual({ state: 'completed' });
    const [{ run_id: kept = '' }] = own;
    expect(await other.ask(`take ${kept}`)).toEqual({ code: 'run_open' });
    const { records = [] } = await other.ask(`records ${run_id}`);
    expect(records.slice(0, before.length)).toEqual(before);
    // a call of each of the three runs, and one of the takeover
    expect(effectsIn(effects)).toHaveLength(4);
    expect(new Set(effectsIn(effects)).size).toBe(4);
    for (const each of [holder, other]) expect(await each.ask(`verify ${run_id}`)).toEqual({ ok: true });

    // a process that is killed loses its run after the time of the lease, by whatever clock
    await holder.kill();
    const killed = Date.now();
    await expect.poll(() => other.ask(`take ${kept}`), { intervals: [100] }).toEqual({ run_id: kept });
    expect(Date.now() - killed).toBeGreaterThan(2_000);
    expect(Date.now() - killed).toBeLessThan(30_000);
    expect(await other.ask('finish')).toEqual({ state: 'completed' });
    expect(effectsIn(effects)).toHaveLength(5);
    expect(new Set(effectsIn(effects)).size).toBe(5);
    await other.end();
    expect(await here.fsck(address, first === 0 ? 'ahead' : 'behind')).toMatchObject({ ok: true, problems: [] });
  });

test('of two processes that resume a run at the same moment one goes on, and the other is refused with run_open', async () => {
  test.setTimeout(600_000);
  const { address, effects, start } = await newPlace('same');
  const [one, other] = [await start(), await start()];
  const killed = await start();
  const runs: string[] = [];
  for (let n = 0; n < 12; n++) runs.push((await killed.ask('think')).run_id ?? '');
  await killed.kill();
  for (const run_id of runs) {
    const { records: before = [] } = await one.ask(`records ${run_id}`);
    await expect.poll(() => one.ask(`held ${run_id}`), { intervals: [100] }).toEqual({ held: false });
    const answers = await Promise.all([one.ask(`take ${run_id}`), other.ask(`take ${run_id}`)]);
    const winner = answers[0].code === undefined ? one : other;
    expect(answers).toContainEqual({ run_id });
    expect(answers).toContainEqual({ code: 'run_open' });
    expect(await winner.ask('finish')).toEqual({ state: 'completed' });
    const { records = [] } = await one.ask(`records ${run_id}`);
    expect(records.slice(0, before.length)).toEqual(before);
    expect(records.filter(({ kind }) => kind === 'seal')).toHaveLength(1);
  }
  const steps = effectsIn(effects);
  expect(steps).toHaveLength(2 * runs.length);
  expect(new Set(steps).size).toBe(steps.length);
  for (const run_id of runs) expect(await other.ask(`verify ${run_id}`)).toEqual({ ok: true });
  await Promise.all([one.end(), other.end()]);
  expect(await here.fsck(address, 'same')).toMatchObject({ ok: true, problems: [] });
});
