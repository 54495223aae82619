import { files } from './files.js';

/**
 * Keeps a value for a cell. Reading and adding up see the sheet as it was opened, until a person takes the values over.
 *
 * @param {{ sheet: string, cell: string, value: number | string }} args
 * @param {{ store: { get(key: string): Promise<unknown>, put(key: string, value: unknown): Promise<void> } }} powers
 */
export default async function ({ sheet, cell, value }, { store }) {
  const key = `${sheet}!${cell}`;
  const was = (await store.get(key)) ?? cellOf(sheet, cell);
  await store.put(key, value);
  return { sheet, cell, was, value };
}

/**
 * @param {string} sheet
 * @param {string} cell
 */
function cellOf(sheet, cell) {
  const path = `sheet/${sheet}.csv`;
  if (!Object.hasOwn(files, path)) throw new RangeError(`There is no sheet ${sheet}.`);
  const row = (files[path] ?? '').trimEnd().split('\n')[Number(cell.slice(1)) - 1] ?? '';
  return row.split(',')[cell.charCodeAt(0) - 65] ?? '';
}
