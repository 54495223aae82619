import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIXES, type Fix, STOPS } from './fixes.ts';

const PAGE = readFileSync('web/docs/engine.md', 'utf8');

const rowOf = ({ day, upstream, fault, stops }: Fix) => `| ${day} | ${upstream} | ${fault} | ${stops} |`;

test('the page has a row for each fix, in the order of their days, and says what stops it', () => {
  const rows = [...PAGE.matchAll(/^\| 20.*$/gm)].map(([row]) => row);
  expect(rows).toEqual(FIXES.toSorted((a, b) => (a.day < b.day ? -1 : 1)).map(rowOf));
  const legend = [...PAGE.matchAll(/^- \*\*(\w+)\*\*: (.*)\.$/gm)].map(([, name, told]) => [name, told]);
  expect(Object.fromEntries(legend)).toEqual(STOPS);
});

test('the programs of fixes are of different fixes', () => {
  expect(new Set(FIXES.map(({ program }) => program)).size).toBeGreaterThan(FIXES.length - 3);
  expect(new Set(FIXES.map(({ upstream }) => upstream)).size).toBe(FIXES.length);
});
