import type { Browser, Page } from '@playwright/test';
import { expect, solo } from './fixtures.ts';
import { goTo, open } from './open.ts';
import { ONCE } from './tags.ts';

/** The visible texts that name a key of a keyboard, in English or in German. */
async function keysIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    // A goal of the script begins with "Enter the".
    const named = /\b(?:F\d{1,2}|Ctrl|Strg|Esc|Enter(?! the)|Eingabe)\b/u;
    const roots: (Document | ShadowRoot)[] = [document];
    const found: string[] = [];
    for (const root of roots)
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot !== null) roots.push(element.shadowRoot);
        if (element.matches('style, script') || !element.checkVisibility()) continue;
        if (element.localName === 'kbd') found.push(element.textContent ?? '');
        const own = [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.textContent : ''));
        const text = `${own.join('')} ${element.getAttribute('placeholder') ?? ''}`;
        if (named.test(text)) found.push(text.trim());
      }
    return found;
  });
}

async function phone(browser: Browser): Promise<Page> {
  const viewport = { width: 390, height: 800 };
  const context = await browser.newContext({ viewport, hasTouch: true, isMobile: true });
  return context.newPage();
}

/** Changes the language to the next, also behind a dialog. */
const turn = (page: Page): Promise<void> =>
  page.locator('sp-bar #language').evaluate((button) => (button as HTMLButtonElement).click());

/** Looks for names of keys in both languages; the page is in English before and after. */
async function ask(page: Page, where: string): Promise<void> {
  for (const [language, next] of [
    ['en', 'de'],
    ['de', 'en'],
  ] as const) {
    expect.soft(await keysIn(page), `${where}, ${language}`).toEqual([]);
    await turn(page);
    await expect(page.locator('html')).toHaveAttribute('lang', next);
  }
}

/** Asks in every column; a wide screen shows them side by side. */
async function askColumns(page: Page, where: string): Promise<void> {
  const columns = page.getByRole('navigation', { name: 'Columns' });
  for (const column of ['Ledger', 'Record', 'Propose']) {
    const tab = columns.getByRole('button', { name: column });
    if (await tab.isVisible()) await tab.tap();
    await ask(page, `${where}, ${column}`);
  }
}

solo('a device without a keyboard is told of no key, in English or in German', ONCE, async ({ browser, app }, info) => {
  // Firefox emulates no device without a pointer.
  solo.skip(info.project.name === 'firefox');
  const page = await phone(browser);
  await open(page, app.url);
  await page.evaluate(() => document.body.append(Object.assign(document.createElement('p'), { textContent: 'F8' })));
  expect(await keysIn(page)).toEqual(['F8']);
  await page.evaluate(() => document.querySelector('body > p')?.remove());
  for (const width of [320, 768, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await askColumns(page, `at ${width} pixels`);
  }
  await page.getByRole('button', { name: 'Help' }).tap();
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible();
  await ask(page, 'help');
  await page.getByRole('button', { name: 'Close' }).tap();
  await page.getByRole('radio', { name: 'You' }).check();
  await page.locator('#draft').fill('{"done":true,"message":"Done."}');
  await ask(page, 'a draft');
  await page.getByRole('radio', { name: 'Script' }).check();
  await page.locator('#run').tap();
  await expect(page.locator('sp-approval h2')).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('sp-status [role=alert]')).toContainText('needs your approval');
  await askColumns(page, 'an open question');
  await page.locator('sp-approval #deny').tap();
  for (const view of ['Learn', 'Corpus', 'Audit', 'About']) {
    await goTo(page, view);
    await ask(page, view);
  }
  await page.evaluate(() => void (location.hash = '#/learn/3'));
  await page.locator('sp-lesson').getByRole('radio').first().check();
  await expect(page.locator('sp-bench #send')).toBeVisible();
  await ask(page, 'a lesson');
  await goTo(page, 'Capabilities');
  await ask(page, 'capabilities');
  await page.getByRole('button', { name: 'Workshop', exact: true }).tap();
  await expect(page.locator('sp-tryout #try')).toBeVisible({ timeout: 30_000 });
  await ask(page, 'the workshop');
  await page.context().close();
});
