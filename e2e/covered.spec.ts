import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { askFramed, type Framed, serveFramed } from './framed.ts';
import { ONCE } from './tags.ts';

let framed: Framed;
test.beforeEach(async () => {
  framed = await serveFramed();
});
test.afterEach(() => framed.close());

/** Attacks of an embedding page on a framed question that let clicks fall through. `top` is the top of the buttons. */
const ATTACKS: { readonly [name: string]: (top: number) => void | Promise<void> } = {
  'an overlay over everything': () => {
    const lie = Object.assign(document.createElement('div'), { textContent: 'Win a prize' });
    Object.assign(lie.style, { position: 'fixed', inset: '0', background: 'white', pointerEvents: 'none' });
    document.body.append(lie);
  },
  'an overlay over the text alone': (top) => {
    const lie = Object.assign(document.createElement('div'), { textContent: 'Are you over 18? Confirm below.' });
    const place = { position: 'fixed', top: '0', left: '0', right: '0', height: `${top - 10}px` };
    Object.assign(lie.style, { ...place, background: 'white', pointerEvents: 'none', zIndex: '9' });
    document.body.append(lie);
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
    await new Promise((drawn) => setTimeout(drawn, 300));
    await document.startViewTransition?.(() => lie.remove()).ready;
    await new Promise((shown) => setTimeout(shown, 1000));
  },
  'a frame that is all but transparent': () => {
    Object.assign((document.querySelector('sallyport-run') as HTMLElement).style, { opacity: '0.01' });
  },
  'a popover in the top layer': () => {
    const lie = Object.assign(document.createElement('div'), { popover: 'manual', textContent: 'Win a prize' });
    const size = { width: '100vw', height: '100vh', inset: '0', border: '0' };
    Object.assign(lie.style, { position: 'fixed', ...size, background: 'white', pointerEvents: 'none' });
    document.body.append(lie);
    lie.showPopover();
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

for (const [name, attack] of Object.entries(ATTACKS)) {
  // Firefox reports no overlays, so its frame never has a button to approve.
  const where = name === 'an overlay over everything' ? {} : ONCE;
  test(
    `a click that falls through ${name} does not approve a framed question`,
    where,
    async ({ page, browserName }) => {
      const inner = await askFramed(page, framed);
      // Before the attack the question can be answered.
      if (browserName === 'chromium')
        await expect(inner.getByRole('button', { name: 'Approve once' })).toHaveAttribute('aria-disabled', 'false');
      await expect(inner.getByRole('button', { name: 'Deny' })).toHaveAttribute('aria-disabled', 'false');
      const box = await answerBox(inner);
      await page.evaluate(attack, box.y);
      await page.waitForTimeout(900);
      await clickAt(page, box);
      await page.waitForTimeout(1500);
      await clickAt(page, box);
      await page.waitForTimeout(1000);
      await expect(inner.locator('[part=verdict]')).toHaveText('Waiting for approval');
    },
  );
}

test('a frame that shows the buttons alone takes no approval', ONCE, async ({ page }) => {
  const inner = await askFramed(page, framed);
  await page.evaluate(() => {
    const run = document.querySelector('sallyport-run') as HTMLElement;
    run.style.setProperty('--sallyport-frame-height', '90px');
  });
  const box = await answerBox(inner);
  await page.waitForTimeout(1200);
  await clickAt(page, box);
  await page.waitForTimeout(1500);
  await expect(inner.locator('[part=verdict]')).toHaveText('Waiting for approval');
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
  // By keyboard alone: Deny has the focus, and Approve is the next stop.
  await expect(card.getByRole('button', { name: 'Deny' })).toBeFocused();
  await own.keyboard.press('Tab');
  await expect(approve).toBeFocused();
  await own.waitForTimeout(600);
  const closed = own.waitForEvent('close');
  // The window may be gone before the key is up.
  await own.keyboard.press('Enter').catch(() => undefined);
  await closed;
  await expect(inner.locator('[part=verdict]')).toHaveText('Completed');
});

test('a framed question is still denied in place after its own window was closed', async ({ page, browserName }) => {
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
});
