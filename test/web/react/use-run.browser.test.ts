import { createElement } from 'react';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRuntime } from '../../../web/index.ts';
import { type RunSnapshot, useRun } from '../../../web/react.ts';
import type { Run, Runtime } from '../../../workers/api.ts';
import { keeps, OPTIONS } from '../keep.ts';
import { mount, watchTrees } from './mounted.ts';

watchTrees();

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime(OPTIONS);
});
afterAll(() => runtime.close());

const start = (...numbers: readonly number[]) =>
  runtime.start({ dialect: 'xct', task: 'Keep them.', model: keeps(...numbers) });

/** Renders a run's phase; `seen` has the snapshot of each render. */
function shown(run: Run | undefined) {
  const seen: (RunSnapshot | undefined)[] = [];
  function Phase({ run: given }: { run: Run | undefined }) {
    const state = useRun(given);
    seen.push(state);
    return state?.view.end?.state ?? state?.view.phase ?? 'none';
  }
  const tree = mount(createElement(Phase, { run }));
  return {
    ...tree,
    seen,
    newest: () => seen.at(-1) as RunSnapshot,
    show: (next: Run | undefined) => tree.render(createElement(Phase, { run: next })),
  };
}

describe('useRun', () => {
  test('a run waits for the answer to its question, and the component shows its end', async () => {
    const { container, newest } = shown(start(7));
    await expect.poll(() => newest().question).toMatchObject({ kind: 'approval', request: { args: '{"n":7}' } });
    await newest().question?.answer({ approved: true });
    await expect.poll(() => container.textContent).toBe('completed');
    expect(newest().question).toBeUndefined();
    expect(newest().error).toBeUndefined();
  });

  test('the function of an earlier question does not answer a later question', async () => {
    const { container, newest } = shown(start(1, 2));
    await expect.poll(() => newest().question?.request).toMatchObject({ args: '{"n":1}' });
    const first = newest().question;
    await first?.answer({ approved: true });
    await expect.poll(() => newest().question?.request).toMatchObject({ args: '{"n":2}' });
    await first?.answer({ approved: true });
    expect(newest().question?.request).toMatchObject({ args: '{"n":2}' });
    await newest().question?.answer({ approved: false, reason: 'No second number.' });
    await expect.poll(() => container.textContent).toBe('completed');
    const records = await runtime.ledger.records(newest().view.run_id);
    const answers = records.flatMap(({ kind, body }) =>
      kind === 'approval' && body.event === 'answered' ? [body] : [],
    );
    expect(answers).toMatchObject([{ approved: true }, { approved: false }]);
  });

  test('the snapshot stays the same object while the run rests, and its functions stay the same', async () => {
    const run = start(1);
    const { newest, seen, show } = shown(run);
    await expect.poll(() => newest().question).toBeDefined();
    const before = newest();
    const renders = seen.length;
    show(run);
    await expect.poll(() => seen.length).toBeGreaterThan(renders);
    expect(newest()).toBe(before);
    await before.abort('no longer needed');
    await expect.poll(() => newest().view.end).toMatchObject({ state: 'aborted', message: 'no longer needed' });
    expect(newest().abort).toBe(before.abort);
    // Each view renders a few times, in StrictMode twice as often: there is no loop.
    expect(seen.length).toBeLessThan(100);
  });

  test('two components show the same snapshot of a run', async () => {
    const run = start(1);
    const [left, right] = [shown(run), shown(run)];
    await expect.poll(() => left.newest().question).toBeDefined();
    await expect.poll(() => right.newest()).toBe(left.newest());
    await run.abort();
    await expect.poll(() => right.container.textContent).toBe('aborted');
    expect(left.container.textContent).toBe('aborted');
  });

  test('a component without a run shows none, and follows the run that it is given', async () => {
    const { container, newest, show } = shown(undefined);
    await expect.poll(() => container.textContent).toBe('none');
    show(start());
    await expect.poll(() => container.textContent).toBe('completed');
    const next = start(3);
    show(next);
    await expect.poll(() => newest().view.run_id).toBe(next.id);
    await newest().abort();
    await expect.poll(() => container.textContent).toBe('aborted');
  });

  test('a run that another tab takes over shows its question no longer, and has run_open as error', async () => {
    await using here = await openRuntime({ ...OPTIONS, store: 'browser' });
    await using there = await openRuntime({ ...OPTIONS, store: 'browser', onNotice: () => undefined });
    const run = here.start({ dialect: 'xct', task: 'Keep it.', model: keeps(5) });
    const { newest } = shown(run);
    await expect.poll(() => newest().question).toBeDefined();
    const taken = await there.resume(run.id, keeps(5), { takeOver: true });
    await expect.poll(() => newest().error).toMatchObject({ code: 'run_open' });
    expect(newest().view.taken).toBe(true);
    expect(newest().question).toBeUndefined();
    await taken.abort();
  });

  test('a run that cannot begin has its reason as error', async () => {
    const limits = { steps: -1 };
    const run = runtime.start({ dialect: 'xct', task: 'Keep them.', model: keeps(), limits });
    const { newest } = shown(run);
    await expect.poll(() => newest().error).toMatchObject({ name: 'SallyportError' });
  });

  test('a refused command is the error, and a later command clears it', async () => {
    const { container, newest } = shown(start(1));
    await expect.poll(() => newest().question).toBeDefined();
    await newest().abort();
    await expect.poll(() => container.textContent).toBe('aborted');
    await newest().say('Go on.');
    await expect.poll(() => newest().error).toMatchObject({ code: 'run_sealed' });
    await newest().pause();
    await expect.poll(() => newest().error).not.toMatchObject({ code: 'run_sealed' });
  });
});
