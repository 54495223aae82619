import { describe, expect, it } from 'vitest';
import { type Import, importsOf, sources } from './imports.ts';

type Edge = Pick<Import, 'from' | 'to'>;

/** Every cycle: the names that reach each other along the edges, type imports and re-exports included, sorted. */
function cyclesOf(edges: readonly Edge[]): string[][] {
  const next = new Map<string, Edge[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const reached = new Map([...next.keys()].map((name) => [name, namesFrom(name, next)]));
  const cycles = [...next.keys()].map((name) =>
    [...(reached.get(name) ?? [])].filter((other) => reached.get(other)?.has(name)).sort(),
  );
  const found = new Map(cycles.filter(([first]) => first !== undefined).map((cycle) => [cycle.join(), cycle]));
  return [...found.keys()].sort().map((key) => found.get(key) ?? []);
}

/** The names that the edges lead to from `start`; `start` is one of them if it lies on a cycle. */
function namesFrom(start: string, next: ReadonlyMap<string, readonly Edge[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const { to } of next.get(name) ?? []) {
      if (!found.has(to)) open.push(to);
      found.add(to);
    }
  }
  return found;
}

/** Edges between these folders; an import inside a folder is not one of them. */
function edgesBetween(folders: readonly string[], imports: readonly Edge[]): Edge[] {
  const folderOf = (file: string) => folders.find((folder) => file.startsWith(`${folder}/`));
  return imports.flatMap((each) => {
    const [from, to] = [folderOf(each.from), folderOf(each.to)];
    return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
  });
}

const imports = sources.flatMap(({ file, source }) => importsOf(file, source));

describe('cycles of imports', () => {
  it('no source file reaches itself through its imports, type imports included', () => {
    expect(cyclesOf(imports)).toEqual([]);
  });

  it('no two of the folders content, ledger, run and replay of the core import each other', () => {
    const folders = ['core/content', 'core/ledger', 'core/run', 'core/replay'];
    expect(cyclesOf(edgesBetween(folders, imports))).toEqual([]);
  });

  it('no type is imported inside an expression, which the reader of imports does not see', () => {
    const hidden = sources.filter(({ source }) => /\bimport\(['"][^'"]+['"]\)\.[A-Z]/.test(source));
    expect(hidden.map(({ file }) => file)).toEqual([]);
  });

  it.each([
    ['a type import', "import type { Grant } from './b.ts';"],
    ['a type beside a value', "import { allow, type Grant } from './b.ts';"],
    ['a type re-export', "export type { Grant } from './b.ts';"],
    ['a re-export of all types', "export type * from './b.ts';"],
    ['a dynamic import', "const grants = import('./b.ts');"],
  ])('the cycle that %s closes is found', (_, source) => {
    const planted = [
      ...importsOf('core/a.ts', source),
      ...importsOf('core/b.ts', "import { check } from './c.ts';"),
      ...importsOf('core/c.ts', "import { find } from './a.ts';"),
      ...importsOf('core/d.ts', "import { find } from './a.ts';"),
    ];
    expect(cyclesOf(planted)).toEqual([['core/a.ts', 'core/b.ts', 'core/c.ts']]);
  });

  it('two separate cycles are told apart', () => {
    const pair = (one: string, other: string) => [
      { from: one, to: other },
      { from: other, to: one },
    ];
    const planted = [...pair('a', 'b'), ...pair('c', 'd'), { from: 'b', to: 'c' }];
    expect(cyclesOf(planted)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('a circle of two folders is found although no file is on a cycle', () => {
    const planted = [
      ...importsOf('core/ledger/a.ts', "import type { Phase } from '../run/b.ts';"),
      ...importsOf('core/run/c.ts', "import { seal } from '../ledger/d.ts';"),
    ];
    expect(cyclesOf(planted)).toEqual([]);
    expect(cyclesOf(edgesBetween(['core/ledger', 'core/run'], planted))).toEqual([['core/ledger', 'core/run']]);
  });
});
