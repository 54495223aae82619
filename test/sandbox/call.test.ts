import { describe, expect, it } from 'vitest';
import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import { call, callWith, load, run, valueOf } from './guest.ts';

async function loadError(source: string): Promise<SallyportError> {
  const error: unknown = await load(source).catch((reason: unknown) => reason);
  if (!(error instanceof SallyportError)) throw new TypeError('loading did not fail as it should');
  return error;
}

describe('a source', () => {
  it('a source may export a function', async () => {
    expect(await valueOf('export default ({ a, b }) => a + b', { a: 1, b: 2 })).toBe(3);
  });

  it('a source may export an async function', async () => {
    expect(await valueOf('export default async function (args) { await 0; return args.x }', { x: [1] })).toEqual([1]);
  });

  it('a source may return a thenable', async () => {
    expect(await valueOf('export default () => ({ then(resolve) { resolve(7) } })')).toBe(7);
  });

  it('a source may wait at its top level', async () => {
    expect(await valueOf('const x = await Promise.resolve(2); export default () => x')).toBe(2);
  });

  it('a source with a syntax error is refused with the position of the error', async () => {
    expect(await loadError('export default () => 1;\nlet x = ;')).toMatchObject({
      code: 'source_syntax',
      class: 'misuse',
      line: 2,
      column: 9,
      message: "SyntaxError: unexpected token in expression: ';' (line 2, column 9). Correct the source.",
    });
  });

  it('a source that throws is refused with the position of the throw', async () => {
    expect(await loadError('\n  throw new RangeError("no")')).toMatchObject({ code: 'source_threw', line: 2 });
  });

  it.each(['export default 5', 'export const x = () => 1', ''])(
    'a source without a function as its default export is refused: %s',
    async (source) => {
      expect(await loadError(source)).toMatchObject({ code: 'source_no_default' });
    },
  );

  it.each(['import x from "y"; export default x', 'export * from "./other.js"'])(
    'a source that imports a module is refused: %s',
    async (source) => {
      expect(await loadError(source)).toMatchObject({
        code: 'source_threw',
        message: expect.stringContaining('could not load module'),
      });
    },
  );

  it('a source whose loading does not end is refused', async () => {
    expect(await loadError('while (true);')).toEqual(misuse('source_limit', { limit: 'fuel' }));
    expect(await loadError('const f = () => Promise.resolve().then(f); f()')).toMatchObject({
      details: { limit: 'jobs' },
    });
    expect(await loadError('await new Promise(() => {}); export default () => 1')).toMatchObject({
      code: 'source_threw',
    });
  });

  it('a source that is longer than the limit is refused', async () => {
    expect(await loadError(`export default () => 1;//${'x'.repeat(1 << 20)}`)).toMatchObject({
      code: 'source_too_long',
    });
  });
});

describe('arguments', () => {
  it.each(['', '{', '{}x', '1\0garbage', '"\ud800"', '{a:1}'])(
    'arguments that are not JSON end the call: %j',
    async (text) => {
      const capability = await load('export default (args) => args');
      expect(capability.prepare({ seed: 0, now: 0 }).begin(text)).toMatchObject({
        settled: { ok: false, kind: 'args' },
      });
    },
  );

  it('arguments keep every character', async () => {
    const args = { text: 'a\u0000b\u2028é😀"\\', '': 0, big: 1e308, small: 5e-324, minus: -0.5 };
    expect(await valueOf('export default (args) => args', args)).toEqual(args);
  });

  it('arguments keep __proto__ as an own member', async () => {
    const settled = await run(
      'export default (args) => ({ ...args, own: Object.hasOwn(args, "__proto__") })',
      JSON.parse('{"__proto__":1}'),
    );
    expect(settled).toMatchObject({ ok: true, text: '{"__proto__":1,"own":true}' });
  });
});

describe('a result', () => {
  it.each(['undefined', '() => 1', 'Symbol()', '10n', '(() => { const a = []; a.push(a); return a })()'])(
    'a result that is not JSON ends the call: %s',
    async (value) => {
      expect(await run(`export default () => ${value}`)).toMatchObject({ ok: false, kind: 'result' });
    },
  );

  it.each([
    ['{ toJSON() { throw new Error("no") } }', 'no'],
    ['{ get x() { throw new Error("getter") } }', 'getter'],
    ['new Proxy({}, { ownKeys() { throw new Error("proxy") } })', 'proxy'],
  ])('a result that throws while it is written ends the call: %s', async (value, message) => {
    expect(await run(`export default () => (${value})`)).toMatchObject({ kind: 'result', error: { message } });
  });

  it('a promise that never settles ends the call', async () => {
    const settled = await run('export default () => new Promise(() => {})');
    expect(settled).toMatchObject({ ok: false, kind: 'result', error: { message: 'the promise never settles' } });
  });

  it('a result keeps lone surrogates escaped', async () => {
    expect(await run('export default () => "\\ud800"')).toMatchObject({ ok: true, text: '"\\ud800"' });
  });

  it('a result is text that changes no prototype of the host', async () => {
    const settled = await run('export default () => JSON.parse(\'{"__proto__":{"polluted":1}}\')');
    expect(settled).toMatchObject({ ok: true, text: '{"__proto__":{"polluted":1}}' });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('an error of a guest', () => {
  it('an error of a guest has its name, message and position in the source', async () => {
    const source =
      'const check = (x) => {\n  if (x !== 1) throw new TypeError("not one");\n};\nexport default ({ x }) => check(x);';
    const error = { name: 'TypeError', message: 'not one', line: 2, column: expect.any(Number) };
    expect(await run(source, { x: 2 })).toMatchObject({ ok: false, kind: 'threw', error });
  });

  it('an error of an async function has its name and line', async () => {
    const source = 'export default async () => {\n  await 0;\n  null.x;\n};';
    expect(await run(source)).toMatchObject({ kind: 'threw', error: { name: 'TypeError', line: 3 } });
  });

  it.each([
    ['a callback of a promise', 'export default () =>\n  Promise.resolve(1).then((x) => {\n    x.y.z;\n  });'],
    [
      'an async generator',
      'async function* g() {\n  yield 1;\n  null.x;\n}\nexport default async () => { for await (const x of g()); };',
    ],
    ['an executor', 'export default () =>\n  new Promise(() => {\n    null.x;\n  });'],
    ['one of many', 'export default () =>\n  Promise.all([1, 2].map(async (n) => {\n    await n; null.x;\n  }));'],
    ['a getter of the result', 'export default () => ({\n  get x() {\n    return null.y;\n  },\n});'],
  ])('an error has its line in %s', async (_, source) => {
    expect(await run(source)).toMatchObject({ ok: false, error: { name: 'TypeError', line: 3 } });
  });

  it('an error that wraps a failed power has the position of the wrapping throw', async () => {
    const source = `export default async (args, powers) => {
      try { await powers.get() } catch (cause) {
        throw new RangeError('no answer', { cause });
      }
    }`;
    const capability = await load(source, { powers: ['get'] });
    const fail = () => ({ ok: false, error: { name: 'Error', message: 'down' } }) as const;
    const error = { name: 'RangeError', message: 'no answer', line: 3, column: expect.any(Number) };
    expect(callWith(capability, fail)).toMatchObject({ kind: 'threw', error });
  });

  it.each([
    ['null', { name: 'Error', message: 'null' }],
    ['"text"', { name: 'Error', message: 'text' }],
    ['Object.create(null)', { name: 'Error', message: '' }],
    ['Symbol("s")', { name: 'Error', message: 'Symbol(s)' }],
    ['{ get name() { throw 1 }, get message() { throw 2 } }', { name: 'Error', message: '' }],
    ['new Proxy({}, { get() { throw 1 } })', { name: 'Error', message: '' }],
  ])('a guest may throw any value: %s', async (thrown, error) => {
    expect(await run(`export default () => { throw ${thrown} }`)).toMatchObject({ kind: 'threw', error });
  });

  it('an error message is cut to size and stays well-formed', async () => {
    const settled = await run('export default () => { throw new Error("\\ud83d\\ude00".repeat(5000)) }');
    expect(settled).toMatchObject({ error: { message: '😀'.repeat(1024) } });
  });
});

describe('the console', () => {
  it('the console keeps order, level and text', async () => {
    const source = `export default () => {
      console.log('a', 1, { b: [2] }, undefined, null, 3n, Symbol('s'));
      console.error(new TypeError('no')); console.debug(); console.info('i'); console.warn('w');
      return 1;
    }`;
    expect(await run(source)).toMatchObject({
      console: [
        { level: 'log', text: 'a 1 {"b":[2]} undefined null 3 Symbol(s)' },
        { level: 'error', text: 'TypeError: no' },
        { level: 'debug', text: '' },
        { level: 'info', text: 'i' },
        { level: 'warn', text: 'w' },
      ],
    });
  });

  it('the console is kept when the call fails', async () => {
    const said = { console: [{ level: 'log', text: 'before' }] };
    expect(await run('export default () => { console.log("before"); throw 1 }')).toMatchObject({
      kind: 'threw',
      ...said,
    });
    expect(await run('export default () => { console.log("before"); for (;;); }')).toMatchObject({
      kind: 'fuel',
      ...said,
    });
  });

  it('the console survives values that throw when they are read', async () => {
    const source =
      'export default () => { console.log({ get x() { throw 1 } }, new Proxy({}, { ownKeys() { throw 2 } })); return 1; }';
    expect(await run(source)).toMatchObject({ ok: true, console: [{ level: 'log' }] });
  });
});

it('calls of one capability do not share state', async () => {
  const capability = await load('let n = 0; export default () => ++n');
  expect([call(capability), call(capability), call(capability)].map((end) => end.ok && end.text)).toEqual([
    '1',
    '1',
    '1',
  ]);
});
