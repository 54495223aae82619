import { expect, test } from 'vitest';
import file from '../fixtures/small-model/held-out.json';
import development from '../fixtures/small-model/tasks.json';
import { evaluateModel, type Judged } from './evaluate.ts';
import type { JudgedTask } from './judge.ts';
import type { HeldOutFile } from './lists.ts';
import { oracleOf } from './oracle.ts';

const { about, tasks } = file as unknown as HeldOutFile;
const developed = development as unknown as readonly JudgedTask[];
const judged = await evaluateModel(oracleOf(tasks), tasks);

/** Places in the list, and not the wording of a task: a failure prints them. */
function placesOf(kept: (one: Judged) => boolean): readonly number[] {
  return judged.flatMap((one, at) => (kept(one) ? [at] : []));
}

test('the runtime carries out each held-out task, and its reply tells what the answer holds', () => {
  expect(placesOf(({ verdict }) => !verdict.whole)).toEqual([]);
});

test('each task to correct and each refusal has a reply that is no success, and no other task has', () => {
  expect(placesOf(({ told }) => told.some((status) => status !== 'SUCCESS'))).toEqual(
    placesOf(({ task }) => task.kind === 'recover' || task.kind === 'refusal'),
  );
});

test('the held-out list is in the limits that the documentation states', () => {
  for (const { task, calls, kind } of tasks) {
    expect(Array.from(task).length).toBeLessThanOrEqual(200);
    expect(calls.length).toBe(kind === 'decline' ? 0 : kind === 'two' || calls[1] ? 2 : 1);
  }
});

test('both lists have the same kinds in the same shares, and no task in common', () => {
  for (const kind of [undefined, 'two', 'recover', 'refusal', 'decline'] as const) {
    const share = (list: readonly JudgedTask[]) => list.filter((one) => one.kind === kind).length / list.length;
    expect(Math.abs(share(tasks) - share(developed))).toBeLessThan(0.02);
  }
  const texts = new Set([...tasks, ...developed].map(({ task }) => task.toLowerCase().replaceAll(/\W+/g, ' ').trim()));
  expect(texts.size).toBe(tasks.length + developed.length);
});

test('both lists ask for the same tools', () => {
  const tools = (list: readonly JudgedTask[]) =>
    [...new Set(list.flatMap(({ calls }) => calls.map(([tool]) => tool)))].sort();
  expect(tools(tasks)).toEqual(tools(developed));
});

test('the file says that the training data must not follow it', () => {
  expect(about.join(' ')).toMatch(/training data must not be changed because of a task of this list/);
});
