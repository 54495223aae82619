import { editAddress, type Manifest } from '../publish-address.mjs';

/** A link to the source of a page, as HTML; empty while the manifest has no address of the repository. */
export function editLink(manifest: Manifest, path: string): string {
  const address = editAddress(manifest, path);
  if (address === undefined) return '';
  const escaped = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<p class="edit"><a href="${escaped}">Edit this page</a></p>\n`;
}
