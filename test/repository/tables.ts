import { readFileSync } from 'node:fs';

/** The page that lists which files a new thing touches. */
export const PAGE: string = readFileSync('web/docs/extend.md', 'utf8');

/** The files that one section of the page names, in its tables and in its text. */
export function listed(title: string): readonly string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/`((?:core|sandbox|workers|web)\/[\w./-]+)`/g)].map(([, path = '']) => path);
}
