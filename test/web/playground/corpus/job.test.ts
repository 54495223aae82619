import { describe, expect, test } from 'vitest';
import { type Job, secondsLeft, share } from '../../../../web/playground/corpus/job.ts';

const job = (change: Partial<Job>): Job => ({
  name: 'docs',
  phase: 'indexing',
  files: 10,
  bytes: 250,
  total: { files: 100, bytes: 1_000 },
  elapsedMs: 3_000,
  ...change,
});

describe('a job of the corpus', () => {
  test('the share of a job is measured by bytes, and by files when sizes are not known', () => {
    expect(share(job({}))).toBe(0.25);
    expect(share(job({ total: { files: 100 } }))).toBe(0.1);
    expect(share(job({ total: { files: 0, bytes: 0 } }))).toBe(1);
    expect(share(job({ bytes: 2_000 }))).toBe(1);
  });

  test('the time left of a job is estimated after two seconds', () => {
    expect(secondsLeft(job({}))).toBe(9);
    expect(secondsLeft(job({ elapsedMs: 1_999 }))).toBeUndefined();
    expect(secondsLeft(job({ bytes: 0 }))).toBeUndefined();
    expect(secondsLeft(job({ bytes: 1_000 }))).toBe(0);
  });

  test('a job has no share while it lists its source, and no time left while it is stored', () => {
    expect(share(job({ phase: 'listing' }))).toBeUndefined();
    expect(secondsLeft(job({ phase: 'storing', bytes: 1_000 }))).toBeUndefined();
  });
});
