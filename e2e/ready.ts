import type { Page } from '@playwright/test';

/** Waits until the kernel has started and a run is loaded. */
export async function ready(page: Page): Promise<void> {
  // `waitFor` notices the bar with the next frame, while `expect` looks again after up to a second
  await page.locator('sp-runbar [aria-busy="false"]').waitFor({ timeout: 30_000 });
}
