import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../core/index.ts';
import { vectors } from '../core/vectors.ts';

/**
 * The conformance matrix: each demand of the three specifications, and what holds the implementation to it. A row has
 * the vectors of its own clause, those of the clauses it names, and tests as `file: title`, where the title may be that
 * of a row in a table of cases.
 */
interface Row {
  readonly clause: string;
  readonly asks: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

/** What a specification leaves open, or says twice: what is done here, and what holds it. */
interface Decision {
  readonly point: string;
  readonly here: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

const read = (name: string): unknown => JSON.parse(readFileSync(`test/conformance/${name}.json`, 'utf8'));
const rows = ['xct', 'femtoclaw', 'catalytic'].flatMap((name) => read(name) as readonly Row[]);
const decisions = read('decisions') as readonly Decision[];
const named = [...rows, ...decisions];
const clauses = new Set(vectors().map(({ clause }) => clause));
/** Our own decisions and other documents have vectors too; the matrix is of the specifications. */
const SPECIFIED = /^(XCT|FemtoClaw Protocol|Catalytic Chat Contract)\b(?!, decisions)/;

describe('the conformance matrix', () => {
  test('is of whole rows, each clause once', () => {
    expect(rows.length).toBeGreaterThan(130);
    expect(rows.filter(({ clause, asks }) => !SPECIFIED.test(clause) || asks === '')).toEqual([]);
    expect(new Set(rows.map(({ clause }) => clause)).size).toBe(rows.length);
  });

  test('has something for every clause that would fail without it', () => {
    const empty = rows.filter(({ clause, tests, vectors: others }) => !clauses.has(clause) && !others && !tests);
    expect(empty).toEqual([]);
  });

  test('names clauses that have vectors', () => {
    expect(named.flatMap((row) => row.vectors ?? []).filter((clause) => !clauses.has(clause))).toEqual([]);
  });

  test('leaves no vector of a specification out', () => {
    const covered = new Set(rows.flatMap(({ clause, vectors: others = [] }) => [clause, ...others]));
    expect([...clauses].filter((clause) => SPECIFIED.test(clause) && !covered.has(clause))).toEqual([]);
  });

  test('names tests that are there', () => {
    expect(named.flatMap((row) => row.tests ?? []).filter((each) => !isThere(each))).toEqual([]);
  });

  test('names a test for every situation that only a host can make', () => {
    const tests = vectors('situations').map(({ input }) => input['test'] as string);
    expect(tests.filter((each) => !isThere(each))).toEqual([]);
  });

  test('holds every decision by a vector or a test, each point once', () => {
    expect(decisions.filter(({ vectors: of, tests }) => !of && !tests)).toEqual([]);
    expect(new Set(decisions.map(({ point }) => point)).size).toBe(decisions.length);
    expect(decisions.filter(({ point, here }) => !SPECIFIED.test(point) || here === '')).toEqual([]);
  });
});

/** A code that no vector yields is quoted by a test that does; the tables of codes and of events do not count. */
test('every code is in a vector or in a test that yields it', () => {
  const yielded = new Set(JSON.stringify(vectors().map(({ expect: expected }) => expected)).match(/\w+/g));
  const files = ['test', 'e2e'].flatMap((folder) =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter(
        (file) =>
          /\.(test|node|browser|spec)\.ts$|-suite\.ts$|\/(rejected|outcomes)\.ts$/.test(file) && !TABLES.has(file),
      )
      .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
  );
  const quoted = new Set(files.join('\n').match(/(?<=['"`])[a-z0-9_]+(?=['"`])/g));
  expect(Object.keys(CODES).filter((code) => !yielded.has(code) && !quoted.has(code))).toEqual([]);
});

const TABLES: ReadonlySet<string> = new Set(['core/vectors.test.ts', 'telemetry/category.test.ts']);

function isThere(named: string): boolean {
  const [, file = '', title = ''] = /^(\S+): (.+)$/.exec(named) ?? [];
  if (!existsSync(file)) return false;
  const source = readFileSync(file, 'utf8');
  // What only has to compile has no titles.
  return file.endsWith('.types.ts')
    ? source.includes(title)
    : source.includes(`'${title}'`) || source.includes(`\`${title}\``);
}
