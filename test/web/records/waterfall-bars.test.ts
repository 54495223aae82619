import { describe, expect, it } from 'vitest';
import { barsOf, OVERVIEW_UNITS, overviewOf } from '../../../web/records/waterfall-bars.ts';

const STEPS = [
  [
    { part: 'model', from: 100, to: 400 },
    { part: 'sandbox', from: 400, to: 500 },
  ],
  [{ part: 'model', from: 9_000, to: 9_600 }],
] as const;

describe('the bars of a waterfall', () => {
  it('a step of the whole run begins where the step before ended, without the time between them', () => {
    expect(barsOf(STEPS, 'run')).toEqual([
      [
        { part: 'model', x: 0, width: 300 },
        { part: 'sandbox', x: 300, width: 100 },
      ],
      [{ part: 'model', x: 400, width: 600 }],
    ]);
  });

  it('a step on its own scale fills its line', () => {
    expect(barsOf(STEPS, 'step')[1]).toEqual([{ part: 'model', x: 0, width: 1000 }]);
  });

  it('a bar is wide enough to be seen, and stays in its line', () => {
    const [, [bar] = []] = barsOf([STEPS[1], [{ part: 'disk', from: 0, to: 1e-3 }]], 'run');
    expect(bar).toMatchObject({ x: 997, width: 3 });
    expect(barsOf([[]], 'run')).toEqual([[]]);
  });
});

describe('the overview of a waterfall', () => {
  it('an overview has every step, in columns whose heights add up to the time of all steps', () => {
    for (const count of [1, 7, 100, 1000, 10_000]) {
      const steps = Array.from(
        { length: count },
        (_, n) => [{ part: 'model', from: n * 10, to: n * 10 + 1 + (n % 3) }] as const,
      );
      const columns = overviewOf(steps, 100);
      const size = Math.ceil(count / 100);
      expect(columns).toHaveLength(Math.ceil(count / size));
      const heights = columns.map(({ parts }) => parts.reduce((sum, { height }) => sum + height, 0));
      expect(Math.max(...heights)).toBeCloseTo(OVERVIEW_UNITS);
      const times = columns.map((_, nth) =>
        steps.slice(nth * size, (nth + 1) * size).reduce((sum, [{ from, to }]) => sum + to - from, 0),
      );
      const longest = Math.max(...times);
      for (const [nth, height] of heights.entries())
        expect(height).toBeCloseTo(((times[nth] ?? 0) / longest) * OVERVIEW_UNITS);
    }
  });

  it('a column stacks its parts from the bottom', () => {
    const [column] = overviewOf(STEPS, 1);
    expect(column?.parts).toEqual([
      { part: 'model', y: 10, height: 90 },
      { part: 'sandbox', y: 0, height: 10 },
    ]);
  });
});
