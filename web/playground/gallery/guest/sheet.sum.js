import { files } from './files.js';

/**
 * The sum of a range of whole numbers.
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
  const [from = '', to = from] = range.split(':');
  const [left, top] = [from.charCodeAt(0) - 65, Number(from.slice(1)) - 1];
  const [right, bottom] = [to.charCodeAt(0) - 65, Number(to.slice(1)) - 1];
  const cells = rows.slice(top, bottom + 1).flatMap((row) => row.slice(left, right + 1));
  const wrong = cells.find((cell) => !/^-?\d{1,12}$/.test(cell));
  if (wrong !== undefined) throw new TypeError(`${JSON.stringify(wrong)} in ${range} is no whole number.`);
  return { sheet, range, cells: cells.length, sum: cells.reduce((sum, cell) => sum + Number(cell), 0) };
}
