import { describe, expect, test } from 'vitest';
import { EXIT, runLong } from '../../.scripts/long/command.mjs';
import type { LongTest, Terminal, Work } from '../../.scripts/long/types.ts';

const SEED = { help: 'Number that the random choices begin with.', min: 0, max: 2 ** 32 - 1 };

/** A long test of one option of each kind; `run` is its work. */
function sample(run: LongTest['run']): LongTest {
  return {
    name: 'sample',
    summary: 'Counts.',
    numbers: { count: { help: 'How far to count.', min: 1, max: 9, default: 3 }, seed: SEED },
    names: { engine: { help: 'Where to count:', names: ['node', 'chromium'] } },
    texts: { file: { help: 'Place of the count.', value: 'FILE' } },
    flags: { quick: { help: 'Count fast.' } },
    words: {
      usage: '[ENGINE ...] [COUNT]',
      optionOf: (word) => (/^\d+$/.test(word) ? 'count' : /^[a-z]+$/.test(word) ? 'engine' : undefined),
    },
    time: 'none.',
    members: { count: 'How far it came.' },
    run,
  };
}

/** A terminal that keeps its texts, and can be interrupted. */
function memoryTerminal() {
  const listeners = new Set<() => void>();
  const said = { printed: '', complained: '' };
  const terminal: Terminal = {
    isWatched: false,
    print: (text) => void (said.printed += text),
    complain: (text) => void (said.complained += text),
    onInterrupt: (heard) => {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
  };
  const interrupt = () => {
    for (const heard of listeners) heard();
  };
  return { said, terminal, listeners, interrupt };
}

async function call(words: readonly string[], run: LongTest['run'] = async () => true) {
  const { said, terminal } = memoryTerminal();
  const code = await runLong(sample(run), words, terminal);
  return { code, ...said };
}

/** The numbers and names that the arguments are read as. */
async function read(...words: readonly string[]): Promise<Pick<Work, 'numbers' | 'names'> | undefined> {
  let seen: Work | undefined;
  await call(words, async (work) => {
    seen = work;
    return true;
  });
  return seen === undefined ? undefined : { numbers: seen.numbers, names: seen.names };
}

const lastLine = (printed: string) => JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as object;

describe('the arguments of a long test', () => {
  test('a long test without arguments has its defaults and a random seed', async () => {
    const [one, other] = [await read(), await read()];
    expect(one).toEqual({ numbers: { count: 3, seed: expect.any(Number) }, names: { engine: [] } });
    expect(one?.numbers['seed']).not.toBe(other?.numbers['seed']);
  });

  test('a long test takes its arguments as options or as words in their place', async () => {
    const expected = { numbers: { count: 5, seed: 0 }, names: { engine: ['node', 'chromium'] } };
    expect(await read('--seed', '0', '--count=5', '--engine', 'node', '--engine', 'chromium')).toEqual(expected);
    expect(await read('node', 'chromium', '5', '--seed', '0')).toEqual(expected);
  });

  test('a long test takes a text as it is, and none where it is absent', async () => {
    const texts: Work['texts'][] = [];
    const keep: LongTest['run'] = async (work) => texts.push(work.texts) > 0;
    await call(['--file', 'a b.json'], keep);
    await call([], keep);
    expect(texts).toEqual([{ file: 'a b.json' }, { file: undefined }]);
  });

  test('a long test takes an option without a value as true, and as false where it is absent', async () => {
    const flags: Work['flags'][] = [];
    const keep: LongTest['run'] = async (work) => flags.push(work.flags) > 0;
    await call(['--quick'], keep);
    await call([], keep);
    expect(flags).toEqual([{ quick: true }, { quick: false }]);
  });

  test.each([
    [['--cuont', '5'], "Unknown option '--cuont'"],
    [['-x'], "Unknown option '-x'"],
    [['--count', '0'], "--count takes a whole number from 1 to 9, not '0'"],
    [['--count', '10'], "--count takes a whole number from 1 to 9, not '10'"],
    [['--count', '1.5'], "--count takes a whole number from 1 to 9, not '1.5'"],
    [['--count', ''], "--count takes a whole number from 1 to 9, not ''"],
    [['--count', '2', '3'], "--count is given twice: '2' and '3'"],
    [['--file', 'a', '--file', 'b'], "--file is given twice: 'a' and 'b'"],
    [['--quick=yes'], "Option '--quick' does not take an argument"],
    [['--count'], "Option '--count <value>' argument missing"],
    [['--seed', '4294967296'], "--seed takes a whole number from 0 to 4294967295, not '4294967296'"],
    [['--engine', 'netscape'], "--engine takes node or chromium, not 'netscape'"],
    [['netscape'], "--engine takes node or chromium, not 'netscape'"],
    [['a.b'], "Unknown argument 'a.b'"],
  ])('a long test refuses %j with exit code 2, and one line names the fault', async (words, reason) => {
    const { code, printed, complained } = await call(words, () => Promise.reject(new Error('The test ran.')));
    expect(complained).toBe(`sample: ${reason}. See npm run test:long -- sample --help\n`);
    expect([code, printed]).toEqual([EXIT.usage, '']);
  });

  test('--help prints options, defaults, time, exit codes and the members of the last line, and ends with 0', async () => {
    const { code, printed, complained } = await call(['--help'], () => Promise.reject(new Error('The test ran.')));
    expect([code, complained]).toEqual([EXIT.passed, '']);
    expect(printed).toContain('Usage: npm run test:long -- sample [options] [ENGINE ...] [COUNT]');
    expect(printed).toMatch(/^ {2}--count N +How far to count\. Default: 3\.$/m);
    expect(printed).toMatch(/^ {2}--seed N .* Default: random\.$/m);
    expect(printed).toMatch(/^ {2}--engine NAME +Where to count: node, chromium\. Default: all\./m);
    expect(printed).toMatch(/^ {2}--file FILE +Place of the count\. Default: none\.$/m);
    expect(printed).toMatch(/^ {2}--quick +Count fast\. Default: off\.$/m);
    expect(printed).toMatch(/^Time on two cores: none\.$/m);
    expect([...printed.matchAll(/^ {2}(\d+) /gm)].map(([, exit]) => Number(exit))).toEqual(Object.values(EXIT));
    for (const member of ['test', 'ok', 'seconds', 'count', 'error', 'interrupted'])
      expect(printed).toMatch(new RegExp(`^ {2}${member} `, 'm'));
  });
});

describe('the last line of a long test', () => {
  test('the last line has the test, whether it passed, the seconds, and the last members that were reported', async () => {
    const run: LongTest['run'] = async ({ say, report }) => {
      report({ count: 1 });
      say('{"test":"no last line"}');
      report({ count: 2, engine: 'node' });
      return true;
    };
    const { code, printed } = await call([], run);
    expect(code).toBe(EXIT.passed);
    expect(printed).toMatch(/\{"test":"sample","ok":true,"seconds":[\d.]+,"count":2,"engine":"node"\}\n$/);
  });

  test('the last line has ok: false when the test failed, which ends with 1', async () => {
    const { code, printed } = await call([], async () => false);
    expect([code, lastLine(printed)]).toEqual([1, { test: 'sample', ok: false, seconds: expect.any(Number) }]);
  });

  test('the last line names the error of a test that could not run, with the members reported before', async () => {
    const { code, printed, complained } = await call([], async ({ report }) => {
      report({ count: 1 });
      throw new Error('There is no\nbrowser.');
    });
    const error = 'There is no\nbrowser.';
    expect(lastLine(printed)).toEqual({ test: 'sample', ok: false, seconds: expect.any(Number), count: 1, error });
    expect([code, complained.includes(error)]).toEqual([1, true]);
  });
});

describe('an interruption of a long test', () => {
  test('an interruption lets the test end, and ends with 130 and the last members that were reported', async () => {
    const { said, terminal, listeners, interrupt } = memoryTerminal();
    const tidied: string[] = [];
    const running = runLong(
      sample(async ({ signal, report }) => {
        report({ count: 1 });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        tidied.push('files');
        throw new Error('The page is gone.');
      }),
      [],
      terminal,
    );
    interrupt();
    expect(await running).toBe(EXIT.interrupted);
    expect(lastLine(said.printed)).toEqual({
      test: 'sample',
      ok: false,
      seconds: expect.any(Number),
      count: 1,
      interrupted: true,
    });
    expect([tidied, listeners.size]).toEqual([['files'], 0]);
  });

  test('a second interruption does not wait for the test', async () => {
    const { said, terminal, interrupt } = memoryTerminal();
    const running = runLong(
      sample(() => new Promise(() => undefined)),
      [],
      terminal,
    );
    interrupt();
    interrupt();
    expect(await running).toBe(EXIT.interrupted);
    expect(lastLine(said.printed)).toMatchObject({ ok: false, interrupted: true });
  });
});
