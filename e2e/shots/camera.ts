import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';

export const DESKTOP = { width: 1440, height: 900 } as const;
const PHONE = { width: 390, height: 844 } as const;
const SCHEMES = ['light', 'dark'] as const;

/** A long page is cut after this height, in CSS pixels. */
const HEIGHT_MAX = 3_000;
const FOLDER = resolve(process.env['SALLYPORT_SHOTS'] ?? '.shots');

interface Subject {
  /** Folder of the picture. */
  readonly group: string;
  /** Place in the order of the group. */
  readonly at: number;
  readonly name: string;
}

interface Exposure {
  readonly schemes?: readonly ('light' | 'dark')[];
  /** Brings the subject into view on a phone. */
  readonly turn?: ((page: Page) => Promise<void>) | undefined;
}

/**
 * Takes pictures of the page at both widths, and says so in a line. The page is left at the width of a desktop. The phone
 * has a mouse: Chromium drops the emulation of touch in the picture of a long page.
 */
export async function takePictures(
  page: Page,
  { group, at, name }: Subject,
  { schemes = SCHEMES, turn }: Exposure = {},
): Promise<void> {
  const folder = join(FOLDER, fileNameOf(group));
  mkdirSync(folder, { recursive: true });
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    await turn?.(page);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await drawn(page);
      const file = `${String(at).padStart(2, '0')}-${fileNameOf(name)}.${size.width}.${colorScheme}.png`;
      await page.screenshot({ path: join(folder, file), fullPage: true, clip: await frameOf(page) });
    }
  }
  await page.setViewportSize(DESKTOP);
  console.log(`${group}: ${name}`);
}

async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
}

/** The page from its top, with a limit to its height. */
async function frameOf(page: Page) {
  const { width, height } = await page.evaluate(() => ({
    width: Math.max(innerWidth, document.documentElement.scrollWidth),
    height: Math.max(innerHeight, document.documentElement.scrollHeight),
  }));
  return { x: 0, y: 0, width, height: Math.min(height, HEIGHT_MAX) };
}

function fileNameOf(words: string): string {
  return words.replace(/[^\w]+/g, '-');
}
