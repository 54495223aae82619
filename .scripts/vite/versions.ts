import { type Manifest, repositoryOf } from '../release.mjs';
import { escape } from './docs-page.ts';

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
