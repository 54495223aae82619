import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../publish-address.mjs';
import type { DocsPage } from './docs-page.ts';
import { editLink } from './edit-link.ts';

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
