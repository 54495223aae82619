import { createElement } from 'react';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromScript, openRuntime } from '../../../web/index.ts';
import { type RecordsSnapshot, useRecords } from '../../../web/react.ts';
import type { Run, Runtime } from '../../../workers/api.ts';
import { keeps, OPTIONS } from '../keep.ts';
import { ErrorBoundary, mount, watchTrees } from './mounted.ts';

watchTrees();

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime({ ...OPTIONS, approve: async () => ({ approved: true }) });
});
afterAll(() => runtime.close());

const start = (...numbers: readonly number[]) =>
  runtime.start({ dialect: 'xct', task: 'Keep them.', model: keeps(...numbers) });

interface ListProps {
  readonly run?: Run | undefined;
  readonly id?: string;
  readonly last?: number;
}

function shown(props: ListProps) {
  const seen: RecordsSnapshot[] = [];
  function List({ run, id, last }: ListProps) {
    const options = last === undefined ? {} : { last };
    const list = id === undefined ? useRecords(run, options) : useRecords(runtime, id, options);
    seen.push(list);
    return list.status;
  }
  const tree = mount(createElement(List, props));
  return {
    ...tree,
    seen,
    newest: () => seen.at(-1) as RecordsSnapshot,
    show: (next: ListProps) => tree.render(createElement(List, next)),
  };
}

const seqs = ({ records }: RecordsSnapshot) => records.map(({ run_seq }) => run_seq);
const upTo = (count: number, from = 0) => Array.from({ length: count - from }, (_, index) => from + index);

describe('useRecords', () => {
  test('the records of a run grow in order, to its seal', async () => {
    const run = start(1, 2, 3);
    const { container, newest, seen } = shown({ run });
    await expect.poll(() => container.textContent).toBe('ended');
    const { records, count } = newest();
    expect(records).toEqual(await runtime.ledger.records(run.id));
    expect(count).toBe(records.length);
    expect(records.at(-1)?.kind).toBe('seal');
    for (const list of seen) expect(seqs(list)).toEqual(upTo(list.count));
    const counts = seen.map((list) => list.count);
    expect(counts).toEqual(counts.toSorted((left, right) => left - right));
  });

  test('the list is the same object while no record is added', async () => {
    const run = start(1);
    const { container, newest, seen, show } = shown({ run });
    await expect.poll(() => container.textContent).toBe('ended');
    const before = newest();
    const renders = seen.length;
    show({ run });
    await expect.poll(() => seen.length).toBeGreaterThan(renders);
    expect(newest()).toBe(before);
  });

  test('a list holds the newest records, and a larger number reads older records', async () => {
    const run = start(1, 2);
    const { newest, show } = shown({ run, last: 3 });
    await expect.poll(() => newest().status).toBe('ended');
    const { count } = newest();
    expect(count).toBeGreaterThan(8);
    expect(seqs(newest())).toEqual(upTo(count, count - 3));
    show({ run, last: 6 });
    await expect.poll(() => seqs(newest())).toEqual(upTo(count, count - 6));
  });

  test('a list of a long run holds its newest thousand records, and renders many of them at a time', async () => {
    const numbers = upTo(150);
    const limits = { steps: 200 };
    const run = runtime.start({ dialect: 'xct', task: 'Keep them.', model: keeps(...numbers), limits });
    const { newest, seen, show } = shown({ run });
    await expect.poll(() => newest().status, { timeout: 60_000 }).toBe('ended');
    const { count } = newest();
    expect(count).toBe(run.view.records);
    expect(count).toBeGreaterThan(1_000);
    expect(seqs(newest())).toEqual(upTo(count, count - 1_000));
    expect(seen.length).toBeLessThan(count);
    // Records of the beginning are no longer in memory: they are read from the ledger.
    show({ run, last: count });
    await expect.poll(() => seqs(newest())).toEqual(upTo(count));
  });

  test.for([0, -1, 1.5, '3'])('a list refuses to hold %s records', async (last) => {
    const List = () => useRecords(undefined, { last: last as number }).status;
    const { container, caught } = mount(createElement(ErrorBoundary, null, createElement(List)));
    await expect.poll(() => container.textContent).toContain('The option last has to be a whole number');
    expect(caught).toEqual([expect.objectContaining({ code: 'option_invalid' })]);
  });

  test('the records of a stored run are read by its id', async () => {
    const run = start(1);
    await run.result;
    const { newest } = shown({ id: run.id });
    await expect.poll(() => newest().status).toBe('ended');
    expect(newest().records).toEqual(await runtime.ledger.records(run.id));
  });

  test('an id without a run fails with run_absent', async () => {
    const { newest } = shown({ id: crypto.randomUUID() });
    await expect.poll(() => newest()).toMatchObject({ status: 'failed', error: { code: 'run_absent' } });
  });

  test('the records of the next turn are added to those of the turn before', async () => {
    const done = { done: true, message: 'Done.' };
    const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: fromScript([done, done]) });
    const { newest, seen } = shown({ run });
    await expect.poll(() => newest().status).toBe('ended');
    const { count } = newest();
    await run.say('Once more.');
    await run.run();
    await expect.poll(() => newest()).toMatchObject({ status: 'ended', count: run.view.records });
    expect(newest().count).toBeGreaterThan(count);
    for (const list of seen) expect(seqs(list)).toEqual(upTo(list.count));
  });

  test('a component without a run has no records, and begins anew with each run', async () => {
    const { newest, show } = shown({ run: undefined });
    await expect.poll(() => newest()).toEqual({ records: [], count: 0, status: 'following' });
    const [first, second] = [start(1), start()];
    show({ run: first });
    await first.result;
    await expect.poll(() => newest()).toMatchObject({ status: 'ended', count: first.view.records });
    show({ run: second });
    await expect.poll(() => newest().records.at(-1)?.hash).toBe((await second.result).head);
  });
});
