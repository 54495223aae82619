import { linesOf } from './lib/text.js';

/**
 * Stores nothing itself: the note is kept in the ledger, as this call's arguments and result.
 *
 * @param {{ name: string, text: string }} args
 */
export default async function ({ name, text }) {
  return { kept_in: 'receipt', note: { name, text, lines: linesOf(text).length } };
}
