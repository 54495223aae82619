import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RUNS_PICTURE, runsPicture } from './picture.ts';
import { axesOf, type Run } from './runs.ts';

const committed = JSON.parse(readFileSync('workers/bridges/models/small/trainer/runs.json', 'utf8')) as readonly Run[];

function run(width: number, steps: number, whole: number, more: Partial<Run> = {}): Run {
  const shares = { 'whole tasks': [whole, 100], 'exact arguments': [whole + 5, 100] } as const;
  return {
    name: `${width}, ${steps}`,
    generator: 2,
    made: `--steps ${steps}`,
    shape: [width, 3, 3, 2 * width],
    parameters: 1_000 * width,
    steps,
    episodes: 10 * steps,
    seconds: steps / 10,
    judged: { sha256: '', 'held-out tasks': shares },
    ...more,
  };
}

const places = (runs: readonly Run[]): readonly (readonly number[])[] =>
  axesOf(runs).map(({ points }) => points.map(({ at }) => at));
const described = (svg: string): string => /<desc id="desc">(.*)<\/desc>/.exec(svg)?.[1] ?? '';
const lines = (svg: string): readonly (readonly (readonly number[])[])[] =>
  [...svg.matchAll(/<polyline [^>]*points="([^"]*)"/g)].map(([, points = '']) =>
    points.split(' ').map((place) => place.split(',').map(Number)),
  );

describe('the axes of the runs', () => {
  it('have distinct episodes, seconds and parameters, each in its order', () => {
    const runs = [
      run(64, 4_000, 40),
      run(64, 4_000, 20, { pool: 1_000 }),
      run(64, 12_000, 50),
      run(128, 12_000, 60),
      run(32, 12_000, 30),
    ];
    expect(places(runs)).toEqual([
      [1_000, 40_000],
      [400, 1_200],
      [32_000, 64_000, 128_000],
    ]);
  });

  it('leave out a run that was not judged, is not finished, or came from an older generator', () => {
    const { judged: _, ...unjudged } = run(32, 12_000, 0);
    const unfinished = run(96, 12_000, 1, { made: '--steps 16000, the file of step 12000' });
    expect(places([unjudged, unfinished, run(16, 12_000, 1, { generator: 1 }), run(64, 12_000, 50)])).toEqual([
      [],
      [1_200],
      [64_000],
    ]);
  });

  it('have a run that was busy at the pace of another run of its shape', () => {
    const busy = run(64, 2_000, 30, { busy: true, seconds: 999 });
    expect(places([busy, run(64, 4_000, 40)])[1]).toEqual([200, 400]);
  });

  it('have committed runs that differ in one thing', () => {
    const parts = [
      ({ pool }: Run) => pool ?? 'new',
      ({ steps }: Run) => steps,
      ({ shape }: Run) => JSON.stringify(shape),
    ];
    for (const [nth, { points }] of axesOf(committed).entries()) {
      expect(points.length).toBeGreaterThan(1);
      const distinct = parts.map((part) => new Set(points.map(({ run: one }) => part(one))).size);
      expect(distinct).toEqual(parts.map((_, at) => (at === nth ? points.length : 1)));
    }
  });
});

describe('the picture of the runs', () => {
  const svg = runsPicture([run(64, 4_000, 40), run(64, 4_000, 20, { pool: 1_000 }), run(64, 12_000, 60)]);

  it('has a line for each measure over each axis, and a line for each goal', () => {
    expect(lines(svg).map((points) => points.length)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1]);
    expect([...svg.matchAll(/stroke-dasharray/g)].length).toBe(12);
    expect([...svg.matchAll(/>goal 78%</g)].length).toBe(3);
  });

  it('says each number in words', () => {
    expect(described(svg)).toContain('whole tasks, goal 78%: 1,000 episodes 20%, 40,000 episodes 40%.');
    expect(described(svg)).toContain('exact arguments, goal 88%: 400 seconds 45%, 1,200 seconds 65%.');
    expect(described(svg)).toContain('whole tasks, goal 78%: 0.06 million parameters 60%.');
  });

  it('draws equal ratios and equal shares at equal distances', () => {
    const drawn = lines(runsPicture([run(64, 1_000, 20), run(64, 2_000, 40), run(64, 4_000, 60)]));
    const [a = [], b = [], c = []] = drawn[6] ?? [];
    for (const at of [0, 1]) {
      expect((b[at] ?? 0) - (a[at] ?? 0)).toBeCloseTo((c[at] ?? 0) - (b[at] ?? 0), 0);
      expect(a[at]).not.toBe(b[at]);
    }
  });

  it('has no place that is no number', () => {
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('is the committed picture for the committed runs', () => {
    expect(readFileSync(RUNS_PICTURE, 'utf8'), 'npm run bench -- small-model --draw makes it').toBe(
      runsPicture(committed),
    );
  });
});
