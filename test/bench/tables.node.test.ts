import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { peersPlot } from './bars.ts';
import { withMeasurements } from './documents.ts';
import { formatResults, type Measured, mergeResults, type Results } from './results.ts';
import { countsOf, type Row, tableOf } from './table.ts';
import { fillTables, PICTURES } from './tables.ts';

const machine = { cpu: 'a processor', cores: 2, memoryGb: 8, system: 'linux 6' };
const at = (us: number) => ({ best: us, median: us * 2 });
const row = (what: string, more: Partial<Row> = {}): Row => ({ what, against: 'a call', ours: at(2), ...more });

function measuredOf(engine: string, section: string, rows: readonly Row[]): Measured {
  return { engine, version: `${engine} 1.2`, section, date: '2026-11-23', load: 1, rows };
}

function resultsOf(...measured: readonly Measured[]): Results {
  return { format: 'sallyport-bench/1', machine, versions: { sallyport: '0.1.0', ai: '7.0.0' }, measured };
}

const place = (name: string) => `Before.\n\n[//]: # (bench: ${name})\n\nAfter.\n`;

describe('the results of the bench', () => {
  it('a section that was measured again takes the place of the older one', () => {
    const older = resultsOf(measuredOf('node', 'step', [row('old')]), measuredOf('node', 'flat', [row('kept')]));
    const { measured } = mergeResults(older, resultsOf(measuredOf('node', 'step', [row('new')])));
    expect(measured.flatMap(({ rows }) => rows.map(({ what }) => what))).toEqual(['kept', 'new']);
  });

  it('results of another machine are left out', () => {
    const older = { ...resultsOf(measuredOf('node', 'flat', [row('old')])), machine: { ...machine, cores: 8 } };
    const newer = resultsOf(measuredOf('node', 'step', [row('new')]));
    expect(mergeResults(older, newer)).toEqual(newer);
  });

  it('the load of the machine is told of times, and not of memory', () => {
    const held: Row = { what: 'memory', against: '', ours: at(1), unit: 'MB' };
    const results = resultsOf(
      { ...measuredOf('node', 'memory', [held]), load: 9 },
      measuredOf('node', 'step', [row('a step')]),
    );
    const text = fillTables(place('conditions'), results);
    expect(text).toContain('The load of the machine was 1 when these times were printed.');
  });

  it('numbers of the file have four digits', () => {
    const [one] = (
      JSON.parse(formatResults(resultsOf(measuredOf('node', 'step', [row('a', { theirs: at(1 / 3) })])))) as Results
    ).measured;
    expect(one?.rows[0]?.theirs).toEqual({ best: 0.3333, median: 0.6667 });
  });
});

describe('the tables of the bench', () => {
  it('a table says that a goal was missed', () => {
    const rows = [
      row('met', { theirs: at(2), ratio: at(0.1), goal: { ratio: 1 } }),
      row('missed', { goal: { us: 1 } }),
      row('middle', { theirs: at(2), ratio: { best: 1.1, median: 0.9 }, goal: { ratio: 1 } }),
      row('without a goal'),
    ];
    expect(fillTables(place('goals'), resultsOf(measuredOf('chromium', 'step', rows)))).toBe(
      place('goals').replace(
        '[//]: # (bench: goals)',
        [
          '| what | where | against | ratio | goal |',
          '| --- | --- | --- | --- | --- |',
          '| met | Chromium | a call | 0.10 / 0.20 | ≤ 1 |',
          '| missed | Chromium | | (2 µs / 4 µs) | ≤ 1 µs, **missed** |',
          '| middle | Chromium | a call | 1.10 / 0.90 | ≤ 1, by the median round alone |',
        ].join('\n'),
      ),
    );
  });

  it('a table gives memory in MB', () => {
    const held = row('memory of a run', {
      against: '',
      ours: { best: 5.25, median: 5.25 },
      unit: 'MB',
      goal: { mb: 3 },
    });
    const { goals, missed } = countsOf([held]);
    expect({ goals, missed }).toEqual({ goals: 1, missed: 1 });
    expect(tableOf([held])).toContain('5.25 MB / 5.25 MB');
    expect(fillTables(place('goals'), resultsOf(measuredOf('node', 'memory', [held])))).toContain(
      '| memory of a run | Node | | (5.25 MB / 5.25 MB) | ≤ 3 MB, **missed** |',
    );
  });

  it('a table says why a peer was not measured, and no goal counts it', () => {
    const rows = [row('step as shipped, N = 100', { against: 'Peer 1.0.0', missing: 'not measured: no compiler' })];
    expect(fillTables(place('peers'), resultsOf(measuredOf('node', 'peers', rows)))).toContain(
      '| Peer 1.0.0 | 100 steps | not measured: no compiler | 2 µs / 4 µs |',
    );
    expect(tableOf(rows)).toContain('not measured: no compiler');
    expect(countsOf(rows)).toEqual({ rows: 1, goals: 0, met: 0, best: 0, median: 0, missed: 0 });
  });

  it('a table of durable steps tells its Node and load, and of each row database, size and ratio', () => {
    const what = 'durable step in PostgreSQL 15.18 (fsync on, synchronous_commit on), Node 24.1.0, 100 steps, 1 run';
    const rows = [
      row(what, { against: 'Peer 1.0.0', theirs: at(4), ratio: at(0.5) }),
      row(what, { against: 'Other 1.0.0', missing: 'not measured: no compiler' }),
    ];
    const filled = fillTables(place('databases'), resultsOf(measuredOf('node', 'databases', rows)));
    expect(filled).toContain(
      '| PostgreSQL | 100 steps, 1 run | Peer 1.0.0 | 4 µs / 8 µs | 2 µs / 4 µs | 0.50 / 1.00 |',
    );
    expect(filled).toContain('| Other 1.0.0 | not measured: no compiler | 2 µs / 4 µs | |');
  });

  it('the picture of a run of 100 steps has no bar of a run of 1,000', () => {
    const rows = [100, 1_000].map((steps) =>
      row(`step as shipped, N = ${steps}, in Node, threads`, { against: `Peer at ${steps}`, theirs: at(6) }),
    );
    const picture = peersPlot(resultsOf(measuredOf('node', 'peers', rows)));
    expect(picture).toContain('Peer at 100 ');
    expect(picture).not.toContain('Peer at 1000');
  });

  it('a place of a text that no table fills is a fault', () => {
    expect(() => fillTables(place('nonesuch'), resultsOf())).toThrow('nonesuch');
  });
});

describe('the committed results', () => {
  const results = JSON.parse(readFileSync('test/bench/results.json', 'utf8')) as Results;

  it.each(['numbers', 'why'])('the page %s gets a table for each of its marks', (name) => {
    const text = readFileSync(`web/docs/${name}.md`, 'utf8');
    const filled = withMeasurements(text, (path) => readFileSync(path, 'utf8'));
    expect(text).toMatch(/^\[\/\/\]: # /m);
    expect(filled).not.toMatch(/^\[\/\/\]: # /m);
    expect(filled.match(/^\| --- /gm)?.length).toBeGreaterThan(text.match(/^\| --- /gm)?.length ?? 0);
  });

  it.each(Object.keys(PICTURES))('the picture %s is that of the committed results', (path) => {
    expect(readFileSync(path, 'utf8'), 'npm run bench -- plots makes it').toBe(PICTURES[path]?.(results));
  });

  it('the results name the version of each package that they are measured beside', () => {
    for (const folder of ['peers', 'durable-peers']) {
      const pinned = JSON.parse(readFileSync(`test/bench/${folder}/package.json`, 'utf8')) as Record<string, object>;
      expect(results.versions).toMatchObject({ ...pinned['dependencies'], ...pinned['optionalDependencies'] });
    }
  });
});
