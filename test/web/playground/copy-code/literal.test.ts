import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../../core/index.ts';
import { literalOf } from '../../../../web/playground/copy-code/literal.ts';
import { HOSTILE } from './hostile.ts';

const evaluate = (text: string): unknown => new Function(`'use strict'; return (${text});`)() as unknown;

describe('a value as an expression', () => {
  test('any JSON value is the same after its expression was evaluated', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (given) => {
        // JSON has no negative zero
        const value = JSON.parse(JSON.stringify(given)) as JsonValue;
        expect(evaluate(literalOf(value))).toEqual(value);
      }),
    );
  });

  test('any text is the same after its expression was evaluated', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => evaluate(literalOf(text)) === text));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => evaluate(literalOf(`${text}\n`)) === `${text}\n`));
    for (const text of [HOSTILE, HOSTILE.replaceAll('\n', '')]) expect(evaluate(literalOf(text))).toBe(text);
  });

  test('a member called __proto__ is a member', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"a-b":2}') as JsonValue;
    const made = evaluate(literalOf(value)) as object;
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(made)).toBe(JSON.stringify(value));
  });

  test('no expression ends an inline script, or holds a character that cannot be seen', () => {
    for (const text of [HOSTILE, HOSTILE.replaceAll('\n', ''), '<SCRIPT', '</style']) {
      const literal = literalOf(text);
      expect(literal).not.toMatch(/<[/!]|<script/iu);
      expect(literal).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]|[^\P{Cc}\n]/u);
    }
  });
});
