import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { call, localModel, sectionIn } from './local-model.ts';
import { badge, goTo, open, reload } from './open.ts';
import { CORE } from './tags.ts';

/** 35 notes, and a file that is no text. */
const NOTES: { readonly [path: string]: string } = Object.fromEntries([
  ['health/doctor.md', '# Appointments\n\nDoctor Hale: Tuesday the 9th at half past two.\n'],
  ...Array.from({ length: 34 }, (_, nth) => [`2026/note-${nth}.md`, `# Note ${nth}\n\nThe garden needs water.\n`]),
]);

/** Drops a folder of these files on the corpus, as the picker of folders gives it. */
async function addFolder(page: Page): Promise<void> {
  await page.evaluate(
    async (files) => {
      const storage = await navigator.storage.getDirectory();
      const root = await storage.getDirectoryHandle(crypto.randomUUID(), { create: true });
      for (const [path, text] of Object.entries(files)) {
        const names = path.split('/');
        let folder = root;
        for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
        const writable = await (await folder.getFileHandle(names.at(-1) ?? '', { create: true })).createWritable();
        await writable.write(text === '' ? Uint8Array.of(0xff) : text);
        await writable.close();
      }
      Object.assign(globalThis, { showDirectoryPicker: async () => root });
    },
    { ...NOTES, 'broken.md': '' },
  );
  await page.locator('#folder').click();
}

/** A model that searches the files, reads the section found, and answers from it. */
function answers(asked: string): object {
  if (asked.includes('half past two')) return { done: true, message: 'Tuesday the 9th, half past two.' };
  const section = sectionIn(asked);
  if (section !== undefined) return call('myfiles.read', { ref: section, slice: 'head(3)' });
  return asked.includes('myfiles.search')
    ? call('myfiles.search', { query: 'doctor' })
    : { done: true, message: 'No.' };
}

test(
  'a question about 35 own files is answered by a local model in three clicks, and the model is there after a reload',
  CORE,
  async ({ page, app }) => {
    const model = await localModel([answers]);
    try {
      await open(page, app.url);
      await goTo(page, 'Corpus');
      await addFolder(page);
      await expect(page.locator('sp-corpus-sources [role=status]')).toContainText('35 added');
      await expect(page.locator('sp-corpus-sources .left li')).toHaveCount(1);
      await expect(page.locator('sp-ask-files #may-read')).toBeChecked();

      await page.locator('sp-ask-files #question').fill('When is my appointment?');
      await page.locator('#ask-files').click();
      await page.locator('sp-endpoint #base').fill(model.url);
      await page.locator('sp-endpoint #list').click();
      await page.locator('sp-endpoint .models button').click();
      await page.locator('sp-endpoint').getByRole('button', { name: 'Use this model' }).click();
      await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
      await expect(page.locator('sp-said #words')).toHaveText('Tuesday the 9th, half past two.');
      expect(model.asked.at(-1)).not.toContain('corpus.search');

      // the same model is ready after a reload, and a withheld folder is said before a run
      await reload(page);
      await expect(page.locator('sp-models .which')).toContainText('llama3.2');
      await page.locator('#reach #may-read').uncheck();
      await expect(page.locator('#reach')).toContainText('A run could not reach your 35 files now.');
      await page.locator('#reach #mend').click();
      await goTo(page, 'Corpus');
      await page.locator('sp-ask-files #question').fill('And when is it again?');
      await page.locator('#ask-files').click();
      await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    } finally {
      model.close();
    }
  },
);
