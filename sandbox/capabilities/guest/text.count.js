import { linesOf, textOf } from './lib/text.js';

/** @param {{ path?: string, text?: string }} args */
export default async function (args) {
  const text = textOf(args);
  const characters = Array.from(text);
  const bytes = characters.reduce((sum, character) => sum + bytesOf(character.codePointAt(0) ?? 0), 0);
  return {
    characters: characters.length,
    words: (text.match(/\S+/g) ?? []).length,
    lines: linesOf(text).length,
    bytes,
  };
}

/**
 * In UTF-8.
 *
 * @param {number} point
 */
function bytesOf(point) {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
