import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './table.ts';

interface Vector {
  readonly clause: string;
  readonly file: string;
}

interface Decision {
  readonly point: string;
  readonly here: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

interface Row {
  readonly clause: string;
  readonly asks: string;
  readonly vectors?: readonly string[];
  readonly tests?: readonly string[];
}

const SPECIFICATIONS = {
  xct: 'XCT 0.1',
  femtoclaw: 'FemtoClaw Protocol 1.0.0',
  catalytic: 'Catalytic Chat Contract 1.0',
} as const;

export const CONFORMANCE_LEAD =
  'For each clause of the three specifications, the test vectors and tests that hold the implementation to it. Vectors are data that other runtimes can run; tests are named by file and title. The matrix is a table in `test/conformance`; a test fails where the matrix names a missing vector or test, or leaves out a clause that has vectors.';

/**
 * The matrix with a section for each specification, and beside it our decisions where the specifications are silent.
 */
export function conformance(root: string): string[] {
  const vectors = vectorsIn(join(root, 'test/vectors'));
  const matrix = Object.entries(SPECIFICATIONS).map(([file, title]) => {
    const rows = read<readonly Row[]>(join(root, `test/conformance/${file}.json`));
    const cells = rows.map((row) => [shortened(row.clause), row.asks, heldBy(row, vectors)]);
    return `## ${title}\n\n${table(['clause', 'demand', 'held by'], cells)}`;
  });
  return [...matrix, silent(root, vectors), disagreeing(root)];
}

function heldBy({ clause, vectors: others = [], tests = [] }: Row, vectors: readonly Vector[]): string {
  const own = new Set([clause, ...others]);
  const counted = vectorsOf(vectors.filter((vector) => own.has(vector.clause)));
  return [...counted, ...tests.map((test) => test.replace(/^(\S+): /, '`$1`: '))].join('; ');
}

/** "3 vectors in `xct.json`", file by file. */
function vectorsOf(vectors: readonly Vector[]): string[] {
  const files = [...new Set(vectors.map(({ file }) => file))];
  return files.map((file) => {
    const count = vectors.filter((vector) => vector.file === file).length;
    return `${count} ${count === 1 ? 'vector' : 'vectors'} in \`test/vectors/${file}\``;
  });
}

/** Vectors cover proposals in files of their own; content, receipts and names are covered by tests as well. */
function silent(root: string, vectors: readonly Vector[]): string {
  const own = vectors.filter(({ clause }) => /decisions:|^(Sallyport|FC-|FemtoClaw \d)/.test(clause));
  const clauses = [...new Set(own.map(({ clause }) => clause))].sort();
  const cells = clauses.map((each) => [each, vectorsOf(own.filter(({ clause }) => clause === each)).join('; ')]);
  const told = read<readonly Decision[]>(join(root, 'test/conformance/decisions.json')).map(
    ({ point, here, ...by }) => [`**${point}.** ${here}`, heldBy({ clause: '', asks: '', ...by }, vectors)],
  );
  return `## Where they are silent\n\n${table(['decision', 'held by'], [...told, ...cells])}`;
}

/** The table that the vectors come with. */
function disagreeing(root: string): string {
  const text = readFileSync(join(root, 'test/vectors/README.md'), 'utf8');
  const [rows = ''] = /\| point \|[\s\S]*?(?=\n\n)/.exec(text) ?? [];
  if (rows === '') throw new Error('The vectors say nothing of where the specifications disagree.');
  return `## Where they disagree\n\n${rows}`;
}

function vectorsIn(folder: string): Vector[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'registries.json')
    .flatMap((file) => read<Omit<Vector, 'file'>[]>(join(folder, file)).map((vector) => ({ ...vector, file })));
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** The specification is the section's title already. */
function shortened(clause: string): string {
  return clause.replace(/^(XCT|FemtoClaw Protocol|Catalytic Chat Contract),? /, '');
}
