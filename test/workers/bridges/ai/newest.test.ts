import { expect, test } from 'vitest';
import { Newest } from '../../../../workers/bridges/ai/newest.ts';

test('a map of the newest calls drops the oldest beyond a thousand, and a call set again is new', () => {
  const calls = new Newest<number>();
  for (let n = 0; n < 1000; n++) calls.set(`${n}`, n);
  calls.set('0', 0).set('1000', 1000);
  expect(calls.size).toBe(1000);
  expect(calls.has('0')).toBe(true);
  expect(calls.has('1')).toBe(false);
});
