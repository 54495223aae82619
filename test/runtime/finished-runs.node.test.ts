import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Runtime } from '../../workers/api.ts';
import { fromScript, openRuntime } from '../../workers/node.ts';
import { done, NOTE, put } from './note.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-finished-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Pure, so that its steps wait for no flush of the disk. */
const PURE = { ...NOTE, effect: 'pure' } as const;
const grants = [{ capability: NOTE.name, mode: 'allow' }] as const;

async function conversation(runtime: Runtime) {
  const model = fromScript([put('tea'), done, put('milk'), done]);
  const run = runtime.start({ dialect: 'xct', task: 'Note.', model });
  await run.result;
  return run;
}

test('a kernel keeps the newest finished runs, and an older run takes its next task from its records', async () => {
  const options = { store: { directory: mkdtempSync(join(base, 'log-')) }, capabilities: [PURE], grants };
  const [runtime, other] = [await openRuntime(options), await openRuntime(options)];
  const first = await conversation(runtime);
  for (let n = 0; n < 24; n++) await conversation(runtime);
  const held = (await other.runs()).filter(({ elsewhere }) => elsewhere);
  expect(held.length).toBeLessThan(18);
  expect(held.map(({ run_id }) => run_id)).not.toContain(first.id);
  const seen: string[] = [];
  first.watch(({ phase }) => seen.push(phase));
  await first.say('Note milk, too.');
  await first.run();
  expect(await first.result).toMatchObject({ state: 'completed', steps: 4 });
  expect(seen).toContain('CAPABILITY_EXECUTING');
  const records = await runtime.ledger.records(first.id);
  expect(records.filter(({ kind }) => kind === 'task')).toHaveLength(2);
  const read = [];
  for await (const record of first.records()) read.push(record);
  expect(read).toEqual(records);
  const { checks } = await runtime.ledger.verify(first.id);
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  await Promise.all([runtime.close(), other.close()]);
});

test('a run that ended for good and is no longer kept refuses a task with run_sealed', async () => {
  const runtime = await openRuntime({ capabilities: [PURE], grants });
  const aborted = runtime.start({ dialect: 'xct', task: 'Note.', model: fromScript([done]), paused: true });
  await aborted.abort();
  await aborted.result;
  for (let n = 0; n < 17; n++) await conversation(runtime);
  await expect(aborted.say('Again.')).rejects.toMatchObject({ code: 'run_sealed' });
  await runtime.close();
});
