import type { Browser, Page } from '@playwright/test';
import { expect, solo } from './fixtures.ts';
import { goTo, open } from './open.ts';
import { ONCE } from './tags.ts';

/** A word that names a key of a keyboard, where it can be seen. */
async function keysIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const roots: (Document | ShadowRoot)[] = [document];
    const found: string[] = [];
    for (const root of roots)
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot !== null) roots.push(element.shadowRoot);
        if (element.localName === 'kbd' && element.checkVisibility()) found.push(element.textContent ?? '');
      }
    return found;
  });
}

async function phone(browser: Browser, width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const viewport = { width, height: 800 };
  const context = await browser.newContext({ viewport, colorScheme, hasTouch: true, isMobile: true });
  return context.newPage();
}

for (const [width, scheme] of [
  [320, 'light'],
  [390, 'dark'],
  [768, 'light'],
] as const)
  solo(`a device without a keyboard is told of no key at ${width} pixels`, ONCE, async ({ browser, app }, info) => {
    // Firefox emulates no device without a pointer.
    solo.skip(info.project.name === 'firefox');
    const page = await phone(browser, width, scheme);
    await open(page, app.url);
    const columns = page.getByRole('navigation', { name: 'Columns' });
    for (const column of ['Propose', 'Ledger', 'Record']) {
      const tab = columns.getByRole('button', { name: column });
      if (await tab.isVisible()) await tab.tap();
      expect(await keysIn(page), column).toEqual([]);
    }
    await page.getByRole('button', { name: 'Help' }).tap();
    await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible();
    expect(await keysIn(page), 'help').toEqual([]);
    await page.getByRole('button', { name: 'Close' }).tap();
    for (const view of ['Learn', 'Capabilities', 'Corpus', 'Audit']) {
      await goTo(page, view);
      expect(await keysIn(page), view).toEqual([]);
    }
    await page.context().close();
  });
