import { describe, expect, test } from 'vitest';
import { HELP, readOptions } from '../../.scripts/test/args.mjs';

const none = { all: false, engines: [], shard: undefined, built: false, help: false, paths: [] };

describe('the arguments of npm test', () => {
  test.each([
    [[], none],
    [['--all'], { ...none, all: true }],
    [['--engine', 'firefox', '--engine=webkit'], { ...none, engines: ['firefox', 'webkit'] }],
    [['--engine', 'firefox', '--engine', 'firefox'], { ...none, engines: ['firefox'] }],
    [['--all', '--shard', '2/3', '--built'], { ...none, all: true, shard: '2/3', built: true }],
    [['test/core', 'e2e/axe.spec.ts'], { ...none, paths: ['test/core', 'e2e/axe.spec.ts'] }],
    [['-h'], { ...none, help: true }],
  ])('the options of npm test are read from %j', (argv, options) => {
    expect(readOptions('npm test', argv)).toEqual({ options });
  });

  test.each([
    [['--fast'], '--fast is not an option of npm test. npm test -- --help lists the options.'],
    [['--all=yes'], '--all takes no value: leave out "yes".'],
    [['--engine', 'safari'], '--engine safari is not known. Choose from chromium, firefox, webkit.'],
    [['--engine'], '--engine needs a name: chromium, firefox, webkit.'],
    [['--all', '--engine', 'firefox'], '--all runs every engine. Leave out --engine, or leave out --all.'],
    [['--shard', '0/3'], '--shard 0/3 is not a part. Write I/N with I from 1 to N: --shard 1/3.'],
    [['--shard', '4/3'], '--shard 4/3 is not a part. Write I/N with I from 1 to N: --shard 1/3.'],
    [['--shard', '3'], '--shard 3 is not a part. Write I/N with I from 1 to N: --shard 1/3.'],
    [['--shard'], '--shard has no value. Write I/N with I from 1 to N: --shard 1/3.'],
  ])('the arguments of npm test are refused in %j', (argv, fault) => {
    expect(readOptions('npm test', argv)).toEqual({ fault });
  });

  test('other commands than npm test have fewer options', () => {
    const fault = '--engine is not an option of npm run test:world. npm run test:world -- --help lists the options.';
    expect(readOptions('npm run test:world', ['--engine', 'firefox'])).toEqual({ fault });
    expect(readOptions('npm run test:world', ['e2e/world/a.spec.ts', '--built'])).toEqual({
      options: { ...none, built: true, paths: ['e2e/world/a.spec.ts'] },
    });
    expect(readOptions('npm run test:quick', ['test/core'])).toMatchObject({
      fault: expect.stringContaining('no path'),
    });
  });

  test('each option stands in the help of its command', () => {
    for (const option of ['--all', '--engine', '--shard', '--built', '--help'])
      expect(HELP['npm test']).toContain(`\n  ${option}`);
    for (const option of ['--shard', '--built', '--help'])
      expect(HELP['npm run test:world']).toContain(`\n  ${option}`);
  });
});
