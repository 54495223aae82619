import { expect, test } from 'vitest';
import { deferred } from '../../workers/async.ts';
import { defineTool, fromScript } from '../../workers/node.ts';
import { openRuntime } from './shared.ts';

const call = { next_step: { tool: 'wait', arguments: {}, goal: 'wait' } };
const done = { done: true, message: 'm' };

/** A run whose first call waits for the test, and the moment at which it waits. */
async function working(mode: 'allow' | 'ask') {
  const [begun, answer] = [deferred<void>(), deferred<string>()];
  const run = () => {
    begun.resolve();
    return answer.promise;
  };
  const wait = { name: 'wait', version: '1.0.0', description: 'Waits.', effect: 'read', labels: [], args: {} } as const;
  const tools = [defineTool({ ...wait, run })];
  const runtime = await openRuntime({ tools, grants: [{ capability: 'wait', mode }] });
  const made = runtime.start({ dialect: 'xct', task: 'Wait.', model: fromScript([call, done]) });
  return { run: made, begun: begun.promise, end: () => answer.resolve('ended') };
}

test.each(['step', 'run'] as const)('%s() resolves where the run is paused at once', async (drive) => {
  const { run, end } = await working('allow');
  end();
  const driven = run[drive]();
  await run.pause();
  await driven;
  expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused' });
  await run.abort();
});

test('run() resolves where the run is paused during a call that has begun before', async () => {
  const { run, begun, end } = await working('allow');
  const first = run.step();
  await begun;
  const second = run.run();
  await run.pause();
  end();
  await Promise.all([first, second]);
  expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused', steps: 1 });
  await run.abort();
});

test('a step that is asked for during a call resolves at the end of that call', async () => {
  const { run, begun, end } = await working('allow');
  const first = run.step();
  await begun;
  const second = run.step();
  end();
  await Promise.all([first, second]);
  expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused', steps: 1 });
  await run.step();
  expect(await run.result).toMatchObject({ state: 'completed', steps: 2 });
});

test('a step that is asked for during a call that a person has answered resolves at the end of that call', async () => {
  const { run, begun, end } = await working('ask');
  await run.step();
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  await begun;
  const second = run.step();
  end();
  await second;
  expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused', steps: 1 });
  await run.abort();
});
