import type { Locator, Page } from '@playwright/test';
import { expect, shared, test } from './fixtures.ts';
import { type ModelServer, startModel } from './model.ts';
import { abort, approve, badge, exported, openServer, receipts, row } from './open.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

const call = (name: string): string =>
  JSON.stringify({ next_step: { tool: 'my.greeting', arguments: { name }, goal: 'greet' } });

let model: ModelServer;
test.beforeAll(async () => {
  model = await startModel([call('Ines'), JSON.stringify({ done: true, message: 'Greeted.' })]);
});
test.afterAll(() => model.close());

const badgeOf = (page: Page): Locator => page.locator('sp-catalogue article .badge');
const headline = (page: Page): Locator => page.locator('sp-explain .headline');

/** Adds the first draft of the workshop to the catalogue. */
async function add(page: Page, url: string): Promise<void> {
  await page.goto(`${url}#v=capabilities&c=workshop`);
  await page.getByRole('button', { name: 'Add and grant' }).click({ timeout: 30_000 });
  await expect(page.locator('sp-catalogue h1')).toHaveText('my.greeting', { timeout: 30_000 });
  await expect(badgeOf(page)).toHaveText('asks you each time');
  await page.locator('sp-grants .revoke').click();
  // The form opens as the last grant goes: a click that this overtakes would close it.
  await expect(badgeOf(page)).toHaveText('no grant');
  await expect(page.locator('sp-grants #give form')).toBeVisible();
}

async function grant(page: Page, mode: string, uses = '', where = ''): Promise<void> {
  const form = page.locator('sp-grants #give form');
  if (await form.isHidden()) await page.locator('sp-grants #give > summary').click();
  await page.getByRole('radio', { name: mode }).check();
  // The driver of an engine appends to the text that a number field already has.
  const number = page.getByLabel('Calls in a run, at most');
  if ((await number.inputValue()) !== uses) await number.fill(uses);
  await page.getByLabel('Only where the arguments fit').fill(where);
  await page.locator('#grant').click();
}

async function propose(page: Page, text: string): Promise<void> {
  const before = await receipts(page).count();
  await page.locator('#draft').fill(text);
  await page.locator('#draft').press('Control+Enter');
  await expect(receipts(page).or(page.locator('sp-approval h2'))).not.toHaveCount(before);
}

shared(
  'a capability of the workshop is granted, and script, person and model call it through every gate',
  CORE_ONCE,
  async ({ page, app }) => {
    await add(page, app.url);
    await expect(badgeOf(page)).toHaveText('no grant');
    await grant(page, 'Ask me, every time', '2', '{"properties":{"name":{"maxLength":"many"}}}');
    await expect(page.locator('sp-grants .said.bad')).toContainText('Not granted');
    await grant(page, 'Ask me, every time', '2', '{"properties":{"name":{"maxLength":6}}}');
    await expect(badgeOf(page)).toHaveText('asks you each time');
    await expect(page.locator('sp-grants #give form')).toContainText('A page at an IP address can have no passkeys.');
    await expect(page.locator('sp-grants li')).toContainText('time · 2 calls in a run · only where the arguments fit');

    // The script of the workshop proposes in a run of the page.
    await page.getByRole('button', { name: 'Workshop', exact: true }).click();
    await page.locator('#rehearse').click();
    await page.locator('#run').click();
    await approve(page);
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    expect(await exported(page)).toContain('my.greeting');

    // A person proposes from the catalogue: the grant is narrower than the schema, and used up after two calls.
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Capabilities' }).click();
    await page.getByRole('button', { name: 'Catalogue', exact: true }).click();
    await page.locator('#propose').click();
    await expect(page.locator('#draft')).toHaveValue(/"tool":"my\.greeting"/);
    await propose(page, call('Bartholomew'));
    await expect(headline(page)).toContainText('Stopped at authorize');
    for (const name of ['Ines', 'Theo']) {
      await propose(page, call(name));
      await approve(page);
      await expect(headline(page)).toContainText('Through every gate');
      await expect(page.locator('sp-explain')).toContainText(`Good morning, ${name}!`);
    }
    await propose(page, call('Una'));
    await expect(headline(page)).toContainText('Stopped at authorize');
    await abort(page);

    // A model behind an endpoint proposes under the same grant.
    await openServer(page);
    await page.getByLabel('Base URL').fill(model.base('good'));
    await page.getByRole('textbox', { name: 'Model' }).fill('tiny');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await page.locator('#run').click();
    await approve(page);
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(row(page, /receipt\s+success/).first()).toBeVisible();
    expect(await exported(page)).toContain('Greeted.');

    // The calls that ran become a rule: it takes the place of the wide grant, and is revoked like any other.
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Capabilities' }).click();
    await expect(page.locator('sp-grants .propose')).toContainText(/calls of this kind in the last hour/);
    await page.locator('sp-grants #rule').click();
    const dialog = page.getByRole('dialog', { name: /A rule from what ran/ });
    await expect(dialog).toContainText(/my\.greeting runs without a question, name is one of .*"Ines".*"Theo"/, {
      timeout: 30_000,
    });
    await dialog.locator('summary', { hasText: 'name is' }).click();
    await dialog.getByRole('checkbox', { name: 'Theo' }).uncheck();
    await expect(dialog.getByRole('heading', { name: /Would have refused/ })).toContainText('3 calls');
    await dialog.getByRole('button', { name: 'Try it' }).click();
    await expect(dialog.locator('#trial')).toContainText(/would be refused\s*1/);
    await dialog.getByRole('button', { name: 'Accept the rule' }).click();
    await expect(dialog.getByRole('status')).toContainText('The rule holds for runs that start from now on');
    await dialog.locator('#done').click();
    await expect(badgeOf(page)).toHaveText('allowed');
    await expect(page.locator('sp-grants li')).toHaveCount(1);
    await page.locator('#propose').click();
    await propose(page, call('Theo'));
    await expect(headline(page)).toContainText('Stopped at authorize');
    await propose(page, call('Ines'));
    await expect(headline(page)).toContainText('Through every gate');

    // Without a grant, a watch lets its calls run until it ends.
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Capabilities' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.locator('sp-grants #watch summary').click();
    await page.getByRole('button', { name: 'Begin to watch' }).click();
    await expect(page.locator('sp-grants .said', { hasText: 'Watching until' })).toBeVisible();
    await expect(page.locator('sp-grants li')).toContainText('part of a watch');
    await page.locator('#propose').click();
    await propose(page, call('Una'));
    await expect(headline(page)).toContainText('Through every gate');
  },
);

test(
  'the focus stays near a grant that is revoked by the keyboard, and near one that is given again',
  ONCE,
  async ({ page, app }) => {
    await add(page, app.url);
    await grant(page, 'Allow it');
    await expect(badgeOf(page)).toHaveText('allowed');
    await grant(page, 'Ask me, every time');
    const revoke = page.getByRole('button', { name: 'Revoke' });
    await expect(revoke).toHaveCount(2);
    await revoke.nth(1).press('Enter');
    await expect(revoke).toHaveCount(1);
    await expect(revoke).toBeFocused();
    await revoke.press('Enter');
    await expect(revoke).toHaveCount(0);
    await expect(page.locator('sp-grants #grant')).toBeFocused();
    await page.getByRole('button', { name: 'Grant it again' }).press('Enter');
    await expect(revoke).toBeFocused();
  },
);

test('a definition survives a reload, its grants do not, and a person can remove both', ONCE, async ({ page, app }) => {
  await add(page, app.url);
  await grant(page, 'Allow it');
  await expect(badgeOf(page)).toHaveText('allowed');
  await page.getByRole('button', { name: 'Revoke' }).click();
  await expect(badgeOf(page)).toHaveText('no grant');
  await page.getByRole('button', { name: 'Grant it again' }).click();
  await expect(badgeOf(page)).toHaveText('allowed');
  await page.getByRole('button', { name: 'Revoke' }).click();
  await expect(badgeOf(page)).toHaveText('no grant');
  await grant(page, 'Ask me, every time');
  // A call that waits for approval loses the grant that is revoked meanwhile.
  await page.locator('#propose').click();
  await propose(page, call('Ines'));
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('button', { name: 'Capabilities' }).click();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await expect(badgeOf(page)).toHaveText('no grant');
  await views.getByRole('button', { name: 'Run', exact: true }).click();
  await approve(page);
  await expect(headline(page)).toContainText('Stopped at authorize');
  await expect(row(page, /revoked\s+a grant of my\.greeting/)).toHaveCount(1);
  await views.getByRole('button', { name: 'Capabilities' }).click();
  await grant(page, 'Allow it');
  await expect(badgeOf(page)).toHaveText('allowed');
  await page.goto(`${app.url}#v=capabilities`);
  await page.reload();
  await page.getByRole('button', { name: /my\.greeting/ }).click({ timeout: 30_000 });
  await expect(badgeOf(page)).toHaveText('disabled');
  await page.locator('#remove').click();
  await page.locator('#remove').click();
  await expect(page.getByRole('button', { name: /my\.greeting/ })).toHaveCount(0);
});
