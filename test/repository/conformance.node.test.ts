import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../core/index.ts';
import { vectors } from '../core/vectors.ts';

/**
 * The conformance matrix: each demand of the three specifications, with the vectors and tests that hold the
 * implementation to it. A row has the vectors of its own clause, those of the clauses it names, and tests as `file:
 * title`. The title may be the name of a row in a table of cases.
 */
interface Row {
  readonly clause: string;
  readonly asks: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

/** A point that a specification leaves open or says twice, with our decision and the vectors and tests that hold it. */
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
/** Our own decisions and other documents have vectors too; the matrix covers the specifications only. */
const SPECIFIED = /^(XCT|FemtoClaw Protocol|Catalytic Chat Contract)\b(?!, decisions)/;

describe('the conformance matrix', () => {
  test('the conformance matrix consists of whole rows, each clause once', () => {
    expect(rows.length).toBeGreaterThan(130);
    expect(rows.filter(({ clause, asks }) => !SPECIFIED.test(clause) || asks === '')).toEqual([]);
    expect(new Set(rows.map(({ clause }) => clause)).size).toBe(rows.length);
  });

  test('each clause of the conformance matrix has a vector or a test', () => {
    const empty = rows.filter(({ clause, tests, vectors: others }) => !clauses.has(clause) && !others && !tests);
    expect(empty).toEqual([]);
  });

  test('the conformance matrix names only clauses that have vectors', () => {
    expect(named.flatMap((row) => row.vectors ?? []).filter((clause) => !clauses.has(clause))).toEqual([]);
  });

  test('the conformance matrix includes each vector of a specification', () => {
    const covered = new Set(rows.flatMap(({ clause, vectors: others = [] }) => [clause, ...others]));
    expect([...clauses].filter((clause) => SPECIFIED.test(clause) && !covered.has(clause))).toEqual([]);
  });

  test('the conformance matrix names only tests that exist', () => {
    expect(named.flatMap((row) => row.tests ?? []).filter((each) => !isThere(each))).toEqual([]);
  });

  test('each situation that only a host can make has a test', () => {
    const tests = vectors('situations').map(({ input }) => input['test'] as string);
    expect(tests.filter((each) => !isThere(each))).toEqual([]);
  });

  test('each decision has a vector or a test, and each point occurs once', () => {
    expect(decisions.filter(({ vectors: of, tests }) => !of && !tests)).toEqual([]);
    expect(new Set(decisions.map(({ point }) => point)).size).toBe(decisions.length);
    expect(decisions.filter(({ point, here }) => !SPECIFIED.test(point) || here === '')).toEqual([]);
  });
});

/** A code without a vector is quoted by a test that yields it. Tables of codes and of events do not count. */
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
  // A file that only has to compile has no titles.
  return file.endsWith('.types.ts')
    ? source.includes(title)
    : source.includes(`'${title}'`) || source.includes(`\`${title}\``);
}
