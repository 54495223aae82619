import { parseCsv } from './lib/csv.js';
import { toMillionths } from './lib/decimal.js';
import { textOf } from './lib/text.js';

/** @param {{ path?: string, text?: string }} args */
export default async function (args) {
  const { columns, rows } = parseCsv(textOf(args));
  return {
    rows: rows.length,
    columns: columns.map((name, at) =>
      describe(
        name,
        rows.map((row) => row[at] ?? ''),
      ),
    ),
  };
}

/**
 * @param {string} name
 * @param {string[]} cells
 */
function describe(name, cells) {
  const filled = cells.filter((cell) => cell !== '');
  const kind = kindOf(filled);
  const ordered = [...new Set(filled)].toSorted(kind === 'number' ? byNumber : byText);
  const range = ordered.length === 0 ? {} : { least: ordered[0], most: ordered.at(-1) };
  return { name, kind, empty: cells.length - filled.length, distinct: ordered.length, ...range };
}

/** @param {string[]} cells */
function kindOf(cells) {
  if (cells.length === 0) return 'empty';
  if (cells.every((cell) => toMillionths(cell) !== undefined)) return 'number';
  return cells.every((cell) => /^\d{4}-\d{2}-\d{2}$/.test(cell)) ? 'date' : 'text';
}

/**
 * @param {string} a
 * @param {string} b
 */
function byNumber(a, b) {
  const [left = 0n, right = 0n] = [toMillionths(a), toMillionths(b)];
  return left < right ? -1 : left > right ? 1 : byText(a, b);
}

/**
 * By code unit: the same order in every locale.
 *
 * @param {string} a
 * @param {string} b
 */
function byText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
