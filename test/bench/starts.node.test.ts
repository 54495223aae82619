import { expect, test } from 'vitest';
import { fillStarts, type StartResults } from './starts.ts';

const results: StartResults = {
  format: 'sallyport-start/1',
  date: '2026-11-23',
  load: [1.5, 0.1],
  machine: { cpu: 'a processor', cores: 2, memoryGb: 8, system: 'linux 6' },
  versions: { sallyport: '0.1.0', Chromium: '156' },
  starts: [
    { what: 'a later visit', goalMs: 500, paintedMs: [90, 110, 100], usableMs: [400, 480, 510] },
    { what: 'a first visit', goalMs: 4000, paintedMs: [3000], usableMs: [4100] },
  ],
};

test('the table of starts tells the best and the median start, and a missed goal', () => {
  const text = fillStarts('[//]: # (start: starts)\n', results);
  expect(text).toContain('sallyport 0.1.0, Chromium 156; 2 cores of a processor, 8 GB, linux 6; 2026-11-23.');
  expect(text).toContain('The load of the machine was 0.1 to 1.5.');
  expect(text).toContain('| a later visit | 3 | 100 ms | 400 ms / 480 ms | ≤ 500 ms |');
  expect(text).toContain('| a first visit | 1 | 3 s | 4.1 s / 4.1 s | ≤ 4 s, **missed** |');
});
