import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RUNS_PICTURE, runsPicture } from './picture.ts';
import type { Run } from './runs.ts';
import { withRunsTable } from './runs-table.ts';

function run(width: number, steps: number, whole: number, more: Partial<Run> = {}): Run {
  const shares = { 'whole tasks': [whole, 100], 'exact arguments': [whole + 5, 100] } as const;
  return {
    name: `${width}, ${steps}`,
    generator: 2,
    shape: [width, 3, 3, 2 * width],
    parameters: 1_000 * width,
    steps,
    episodes: 10 * steps,
    seconds: steps / 10,
    judged: { 'held-out tasks': shares },
    ...more,
  };
}

const described = (svg: string): string => /<desc id="desc">(.*)<\/desc>/.exec(svg)?.[1] ?? '';
const lines = (svg: string): readonly string[] =>
  [...svg.matchAll(/<polyline [^>]*points="([^"]*)"/g)].map(([, points = '']) => points);

describe('the picture of the runs', () => {
  it('has a line for each size and measure, and says each number in words', () => {
    const svg = runsPicture([run(96, 2_000, 25), run(96, 8_000, 50), run(128, 8_000, 60)]);
    expect(lines(svg).map((points) => points.split(' ').length)).toEqual([1, 2, 1, 2]);
    expect(described(svg)).toContain(
      'whole tasks, 96 wide, 0.10 million parameters: 2,000 steps 25%, 8,000 steps 50%.',
    );
    expect(described(svg)).toContain('exact arguments, 128 wide, 0.13 million parameters: 8,000 steps 65%.');
  });

  it('draws equal steps and equal shares at equal distances', () => {
    const [points = ''] = lines(runsPicture([run(96, 2_000, 20), run(96, 4_000, 40), run(96, 6_000, 60)]));
    const [first, second, third] = points.split(' ').map((place) => place.split(',').map(Number));
    for (const at of [0, 1]) {
      const [a = 0, b = 0, c = 0] = [first?.[at], second?.[at], third?.[at]];
      expect(b - a).toBeCloseTo(c - b, 0);
      expect(a).not.toBe(b);
    }
  });

  it('lines of two sizes differ in more than their colour', () => {
    const svg = runsPicture([run(64, 9, 1), run(96, 9, 2), run(128, 9, 3)]);
    const marks = [...svg.matchAll(/<path class="bg line-\w+" d="M[^a-z]*([a-z][^M"]*)/g)].map(([, mark]) => mark);
    expect(new Set(marks).size).toBe(3);
  });

  it('has a line of its own for a run that saw the same episodes again and again', () => {
    const svg = runsPicture([run(64, 4_000, 20, { pool: 1_000 }), run(64, 4_000, 40)]);
    expect(described(svg)).toContain('whole tasks, 64 wide, 0.06 million parameters: 4,000 steps 40%.');
    expect(described(svg)).toContain('whole tasks, 64 wide, 1,000 episodes again and again: 4,000 steps 20%.');
  });

  it('orders the steps of a size, and leaves out what was not judged or came from an older generator', () => {
    const { judged: _, ...unjudged } = run(96, 5_000, 0);
    const svg = runsPicture([run(96, 8_000, 50), unjudged, run(96, 2_000, 25), run(96, 9_000, 99, { generator: 1 })]);
    expect(described(svg)).toContain(': 2,000 steps 25%, 8,000 steps 50%.');
    expect(svg).not.toMatch(/5,000|9,000|NaN/);
  });

  it('the committed picture is that of the committed runs', () => {
    const runs = JSON.parse(readFileSync('.scripts/small-model/runs.json', 'utf8')) as readonly Run[];
    expect(readFileSync(RUNS_PICTURE, 'utf8'), 'npm run small-model -- --draw makes it').toBe(runsPicture(runs));
  });
});

describe('the table of the runs', () => {
  it('has a row for each judged run, with both lists in each cell', () => {
    const { judged: _, ...unjudged } = run(96, 5_000, 0);
    const lists = {
      'held-out tasks': { 'whole tasks': [3, 4] },
      'development tasks': { 'whole tasks': [1, 1] },
    } as const;
    const page = 'a\n[//]: # (runs begin)\nold\n[//]: # (runs end)\nb';
    const rows = withRunsTable(page, [run(64, 2_000, 20, { pool: 1_000, judged: lists }), unjudged]).split('\n');
    expect(rows.filter((row) => row.startsWith('| ')).length).toBe(2);
    expect(rows).toContain('| 64, 2000 | 64,000 | 1,000 | 200 | ,  | ,  | 75%, 100% | ,  |');
    expect([rows[0], rows.at(-1), rows.includes('old')]).toEqual(['a', 'b', false]);
  });

  it('the page has the table of the committed runs', () => {
    const runs = JSON.parse(readFileSync('.scripts/small-model/runs.json', 'utf8')) as readonly Run[];
    const page = readFileSync('web/docs/small-model.md', 'utf8');
    expect(withRunsTable(page, runs), 'npm run small-model -- --draw writes it').toBe(page);
  });
});
