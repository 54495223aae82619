import { beforeEach, expect, test } from 'vitest';
import { openProgress } from '../../../../web/playground/learn/progress.ts';

beforeEach(() => localStorage.clear());

test('forgotten progress comes back with its evidence, also after a new load', () => {
  const progress = openProgress();
  progress.change(3, { done: [0, 1], evidence: { r: 'export' } });
  const before = new Map(progress.lessons.value);
  progress.clear();
  expect(progress.lessons.value.size).toBe(0);
  expect(openProgress().lessons.value.size).toBe(0);
  expect(progress.mayRestore.value).toBe(true);
  progress.restore();
  expect(progress.lessons.value).toEqual(before);
  expect(openProgress().lessons.value).toEqual(before);
  expect(progress.mayRestore.value).toBe(false);
});

test('forgotten progress is not put over new progress', () => {
  const progress = openProgress();
  progress.change(3, { done: [0] });
  progress.clear();
  progress.change(1, { done: [0] });
  expect(progress.mayRestore.value).toBe(false);
});
