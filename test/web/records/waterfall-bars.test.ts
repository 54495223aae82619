import { describe, expect, it } from 'vitest';
import { barsOf } from '../../../web/records/waterfall-bars.ts';

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
