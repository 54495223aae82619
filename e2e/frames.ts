import type { Page } from '@playwright/test';

/** Time in ms in which a browser under load still draws a frame. */
const FRAME_TIMEOUT_MS = 10_000;

/**
 * Whether the browser draws frames for this page. Chromium without a window stops to draw a page at times, and then a
 * click waits for a frame until its test times out.
 */
export function drawsFrames(page: Page): Promise<boolean> {
  return page.evaluate(
    (limit) =>
      new Promise<boolean>((resolve) => {
        requestAnimationFrame(() => resolve(true));
        setTimeout(() => resolve(false), limit);
      }),
    FRAME_TIMEOUT_MS,
  );
}

/** Says that a page was replaced because the browser drew no frames for it. */
export function noteReplaced(page: Page): void {
  console.warn(`The browser drew no frame for ${page.url()} in ${FRAME_TIMEOUT_MS / 1000} s; a new page replaces it.`);
}
