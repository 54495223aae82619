import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../../core/json/value.ts';
import { REDACTED, redact } from '../../../core/telemetry/redact.ts';

const SECRET = 'sk-5e7c1a';

test.each<[string, JsonValue, string[], JsonValue]>([
  ['a member', { a: SECRET, b: 1 }, ['/a'], { a: REDACTED, b: 1 }],
  ['a whole object', { a: { b: SECRET } }, ['/a'], { a: REDACTED }],
  ['the whole value', { a: SECRET }, [''], REDACTED],
  ['an element', [SECRET, 1], ['/0'], [REDACTED, 1]],
  ['a member of every element', [{ a: SECRET }, { a: 1 }, 2], ['/*/a'], [{ a: REDACTED }, { a: REDACTED }, 2]],
  ['a member named *', { '*': SECRET, a: 1 }, ['/*'], { '*': REDACTED, a: 1 }],
  ['an escaped name', { 'a/b~c': SECRET }, ['/a~1b~0c'], { 'a/b~c': REDACTED }],
  ['an empty name', { '': SECRET }, ['/'], { '': REDACTED }],
  ['null, false and 0', { a: null, b: false, c: 0 }, ['/a', '/b', '/c'], { a: REDACTED, b: REDACTED, c: REDACTED }],
])('redact takes out %s', (_, value, pointers, expected) => {
  expect(redact(value, pointers)).toEqual(expected);
});

test.each<[string, JsonValue, string[]]>([
  ['a member that is not there', { a: 1 }, ['/b']],
  ['an inherited name', { a: 1 }, ['/constructor', '/toString']],
  ['an index that only looks like one', [1], ['/00', '/+0', '/-']],
  ['a way into a string', { a: 'text' }, ['/a/0']],
])('redact leaves the value unchanged for %s', (_, value, pointers) => {
  expect(redact(value, pointers)).toEqual(value);
});

test.each(['a', '#/a', '/~2', '/a~'])('redact takes out the whole value for %s, which is no pointer', (pointer) => {
  expect(redact({ a: SECRET }, [pointer])).toBe(REDACTED);
});

test('redact takes out a member of __proto__ and keeps __proto__ a member', () => {
  const value = JSON.parse(`{"__proto__":{"a":"${SECRET}"},"b":1}`) as JsonValue;
  expect(JSON.stringify(redact(value, ['/__proto__/a']))).toBe('{"__proto__":{"a":"[redacted]"},"b":1}');
});

test('redact replaces the value at a pointer and keeps the rest', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (rest, name, secret) => {
      const value = Object.fromEntries([...Object.entries(rest), [name, secret]]) as JsonValue;
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const expected = Object.fromEntries([...Object.entries(rest), [name, REDACTED]]);
      expect(JSON.stringify(redact(value, [pointer]))).toBe(JSON.stringify(expected));
    }),
  );
});
