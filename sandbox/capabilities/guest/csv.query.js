import { columnAt, parseCsv } from './lib/csv.js';
import { fromMillionths, toMillionths } from './lib/decimal.js';
import { textOf } from './lib/text.js';

const GROUPS = 1000;

/**
 * @typedef {{ column: string, op: string, value: string | number }} Condition
 * @typedef {{ columns: string[], rows: string[][] }} Table
 */

/** @type {ReadonlyMap<string, (cell: string, value: string) => boolean>} */
const TEXT = new Map(
  Object.entries({
    eq: (cell, value) => cell === value,
    ne: (cell, value) => cell !== value,
    lt: (cell, value) => cell < value,
    le: (cell, value) => cell <= value,
    gt: (cell, value) => cell > value,
    ge: (cell, value) => cell >= value,
    contains: (cell, value) => cell.includes(value),
    starts: (cell, value) => cell.startsWith(value),
  }),
);

/** @type {ReadonlyMap<string, (cell: number, value: number) => boolean>} */
const NUMBER = new Map(
  Object.entries({
    eq: (cell, value) => cell === value,
    ne: (cell, value) => cell !== value,
    lt: (cell, value) => cell < value,
    le: (cell, value) => cell <= value,
    gt: (cell, value) => cell > value,
    ge: (cell, value) => cell >= value,
  }),
);

/**
 * @param {{ path?: string, text?: string, where?: Condition[], select?: string[], sum?: string, group?: string, limit?: number }} args
 */
export default async function ({ where = [], select, sum, group, limit = 50, ...source }) {
  const table = parseCsv(textOf(source));
  const tests = where.map((condition) => testOf(table.columns, condition));
  const found = { columns: table.columns, rows: table.rows.filter((row) => tests.every((test) => test(row))) };
  return {
    matched: found.rows.length,
    ...(select === undefined ? {} : chosen(found, select, limit)),
    ...(sum === undefined ? {} : { sum: total(found, sum) }),
    ...(group === undefined ? {} : { groups: groups(found, group, sum) }),
  };
}

/**
 * A text condition compares text, a number condition compares numbers; a cell is never taken for what it is not.
 *
 * @param {string[]} columns
 * @param {Condition} condition
 * @returns {(row: string[]) => boolean}
 */
function testOf(columns, { column, op, value }) {
  const at = columnAt(columns, column);
  const compare = typeof value === 'string' ? TEXT.get(op) : undefined;
  if (typeof value === 'string' && compare !== undefined) return (row) => compare(row[at] ?? '', value);
  const measure = NUMBER.get(op);
  if (typeof value === 'string' || measure === undefined) throw new TypeError(`${op} needs a text, not a number.`);
  return (row) => measure(fromMillionths(numberIn(row[at] ?? '', column)), value);
}

/**
 * @param {string} cell
 * @param {string} column
 */
function numberIn(cell, column) {
  const number = toMillionths(cell);
  if (number === undefined) throw new TypeError(`${JSON.stringify(cell)} in column ${column} is not a number.`);
  return number;
}

/**
 * @param {Table} table
 * @param {string[]} select
 * @param {number} limit
 */
function chosen({ columns, rows }, select, limit) {
  const at = select.map((name) => columnAt(columns, name));
  return { columns: select, rows: rows.slice(0, limit).map((row) => at.map((index) => row[index] ?? '')) };
}

/**
 * @param {Table} table
 * @param {string} column
 */
function total({ columns, rows }, column) {
  const at = columnAt(columns, column);
  return fromMillionths(rows.reduce((sum, row) => sum + numberIn(row[at] ?? '', column), 0n));
}

/**
 * Groups in the order in which the file first names them.
 *
 * @param {Table} table
 * @param {string} by
 * @param {string | undefined} sum
 */
function groups({ columns, rows }, by, sum) {
  const at = columnAt(columns, by);
  /** @type {Map<string, string[][]>} */
  const found = new Map();
  for (const row of rows) {
    const group = found.get(row[at] ?? '');
    if (group === undefined) found.set(row[at] ?? '', [row]);
    else group.push(row);
  }
  if (found.size > GROUPS) throw new RangeError(`More than ${GROUPS} groups in column ${by}.`);
  return [...found].map(([value, group]) => ({
    value,
    rows: group.length,
    ...(sum === undefined ? {} : { sum: total({ columns, rows: group }, sum) }),
  }));
}
