import { expect, test } from 'vitest';
import { lazyAbort } from '../../workers/async.ts';

test('a signal that is asked for before the abort is aborted by it', () => {
  const lazy = lazyAbort();
  const { signal } = lazy;
  expect(lazy.signal).toBe(signal);
  expect(signal.aborted).toBe(false);
  lazy.abort();
  expect(signal.aborted).toBe(true);
});

test('a signal that is asked for after the abort is aborted', () => {
  const lazy = lazyAbort();
  lazy.abort();
  expect(lazy.signal.aborted).toBe(true);
});
