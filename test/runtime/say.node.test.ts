import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import type { ModelPort, Runtime } from '../../workers/api.ts';
import { replayExport } from '../../workers/node.ts';
import { done, NOTE, put } from './note.ts';
import { openRuntime } from './shared.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-say-'));
let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime({
    store: { directory },
    capabilities: [NOTE],
    grants: [{ capability: NOTE.name, mode: 'ask' }],
  });
});
afterAll(async () => {
  await runtime.close();
  rmSync(directory, { recursive: true });
});

/** A model that answers when the test lets it, and records each request. */
function patient() {
  const asked: string[][] = [];
  const waiting: ((text: string) => void)[] = [];
  const model: ModelPort = {
    id: 'patient',
    locality: { kind: 'local' },
    propose: ({ messages }, { signal }) => {
      asked.push(messages.map(({ content }) => content));
      return new Promise((resolve, reject) => {
        waiting.push((text) => resolve({ text }));
        signal.addEventListener('abort', () => reject(new Error('given up')));
      });
    },
  };
  const answer = async (proposal: object) => {
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()?.(JSON.stringify(proposal));
  };
  return { model, asked, answer };
}

const begin = (model: ModelPort) => runtime.start({ dialect: 'xct', task: 'one', model });
const kinds = (records: readonly LedgerRecord[]) => records.map(({ kind }) => kind);

test('tasks said while the model thinks or a person is asked are recorded behind that step, and can be replayed', async () => {
  const { model, asked, answer } = patient();
  const run = begin(model);
  await expect.poll(() => asked.length).toBe(1);
  const heard: string[] = [];
  const say = (task: string) => run.say(task).then(() => heard.push(task));
  const words = [say('two')];
  await answer(put('tea'));
  await expect.poll(() => run.view.pending).toBeDefined();
  words.push(say('three'), say('two'));
  expect(heard).toEqual([]);
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  await Promise.all(words);
  expect(heard).toEqual(['two', 'three', 'two']);
  const records = await runtime.ledger.records(run.id);
  const last = kinds(records).lastIndexOf('receipt');
  expect(kinds(records).slice(last, last + 4)).toEqual(['receipt', 'task', 'task', 'task']);
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[0]?.includes('two')).toBe(false);
  expect(asked[1]?.slice(-3)).toEqual(['two', 'three', 'two']);
  await answer(done);
  expect(await run.result).toMatchObject({ state: 'completed', steps: 2 });
  const { checks } = await replayExport(await runtime.ledger.export(run.id));
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(checks.at(-1)).toMatchObject({ id: 'replay', count: kinds(records).length + 4 });
});

test('a run at rest has recorded a task when run.say resolves', async () => {
  const run = runtime.start({ dialect: 'xct', task: 'one', model: patient().model, paused: true });
  await expect.poll(() => run.view.phase).toBe('IDLE');
  const { records } = run.view;
  await run.say('two');
  expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused', records: records + 1 });
  await run.abort();
});

test('a task said during the last step of a turn starts the next turn, whose result is the result of the run', async () => {
  const { model, asked, answer } = patient();
  const run = begin(model);
  const seen: LedgerRecord[] = [];
  const all = (async () => {
    for await (const record of run.records()) seen.push(record);
  })();
  await expect.poll(() => asked.length).toBe(1);
  const said = run.say('two');
  const { result } = run;
  await answer({ ...done, message: 'first' });
  await said;
  await answer({ ...done, message: 'second' });
  expect(await result).toMatchObject({ state: 'completed', message: 'second', steps: 2 });
  await all;
  expect(kinds(seen).filter((kind) => kind === 'task' || kind === 'seal')).toEqual(['task', 'seal', 'task', 'seal']);
  const { checks } = await replayExport(await runtime.ledger.export(run.id));
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
});

test('run.say rejects when the run ends before it records the task, and does not restart the clock of the run', async () => {
  const { model, asked } = patient();
  const run = begin(model);
  await expect.poll(() => asked.length).toBe(1);
  const late = expect(run.say('two')).rejects.toMatchObject({ code: 'run_sealed' });
  await run.abort('enough');
  await late;
  await expect(run.say('three')).rejects.toMatchObject({ code: 'run_sealed' });
  expect(kinds(await runtime.ledger.records(run.id)).filter((kind) => kind === 'task')).toEqual(['task']);

  // A task said before the model is asked is recorded at once and has a time of its own: the model begins the talk.
  let talking: ReturnType<typeof setInterval> | undefined;
  const thinking = patient().model;
  const propose: ModelPort['propose'] = (...request) => {
    talking = setInterval(() => void short.say('go on').catch(() => undefined), 20);
    return thinking.propose(...request);
  };
  const short = runtime.start({
    dialect: 'xct',
    task: 'one',
    model: { ...thinking, propose },
    limits: { wallMs: 300 },
  });
  expect(await short.result).toMatchObject({ state: 'limit', code: 'limit_wall' });
  clearInterval(talking);
});
