import { expect, type Page } from '@playwright/test';

/**
 * The driver of a certain engine reports no downloads, so the page's own calls are watched, in open and newly opened
 * pages.
 */
export async function keepSaved(page: Page): Promise<void> {
  scripts.set(page, await page.addInitScript(watchHands));
  await page.evaluate(watchHands);
}

const scripts = new WeakMap<Page, { dispose(): Promise<void> }>();

/** Later documents of this page save their files again. */
export async function forgetSaved(page: Page): Promise<void> {
  await scripts.get(page)?.dispose();
  scripts.delete(page);
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
