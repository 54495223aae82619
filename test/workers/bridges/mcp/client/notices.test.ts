import { expect, it, vi } from 'vitest';
import type { McpNotice } from '../../../../../workers/bridges/mcp/client/api.ts';
import { makeNotify, shownText } from '../../../../../workers/bridges/mcp/client/notices.ts';

const notice = (method: string): McpNotice => ({ kind: 'notification', method });

it('a hundred notices are told at once, and later ones are counted and told ten a second', () => {
  let now = 0;
  const told: McpNotice[] = [];
  const notify = makeNotify(
    (each) => void told.push(each),
    () => now,
  );
  for (let nth = 0; nth < 1000; nth++) notify(notice(`${nth}`));
  expect(told).toHaveLength(100);
  now += 100;
  notify(notice('later'));
  notify(notice('too many'));
  expect(told.slice(100)).toEqual([{ kind: 'skipped', count: 900 }, notice('later')]);
});

it('a notice is told also where the clock has been set back', () => {
  let now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  const told: McpNotice[] = [];
  const notify = makeNotify((each) => void told.push(each));
  notify(notice('before'));
  now -= 3_600_000;
  notify(notice('behind'));
  clock.mockRestore();
  expect(told).toEqual([notice('before'), notice('behind')]);
});

it('a listener that throws is told the next notice', () => {
  let calls = 0;
  const notify = makeNotify(() => {
    calls++;
    throw new Error('the program failed');
  });
  notify(notice('a'));
  notify(notice('b'));
  expect(calls).toBe(2);
});

it('a text of a server is visible and of bounded length', () => {
  expect(shownText('a\u202eb\ud800')).toBe('a\\u202eb\\ud800');
  expect(shownText({ a: 1 })).toBe('{"a":1}');
  expect(shownText('x'.repeat(10_000))).toHaveLength(2000);
});
