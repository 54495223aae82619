import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256Hex } from '../../../core/hash.ts';
import { fromScript, openRuntime, type Runtime } from '../../../workers/node.ts';

const END = { done: true, message: 'Done.' };

async function run(runtime: Runtime, task: string): Promise<string> {
  const begun = runtime.start({ dialect: 'xct', task, model: fromScript([END, END]) });
  await begun.result;
  return begun.id;
}

async function namesOf(runtime: Runtime): Promise<ReadonlyMap<string, string | undefined>> {
  return new Map((await runtime.runs()).map(({ run_id, task, caller }) => [run_id, task ?? caller]));
}

/** A directory that is removed behind the test. */
function place(): string {
  const path = mkdtempSync(join(tmpdir(), 'sallyport-names-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Every byte of every file in a directory, as Latin-1. */
function contentsOf(path: string): string {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
  return files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

test('runs are listed with the beginning of their first task, and sessions with their caller', async () => {
  await using runtime = await openRuntime();
  const long = await run(runtime, `${'x'.repeat(199)}\u{1F600} and more`);
  const two = runtime.start({ dialect: 'xct', task: 'The first.', model: fromScript([END, END]) });
  await two.result;
  await two.say('The second.');
  const session = runtime.openSession({ label: 'ai-sdk' });
  await session.close();
  const names = await namesOf(runtime);
  expect(names.get(long)).toBe(`${'x'.repeat(199)}\uFFFD`);
  expect(names.get(two.id)).toBe('The first.');
  expect([...names.values()]).toContain('ai-sdk');
});

test('an erasure takes a task from the list and from the disk, and a deletion its row', async () => {
  const ledger = place();
  await using runtime = await openRuntime({ store: { directory: ledger } });
  const erased = await run(runtime, 'The secret of the first.');
  const deleted = await run(runtime, 'The secret of the second.');
  expect((await namesOf(runtime)).get(erased)).toBe('The secret of the first.');
  await runtime.ledger.erase(erased);
  await runtime.ledger.delete(deleted);
  const names = await namesOf(runtime);
  expect([names.has(erased), names.get(erased), names.has(deleted)]).toEqual([true, undefined, false]);
  expect(contentsOf(ledger)).not.toContain('The secret of');
});

test('a restored run is named by its records, whatever the row in the backup says', async () => {
  const [one, other] = [place(), place()];
  let backup: Blob;
  let id: string;
  {
    await using runtime = await openRuntime({ store: { directory: one } });
    id = await run(runtime, 'What the records say.');
    backup = await runtime.storage.backup();
  }
  const bytes = Buffer.from(await backup.arrayBuffer());
  expect(bytes.toString('latin1')).toContain('names/');
  await using runtime = await openRuntime({ store: { directory: other } });
  await runtime.storage.restore(backup);
  expect((await namesOf(runtime)).get(id)).toBe('What the records say.');
  expect((await runtime.runs()).find(({ run_id }) => run_id === id)).toMatchObject({ foreign: true });
});

test('the pages of payloads have every payload of a run', async () => {
  await using runtime = await openRuntime();
  const proposals = Array.from({ length: 300 }, (_, n) => ({
    next_step: { tool: 'none', arguments: { n }, goal: 'x' },
  }));
  const limits = { steps: 400, refusalsInRow: 400 };
  const begun = runtime.start({ dialect: 'xct', task: 'Many.', model: fromScript([...proposals, END]), limits });
  await begun.result;
  const hashes: string[] = [];
  let pages = 0;
  for (let from: number | undefined = 0; from !== undefined; pages++) {
    const page = await runtime.ledger.payloads(begun.id, from);
    for (const { sha256, bytes } of page.payloads) {
      hashes.push(sha256);
      expect(sha256Hex(bytes)).toBe(sha256);
    }
    from = page.next;
  }
  expect(pages).toBeGreaterThan(1);
  const named = JSON.stringify(await runtime.ledger.records(begun.id)).match(/"sha256":"[0-9a-f]{64}"/gu) ?? [];
  expect(new Set(named.map((each) => each.slice(10, -1)))).toEqual(new Set(hashes));
});
