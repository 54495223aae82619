import { expect, test } from 'vitest';
import { makeProgress } from '../../.scripts/long/command.mjs';

/** The lines of a progress that is told at each of these moments, in seconds, that one more of four is done. */
function told(isWatched: boolean, ...seconds: readonly number[]): string[] {
  const lines: string[] = [];
  let now = 0;
  const progress = makeProgress('sample', { isWatched, complain: (text) => void lines.push(text) }, () => now * 1000);
  for (const [done, second] of seconds.entries()) {
    now = second;
    progress.tell(done, 4, done === 2 ? '0 lost' : undefined);
  }
  progress.clear();
  return lines;
}

test('progress is a line every ten seconds in a kept output, and one at the end', () => {
  expect(told(false, 0, 4, 12, 13, 14)).toEqual([
    'sample: 0 of 4, 0 s\n',
    'sample: 2 of 4, 0 lost, 12 s, about 12 s left\n',
    'sample: 4 of 4, 14 s\n',
  ]);
});

test('progress rewrites one line of a terminal, ten times a second at most, and leaves it empty', () => {
  expect(told(true, 0, 4, 4.05)).toEqual([
    '\r\u001b[Ksample: 0 of 4, 0 s',
    '\r\u001b[Ksample: 1 of 4, 4 s, about 12 s left',
    '\r\u001b[K',
  ]);
});
