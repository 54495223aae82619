import type { Page } from '@playwright/test';
import { verifyExport } from '../core/index.ts';
import type { Playground } from '../web/playground/playground.ts';
import { expect, test } from './fixtures.ts';
import { approve, badge, exported, focused, open, receipts, row } from './open.ts';
import { ready } from './ready.ts';
import { ONCE } from './tags.ts';

const gallery = (page: Page) => page.getByRole('dialog', { name: 'Start from a scenario' });
const title = (page: Page) => page.locator('sp-runbar h1');

async function start(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Start from another scenario' }).click();
  await gallery(page)
    .getByRole('button', { name: `Start ${name}` })
    .click();
  await expect(title(page)).toHaveText(name);
  await ready(page);
}

/** Runs to the next question, or to the end. */
async function go(page: Page): Promise<void> {
  await page.locator('#run').click();
  await expect(page.locator('sp-approval h2').or(page.locator('sp-checks li').first())).toBeVisible();
}

/** Runs the script to its end, and approves each question by click. */
async function runToEnd(page: Page): Promise<void> {
  await go(page);
  await expect(async () => {
    if (await page.locator('#approve').isVisible()) await approve(page);
    await expect(page.locator('sp-checks li')).toHaveCount(6, { timeout: 2_000 });
  }).toPass();
}

/** Names of the tools and of the grants of the open run, as its first record has them. */
async function ofRun(page: Page) {
  await page.waitForFunction(() => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    return (store.session.value?.records.value.length ?? 0) > 0;
  });
  return page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const session = store.session.value;
    const first = session?.records.value[0];
    if (session === undefined || first?.kind !== 'configuration') throw new Error('No run is open.');
    const text = async (ref: typeof first.body.registry): Promise<string> =>
      new TextDecoder().decode(await session.bytes(ref));
    const tools = JSON.parse(await text(first.body.registry)) as readonly { name: string }[];
    const { grants } = JSON.parse(await text(first.body.policy)) as { grants: readonly { capability: string }[] };
    return { tools: tools.map(({ name }) => name).sort(), granted: grants.map(({ capability }) => capability).sort() };
  });
}

test(
  'a scenario from the gallery runs to its end, its attack is stopped, and its export verifies',
  ONCE,
  async ({ page, app }) => {
    await open(page, app.url);
    await start(page, 'Brightwater Boat Hire');
    await expect(receipts(page)).toHaveCount(0);
    expect(await ofRun(page)).toEqual({
      tools: ['mail.list', 'mail.move', 'mail.read', 'mail.send'],
      granted: ['mail.list', 'mail.move', 'mail.read', 'mail.send'],
    });
    await runToEnd(page);
    await expect(receipts(page)).toHaveCount(8);
    await expect(row(page, /mail\.send.*grant_constraint|grant_constraint/).first()).toBeVisible();
    const file = await exported(page);
    expect(file).toContain('unknown_capability');
    expect(verifyExport(file).ok).toBe(true);
  },
);

/** Capabilities and grants of the wiki on this device, and the number of runs. */
function wikiOf(page: Page) {
  return page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const { capabilities, grants, runs } = store.runtime;
    const [own, granted] = [await capabilities.list(), await grants.list()];
    const named = [own.map(({ name }) => name), granted.map(({ capability }) => capability)];
    return [...named.map((names) => names.filter((name) => name.startsWith('wiki.')).length), (await runs()).length];
  });
}

test('a link only names a scenario: it is registered, granted and begun after a click', ONCE, async ({ page, app }) => {
  await open(page, `${app.url}#/scenario/wiki`);
  await expect(page.locator('sp-named')).toContainText('A link names the scenario Wiki of a workshop.');
  await expect(page.locator('#named-start')).toHaveAttribute('aria-disabled', 'false');
  await expect(title(page)).toHaveText('Kestrel Street Bakery');
  expect(await wikiOf(page)).toEqual([0, 0, 1]);
  await page.evaluate(() => void (location.hash = '#/scenario/nowhere'));
  await expect(page.locator('sp-named').getByRole('alert')).toContainText('the scenario “nowhere”, which is not here');
  await page.locator('#named-leave').click();
  await expect(page.locator('sp-named')).toHaveCount(0);
  await expect.poll(() => page.url()).not.toContain('scenario');
  await page.evaluate(() => void (location.hash = '#/scenario/wiki'));
  await expect(page.locator('#named-start')).toBeVisible();
  expect(await wikiOf(page)).toEqual([0, 0, 1]);
  await page.locator('#named-start').click();
  await expect(title(page)).toHaveText('Wiki of a workshop');
  await expect(page.locator('sp-named')).toHaveCount(0);
  await expect.poll(() => focused(page)).toBe('button#step');
  expect(await wikiOf(page)).toEqual([3, 3, 2]);
  await expect(badge(page)).toHaveText('Ready');
  await expect(receipts(page)).toHaveCount(0);
  const steps = () =>
    page.evaluate(() => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      return [store.session.value?.view.value?.steps, store.session.value?.view.value?.mode];
    });
  expect(await steps()).toEqual([0, 'paused']);
});

test(
  'a run that is under way stays in the list, goes on after the scenario changed, and in a new document',
  ONCE,
  async ({ page, app }) => {
    await open(page, app.url);
    await start(page, 'Larkfield Practice');
    for (let done = 1; done <= 2; done += 1) {
      await page.locator('#step').click();
      await expect(receipts(page)).toHaveCount(done);
    }
    await start(page, 'Kestrel Street Bakery');
    expect((await ofRun(page)).tools).not.toContain('calendar.book');
    await page.locator('sp-runs summary').click();
    await page
      .locator('sp-runs')
      .getByRole('button', { name: /Ms Oduya/ })
      .click();
    await expect(title(page)).toHaveText('Larkfield Practice');
    await expect(receipts(page)).toHaveCount(2);
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(3);
    const id = await page.evaluate(() => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      return store.session.value?.id ?? '';
    });
    // in a new document the code of the scenario is not loaded yet
    await page.goto('about:blank');
    await open(page, `${app.url}#r=${id}`);
    await expect(title(page)).toHaveText('Larkfield Practice');
    await page.locator('#take').click();
    await runToEnd(page);
    await expect(receipts(page)).toHaveCount(7);
    expect(verifyExport(await exported(page)).ok).toBe(true);
  },
);

test('a reload goes on with the run of a scenario', ONCE, async ({ page, app }) => {
  await open(page, `${app.url}#/scenario/sheet`);
  await page.locator('#named-start').click();
  await expect(title(page)).toHaveText('Rowing club accounts');
  await page.locator('#step').click();
  await expect(receipts(page)).toHaveCount(1);
  await page.goto('about:blank');
  await open(page, app.url);
  await expect(title(page)).toHaveText('Rowing club accounts');
  await page.locator('#step').click();
  await expect(receipts(page)).toHaveCount(2);
  await expect(row(page, /grant_constraint/).first()).toBeVisible();
});

test(
  'the gallery is opened by a command, chosen from by keys, and a person proposes with a form of each tool',
  ONCE,
  async ({ page, app }) => {
    await open(page, app.url);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).fill('scenario');
    await page.keyboard.press('Enter');
    await expect(gallery(page)).toBeVisible();
    await page.locator('sp-gallery #start-shop').focus();
    await page.keyboard.press('Enter');
    await expect(gallery(page)).toBeHidden();
    await expect(title(page)).toHaveText('Pebble & Pine, returns');
    await expect.poll(() => focused(page)).toBe('button#step');

    await page.getByRole('radio', { name: 'You' }).check();
    await page.locator('sp-tools summary').first().click();
    await expect(page.locator('sp-tools li strong')).toHaveText(['calc.eval', 'orders.find', 'refund.issue']);
    await page.getByRole('button', { name: 'Use refund.issue' }).click();
    await page.getByLabel('cents').fill('5001');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(row(page, /grant_constraint/).first()).toBeVisible();
  },
);

test(
  'a scenario that needs a name of the person’s own capability is not opened, and the page says why',
  ONCE,
  async ({ page, app }) => {
    await open(page, app.url);
    await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      const args = { type: 'object', properties: {}, additionalProperties: false };
      const own = { name: 'sheet.read', version: '1.0.0', description: 'Mine.', effect: 'pure', args } as const;
      await store.catalogue.add({ ...own, source: 'export default () => 1;' });
    });
    await page.getByRole('button', { name: 'Start from another scenario' }).click();
    await page.locator('sp-gallery #start-sheet').click();
    await expect(gallery(page).getByRole('status')).toContainText('another capability is called sheet.read');
    await page.keyboard.press('Escape');
    await expect(title(page)).toHaveText('Kestrel Street Bakery');
    await page.locator('#step').click();
    await expect(receipts(page)).toHaveCount(1);
  },
);

test('the gallery fits a narrow screen, and its link is copied', ONCE, async ({ page, app, context, browserName }) => {
  if (browserName === 'chromium') await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, app.url);
  await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('button', { name: 'Start from another scenario' }).click();
  const wide = await gallery(page).evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
  await page.locator('sp-gallery #link-calendar').click();
  await expect(gallery(page).getByRole('status')).toContainText('link');
});
