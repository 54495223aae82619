import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Copy as code' });

/** The files that the dialog shows, by their names. */
export async function copied(page: Page): Promise<ReadonlyMap<string, string>> {
  await expect(dialog(page).locator('pre').first()).toBeVisible();
  const files = await dialog(page)
    .locator('[data-file]')
    .evaluateAll((all) =>
      all.map((each) => [each.getAttribute('data-file') ?? '', each.querySelector('pre')?.textContent ?? ''] as const),
    );
  return new Map(files);
}
