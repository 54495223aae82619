import { linesOf, textOf } from './lib/text.js';

/** The table of common lines is quadratic: 600 by 600 takes a fifth of the fuel. */
const LINES = 600;

/**
 * @typedef {{ op: 'removed' | 'added', line: number, text: string }} Change `line` counts from 0 in its own text
 * @typedef {{ path?: string, text?: string }} Source
 */

/** @param {{ before: Source, after: Source }} args */
export default async function ({ before, after }) {
  const changes = diff(linesOf(textOf(before)), linesOf(textOf(after)));
  const removed = changes.filter((change) => change.op === 'removed').length;
  return { removed, added: changes.length - removed, changes };
}

/**
 * @param {string[]} a
 * @param {string[]} b
 */
function diff(a, b) {
  const head = sameFrom(a, b, (lines, at) => lines[at]);
  const tail = sameFrom(a.slice(head), b.slice(head), (lines, at) => lines[lines.length - 1 - at]);
  return walk(a.slice(head, a.length - tail), b.slice(head, b.length - tail), head);
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @param {(lines: string[], at: number) => string | undefined} pick
 */
function sameFrom(a, b, pick) {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) if (pick(a, at) !== pick(b, at)) return at;
  return shorter;
}

/**
 * Follows the longest common run of lines; where both could go, the old line goes first.
 *
 * @param {string[]} a
 * @param {string[]} b
 * @param {number} offset
 */
function walk(a, b, offset) {
  const common = commonLines(a, b);
  /** @type {Change[]} */
  const changes = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [old, now] = [a[i], b[j]];
    if (old !== undefined && old === now) [i, j] = [i + 1, j + 1];
    else if (old !== undefined && (now === undefined || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      changes.push({ op: 'removed', line: offset + i, text: old });
      i += 1;
    } else {
      changes.push({ op: 'added', line: offset + j, text: now ?? '' });
      j += 1;
    }
  }
  return changes;
}

/**
 * `table[i][j]`: how many lines the rests from `i` and from `j` share.
 *
 * @param {string[]} a
 * @param {string[]} b
 */
function commonLines(a, b) {
  if (a.length > LINES || b.length > LINES) throw new RangeError(`More than ${LINES} lines differ.`);
  const table = [new Uint16Array(b.length + 1)];
  for (const line of a.toReversed()) table.unshift(rowAbove(table[0] ?? new Uint16Array(), line, b));
  return table;
}

/**
 * The row of one line more, from the row below it.
 *
 * @param {Uint16Array} below
 * @param {string} line
 * @param {string[]} b
 */
function rowAbove(below, line, b) {
  const row = new Uint16Array(b.length + 1);
  for (let j = b.length - 1; j >= 0; j -= 1) {
    row[j] = line === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return row;
}
