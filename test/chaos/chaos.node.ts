import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Run, Runtime } from '../../workers/api.ts';
import { replayExport } from '../../workers/node.ts';
import { name, put } from '../content/messages.ts';
import { dice, pause, pick } from './dice.ts';
import { drive, type Fate, type Life, live, modelOf } from './life.ts';
import { DIALECTS, grantsOf, startOf, TEXT } from './world.ts';

/** `SALLYPORT_CHAOS=100 npx vitest run --project node test/chaos` lives as many lives, of seeds nobody has seen. */
const GIVEN = Number(process.env['SALLYPORT_CHAOS'] ?? 0);
const FIRST = GIVEN > 0 ? Date.now() % 1_000_000 : 20_260;
const SEEDS = Array.from({ length: GIVEN || 3 }, (_, nth) => FIRST + nth);

const base = mkdtempSync(join(tmpdir(), 'sallyport-chaos-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test.each(SEEDS)(
  'whatever happens to a run, and however often its process is killed, its ledger is honest and is believed: %i',
  async (seed) => {
    const roll = dice(seed);
    let calls = 0;
    const dialect = pick(roll, DIALECTS);
    const [guard, ruled, remote] = [roll() < 0.6, roll() < 0.2, roll() < 0.2];
    const fate: Fate = { roll, grants: grantsOf(roll), guard, ruled, remote, dialect, next: () => ++calls };
    let directory = join(base, `${seed}-0`);
    let life = await live(fate, directory);
    await put(life.runtime, { 'a.md': TEXT });
    await name(life.runtime, '@x/file', 'FILE', 'a.md');
    await name(life.runtime, '@x/b', 'SECTION', 'a.md#["A","B"]');
    const task = `Work ${seed}.`;
    let run: Run | undefined = life.runtime.start({ dialect, task, model: modelOf(fate), ...startOf(roll) });
    const { id } = run;
    const sent: number[] = [];
    for (let lives = 1 + Math.floor(roll() * 3); lives > 0 && run !== undefined; lives--) {
      const end = Date.now() + 10 + roll() * 300;
      const driven: Promise<void> = drive(fate, life, run, () => Date.now() > end);
      await pause(roll() * 310);
      directory = killed(directory, `${seed}-${lives}`);
      sent.push(...life.sent);
      await driven;
      await life.die();
      life = await live(fate, directory);
      run = await again(fate, life, id);
    }
    if (run !== undefined) await drive(fate, life, run, () => (run?.view.steps ?? 0) > 40);
    await run?.abort('enough');
    await run?.result;
    sent.push(...life.sent);
    expect(sent.length, 'what was sent twice').toBe(new Set(sent).size);
    await believed(life.runtime);
    await life.die();
  },
  120_000,
);

/** What a kill leaves: the files as they are at that moment. */
function killed(directory: string, as: string): string {
  const left = join(base, as);
  cpSync(directory, left, { recursive: true });
  // that of a process which is gone is nobody's
  rmSync(join(left, 'lock'), { force: true });
  return left;
}

/** The run as the next process finds it: gone on with, unless it is over for good or nothing of it was acknowledged. */
async function again(fate: Fate, { runtime }: Life, id: string): Promise<Run | undefined> {
  const row = (await runtime.runs()).find(({ run_id }) => run_id === id);
  if (row === undefined || (row.ended !== undefined && row.ended !== 'completed')) return undefined;
  const run = await runtime.resume(id, modelOf(fate));
  if (row.ended === 'completed') await run.say('And again.');
  return run;
}

async function believed(runtime: Runtime): Promise<void> {
  for (const { run_id } of await runtime.runs()) {
    const records = await runtime.ledger.records(run_id);
    const count = (kind: string) => records.filter((record) => record.kind === kind).length;
    expect(count('receipt'), 'one receipt for each proposal').toBe(count('proposal'));
    for (const secrets of [true, false]) {
      const text = await runtime.ledger.export(run_id, { secrets });
      const { checks } = await replayExport(text);
      expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
      if (!secrets) expect(text).not.toMatch(/key \d+/);
    }
  }
  const { text: checkpoint, key = '' } = await runtime.ledger.checkpoint();
  expect(await runtime.ledger.fsck({ checkpoint, key })).toMatchObject({ ok: true });
}
