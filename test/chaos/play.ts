import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Run, Runtime } from '../../workers/api.ts';
import { replayExport } from '../../workers/node.ts';
import { dice } from '../dice.mjs';
import { name, put } from '../runtime/content/messages.ts';
import { pause, pick } from './dice.ts';
import { drive, type Fate, type Life, live, modelOf } from './life.ts';
import type { Played } from './played.ts';
import { DIALECTS, grantsOf, startOf, TEXT } from './world.ts';

/**
 * Plays the life of one run in a folder of its own inside `base`. Its questions, revocations and kills come from the
 * seed.
 */
export async function play(seed: number, base: string): Promise<Played> {
  const roll = dice(seed);
  let calls = 0;
  const dialect = pick(roll, DIALECTS);
  const [guard, ruled, remote] = [roll() < 0.6, roll() < 0.2, roll() < 0.2];
  const fate: Fate = { roll, grants: grantsOf(roll), guard, ruled, remote, dialect, next: () => ++calls };
  let kills = 0;
  let directory = join(base, `${seed}-${kills}`);
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
    directory = killed(directory, join(base, `${seed}-${++kills}`));
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
  const twice = sent.filter((number, at) => sent.indexOf(number) !== at);
  const { faults, ...counts } = await believed(life.runtime);
  await life.die();
  return { kills, ...counts, faults: [...twice.map((number) => `call ${number} was sent twice`), ...faults] };
}

/** The files after a kill, as they are at that moment. */
function killed(directory: string, left: string): string {
  cpSync(directory, left, { recursive: true });
  // The lock of a process that is gone has no owner.
  rmSync(join(left, 'lock'), { force: true });
  return left;
}

/** The run as the next process finds it: resumed, unless it has ended for good or has no acknowledged record. */
async function again(fate: Fate, { runtime }: Life, id: string): Promise<Run | undefined> {
  const row = (await runtime.runs()).find(({ run_id }) => run_id === id);
  if (row === undefined || (row.ended !== undefined && row.ended !== 'completed')) return undefined;
  const run = await runtime.resume(id, modelOf(fate));
  if (row.ended === 'completed') await run.say('And again.');
  return run;
}

/** Checks each run by its rules, its export with and without secrets by a replay, and the log by itself. */
async function believed(runtime: Runtime): Promise<Pick<Played, 'records' | 'receipts' | 'faults'>> {
  const faults: string[] = [];
  const sums = { records: 0, receipts: 0 };
  for (const { run_id } of await runtime.runs()) {
    const records = await runtime.ledger.records(run_id);
    const count = (kind: string) => records.filter((record) => record.kind === kind).length;
    const [receipts, proposals] = [count('receipt'), count('proposal')];
    if (receipts !== proposals) faults.push(`run ${run_id} has ${receipts} receipts for ${proposals} proposals`);
    sums.records += records.length;
    sums.receipts += receipts;
    for (const secrets of [true, false]) faults.push(...(await faultsOfExport(runtime, run_id, secrets)));
  }
  const { text: checkpoint, key = '' } = await runtime.ledger.checkpoint();
  const report = await runtime.ledger.fsck({ checkpoint, key });
  if (!report.ok) faults.push(`fsck: ${JSON.stringify(report)}`);
  return { ...sums, faults };
}

async function faultsOfExport(runtime: Runtime, run_id: string, secrets: boolean): Promise<string[]> {
  const text = await runtime.ledger.export(run_id, { secrets });
  const { checks } = await replayExport(text);
  const failed = checks.filter(({ status }) => status === 'fail').map((check) => JSON.stringify(check));
  return !secrets && /key \d+/.test(text) ? [...failed, `the export of ${run_id} tells a secret`] : failed;
}
