import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../core/hash.ts';
import { withMarked } from './marked.ts';
import { RUNS_PAGE, withRuns } from './page.ts';
import { type Run, shippedOf } from './runs.ts';
import { shippedTable } from './shipped-table.ts';

const WEIGHTS = 'workers/bridges/models/small/weights.bin';
const read = (path: string): string => readFileSync(path, 'utf8');
const runs = JSON.parse(read('workers/bridges/models/small/trainer/runs.json')) as readonly Run[];

const made: Run = {
  name: '64 wide: shipped',
  generator: 2,
  made: '',
  shape: [64, 3, 3, 128],
  parameters: 64_000,
  steps: 2_000,
  episodes: 20_000,
  seconds: 1_200,
  judged: {
    sha256: '',
    'held-out tasks': { 'right tool': [99, 100], 'whole tasks': [3, 4] },
    'held-out phrases of no template': { 'whole tasks': [1, 3] },
    'development tasks': { 'whole tasks': [1, 1] },
  },
};

describe('a part of a page between two lines', () => {
  const page = 'a\n[//]: # (runs begin)\nold\n[//]: # (runs end)\nb';

  it('is replaced, and nothing else', () => {
    expect(withMarked(page, 'runs', 'new')).toBe('a\n[//]: # (runs begin)\n\nnew\n\n[//]: # (runs end)\nb');
  });

  it('must be there', () => {
    expect(() => withMarked(page, 'shipped', 'new')).toThrow(/lacks the line/);
  });
});

describe('the table of the shipped run', () => {
  it('has the goals, the counts of each list, and how many goals are missed', () => {
    const text = shippedTable([made]);
    expect(text).toContain('1,200 seconds of one processor, with 20,000 episodes.');
    expect(text).toContain('missed on the held-out list: 3 of 4.');
    expect(text).toContain('phrases of 1 of 4 held-out and of 1 of 1 development tasks.');
    expect(text).toContain('| whole tasks | 78% | 75% (3 of 4) | 33% (1 of 3) | 100% (1 of 1) |  |');
  });

  it('needs one run that is named as shipped', () => {
    expect(() => shippedOf([])).toThrow(/named as shipped/);
    expect(() => shippedOf([made, made])).toThrow(/named as shipped/);
  });

  it('has the numbers of the shipped weights', () => {
    expect(shippedOf(runs).judged?.sha256).toBe(sha256Hex(readFileSync(WEIGHTS)));
  });
});

it('the page has the table of the shipped run', () => {
  expect(withRuns(read(RUNS_PAGE), runs), 'npm run bench -- small-model --draw writes them').toBe(read(RUNS_PAGE));
});

describe('what the documentation and the playground tell of the weights', () => {
  const bytes = statSync(WEIGHTS).size;

  it.each([
    [RUNS_PAGE, /file of ([\d.,]+) KB/, 1e3],
    ['web/docs/device.md', /\| model \| ([\d.,]+) KB, in the package/, 1e3],
    ['web/texts/en/models.ts', /Ours: ([\d.]+) megabytes/, 1e6],
    ['web/texts/de/models.ts', /Unseres: ([\d,]+) Megabyte/, 1e6],
  ])('%s tells their size', (path, pattern, unit) => {
    const told = pattern.exec(read(path))?.[1] ?? '';
    const digits = told.split(/[.,]/)[1]?.length ?? 0;
    expect(told.replace(',', '.')).toBe((bytes / unit).toFixed(digits));
  });

  it('the page names each tool of the table', () => {
    const { tasks } = JSON.parse(read('workers/bridges/models/small/trainer/table.json')) as {
      tasks: { tool: string }[];
    };
    const [sentence = '', count = ''] = /It knows (\w+) tools of the playground: .*/.exec(read(RUNS_PAGE)) ?? [];
    const tools = [...new Set(tasks.map(({ tool }) => tool))].sort();
    expect([...sentence.matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, tool = '']) => tool).sort()).toEqual(tools);
    expect(['thirteen', 'fourteen', 'fifteen', 'sixteen'].indexOf(count) + 13).toBe(tools.length);
  });
});
