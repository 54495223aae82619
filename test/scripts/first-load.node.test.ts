import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { firstLoad } from '../../.scripts/vite/first-load.ts';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-first-load-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES: { readonly [name: string]: string } = {
  'index.js': `import { near } from './all.js'; import { shown } from './shown.js'; console.log(near, shown); import('./part.js');`,
  'view.js': `import { seen } from './all.js'; import { shown } from './shown.js'; export const show = () => [seen, shown];`,
  'all.js': `export { near } from './near.js'; export { far } from './far.js'; export { seen } from './seen.js';`,
  'near.js': `export const near = 'near text';`,
  'far.js': `export const far = () => 'far text';`,
  'seen.js': `export const seen = 'seen text';`,
  'shown.js': `export const shown = 'shown text';`,
  'part.js': `import { far } from './all.js'; import { show } from './view.js'; console.log(far, show());`,
};

/** The code of each chunk of a page that loads `part.js` later, by the name of the chunk. */
async function chunks(files = FILES): Promise<ReadonlyMap<string, string>> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const entry = join(folder, 'index.js');
  const first = firstLoad('library', ['index', entry], ['views', join(folder, 'view.js')]);
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    plugins: [first.plugin],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: entry, output: { codeSplitting: { groups: first.groups } } },
    },
  });
  if (!('output' in result)) throw new Error('The page was not built.');
  return new Map(result.output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.name, chunk.code]] : [])));
}

describe('the chunks of the first load', async () => {
  const found = await chunks();
  const chunkWith = (text: string, among = found): string | undefined =>
    [...among].find(([, code]) => code.includes(text))?.[0];

  it('hold what their entries use, each module once', () => {
    expect(chunkWith('near text')).toBe('index');
    expect(chunkWith('shown text')).toBe('index');
    expect(chunkWith('seen text')).toBe('views');
  });

  it('leave out a module that an index offers and only a later part uses', () => {
    expect(chunkWith('far text')).toBe('library');
    expect(found.get('index')).not.toContain('library');
    expect(found.get('views')).not.toContain('library');
  });

  it('hold what one of their modules imports for a later part, and wait for no other chunk', async () => {
    const near = `import { far } from './far.js'; export const near = 'near text'; export const both = () => far;`;
    const part = `import { both } from './near.js'; console.log(both());`;
    const mixed = await chunks({ ...FILES, 'near.js': near, 'part.js': part });
    expect(chunkWith('far text', mixed)).toBe('index');
    expect(mixed.get('index')).not.toContain('library');
  });
});
