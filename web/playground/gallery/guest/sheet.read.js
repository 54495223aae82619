import { files } from './files.js';

/**
 * The cells of a range as they were entered. A formula is a text here: it is never evaluated.
 *
 * @param {{ sheet: string, range: string }} args
 */
export default async function ({ sheet, range }) {
  const path = `sheet/${sheet}.csv`;
  if (!Object.hasOwn(files, path)) throw new RangeError(`There is no sheet ${sheet}.`);
  const rows = (files[path] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const [[left, top], [right, bottom]] = cornersOf(range);
  return { sheet, range, rows: rows.slice(top, bottom + 1).map((row) => row.slice(left, right + 1)) };
}

/**
 * Columns and rows from 0, as in "B2:D6".
 *
 * @param {string} range
 * @returns {[[number, number], [number, number]]}
 */
function cornersOf(range) {
  const [from = '', to = from] = range.split(':');
  return [cornerOf(from), cornerOf(to)];
}

/**
 * @param {string} cell
 * @returns {[number, number]}
 */
function cornerOf(cell) {
  return [cell.charCodeAt(0) - 65, Number(cell.slice(1)) - 1];
}
