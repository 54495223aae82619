import { files } from './files.js';

/**
 * The Markdown of a published page.
 *
 * @param {{ page: string }} args
 */
export default async function ({ page }) {
  const path = `wiki/${page}.md`;
  if (!Object.hasOwn(files, path)) throw new RangeError(`There is no page ${page}.`);
  return { page, text: files[path] };
}
