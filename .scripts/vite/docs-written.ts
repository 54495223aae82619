import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, repositoryOf } from '../release.mjs';
import { type DocsPage, escape } from './docs-page.ts';

/** The texts of a folder as pages, with a link to edit each where the manifest has an address. */
export function writtenPages(folder: string, manifest: Manifest): DocsPage[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
      return { name: file.slice(0, -3), title, text, edit: editLink(manifest, `web/docs/${file}`) };
    });
}

/** A link to the source of a page, as HTML; empty while the manifest has no address of the repository. */
export function editLink(manifest: Manifest, path: string): string {
  const repository = repositoryOf(manifest);
  if (repository === undefined) return '';
  return `<p class="edit"><a href="${escape(`${repository}/edit/main/${path}`)}">Edit this page</a></p>\n`;
}

/**
 * The version that the pages describe and the older versions, as HTML. The pages of an older version are in the
 * repository at its tag: a link where the manifest has the address of the repository, else the name of the tag.
 */
export function versionLine(manifest: Manifest & { readonly version: string }, older: readonly string[]): string {
  const repository = repositoryOf(manifest);
  const tags = older.map((version) => {
    const tag = escape(`v${version}`);
    if (repository === undefined) return tag;
    return `<a href="${escape(repository)}/tree/${tag}/web/docs">${tag}</a>`;
  });
  const others = tags.length === 0 ? 'No older version is kept.' : `Older versions, as tags: ${tags.join(', ')}.`;
  return `This page describes version ${escape(manifest.version)}. ${others}`;
}
