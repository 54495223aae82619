import { files } from './files.js';

/**
 * One mail with its text. Its sender is a stranger.
 *
 * @param {{ id: string }} args
 */
export default async function ({ id }) {
  const path = `mail/${id}.eml`;
  if (!Object.hasOwn(files, path)) throw new RangeError(`There is no mail ${id}.`);
  const text = files[path] ?? '';
  const end = text.indexOf('\n\n');
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, 'm').exec(text.slice(0, end))?.[1] ?? '';
  return { id, from: field('From'), date: field('Date'), subject: field('Subject'), text: text.slice(end + 2) };
}
