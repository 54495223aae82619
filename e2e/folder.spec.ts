import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, shared } from './fixtures.ts';

/** Drops files as a person drags them in from the desktop: the browser itself reads these paths. */
async function drop(page: Page, ...files: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
}

shared('a folder from an input or a drop adds its files under paths without its name', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-folder-'));
  mkdirSync(join(folder, 'SKILLS/deep'), { recursive: true });
  writeFileSync(join(folder, 'SKILLS/deep/a.md'), '# A\n');
  writeFileSync(join(folder, 'b.md'), '# B\n');
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Corpus' }).click();
  await page.getByRole('button', { name: 'Which files' }).click();
  await page.getByLabel('Take from a folder or a zip').selectOption('The six folders of the Catalytic contract');
  const listed = page.locator('sp-corpus-list li button > span:first-child');
  await page.locator('input#directory').setInputFiles(folder);
  await expect(listed).toHaveText(['SKILLS/deep/a.md']);
  // The reader of a dropped folder gives fewer entries at a time.
  const names = Array.from({ length: 130 }, (_, nth) => `SKILLS/${String(nth).padStart(3, '0')}.md`);
  for (const name of names) writeFileSync(join(folder, name), '# One\n');
  await drop(page, folder);
  await expect(page.locator('sp-corpus-sources [role=status]')).toContainText('130 added');
  await expect(page.locator('sp-corpus .overview')).toContainText('131 files');
  // A dropped file is added even if no pattern selects it.
  await drop(page, join(folder, 'b.md'));
  await expect(page.locator('sp-corpus .overview')).toContainText('132 files');
  rmSync(folder, { recursive: true });
});
