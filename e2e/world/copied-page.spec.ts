import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { copied } from '../copied.ts';
import { expect, test } from '../fixtures.ts';
import { open } from '../open.ts';
import { serveFolders } from '../serve.ts';

test('the code for a bundler runs in a page of its own, as it was copied', async ({ page, app }) => {
  await open(page, `${app.url}#/scenario/sheet`);
  await page.locator('#named-start').click();
  await expect(page.locator('sp-named')).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('copy as code');
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'A page with a bundler' }).check();
  const code = (await copied(page)).get('agent.ts') ?? '';
  const [root, outDir] = ['root', 'out'].map((name) => mkdtempSync(join(tmpdir(), `sallyport-${name}-`)));
  if (root === undefined || outDir === undefined) throw new Error('No folder.');
  writeFileSync(join(root, 'agent.ts'), code);
  writeFileSync(
    join(root, 'index.html'),
    '<!doctype html><body><script type="module" src="./agent.ts"></script></body>',
  );
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { sallyport: resolve('dist/index.js') } },
    build: { outDir, emptyOutDir: true, target: 'es2024', assetsInlineLimit: 0 },
  });
  const host = await serveFolders({ folders: { '/': outDir } });
  const asked: string[] = [];
  page.on('dialog', (box) => {
    asked.push(box.message());
    void box.accept();
  });
  await page.goto(`${host.origin}/`);
  await expect(page.locator('pre')).toContainText('completed');
  expect(asked).toEqual([expect.stringContaining('Permit sheet.set')]);
  await expect(page.locator('pre')).toContainText('FAILURE arguments_schema');
  await host.close();
  for (const each of [root, outDir]) rmSync(each, { recursive: true });
});
