import type { Locator, Page } from '@playwright/test';
import { expect, shared } from './fixtures.ts';
import { forceColors } from './forced-colors.ts';
import { finished, goTo, receipts, runToQuestion } from './open.ts';
import { ONCE } from './tags.ts';

/** Views of the page. The tests of this file hold rules of WCAG 2.2 that axe cannot check. */
const VIEWS = ['Learn', 'Run', 'Capabilities', 'Corpus', 'Audit', 'About'] as const;

async function lookAt(page: Page, view: string): Promise<void> {
  await goTo(page, view);
  // The code of a view is loaded with its first use.
  await expect(page.locator('main').getByRole('heading').first()).toBeAttached({ timeout: 30_000 });
}

/** The element in focus, seen through every shadow root; `hidden` says that other elements cover it. */
interface Focus {
  readonly name: string;
  readonly ring: boolean;
  readonly hidden: boolean;
}

function inFocus(page: Page): Promise<Focus | undefined> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (element === null || element === document.body) return undefined;
    const box = element.getBoundingClientRect();
    /** An input that is drawn by its label shows the ring on the label. */
    const ringed = [element, element.closest('label'), element.closest('.cm-editor')].some((each) => {
      const { outlineStyle, outlineWidth } =
        each === null ? { outlineStyle: 'none', outlineWidth: '0' } : getComputedStyle(each);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    });
    /** The element that is drawn at a point, found through every shadow root. */
    const drawnAt = (x: number, y: number): Element | null => {
      let found = document.elementFromPoint(x, y);
      for (let inner = found?.shadowRoot?.elementFromPoint(x, y); inner && inner !== found; ) {
        found = inner;
        inner = found.shadowRoot?.elementFromPoint(x, y);
      }
      return found;
    };
    const within = (outer: Element, inner: Node | null): boolean => {
      for (let node = inner; node !== null; node = node.parentNode ?? (node instanceof ShadowRoot ? node.host : null))
        if (node === outer) return true;
      return false;
    };
    const label = element.closest('label') ?? element;
    // Only the part of the element inside the window counts.
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const points = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) =>
      [0.1, 0.5, 0.9].map((y) => [left + (right - left) * x, top + (bottom - top) * y] as const),
    );
    const seen = points.some(([x, y]) => within(label, drawnAt(x, y)));
    const name = `${element.localName}#${element.id} ${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}`;
    return { name, ring: ringed, hidden: !seen };
  });
}

for (const [width, height] of [
  [1280, 800],
  [320, 640],
] as const) {
  shared(
    `at ${width} pixels the element in focus has a ring, and no element covers it (2.4.7, 2.4.11)`,
    async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.keyboard.press('s');
      await expect(receipts(page)).toHaveCount(1);
      for (const view of VIEWS) {
        await lookAt(page, view);
        for (let i = 0; i < 30; i++) {
          await page.keyboard.press('Tab');
          const focus = await inFocus(page);
          if (focus === undefined) break;
          expect.soft(focus, `${view}: ${focus.name}`).toMatchObject({ ring: true, hidden: false });
        }
      }
    },
  );
}

shared('widely spaced text is not cut off, and the page does not scroll sideways (1.4.12)', async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 800 });
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  for (const view of VIEWS) {
    await lookAt(page, view);
    const faults = await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }',
      );
      const cut: string[] = [];
      const walk = (root: Document | ShadowRoot): void => {
        if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
        for (const element of root.querySelectorAll('*')) {
          if (element.shadowRoot !== null) walk(element.shadowRoot);
          const wide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1;
          if (element.matches('button, h1, h2, label, p') && wide && getComputedStyle(element).overflowX === 'hidden')
            cut.push(element.textContent?.trim() ?? '');
        }
      };
      walk(document);
      if (document.documentElement.scrollWidth > innerWidth) cut.push('the page scrolls sideways');
      return cut;
    });
    expect.soft(faults, view).toEqual([]);
  }
  // The next story draws all other elements anew.
  await page.evaluate(() => void (document.adoptedStyleSheets = []));
});

shared(
  'no action needs dragging, help keeps its place, and the title names the view (2.5.7, 3.2.6, 2.4.2)',
  async ({ page }) => {
    const places: unknown[] = [];
    for (const view of VIEWS) {
      await lookAt(page, view);
      await expect(page).toHaveTitle(view === 'Run' ? /, run [\da-f]{8}: Ready – Sallyport$/ : RegExp(view));
      await expect(page.locator('[draggable="true"]')).toHaveCount(0);
      places.push(await page.getByRole('button', { name: '? keys' }).boundingBox());
      // A view that takes a dropped file has a file input, too.
      if (view === 'Corpus' || view === 'Audit') await expect(page.locator('input[type=file]').first()).toBeAttached();
    }
    // A dropped file does not make the browser leave the page; dragged text keeps its default.
    const left = await page.evaluate(() =>
      [new File(['x'], 'x.jpg'), 'x'].map((dragged) => {
        const dataTransfer = new DataTransfer();
        if (typeof dragged === 'string') dataTransfer.setData('text/plain', dragged);
        else dataTransfer.items.add(dragged);
        return document.body.dispatchEvent(
          new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer }),
        );
      }),
    );
    expect(left).toEqual([false, true]);
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(1);
  },
);

shared('under forced colours the open view, the open tab and a disabled button stand out', ONCE, async ({ page }) => {
  await forceColors(page);
  await runToQuestion(page);
  const look = (wanted: Locator) =>
    wanted.evaluate((element) => {
      const { backgroundColor, color } = getComputedStyle(element);
      return { backgroundColor, color };
    });
  const views = page.getByRole('navigation', { name: 'Views' });
  const [here, there] = [
    await look(views.getByRole('button', { name: 'Run' })),
    await look(views.getByRole('button', { name: 'Audit' })),
  ];
  expect(here.backgroundColor).not.toBe(there.backgroundColor);
  expect(here.color).not.toBe(here.backgroundColor);
  const [tab, other] = [page.getByRole('tab', { name: 'Explain' }), page.getByRole('tab', { name: 'Message' })];
  expect((await look(tab)).backgroundColor).not.toBe((await look(other)).backgroundColor);
  // Step is disabled while a question is open.
  expect((await look(page.locator('#step'))).color).not.toBe((await look(page.locator('#abort'))).color);
});

/** Parts that move: their transitions or animations take time, by their styles or at this moment. */
function moving(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const takesTime = (durations: string) => durations.split(',').some((each) => parseFloat(each) > 0);
    const roots: (Document | ShadowRoot)[] = [document];
    const found: string[] = [];
    for (const root of roots) {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot !== null) roots.push(element.shadowRoot);
        const { transitionDuration, animationName, animationDuration } = getComputedStyle(element);
        const moves = takesTime(transitionDuration) || (animationName !== 'none' && takesTime(animationDuration));
        if (moves && element.checkVisibility()) found.push(`${element.localName}.${element.className}`);
      }
      const timed = root.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 0);
      found.push(...timed.map(({ id }) => `animation ${id}`));
    }
    return found;
  });
}

shared(
  'with reduced motion no part of the page moves, in a run, the audit and the breakout',
  ONCE,
  async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    expect(await moving(page)).toEqual([]);
    await finished(page);
    expect(await moving(page)).toEqual([]);
    await page.getByRole('button', { name: /Open in Audit/ }).click();
    await expect(page.locator('sp-checks li')).toHaveCount(6);
    expect(await moving(page)).toEqual([]);
    await goTo(page, 'Capabilities');
    await page.getByRole('button', { name: 'Break out' }).click();
    await page.locator('sp-breakout #all').click();
    await expect(page.locator('sp-breakout .spin').first()).toBeVisible();
    expect(await moving(page)).toEqual([]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect((await moving(page)).length).toBeGreaterThan(0);
    await page.locator('sp-breakout #cancel').click();
    await expect(page.locator('sp-breakout #all')).toBeVisible({ timeout: 30_000 });
  },
);
