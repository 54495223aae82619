import { describe, expect, test } from 'vitest';
import { readOptions } from '../../.scripts/test/args.mjs';
import { sortTests } from '../../.scripts/test/paths.mjs';
import { plan, wantedBrowsers } from '../../.scripts/test/plan.mjs';

type Facts = Parameters<typeof plan>[1];

function options(...argv: string[]) {
  const read = readOptions('npm test', argv);
  if ('fault' in read) throw new Error(read.fault);
  return read.options;
}
const planned = (argv: string[], facts: Partial<Facts> = {}) =>
  plan(options(...argv), { browsers: ['chromium', 'firefox'], suites: true, ...facts });
const names = ({ stages }: ReturnType<typeof plan>) => stages.map(({ name }) => name);
const argsOf = ({ stages }: ReturnType<typeof plan>, name: string) => stages.find((stage) => stage.name === name)?.args;
const quarters = ({ stages }: ReturnType<typeof plan>) =>
  stages.filter(({ env }) => env?.['SALLYPORT_CASES'] === 'quarter').map(({ name }) => name);
const leftOut = (of: ReturnType<typeof plan>) => of.leftOut.map(({ part, by }) => `${part}: ${by}`);

describe('the stages of npm test', () => {
  test('the stages of npm test are check, size, unit, and browser and core stories in one engine', () => {
    const core = planned([], { browsers: ['chromium'] });
    expect(names(core)).toEqual(['build', 'size', 'check', 'unit', 'browser', 'e2e']);
    expect(argsOf(core, 'unit')).toEqual(['--project', 'node']);
    expect(argsOf(core, 'browser')).toEqual(['--project', 'browser (chromium)']);
    expect(argsOf(core, 'e2e')).toEqual(['-c', 'e2e', '--project=chromium', '--grep', '@core']);
    expect(leftOut(core)).toEqual(
      expect.arrayContaining(['axe: npm test -- --all', 'suites that start other programs: npm run test:world']),
    );
  });

  test('the stages of npm test try a quarter of the generated cases, leave long tests out, and say so; every other run tries all', () => {
    const core = planned([]);
    expect(leftOut(core)).toContain('three quarters of the generated cases: npm test -- --all');
    expect(leftOut(core)).toContain(
      'long tests of memory, of slow inputs and of every flipped byte: npm test -- --all',
    );
    expect(quarters(core)).toEqual(['unit', 'browser']);
    expect(leftOut(core)).toContain(
      'hostile programs and schemas, and the model of private files, in Chromium: npm test -- --all',
    );
    expect(leftOut(planned([], { browsers: ['firefox'] })).join()).not.toContain('hostile');
    const file = sortTests(['test/a.test.ts']);
    expect(argsOf(planned([], { tests: file }), 'browser')).toContain('--passWithNoTests');
    for (const whole of [planned(['--all']), planned(['--engine', 'firefox']), planned([], { tests: file })])
      expect(quarters(whole)).toEqual([]);
  });

  test('the stages of npm test --all have the tests that start whole programs', () => {
    expect(leftOut(planned([]))).toContain('tests that start whole programs: npm test -- --all');
    expect(argsOf(planned(['--all']), 'unit')).toEqual(['--project', 'node', '--project', 'process']);
  });

  test('npm test --all checks every part again; npm test leaves out the parts that did not change', () => {
    expect(argsOf(planned([]), 'check')).toEqual(['.scripts/check.mjs']);
    expect(argsOf(planned(['--all']), 'check')).toEqual(['.scripts/check.mjs', '--no-cache']);
    expect(argsOf(planned([]), 'build')).toEqual(['.scripts/build.mjs', '--if-changed']);
    expect(argsOf(planned(['--all']), 'build')).toEqual(['.scripts/build.mjs']);
  });

  test('the stages of npm test run in Firefox when there is no Chromium', () => {
    const core = planned([], { browsers: ['firefox'] });
    expect(argsOf(core, 'e2e')).toContain('--project=firefox');
    expect(leftOut(core)).toContain('browser suites in Chromium: npm test -- --all');
  });

  test('the stages of npm test --all are whole in every engine', () => {
    const all = planned(['--all']);
    expect(names(all)).toEqual(['build', 'size', 'check', 'unit', 'browser', 'e2e', 'webkit']);
    expect(argsOf(all, 'browser')).toEqual(['--project', 'browser (chromium)', '--project', 'browser (firefox)']);
    expect(argsOf(all, 'e2e')).toEqual(['-c', 'e2e', '--project=package', '--project=chromium', '--project=firefox']);
    expect(leftOut(all)).toEqual(['suites that start other programs: npm run test:world']);
    expect(leftOut(planned(['--all'], { browsers: ['chromium'] }))).toContain('Firefox: not installed');
  });

  test('the stages of npm test --engine are the browser suites and every story of the engine', () => {
    const firefox = planned(['--engine', 'firefox'], { browsers: ['firefox'] });
    expect(names(firefox)).toEqual(['build', 'browser', 'e2e']);
    expect(argsOf(firefox, 'e2e')).toEqual(['-c', 'e2e', '--project=firefox']);
    expect(names(planned(['--engine', 'webkit'], { browsers: [] }))).toEqual(['build', 'webkit']);
  });

  test('the stages of npm test with paths are the stages that the paths need', () => {
    const at = (argv: string[], ...files: string[]) =>
      planned(argv, { browsers: ['chromium'], tests: sortTests(files) });
    expect(names(at([], 'test/a.node.test.ts'))).toEqual(['unit']);
    expect(names(at([], 'test/a.test.ts'))).toEqual(['unit', 'browser']);
    expect(names(at(['--engine', 'chromium'], 'test/a.test.ts'))).toEqual(['browser']);
    const story = at([], 'e2e/a.spec.ts');
    expect(names(story)).toEqual(['build', 'e2e']);
    expect(argsOf(story, 'e2e')).toEqual(['-c', 'e2e', '--project=package', '--project=chromium', 'e2e/a\\.spec\\.ts']);
    expect(names(at(['--built'], 'e2e/a.spec.ts', 'e2e/world/b.spec.ts'))).toEqual(['e2e', 'world']);
  });

  test('--shard divides the tests, with check and size in the first shard and WebKit in the last', () => {
    const [first, second, third] = ['1/3', '2/3', '3/3'].map((shard) => planned(['--all', '--shard', shard]));
    expect(first && names(first)).toEqual(['build', 'size', 'check', 'unit', 'browser', 'e2e']);
    expect(second && names(second)).toEqual(['build', 'unit', 'browser', 'e2e']);
    expect(third && names(third)).toEqual(['build', 'unit', 'browser', 'e2e', 'webkit']);
    for (const name of ['unit', 'browser', 'e2e']) expect(second && argsOf(second, name)).toContain('--shard=2/3');
  });

  test('a plan without the public suites says that they are missing', () => {
    expect(leftOut(planned([], { suites: false }))).toContain('the public suites: SALLYPORT_SUITES names no folder');
  });

  test('wantedBrowsers names only the browsers that the stages drive', () => {
    expect(wantedBrowsers(options(), undefined)).toBe('one');
    expect(wantedBrowsers(options('--all'), undefined)).toEqual(['chromium', 'firefox']);
    expect(wantedBrowsers(options('--engine', 'webkit'), undefined)).toEqual([]);
    expect(wantedBrowsers(options(), sortTests(['test/a.node.test.ts']))).toEqual([]);
    expect(wantedBrowsers(options('--all'), sortTests(['test/a.node.test.ts']))).toEqual([]);
    expect(wantedBrowsers(options(), sortTests(['e2e/a.spec.ts']))).toBe('one');
  });
});
