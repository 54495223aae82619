import { describe, expect, test } from 'vitest';
import { filesIn, groupConfigs, listConfigs, listUnfound, readConfig } from '../../.scripts/check/programs.mjs';

const config = (name: string, lib: string[], include: string[], exclude: string[] = []) => ({
  name,
  options: { strict: true, lib },
  include,
  exclude,
});
const grouped = (...configs: Parameters<typeof groupConfigs>[0]) =>
  groupConfigs(configs).map((group) => group.map(({ name }) => name));

describe('folders that the compiler checks', () => {
  test('folders with equal options are one program, and folders with different options are several', () => {
    const core = config('core', ['es2023'], ['/core']);
    const web = config('web', ['es2023', 'dom'], ['/web']);
    const sandbox = { ...config('sandbox', [], ['/sandbox']), options: { lib: ['es2023'], strict: true } };
    expect(grouped(core, web, sandbox)).toEqual([['core', 'sandbox'], ['web']]);
  });

  test('folders stay apart when one excludes files of the other', () => {
    const node = config('node', ['es2023'], ['/workers/node.ts']);
    const rest = config('rest', ['es2023'], ['/workers'], ['/workers/node.ts', '/workers/cli']);
    const cli = config('cli', ['es2023'], ['/workers/cli/main.ts']);
    expect(grouped(node, rest, cli)).toEqual([['node', 'cli'], ['rest']]);
  });

  test('a program starts from the files of its folders and patterns, without the excluded ones', () => {
    const paths = ['web/page.ts', 'workers/cli/main.ts', 'workers/cli.ts', 'workers/kernel.ts', 'e2e/world/a.spec.ts'];
    const program = { include: ['/r/workers', '/r/e2e/world/*.ts'], exclude: ['/r/workers/cli', '/r/workers/cli.ts'] };
    expect(filesIn(program, paths, '/r')).toEqual(['workers/kernel.ts', 'e2e/world/a.spec.ts']);
  });

  test('the linter cannot find the program of a file that the nearest tsconfig.json leaves out', () => {
    const paths = ['w/cli.ts', 'w/cli/main.ts', 'w/sql/row.ts', 'w/kernel.ts'];
    const rest = config('w/tsconfig.json', [], ['/r/w'], ['/r/w/cli.ts', '/r/w/cli', '/r/w/sql']);
    const node = config('w/tsconfig.node.json', [], ['/r/w/cli.ts', '/r/w/cli', '/r/w/sql']);
    const sql = config('w/sql/tsconfig.json', [], ['/r/w/sql']);
    expect([...listUnfound([rest, node, sql], paths, '/r')]).toEqual(['w/cli.ts', 'w/cli/main.ts']);
    const here = listConfigs().map(readConfig);
    expect([...listUnfound(here, ['workers/cli.ts', 'workers/kernel/kernel.ts'])]).toEqual(['workers/cli.ts']);
  });

  test('each folder is in a program with its own lib', () => {
    const configs = listConfigs().map(readConfig);
    const groups = groupConfigs(configs);
    expect(groups.flat().length).toBe(configs.length);
    for (const group of groups)
      for (const { name, options } of group) expect(options['lib'], name).toEqual(group[0]?.options['lib']);
    expect(configs.find(({ name }) => name.endsWith('core/tsconfig.json'))?.options['lib']).not.toContain('dom');
  });
});
