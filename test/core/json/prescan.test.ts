import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encodeText, type JsonValue, type Outcome } from '../../../core/index.ts';
import { prescan, walk } from '../../../core/json/decode.ts';
import { caseCount } from '../../cases.ts';
import { anyText, json } from './texts.ts';

const RUNS = { numRuns: caseCount(2_000) };
const text = (source: string): Outcome<JsonValue> => decode(encodeText(source));

describe('prescan', () => {
  test('prescan counts the nodes, members and depth of a JSON text', () => {
    fc.assert(
      fc.property(json, (source) => {
        const value = JSON.parse(source) as unknown;
        expect(prescan(encodeText(source), source, 100)).toMatchObject({
          nodes: count(value),
          members: members(value),
          depth: depth(value),
        });
      }),
      RUNS,
    );
  });

  test('prescan suspects every text in which walk finds a surrogate or a number', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        const { syntax, surrogate, number } = walk(source);
        if (syntax === undefined && (surrogate ?? number) !== undefined)
          expect(prescan(encodeText(source), source, 100).suspicious).toBe(true);
      }),
      RUNS,
    );
  });

  test('walk finds no fault in a text that decode accepts', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        if (text(source).ok) expect(walk(source)).toEqual({});
      }),
      RUNS,
    );
  });
});

function members(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, item) => sum + members(item), own);
}

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}

function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + count(item), 1);
}
