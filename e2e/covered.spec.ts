import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { askFramed, type Framed, serveFramed } from './framed.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

let framed: Framed;
test.beforeEach(async () => {
  framed = await serveFramed();
});
test.afterEach(() => framed.close());

/**
 * Attacks of an embedding page on a framed question that let clicks fall through. `top` is the top of the buttons. Each
 * attack leaves a function `relent` that ends it.
 */
const ATTACKS: { readonly [name: string]: (top: number) => void | Promise<void> } = {
  'an overlay over everything': () => {
    const lie = Object.assign(document.createElement('div'), { textContent: 'Win a prize' });
    Object.assign(lie.style, { position: 'fixed', inset: '0', background: 'white', pointerEvents: 'none' });
    document.body.append(lie);
    Object.assign(window, { relent: () => lie.remove() });
  },
  'an overlay over the text alone': (top) => {
    const lie = Object.assign(document.createElement('div'), { textContent: 'Are you over 18? Confirm below.' });
    const place = { position: 'fixed', top: '0', left: '0', right: '0', height: `${top - 10}px` };
    Object.assign(lie.style, { ...place, background: 'white', pointerEvents: 'none', zIndex: '9' });
    document.body.append(lie);
    Object.assign(window, { relent: () => lie.remove() });
  },
  'a view transition that shows an older picture': async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`::view-transition { pointer-events: none }
      ::view-transition-group(root) { animation-duration: 60s }
      ::view-transition-old(root) { animation: none; opacity: 1; z-index: 9 }
      ::view-transition-new(root) { animation: none; opacity: 0 }`);
    document.adoptedStyleSheets = [sheet];
    const lie = Object.assign(document.createElement('div'), { textContent: 'Win a prize' });
    Object.assign(lie.style, { position: 'fixed', inset: '0', background: 'white', zIndex: '9' });
    document.body.append(lie);
    for (let frame = 0; frame < 3; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
    const transition = document.startViewTransition?.(() => lie.remove());
    Object.assign(window, { relent: () => transition?.skipTransition() });
    await transition?.ready;
  },
  'a frame that is all but transparent': () => {
    const run = document.querySelector('sallyport-run') as HTMLElement;
    run.style.opacity = '0.01';
    Object.assign(window, { relent: () => run.style.removeProperty('opacity') });
  },
  'a popover in the top layer': () => {
    const lie = Object.assign(document.createElement('div'), { popover: 'manual', textContent: 'Win a prize' });
    const size = { width: '100vw', height: '100vh', inset: '0', border: '0' };
    Object.assign(lie.style, { position: 'fixed', ...size, background: 'white', pointerEvents: 'none' });
    document.body.append(lie);
    lie.showPopover();
    Object.assign(window, { relent: () => lie.remove() });
  },
};

/** The box of the last button: Approve, or the button in its place. */
async function answerBox(inner: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const last = inner.locator('sallyport-question .actions button').last();
  await last.scrollIntoViewIfNeeded();
  const box = await last.boundingBox();
  if (box === null) throw new Error('The question has no buttons.');
  return box;
}

async function clickAt(page: Page, { x, y, width, height }: Awaited<ReturnType<typeof answerBox>>): Promise<void> {
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.waitForTimeout(30);
  await page.mouse.up();
}

const denyIn = (inner: Locator): Locator => inner.getByRole('button', { name: 'Deny' });
const approveIn = (inner: Locator): Locator => inner.getByRole('button', { name: 'Approve once' });

const denialsIn = (inner: Locator): Locator => inner.locator('[part=record]').filter({ hasText: 'approval_denied' });

/** Clicks Deny until it is recorded: Chromium drops clicks on a frame that has moved in the last half second. */
async function deny(inner: Locator): Promise<void> {
  await expect(async () => {
    await denyIn(inner).click({ timeout: 2000 });
    await expect(denialsIn(inner)).not.toHaveCount(0, { timeout: 1000 });
  }).toPass({ timeout: 30_000 });
}

/** The card takes answers: its first half second is over. */
const isLive = (inner: Locator) => expect(denyIn(inner)).toHaveAttribute('aria-disabled', 'false');

test(
  'a click that falls through an attack of the embedding page does not approve a framed question',
  CORE_ONCE,
  async ({ page, browserName }) => {
    const inner = await askFramed(page, framed);
    const reports = browserName === 'chromium';
    // A browser that reports no overlays has no button to approve in a frame: a single attack is enough there.
    for (const [name, attack] of Object.entries(ATTACKS).slice(0, reports ? undefined : 1)) {
      await test.step(name, async () => {
        // Before the attack the question can be answered.
        if (reports) await expect(approveIn(inner)).toHaveAttribute('aria-disabled', 'false');
        const box = await answerBox(inner);
        await page.evaluate(attack, box.y);
        if (reports) await expect(approveIn(inner)).toHaveAttribute('aria-disabled', 'true');
        for (let time = 0; time < 2; time++) {
          await isLive(inner);
          await clickAt(page, box);
        }
        await expect(inner.locator('[part=verdict]')).toHaveText('Waiting for approval');
        await page.evaluate(() => (window as unknown as { relent(): void }).relent());
      });
    }
    await deny(inner);
  },
);

test('a frame that shows the buttons alone takes no approval', ONCE, async ({ page }) => {
  const inner = await askFramed(page, framed);
  await expect(approveIn(inner)).toHaveAttribute('aria-disabled', 'false');
  await page.evaluate(() => {
    const run = document.querySelector('sallyport-run') as HTMLElement;
    run.style.setProperty('--sallyport-frame-height', '90px');
  });
  await expect(approveIn(inner)).toHaveAttribute('aria-disabled', 'true');
  const box = await answerBox(inner);
  await isLive(inner);
  await clickAt(page, box);
  await deny(inner);
});

test('a framed question that takes no approval in place is approved in its own window', async ({
  page,
  browserName,
}) => {
  const inner = await askFramed(page, framed);
  // Chromium reports the overlay over the frame; Firefox never does.
  if (browserName === 'chromium')
    await page.evaluate(ATTACKS['an overlay over the text alone'] as (top: number) => void, (await answerBox(inner)).y);
  await expect(inner.locator('sallyport-question [role=status]')).not.toBeEmpty();
  if (browserName !== 'chromium') await expect(approveIn(inner)).toHaveCount(0);
  const open = inner.getByRole('button', { name: 'Open in a window' });
  await expect(inner.getByRole('button', { name: 'Deny' })).toHaveAttribute('aria-disabled', 'false');
  const opening = page.context().waitForEvent('page');
  await open.focus();
  await page.keyboard.press('Enter');
  const own = await opening;
  await own.bringToFront();
  const card = own.locator('sallyport-question');
  await expect(card.getByRole('heading', { name: 'Approve bill.write?' })).toBeVisible();
  await expect(own.locator('main > p')).toContainText(framed.agent.origin);
  expect(await own.title()).toContain(framed.agent.origin);
  await expect(card.locator('pre')).toContainText('21.15');
  const approve = card.getByRole('button', { name: 'Approve once' });
  await expect(approve).toHaveAttribute('aria-disabled', 'false');
  // By keyboard alone: Deny has the focus, and Approve is the stop behind the edit.
  await expect(card.getByRole('button', { name: 'Deny' })).toBeFocused();
  await own.keyboard.press('Tab');
  await own.keyboard.press('Tab');
  await expect(approve).toBeFocused();
  await own.waitForTimeout(600);
  const closed = own.waitForEvent('close');
  // The window may be gone before the key is up.
  await own.keyboard.press('Enter').catch(() => undefined);
  await closed;
  await expect(inner.locator('[part=verdict]')).toHaveText('Completed');
});

test(
  'a framed question is still denied in place after its own window was closed',
  ONCE,
  async ({ page, browserName }) => {
    const inner = await askFramed(page, framed);
    if (browserName === 'chromium') await page.evaluate(ATTACKS['an overlay over everything'] as () => void);
    const opening = page.context().waitForEvent('page');
    await inner.getByRole('button', { name: 'Open in a window' }).click();
    const own = await opening;
    await own.waitForTimeout(300);
    await own.close();
    await expect(inner.locator('sallyport-question [role=status]')).toContainText(
      /in a window of its own|question is covered/,
    );
    const deny = inner.getByRole('button', { name: 'Deny' });
    await expect(deny).toHaveAttribute('aria-disabled', 'false');
    await deny.click();
    await expect(inner.locator('sallyport-question')).toHaveCount(0);
  },
);
