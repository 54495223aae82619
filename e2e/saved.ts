import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/**
 * The driver of a certain engine reports no downloads, so the page's own calls are watched, in open and newly opened
 * pages.
 */
export async function keepSaved(page: Page): Promise<void> {
  await page.addInitScript(watchHands);
  await page.evaluate(watchHands);
}

function watchHands(): void {
  const { createObjectURL } = URL;
  Object.assign(window, { saved: undefined });
  URL.createObjectURL = (blob: Blob) => Object.assign(window, { saved: blob }) && createObjectURL(blob);
  HTMLAnchorElement.prototype.click = function click() {
    Object.assign(window, { savedAs: this.download });
  };
}

/** The bytes of the file that was saved last. */
export async function savedBytes(page: Page): Promise<Buffer> {
  await saved(page);
  const bytes = await page.evaluate(async () => [
    ...new Uint8Array((await (window as { saved?: Blob }).saved?.arrayBuffer()) ?? []),
  ]);
  return Buffer.from(bytes);
}

/** The text of the file that was saved last. */
export async function saved(page: Page): Promise<string> {
  const read = () => page.evaluate(async () => (window as { saved?: Blob }).saved?.text());
  await expect.poll(read).toBeDefined();
  return (await read()) ?? '';
}
