import oracle from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../core/index.ts';
import { CANONICAL_LIMITS } from '../../../core/limits.ts';
import { caseCount } from '../../cases.ts';

const codeOf = (value: unknown): string => {
  const outcome = canonicalize(value);
  return outcome.ok ? `accepted ${outcome.value.slice(0, 40)}` : outcome.refusal.code;
};
const pointerOf = (value: unknown): string | undefined => {
  const outcome = canonicalize(value);
  return outcome.ok ? undefined : outcome.refusal.pointer;
};

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('canonicalize writes RFC 8785', () => {
  test('canonicalize sorts members by UTF-16 code units, not by code points', () => {
    expect(canonicalize({ '\ufb33': 1, '\ud83d\ude00': 2, a: 3, '': 4, A: 5, '10': 6, '9': 7 })).toEqual({
      ok: true,
      value: '{"":4,"10":6,"9":7,"A":5,"a":3,"\ud83d\ude00":2,"\ufb33":1}',
    });
  });

  test('canonicalize writes numbers as ECMAScript does, and minus zero as zero', () => {
    const numbers = [-0, 1e21, 1e-7, Number('333333333.33333329'), 4.5, 2e-3, 1e27, 9007199254740991, 5e-324];
    expect(canonicalize(numbers)).toEqual({
      ok: true,
      value: '[0,1e+21,1e-7,333333333.3333333,4.5,0.002,1e+27,9007199254740991,5e-324]',
    });
  });

  test('canonicalize escapes only the characters that must be escaped', () => {
    expect(canonicalize('\u0000\b\t\n\f\r\u001f"\\/\u007f\u2028\u20ac')).toEqual({
      ok: true,
      value: '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\u007f\u2028\u20ac"',
    });
  });

  test('canonicalize keeps a member named __proto__', () => {
    expect(canonicalize(JSON.parse('{"__proto__":{"x":1},"a":2}'))).toEqual({
      ok: true,
      value: '{"__proto__":{"x":1},"a":2}',
    });
  });

  test('canonicalize sorts more members than it sorts by insertion', () => {
    const names = Array.from({ length: 100 }, (_, index) => `k${(index * 37) % 100}`);
    const object = Object.fromEntries(names.map((name) => [name, name]));
    expect(canonicalize(object)).toEqual({ ok: true, value: oracle(object) });
  });

  test('canonicalize agrees with the canonicalize package on any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const outcome = canonicalize(value);
        expect(outcome).toEqual({ ok: true, value: oracle(value) });
      }),
      { numRuns: caseCount(500) },
    );
  });

  test('the text of canonicalize parses to a value that is written the same again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = canonicalize(value);
        expect(once.ok && canonicalize(JSON.parse(once.value))).toEqual(once);
      }),
    );
  });
});

describe('canonicalize refuses values that JSON cannot express', () => {
  const refused: readonly [string, unknown, string, string][] = [
    ['NaN', { a: Number.NaN }, 'not_json', '/a'],
    ['Infinity', [1, Number.POSITIVE_INFINITY], 'not_json', '/1'],
    ['undefined', undefined, 'not_json', ''],
    ['an undefined member', { a: { b: undefined } }, 'not_json', '/a/b'],
    ['a hole in an array', Object.assign([1], { 2: 2 }), 'not_json', '/1'],
    ['a bigint', 1n, 'not_json', ''],
    ['a function', { toJSON: () => 1 }, 'not_json', '/toJSON'],
    ['a symbol', Symbol('s'), 'not_json', ''],
    ['a Date', { 'a/b~c': new Date(0) }, 'not_json', '/a~1b~0c'],
    ['a Map', new Map(), 'not_json', ''],
    ['a boxed number', Object(1), 'not_json', ''],
    [
      'a class instance',
      new (class Point {
        x = 1;
      })(),
      'not_json',
      '',
    ],
    ['an object that inherits from another', Object.create({ x: 1 }), 'not_json', ''],
    ['bytes', new Uint8Array(2), 'not_json', ''],
    ['half of a surrogate pair', ['\ud800'], 'lone_surrogate', '/0'],
    ['a reversed pair', '\udc00\ud800', 'lone_surrogate', ''],
    ['a name that is not well-formed', { a: { '\ud800': 1 } }, 'lone_surrogate', '/a'],
  ];
  test.each(refused)('canonicalize refuses %s', (_, value, code, pointer) => {
    expect(codeOf(value)).toBe(code);
    expect(pointerOf(value)).toBe(pointer);
  });

  test('canonicalize refuses a getter that throws, and hides the error of the getter', () => {
    const hostile = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('secret');
      },
    });
    expect(JSON.stringify(canonicalize({ a: hostile }))).not.toContain('secret');
    expect(codeOf({ a: hostile })).toBe('not_json');
  });

  test('canonicalize refuses a proxy whose every trap throws', () => {
    const traps = new Proxy(
      {},
      {
        get: () => {
          throw new TypeError('trap');
        },
      },
    );
    expect(codeOf(new Proxy({}, traps))).toBe('not_json');
  });

  test('canonicalize reads each member once, so that a value cannot change between check and use', () => {
    let reads = 0;
    const shifty = Object.defineProperty({}, 'x', { enumerable: true, get: () => ++reads });
    expect(canonicalize(shifty)).toEqual({ ok: true, value: '{"x":1}' });
  });
});

describe('canonicalize is bounded', () => {
  test(`canonicalize accepts ${CANONICAL_LIMITS.depth} levels`, () => {
    expect(canonicalize(nested(CANONICAL_LIMITS.depth)).ok).toBe(true);
  });

  test(`canonicalize refuses ${CANONICAL_LIMITS.depth + 1} levels`, () => {
    expect(codeOf(nested(CANONICAL_LIMITS.depth + 1))).toBe('limit_depth');
  });

  test('canonicalize refuses 100,000 levels', () => {
    expect(codeOf(nested(100_000))).toBe('limit_depth');
  });

  test('canonicalize refuses a cycle', () => {
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    expect(codeOf(cycle)).toBe('limit_depth');
  });

  test('canonicalize refuses a shallow value whose repeated references exceed the limit of nodes', () => {
    let value: unknown = 1;
    for (let level = 0; level < 60; level++) value = [value, value];
    expect(codeOf(value)).toBe('limit_nodes');
  });

  test('canonicalize refuses a text that is too long by itself, by its escapes or by repetition', () => {
    const { units } = CANONICAL_LIMITS;
    expect(canonicalize('x'.repeat(units - 2)).ok).toBe(true);
    expect(codeOf('x'.repeat(units - 1))).toBe('limit_size');
    expect(codeOf('\u0001'.repeat(Math.ceil(units / 6)))).toBe('limit_size');
    const long = 'x'.repeat(1 << 20);
    expect(codeOf({ all: Array.from({ length: 1000 }, () => long) })).toBe('limit_size');
  });

  test('canonicalize never throws for an arbitrary value', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
          withTypedArray: true,
          stringUnit: 'binary',
        }),
        (value) => {
          expect(typeof canonicalize(value).ok).toBe('boolean');
        },
      ),
      { numRuns: caseCount(500) },
    );
  });
});
