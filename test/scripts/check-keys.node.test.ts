import { describe, expect, test } from 'vitest';
import { keysOf } from '../../.scripts/check/keys.mjs';
import { sourceOf } from '../../.scripts/check/sources.mjs';

const TREE = {
  'package.json': '{}',
  'core/tsconfig.json': '{}',
  'core/sum.ts': 'export function sum(a: number, b: number): number {\n  return a + b;\n}\n',
  'core/total.ts': "import { sum } from './sum.ts';\nexport const total: number = sum(1, 2);\n",
  'core/alone.ts': 'export const alone = 1;\n',
  'core/element.ts': "import './sum.ts';\ndeclare global {\n  interface Window {\n    sum: number;\n  }\n}\n",
  'test/total.test.ts': "import { total } from '../core/total.ts';\nconsole.log(total);\n",
  'test/package.test.ts': "import { total } from 'sallyport';\nconsole.log(total);\n",
};

/** Keys over the tree with other contents, or without a file; the exports below `core` have explicit types. */
function keys(changed: Record<string, string | undefined> = {}, { tools = 'typescript 7', dist = 'a' } = {}) {
  const files = Object.entries({ ...TREE, ...changed }).flatMap(([path, text]) =>
    text === undefined ? [] : [[path, sourceOf(path, Buffer.from(text), path.startsWith('core/'))] as const],
  );
  const of = keysOf({ files: new Map(files), dist }, tools);
  const declared = of.declared(files.map(([path]) => path));
  return {
    program: of.whole(['test/total.test.ts'], '{}'),
    typed: of.typed('test/total.test.ts', of.declared(['test/total.test.ts'])),
    own: of.typed('core/sum.ts', ''),
    withAll: of.typed('test/total.test.ts', declared),
    packaged: of.whole(['test/package.test.ts'], '{}'),
    alone: of.alone('test/total.test.ts'),
    everything: of.everything(),
  };
}
const differing = (...change: Parameters<typeof keys>) => {
  const before = keys();
  return Object.entries(keys(...change)).flatMap(([name, key]) =>
    key === before[name as keyof typeof before] ? [] : [name],
  );
};
const ALL = ['program', 'typed', 'own', 'withAll', 'packaged', 'alone', 'everything'];

describe('the keys of what a check reads', () => {
  test('equal files have equal keys', () => {
    expect(differing()).toEqual([]);
  });

  test('a changed file changes every key that leads to it', () => {
    expect(differing({ 'test/total.test.ts': "import '../core/total.ts';\n" })).toEqual([
      'program',
      'typed',
      'withAll',
      'alone',
      'everything',
    ]);
    expect(differing({ 'core/alone.ts': 'export const alone = 2;\n' })).toEqual(['everything']);
  });

  test('a changed type of an import, or of its own import, changes the key of the lint; a changed body does not', () => {
    const body = TREE['core/sum.ts'].replace('a + b', 'b + a');
    expect(differing({ 'core/sum.ts': body })).toEqual(['program', 'own', 'everything']);
    const type = TREE['core/sum.ts'].replace('): number', '): number | string');
    expect(differing({ 'core/sum.ts': type })).toEqual(['program', 'typed', 'own', 'withAll', 'everything']);
    const named = `${TREE['core/total.ts']}import './alone.ts';\n`;
    expect(differing({ 'core/total.ts': named })).toEqual(['program', 'typed', 'withAll', 'everything']);
  });

  test('a changed body counts where the exports need no explicit types, or lack them', () => {
    const one = 'export function one() {\n  return 1;\n}\n';
    const twice = 'export const twice = (value: number) => value * 2;\n';
    const typed = (path: string, text: string) =>
      keys({ [path]: text, 'test/total.test.ts': `import '../${path}';\n` }).typed;
    expect(typed('test/one.ts', one)).not.toBe(typed('test/one.ts', one.replace('1;', '2;')));
    expect(typed('core/twice.ts', twice)).not.toBe(typed('core/twice.ts', twice.replace('* 2', '+ value')));
  });

  test('a changed type that a file declares for all others changes their keys', () => {
    const element = TREE['core/element.ts'].replace('sum: number', 'sum: string');
    expect(differing({ 'core/element.ts': element })).toEqual(['withAll', 'everything']);
  });

  test('a changed configuration, tool or check changes every key', () => {
    expect(differing({ 'core/tsconfig.json': '{"files": []}' })).toEqual(ALL);
    expect(differing({ '.oxlintrc.json': '{}' })).toEqual(ALL);
    expect(differing({ '.scripts/check.mjs': '' })).toEqual(ALL);
    expect(differing({}, { tools: 'typescript 8' })).toEqual(ALL);
  });

  test('a file that is deleted, or that appears where an import looks first, changes the keys', () => {
    expect(differing({ 'core/sum.ts': undefined })).toEqual(['program', 'typed', 'own', 'withAll', 'everything']);
    const start = { 'test/total.test.ts': "import './helper.mjs';\n", 'test/helper.mjs': 'export {};\n' };
    const before = keys(start);
    const after = keys({ ...start, 'test/helper.d.mts': 'export {};\n' });
    expect(after.program).not.toBe(before.program);
    expect(after.typed).not.toBe(before.typed);
  });

  test('a new build changes the keys of files that import the package', () => {
    expect(differing({}, { dist: 'b' })).toEqual(['packaged', 'everything']);
  });
});
