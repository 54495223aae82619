import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { open } from './open.ts';

test('a folder from a plain file input is taken without its own name', async ({ page, app }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-folder-'));
  mkdirSync(join(folder, 'SKILLS/deep'), { recursive: true });
  writeFileSync(join(folder, 'SKILLS/deep/a.md'), '# A\n');
  writeFileSync(join(folder, 'b.md'), '# B\n');
  await open(page, app.url);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Corpus' }).click();
  await page.locator('input#directory').setInputFiles(folder);
  await expect(page.locator('sp-corpus-list li button > span:first-child')).toHaveText(['SKILLS/deep/a.md']);
  rmSync(folder, { recursive: true });
});
