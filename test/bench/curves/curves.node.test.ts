import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHARTS } from './charts.ts';
import { curvePlot } from './curve.ts';
import type { ScaleResults, Series } from './results.ts';
import { drawScale, fillScale, SCALE_PICTURES, SCALE_TEXT } from './tables.ts';

const line = (more: Partial<Series> = {}): Series => ({
  chart: 'records',
  name: 'SQLite',
  points: [
    [1_000, 0.5],
    [1_000_000, 2],
  ],
  end: { kind: 'planned' },
  ...more,
});

function resultsOf(series: readonly Series[], more: Partial<ScaleResults> = {}): ScaleResults {
  const machine = { cpu: 'a processor', cores: 2, memoryGb: 8, system: 'linux 6' };
  const versions = { Sallyport: '0.1.0', PostgreSQL: '15.1' };
  return {
    ...{ format: 'sallyport-scale/1', isQuick: false, date: '2026-11-23', load: [0.1, 1] },
    ...{ machine, versions, series },
    ...more,
  };
}

const place = (name: string) => `Before.\n\n[//]: # (scale: ${name})\n\nAfter.\n`;

describe('a curve', () => {
  it('a curve says each of its points in words, and draws a place and a mark for it', () => {
    const svg = curvePlot('records', resultsOf([line()]));
    const [, description = ''] = /<desc id="desc">(.*)<\/desc>/.exec(svg) ?? [];
    expect(description).toContain('SQLite: 1,000 records in the log 500 µs, 1,000,000 records in the log 2 ms');
    const [, points = ''] = /<polyline class="line-ours" points="([^"]+)"/.exec(svg) ?? [];
    expect(points.split(' ')).toHaveLength(2);
    for (const tick of ['>1,000<', '>1M<', '>1 ms<', '>10 ms<']) expect(svg).toContain(tick);
  });

  it('a value that is ten times as large stands as far above on each part of the axis', () => {
    const points = [1, 10, 100].map((value, nth) => [nth + 1, value] as const);
    const svg = curvePlot('tools', resultsOf([line({ chart: 'tools', points })]));
    const [, drawn = ''] = /<polyline[^>]* points="([^"]+)"/.exec(svg) ?? [];
    const [first = 0, second = 0, third = 0] = drawn.split(' ').map((at) => Number(at.split(',')[1]));
    expect(first - second).toBeCloseTo(second - third, 0);
    expect(first).toBeGreaterThan(third);
  });

  it('lines of a chart differ in more than their colour', () => {
    const svg = curvePlot('records', resultsOf(['a', 'b', 'c', 'd', 'e'].map((name) => line({ name }))));
    const strokes = [...svg.matchAll(/<polyline class="(line-\w+)"[^>]*?( stroke-dasharray="[^"]+")?\/>/g)];
    expect(new Set(strokes.map(([, tone, dash]) => `${tone}${dash}`)).size).toBe(5);
    const marks = [...svg.matchAll(/<path class="bg line-\w+" d="M[^a-z]*([a-z][^M]*)/g)];
    expect(new Set(marks.map(([, mark]) => mark)).size).toBe(5);
  });

  it('a line that was not measured is named with its reason, and has no mark', () => {
    const svg = curvePlot('records', resultsOf([line({ points: [], end: { kind: 'absent', reason: 'no <SQLite>' } })]));
    expect(svg).toContain('SQLite: not measured, no &lt;SQLite');
    expect(svg).toContain('>SQLite: not measured<');
    expect(svg).not.toContain('NaN');
  });

  it.each(Object.entries(CHARTS))(
    'the words above the curves of %s fit into their width',
    (_, { title, point, axis }) => {
      for (const words of [title, point, axis]) expect(words.length).toBeLessThanOrEqual(54);
    },
  );

  it('a line of a single point is drawn as its mark', () => {
    const svg = curvePlot('processes', resultsOf([line({ chart: 'processes', points: [[1, 600]] })]));
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(svg).toContain('>1,000<');
  });
});

describe('the tables of the curves', () => {
  it('a table names the first and the last point of each line, and why it ends', () => {
    const series = [
      line(),
      line({
        name: 'a directory',
        chart: 'processes',
        points: [[1, 1_234]],
        end: { kind: 'refused', code: 'store_locked' },
      }),
      line({ name: 'a page', end: { kind: 'time' } }),
      line({ name: 'none', points: [], end: { kind: 'absent', reason: 'no browser' } }),
    ];
    const text = fillScale(place('ends'), resultsOf(series));
    expect(text).toContain('| records | SQLite | 1,000: 500 µs | 1,000,000: 2 ms | |');
    expect(text).toMatch(/\| a directory \| 1: 1,230 steps\/s \| 1: 1,230 steps\/s \| .*`store_locked` \|/);
    expect(text).toContain('| 1,000,000: 2 ms | the time of the measurement was over |');
    expect(text).toContain('| none | | | not measured: no browser |');
  });

  it('the conditions say that a quick measurement is provisional, and that the machine was busy', () => {
    const quiet = fillScale(place('conditions'), resultsOf([]));
    expect(quiet).toContain('Sallyport 0.1.0, PostgreSQL 15.1; 2 cores of a processor, 8 GB, linux 6; 2026-11-23.');
    expect(quiet).not.toMatch(/provisional|More threads/);
    const busy = fillScale(place('conditions'), resultsOf([], { isQuick: true, load: [9, 3] }));
    expect(busy).toContain('was 3 to 9.');
    expect(busy).toMatch(/provisional[\s\S]*More threads/);
  });

  it('a place of a text that no table fills is a fault', () => {
    expect(() => fillScale(place('nonesuch'), resultsOf([]))).toThrow('nonesuch');
  });
});

describe('the committed curves', () => {
  const results = JSON.parse(readFileSync('test/bench/scale.json', 'utf8')) as ScaleResults;
  const text = readFileSync(SCALE_TEXT, 'utf8');

  it.each(Object.entries(SCALE_PICTURES))('the picture %s is that of the committed results', (path, chart) => {
    expect(readFileSync(path, 'utf8'), 'npm run bench -- plots makes it').toBe(drawScale(path, results));
    expect(text).toContain(path.replace('web/docs/', ''));
    expect(results.series.filter((each) => each.chart === chart).length).toBeGreaterThan(0);
  });
});
