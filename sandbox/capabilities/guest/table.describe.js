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
  const ordered = inOrder([...new Set(filled)], kind === 'number');
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
 * Numbers by their size, all else by code unit: the same order in every locale.
 *
 * @param {string[]} cells
 * @param {boolean} asNumbers
 */
function inOrder(cells, asNumbers) {
  const keyed = cells.map((cell) => ({ cell, size: asNumbers ? (toMillionths(cell) ?? 0n) : 0n }));
  return keyed.toSorted((a, b) => compare(a.size, b.size) || compare(a.cell, b.cell)).map(({ cell }) => cell);
}

/**
 * @template {bigint | string} T
 * @param {T} a
 * @param {T} b
 */
function compare(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
