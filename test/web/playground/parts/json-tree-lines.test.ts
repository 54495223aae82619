import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../core/index.ts';
import { NO_CHOICES, treeLines, treeMove } from '../../../../web/playground/parts/json-tree-lines.ts';

const VALUE = { a: { 'b/c~': [1, { deep: true }] }, d: 'text' };
const pointers = (value: JsonValue, open: readonly (readonly [string, boolean])[] = []) =>
  treeLines(value, { ...NO_CHOICES, open: new Map(open) }).map(({ pointer }) => pointer);

describe('the lines of a JSON tree', () => {
  it('the first two levels of a tree are open, and a line has its JSON pointer', () => {
    expect(pointers(VALUE)).toEqual(['', '/a', '/a/b~1c~0', '/d']);
    expect(pointers(VALUE, [['/a/b~1c~0', true]])).toContain('/a/b~1c~0/1');
    expect(pointers(VALUE, [['', false]])).toEqual(['']);
  });

  it('a long value lists a hundred members, and a line for the rest', () => {
    const long = Array.from({ length: 250 }, (_, nth) => nth);
    const lines = treeLines(long, NO_CHOICES);
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toMatchObject({ more: 150, place: 101, siblings: 101 });
    expect(treeLines(long, { ...NO_CHOICES, listed: new Map([['', 200]]) }).at(-1)).toMatchObject({ more: 50 });
    expect(treeLines(long, { ...NO_CHOICES, listed: new Map([['', 300]]) })).toHaveLength(251);
  });

  it('the names of hostile JSON are names like others', () => {
    const hostile = JSON.parse('{"__proto__":{"constructor":1},"":2}') as JsonValue;
    expect(pointers(hostile)).toEqual(['', '/__proto__', '/__proto__/constructor', '/']);
    const long = treeLines(
      Object.fromEntries(Array.from({ length: 101 }, (_, nth) => [nth === 0 ? '' : `m${nth}`, 0])),
      NO_CHOICES,
    );
    expect(new Set(long.map(({ pointer }) => pointer)).size).toBe(long.length);
  });

  it('any closed tree has one line, and any line has a place among its siblings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(pointers(value as JsonValue, [['', false]])).toEqual(['']);
        for (const { place, siblings } of treeLines(value as JsonValue, NO_CHOICES))
          expect(place >= 1 && place <= siblings).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the keys of a JSON tree', () => {
  const lines = treeLines(VALUE, NO_CHOICES);
  const by = (key: string, at: number) => treeMove(key, lines, at);

  it.each([
    ['ArrowDown', 0, { to: 1 }],
    ['ArrowDown', 3, { to: 3 }],
    ['ArrowUp', 0, { to: 0 }],
    ['End', 0, { to: 3 }],
    ['Home', 3, { to: 0 }],
    ['ArrowRight', 0, { to: 1 }],
    ['ArrowRight', 3, { to: 3 }],
    ['ArrowLeft', 3, { to: 0 }],
    ['ArrowLeft', 2, { to: 1 }],
  ])('%s on line %d moves', (key, at, move) => expect(by(key, at)).toEqual(move));

  it('the right key opens a closed value, and the left key closes an open one', () => {
    expect(by('ArrowRight', 2)).toEqual({ toggle: lines[2] });
    expect(by('ArrowLeft', 1)).toEqual({ toggle: lines[1] });
    expect(by('Enter', 1)).toEqual({ toggle: lines[1] });
  });

  it('the star opens the closed values beside a line, and a letter does nothing', () => {
    expect(by('*', 2)).toEqual({ openAll: [lines[2]] });
    expect(by('j', 2)).toBeUndefined();
  });
});
