import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Parts of a state that a reader with few colours of their own must tell apart. Each selector finds at least one part. */
interface ForcedParts {
  /** Selectors of two parts that must not look the same: what is chosen, and what is not. */
  readonly differ?: readonly (readonly [string, string])[];
  /** Drawn parts that must not have the colour of the page. */
  readonly filled?: readonly string[];
  /** Parts that stand out by a line around them. */
  readonly lined?: readonly string[];
}

/** States of the walks of axe, by name. */
export const FORCED: { readonly [state: string]: ForcedParts } = {
  ready: { lined: ['sp-guide section', '[data-guided]'] },
  stepped: { differ: [['sp-timeline .row[aria-selected=true]', 'sp-timeline .row[aria-selected=false]']] },
  'a record as a tree': { differ: [['sp-tree .line[aria-selected=true]', 'sp-tree .line[aria-selected=false]']] },
  'the time of the steps': {
    differ: [['sp-waterfall .step[aria-selected=true]', 'sp-waterfall .step[aria-selected=false]']],
    filled: ['sp-waterfall .bar rect:not(.track)', 'sp-waterfall .swatch'],
  },
  'a comparison of two runs': { lined: ['sp-compare-runs dialog', 'sp-compare-runs #other'] },
  'a gallery of scenarios': {
    differ: [['sp-gallery #start-bakery', 'sp-gallery #start-mail']],
    lined: ['sp-gallery dialog', 'sp-gallery .card'],
  },
  audited: {
    differ: [['sp-chain button[aria-current=true]', 'sp-chain button[aria-current=false]']],
    lined: ['sp-chain .intact'],
  },
  'sending a run': { differ: [['sp-send #copy', 'sp-send #save']], lined: ['sp-send dialog', 'sp-send #link'] },
  tampered: {
    differ: [
      ['sp-chain .altered', 'sp-chain .intact'],
      ['sp-chain .unproven', 'sp-chain .intact'],
    ],
  },
};

interface Look {
  readonly fill: string;
  readonly line: string;
  readonly outline: string;
  /** Colour of the page under it. */
  readonly page: string;
  readonly all: string;
}

function look(page: Page, selector: string): Promise<Look> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const style = getComputedStyle(element);
      const { backgroundColor, color, borderTopStyle, borderTopWidth, outlineStyle, outlineWidth, outlineColor } =
        style;
      const line = borderTopStyle === 'none' || borderTopWidth === '0px' ? 'none' : borderTopStyle;
      const fill = element instanceof SVGElement ? style.fill : backgroundColor;
      const all = [fill, color, borderTopStyle, borderTopWidth, outlineStyle, outlineWidth, outlineColor].join(' ');
      const { backgroundColor: under } = getComputedStyle(document.documentElement);
      return { fill, line, outline: outlineStyle, page: under, all };
    });
}

/** Replaces the colours of the page by few colours of the reader's own. */
export async function forceColors(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await page.evaluate(() => matchMedia('(forced-colors: active)').matches)).toBe(true);
}

/** Asks for the parts of a state under forced colours, and puts the colours back. */
export async function askForced(page: Page, state: string): Promise<void> {
  const { differ = [], filled = [], lined = [] } = FORCED[state] ?? {};
  if (differ.length + filled.length + lined.length === 0) return;
  // The driver of Firefox takes the option and emulates none.
  if (page.context().browser()?.browserType().name() === 'firefox') return;
  await forceColors(page);
  for (const [one, other] of differ)
    expect.soft((await look(page, one)).all, `${state}: ${one}`).not.toBe((await look(page, other)).all);
  for (const part of filled) {
    const { fill, page: under } = await look(page, part);
    expect.soft([under, 'none', 'rgba(0, 0, 0, 0)'], `${state}: ${part}`).not.toContain(fill);
  }
  for (const part of lined) {
    const { line, outline } = await look(page, part);
    expect.soft(line === 'none' && outline === 'none', `${state}: ${part} has no line`).toBe(false);
  }
  await page.emulateMedia({ forcedColors: null });
}
