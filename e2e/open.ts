import type { Locator, Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { expect } from './fixtures.ts';
import { ready } from './ready.ts';

/** Opens the playground and waits until it can be used. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await ready(page);
}

/** Reloads a page whose parts have loaded: Firefox reports a load that a reload cuts off as an error of the page. */
export async function reload(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: /^Loading/ })).toHaveCount(0);
  await page.reload();
}

/** Goes to a view by the bar, or by the menu of a narrow screen, and waits until it shows its first heading. */
export async function goTo(page: Page, view: string, shown = 'main h1'): Promise<void> {
  const menu = page.locator('sp-bar #menu');
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation', { name: 'Views' }).locator('#views').getByRole('button', { name: view }).click();
  await page.locator(shown).first().waitFor({ state: 'attached', timeout: 30_000 });
}

/** Aborts the run, and confirms the question before it. */
export async function abort(page: Page): Promise<void> {
  await page.locator('#abort').click();
  await page.locator('sp-abort #end').click();
  await expect(badge(page)).toHaveText('Aborted', { timeout: 30_000 });
}

export function badge(page: Page): Locator {
  return page.locator('sp-runbar .badge');
}

/** A single step by key, until the run is at rest again or asks a question. */
export async function step(page: Page): Promise<void> {
  const before = await receipts(page).count();
  await page.keyboard.press('s');
  await expect(receipts(page).or(page.locator('sp-approval h2'))).not.toHaveCount(before);
}

/** Rows of the listed records. Their role would also match the options of a select. */
export function rows(page: Page): Locator {
  return page.locator('sp-timeline .row');
}

export function receipts(page: Page): Locator {
  return rows(page).filter({ hasText: /^\s*\d+\s*receipt/ });
}

/** Runs the script up to the question it raises. */
export async function runToQuestion(page: Page): Promise<void> {
  await page.keyboard.press('r');
  await expect(page.locator('sp-approval h2')).toBeVisible({ timeout: 30_000 });
  await readToEnd(page);
}

/** A yes counts once the end of the arguments was in sight. */
export async function readToEnd(page: Page): Promise<void> {
  await page.locator('sp-approval #end').evaluate((end) => end.scrollIntoView({ block: 'nearest' }));
}

/** Opens the dialog of a model server, by the third proposer. */
export async function openServer(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'Model', exact: true }).check();
  await page.getByRole('radio', { name: 'A model server' }).check();
  await page.locator('sp-models #connect').click();
}

/** The element in focus, seen through every shadow root, as `tag#id`. */
export async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return `${element?.localName}#${element?.id}`;
  });
}

/** Sends a proposal as a person: takes over from the model, types and sends. */
export async function propose(page: Page, text: string): Promise<void> {
  await page.getByRole('radio', { name: 'You' }).check();
  await page.locator('#draft').fill(text);
  await page.locator('#draft').press('Control+Enter');
}

/** The listed records with these words. */
export function row(page: Page, words: RegExp): Locator {
  return rows(page).filter({ hasText: words });
}

/** Approves the open question, after long arguments were read to their end. */
export async function approve(page: Page): Promise<void> {
  await expect(page.locator('#approve')).toBeVisible();
  await page.locator('sp-approval #end').evaluateAll((ends) => {
    for (const end of ends) end.scrollIntoView({ block: 'nearest' });
  });
  // A card is answered where its buttons are in sight.
  await readToEnd(page);
  await page.locator('#approve').scrollIntoViewIfNeeded();
  await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
  await page.locator('#approve').click();
}

/** The export of the open run, as the page would save it. */
export function exported(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    return store.runtime.ledger.export(store.session.value?.id ?? '');
  });
}

/** Runs the script to its end through the store, for tests about an ended run. */
export async function finished(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const run = store.session.value?.run;
    await run?.run();
    await run?.answer(run.view.pending?.digest ?? '', { approved: true });
    await run?.run();
  });
  await expect(page.locator('sp-checks li')).toHaveCount(6, { timeout: 30_000 });
}

/** Runs the script to its end, with an approval by click. */
export async function finish(page: Page): Promise<void> {
  await runToQuestion(page);
  // A card is answered where its buttons are in sight.
  await readToEnd(page);
  await page.locator('#approve').scrollIntoViewIfNeeded();
  await expect(page.locator('#approve')).toHaveAttribute('aria-disabled', 'false');
  await page.locator('#approve').click();
  await expect(page.locator('sp-checks li')).toHaveCount(6, { timeout: 30_000 });
}
