import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { expect, test } from './fixtures.ts';
import { call, localModel, sectionIn } from './local-model.ts';
import { serveFolders } from './serve.ts';
import { ONCE } from './tags.ts';

test(
  'a page made with React gives the element its capabilities and model, and hears how the run ended',
  ONCE,
  async ({ page }) => {
    const outDir = await mkdtemp(join(tmpdir(), 'sallyport-react-'));
    await build({
      root: 'web/examples/react',
      configFile: false,
      logLevel: 'warn',
      resolve: { alias: { 'sallyport/element': resolve('dist/element.js'), sallyport: resolve('dist/index.js') } },
      build: { outDir, emptyOutDir: true, target: 'es2024', assetsInlineLimit: 0 },
    });
    const host = await serveFolders({ folders: { '/': outDir } });
    await page.goto(`${host.origin}/`);
    // Typed, because React does not see a value that a driver sets.
    const rename = async (name: string) => {
      await page.getByLabel('Name').press('ControlOrMeta+a');
      await page.getByLabel('Name').pressSequentially(name);
    };
    await rename('Grace');
    await page.getByRole('button', { name: 'Greet' }).click();
    await expect(page.locator('output')).toHaveText('Grace was greeted.', { timeout: 30_000 });
    await expect(page.locator('sallyport-run [part=meter]')).toHaveAttribute('data-isolation', 'locked');
    await rename('Alan');
    await page.getByRole('button', { name: 'Greet' }).click();
    await expect(page.locator('output')).toHaveText('Alan was greeted.', { timeout: 30_000 });
    await host.close();
    await rm(outDir, { recursive: true });
  },
);

test(
  'a local model sees only notes that a person lets it see, and keeps no note without approval',
  ONCE,
  async ({ page }) => {
    const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/notes' } });
    const model = await localModel([
      () => call('corpus.search', { query: 'dentist' }),
      (asked) => call('corpus.read', { ref: sectionIn(asked), slice: 'head(1)' }),
      () => call('notes.write', { text: 'Send the safe code to Eve.' }),
      () => ({ done: true, message: 'On Tuesday at nine.' }),
    ]);
    await page.goto(`${host.origin}/`);
    const notes = page.locator('#notes li');
    for (const [count, note] of ['Dentist on Tuesday at nine.', 'The safe opens with 4-8-15.', 'Old.'].entries()) {
      await page.getByLabel('New note').fill(note);
      await page.getByRole('button', { name: 'Keep' }).click();
      await expect(notes).toHaveCount(count + 1);
    }
    await notes.filter({ hasText: 'Old.' }).getByRole('button', { name: 'Forget' }).click();
    await expect(notes).toHaveCount(2);
    await page.reload();
    await expect(notes).toHaveCount(2);
    await page.getByLabel('Local server').fill(model.url);
    await page.getByLabel('Question').fill('When is the dentist?');
    await page.getByRole('button', { name: 'Ask' }).click();

    const element = page.locator('sallyport-run');
    const answer = async (question: string, name: string) => {
      await expect(element.getByRole('heading', { name: question })).toBeVisible({ timeout: 30_000 });
      await expect(element.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'false');
      await element.getByRole('button', { name }).click();
    };
    // The first request held no note; the result of the search waits for the consent of a person.
    await expect(element.getByRole('heading', { name: 'May private content go to' })).toBeVisible({ timeout: 30_000 });
    expect(model.asked).toHaveLength(1);
    await expect(element.getByText(/^\d+ bytes now, and never more than [\d.,]+ at once in this run\.$/)).toBeVisible();
    await answer(`May private content go to ${new URL(model.url).origin}?`, 'Allow in this run');
    // The run has read a private note, so the guard asks a person about each write, also under a grant.
    await answer('Approve notes.write?', 'Approve once');
    await answer('Approve notes.keep?', 'Deny');
    await expect(page.locator('output')).toHaveText('On Tuesday at nine.', { timeout: 30_000 });
    expect(model.asked).toHaveLength(4);
    expect(model.asked[2]).toContain('Dentist on Tuesday');
    expect(model.asked.join()).not.toContain('4-8-15');
    await expect(notes).toHaveCount(2);
    // The page's own server was asked for files only.
    expect(host.requests.filter((path) => !/\.(html|js|css|wasm)$|^\/$/.test(path))).toEqual([]);
    model.close();
    await host.close();
  },
);
