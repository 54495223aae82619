import { files } from './files.js';

/**
 * Lines that hold every word of the query, with their pages.
 *
 * @param {{ query: string }} args
 */
export default async function ({ query }) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = Object.entries(files).flatMap(([path, text]) =>
    text
      .split('\n')
      .filter((line) => words.every((word) => line.toLowerCase().includes(word)))
      .map((line) => ({ page: path.slice('wiki/'.length, -'.md'.length), line: line.slice(0, 200) })),
  );
  return { hits: hits.slice(0, 20), more: Math.max(0, hits.length - 20) };
}
