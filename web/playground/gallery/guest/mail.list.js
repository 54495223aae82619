import { files } from './files.js';

/** The mails of the inbox, the oldest first: who wrote, when, and about what. Their texts are read by mail.read. */
export default async function () {
  return { mails: Object.entries(files).map(([path, text]) => headOf(path, text)) };
}

/**
 * @param {string} path
 * @param {string} text
 */
function headOf(path, text) {
  const [head = ''] = text.split('\n\n', 1);
  const field = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? '';
  return { id: idOf(path), from: field('From'), date: field('Date'), subject: field('Subject') };
}

/** @param {string} path */
function idOf(path) {
  return path.slice(path.lastIndexOf('/') + 1, -'.eml'.length);
}
