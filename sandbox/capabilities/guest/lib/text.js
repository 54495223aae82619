import { files } from './files.js';

/**
 * The text a call is about: given in place, or carried under a path.
 *
 * @param {{ path?: string, text?: string }} source
 *
 * @returns {string}
 */
export function textOf({ path = '', text }) {
  if (text !== undefined) return text;
  if (Object.hasOwn(files, path)) return files[path] ?? '';
  throw new RangeError(`No file ${JSON.stringify(path)}. ${known()}`);
}

function known() {
  const paths = Object.keys(files);
  return paths.length === 0 ? 'This capability carries no files.' : `The files are: ${paths.join(', ')}.`;
}

/**
 * The lines of a text, each with its LF: joined, they are the text again.
 *
 * @param {string} text
 *
 * @returns {string[]}
 */
export function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
