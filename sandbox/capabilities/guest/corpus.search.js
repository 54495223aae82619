import { files } from './lib/files.js';
import { linesOf } from './lib/text.js';

const EXCERPT = 160;

/**
 * Lines that hold every word of the query, in the order of the files. They are candidates: nothing is proved by them.
 *
 * @param {{ query: string, limit?: number }} args
 */
export default async function ({ query, limit = 10 }) {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) throw new RangeError('The query has no words.');
  const hits = Object.entries(files).flatMap(([path, text]) => hitsIn(path, text, words));
  return { hits: hits.slice(0, limit), more: Math.max(0, hits.length - limit) };
}

/**
 * @param {string} path
 * @param {string} text
 * @param {string[]} words
 */
function hitsIn(path, text, words) {
  return linesOf(text).flatMap((line, at) => {
    const low = line.toLowerCase();
    const first = words[0] ?? '';
    return words.every((word) => low.includes(word))
      ? [{ path, line: at, excerpt: excerpt(line, low.indexOf(first)) }]
      : [];
  });
}

/**
 * By code points, so that no character is cut in half.
 *
 * @param {string} line
 * @param {number} at
 */
function excerpt(line, at) {
  const points = Array.from(line.trimEnd());
  const from = Math.max(0, Math.min(at - EXCERPT / 4, points.length - EXCERPT));
  return points.slice(from, from + EXCERPT).join('');
}
