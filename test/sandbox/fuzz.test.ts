import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallSettled } from '../../core/capability/call.ts';
import { decode } from '../../core/json/decode-within.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { PowerAnswer, PowerRequest } from '../../sandbox/index.ts';
import { isPristine, load } from './guest.ts';

/** Number of programs; a long hunt sets it high. */
const RUNS = Number((globalThis as { process?: { env: NodeJS.ProcessEnv } }).process?.env['SALLYPORT_FUZZ'] ?? 80);

const SOURCE = `export default async ({ program, a, b }, powers) => {
  if (program === undefined) return a + b;
  return (0, eval)('(async (powers) => {' + program + '})')(powers);
}`;
const LIMITS = { fuel: 200_000, memoryBytes: 8 << 20, jobs: 300, powerCalls: 6, consoleBytes: 2000, bytesOut: 20_000 };
const loaded = load(SOURCE, { powers: ['get', 'deep.put'], limits: { ...LIMITS, deadlineMs: 60_000 } });

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);

/** Names that a prelude, a dispatcher or a promise might look up in objects that a guest can change. */
const KEY = pick(
  ...'then toJSON constructor resolve reject length 0 1 valueOf toString slice split bind call apply get set value'.split(
    ' ',
  ),
  ...'name message stack __proto__ next done return raw catch finally has add push join default pending'.split(' '),
  ...['Symbol.iterator', 'Symbol.species', 'Symbol.toPrimitive', 'Symbol.hasInstance', 'Symbol.toStringTag'].map(
    (symbol) => `[${symbol}]`,
  ),
).map((key) => (key.startsWith('[') ? key : `['${key}']`));
const OBJECT = pick(
  ...'Object Array Promise Function String Error TypeError WeakSet Map Set RegExp Number Boolean Symbol BigInt Proxy'
    .split(' ')
    .flatMap((name) => [name, `${name}.prototype`]),
  ...['JSON', 'Reflect', 'Math', 'console', 'globalThis', 'powers', 'powers.get', 'powers.deep'],
  'Object.getPrototypeOf(async () => 1)',
  'Object.getPrototypeOf(Int8Array)',
);

const { expression } = fc.letrec<{ expression: string; leaf: string; body: string }>((tie) => ({
  leaf: fc.oneof(
    pick('1', '-0', 'NaN', '2n ** 99n', "'x'", "'\\ud800'", "'\\0'", 'null', 'undefined', 'Symbol("s")', 'globalThis'),
    pick('[]', '{}', '() => 1', '/(x+)+y/', 'new Error("e")', 'new Uint8Array(9)', 'new Date()', 'Math.random()'),
    pick(
      'new Proxy({}, { get() { throw 1 } })',
      'new Promise(() => {})',
      "'x'.repeat(3e4)",
      'new Array(3e6)',
      'arguments',
    ),
    OBJECT,
  ),
  body: fc.oneof(tie('expression'), pick('(() => { throw new RangeError("no") })()', '(() => { for (;;); })()')),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('expression'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc.tuple(KEY, tie('body')).map(([key, body]) => `({ ${key}: ${body} })`),
    fc.tuple(KEY, tie('body')).map(([key, body]) => `({ get ${key}() { return ${body} } })`),
    fc.tuple(KEY, tie('body')).map(([key, body]) => `({ ${key}(...a) { return ${body} } })`),
    tie('body').map((body) => `new Proxy(function () {}, { get: (t, k) => ${body}, ownKeys: () => ${body} })`),
    tie('body').map((body) => `({ then(ok, no) { ok(${body}); no(1); ok(2) } })`),
    fc.tuple(tie('expression'), KEY).map(([of, key]) => `(${of})?.${key}`),
    fc.tuple(pick('powers.get', 'powers.deep.put'), tie('expression')).map(([power, value]) => `${power}(${value})`),
    tie('expression').map((value) => `await (${value})`),
    tie('expression').map((value) => `JSON.stringify(${value})`),
    tie('expression').map((value) => `String(${value})`),
    tie('body').map((body) => `(async () => ${body})()`),
    tie('body').map((body) => `new Promise((ok, no) => ok(${body}))`),
    tie('body').map((body) => `Promise.resolve().then(() => ${body})`),
  ),
}));

const statement = fc.oneof(
  expression.map((value) => `${value};`),
  expression.map((value) => `console.log(${value});`),
  fc.tuple(OBJECT, KEY, expression).map(([of, key, value]) => `${of}${key} = ${value};`),
  fc
    .tuple(OBJECT, KEY, expression)
    .map(
      ([of, key, value]) => `Object.defineProperty(${of}, ${inner(key)}, { get: () => ${value}, set() { throw 3 } });`,
    ),
  fc
    .tuple(OBJECT, KEY, expression)
    .map(([of, key, value]) => `Object.defineProperty(${of}, ${inner(key)}, { value: (...a) => ${value} });`),
  fc.tuple(OBJECT, KEY).map(([of, key]) => `delete ${of}${key};`),
  fc.tuple(OBJECT, expression).map(([of, value]) => `Object.setPrototypeOf(${of}, ${value});`),
  OBJECT.map((of) => `Object.freeze(${of});`),
  expression.map((value) => `throw ${value};`),
);

function inner(key: string): string {
  return key.slice(1, -1);
}

const program = fc
  .tuple(fc.array(fc.tuple(statement, fc.boolean()), { maxLength: 6 }), expression)
  .map(([statements, value]) => {
    const guarded = statements.map(([text, isGuarded]) =>
      isGuarded ? `try { ${text} } catch (e) { globalThis.e = e }` : text,
    );
    return `${guarded.join('\n')}\nreturn ${value};`;
  });

const answer: fc.Arbitrary<PowerAnswer> = fc.oneof(
  fc.json({ maxDepth: 3 }).map((text) => ({ ok: true, text }) as const),
  fc
    .constantFrom('{"then":1}', '{"__proto__":{"x":1}}', '{', '{"a":1,"a":2}')
    .map((text) => ({ ok: true, text }) as const),
  fc.string().map((message) => ({ ok: false, error: { name: message, message } }) as const),
);

async function drive(program_: string, answers: readonly PowerAnswer[]): Promise<CallSettled> {
  const guest = (await loaded).prepare({ seed: 1, now: 2, heapHash: true });
  const open: PowerRequest[] = [];
  let step = guest.begin(JSON.stringify({ program: program_ }));
  while (!step.done) {
    open.push(...step.requests);
    const next = open.shift();
    if (next === undefined) throw new Error('the call waits for nothing');
    step = guest.resume(next.ticket, answers[next.ticket - 1] ?? { ok: true, text: 'null' });
  }
  return step.settled;
}

const intrinsics = () =>
  [Object, Array, Promise, Function, String, Error, Map, JSON].map((each) => [
    Reflect.ownKeys(each),
    Reflect.ownKeys('prototype' in each ? each.prototype : {}),
  ]);

it('a random program is contained, gives the same bytes again, and the next call starts from the image', async () => {
  const before = intrinsics();
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(program, fc.array(answer, { maxLength: 6 }), async (text, answers) => {
      const settled = await drive(text, answers);
      const end = settled.ok ? 'ok' : settled.kind;
      ends.set(end, (ends.get(end) ?? 0) + 1);
      // The prelude and the heap hold, although the guest has changed the objects that they use.
      expect(end).not.toBe('corrupt');
      if (settled.ok) expect(JSON.stringify(JSON.parse(settled.text))).toBeTypeOf('string');
      for (const { name, args } of settled.powerCalls) {
        expect(['get', 'deep.put']).toContain(name);
        expect(Array.isArray(args)).toBe(true);
      }
      if (settled.ok) expect(() => decode(encodeText(settled.text))).not.toThrow();
      expect(isPristine(await loaded)).toBe(true);
      expect(await drive(text, answers)).toEqual(settled);
      const next = (await loaded).prepare({ seed: 0, now: 0 }).begin('{"a":20,"b":22}');
      expect(next).toMatchObject({ done: true, settled: { ok: true, text: '42', console: [] } });
    }),
    { numRuns: RUNS },
  );
  expect(intrinsics()).toEqual(before);
  // A run in which all programs end in the same way has tested too little.
  expect(ends.size).toBeGreaterThan(3);
  if (RUNS > 1000) console.log(Object.fromEntries(ends));
}, 3_600_000);
