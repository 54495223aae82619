import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, shared, solo } from './fixtures.ts';
import { approve, badge, finished, open, receipts, row, rows, runToQuestion } from './open.ts';
import { keepSaved, saved } from './saved.ts';
import { serveFolders } from './serve.ts';
import { CORE, ONCE } from './tags.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GERMAN = { locale: 'de-DE' } as const;

const root = (page: Page) => page.locator('html');
const turn = (page: Page) => page.locator('sp-bar #language');

solo.describe('a first visit with a German browser', () => {
  solo.use(GERMAN);

  solo('a first visit with a German browser is in German, with its numbers and dates', CORE, async ({ page, app }) => {
    await open(page, app.url);
    await expect(root(page)).toHaveAttribute('lang', 'de');
    await expect(root(page)).toHaveAttribute('dir', 'ltr');
    await expect(badge(page)).toHaveText('Bereit');
    await expect(page.locator('sp-timeline h2')).toHaveText('Protokoll');
    await page.keyboard.press('r');
    await expect(badge(page)).toHaveText('Wartet auf Genehmigung');
    await expect(page.locator('sp-approval')).toContainText('Die Freigabe verlangt eine Rückfrage.');
    await approve(page);
    await expect(badge(page)).toHaveText('Abgeschlossen', { timeout: 30_000 });
    await expect(
      rows(page)
        .filter({ hasText: /\d\.\d{3} Fuel/u })
        .first(),
    ).toBeVisible();
    await expect(page).toHaveTitle(/Abgeschlossen – Sallyport$/u);
  });

  solo('at 320 pixels no German text is wider than its place', ONCE, async ({ page, app }) => {
    await page.setViewportSize({ width: 320, height: 720 });
    await open(page, app.url);
    await page.keyboard.press('s');
    const fork = page.locator('sp-explain #fork');
    await expect(fork).toBeVisible();
    const right = await fork.evaluate((button) => button.getBoundingClientRect().right);
    expect.soft(right).toBeLessThanOrEqual(320 - 12);
    await page.goto(`${app.url}#/corpus`);
    await expect(page.locator('sp-corpus-sources .primary')).toBeVisible();
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.goto(`${app.url}#/audit`);
    await page.locator('sp-audit .empty li button').first().click();
    await expect(page.locator('sp-checks li')).toHaveCount(6);
    const names = await page
      .locator('sp-checks li > span:nth-child(2)')
      .evaluateAll((all) => all.map((name) => name.scrollWidth - name.clientWidth));
    expect(names.filter((over) => over > 0)).toEqual([]);
  });

  solo('axe passes the main views of the German page', ONCE, async ({ page, app }) => {
    // Colours that are still changing have no contrast to judge.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, app.url);
    await page.evaluate(AXE);
    await page.keyboard.press('s');
    await expect(rows(page).filter({ hasText: 'Beleg' })).toHaveCount(1);
    for (const view of ['Lauf', 'Lernen', 'Fähigkeiten', 'Korpus', 'Prüfung', 'Über']) {
      const bar = page.getByRole('navigation', { name: 'Ansichten' });
      await bar.getByRole('button', { name: view, exact: true }).click();
      await page.locator('main h1, main h2').first().waitFor({ state: 'attached' });
      const { violations } = (await page.evaluate('axe.run(document)')) as AxeResults;
      expect(violations.map(({ id, nodes }) => `${view}: ${id} ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual(
        [],
      );
    }
    await expect(page.locator('sp-about .facts')).toContainText('dieser Browser (IndexedDB)');
    await expect(page.locator('sp-about tbody tr').first()).toContainText('falscher Aufbau malformed_structure');
    await page.locator('sp-trust .meter').click();
    await expect(page.locator('sp-trust li').first()).toHaveText('Anfragen (fetch): blockiert');
  });

  solo(
    'the sides of a record are in one row on a German phone, and in two full rows at 320 pixels',
    ONCE,
    async ({ page, app }) => {
      await page.setViewportSize({ width: 390, height: 800 });
      await open(page, app.url);
      await page.keyboard.press('s');
      await page.getByRole('navigation', { name: 'Spalten' }).getByRole('button', { name: 'Eintrag' }).click();
      const rowsOfTabs = (): Promise<number[]> =>
        page.locator('sp-inspector [role=tab]').evaluateAll((tabs) => {
          const tops = tabs.map((tab) => tab.getBoundingClientRect().top);
          return [...new Set(tops)].map((top) => tops.filter((each) => each === top).length);
        });
      await expect.poll(rowsOfTabs).toEqual([5]);
      await page.setViewportSize({ width: 360, height: 800 });
      await expect.poll(rowsOfTabs).toEqual([5]);
      await page.setViewportSize({ width: 320, height: 640 });
      await expect.poll(rowsOfTabs).toEqual([3, 2]);
    },
  );

  solo('the German page fits 320 pixels without scrolling sideways', ONCE, async ({ page, app }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, app.url);
    await page.keyboard.press('s');
    for (const column of ['Vorschlag', 'Protokoll', 'Eintrag']) {
      await page.getByRole('navigation', { name: 'Spalten' }).getByRole('button', { name: column }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), column).toBeLessThanOrEqual(320);
    }
  });
});

solo.describe('the codes in a German browser', () => {
  solo.use(GERMAN);

  solo(
    'a German page tells the remedy of a code in German, and marks recorded sentences',
    ONCE,
    async ({ page, app }, info) => {
      await keepSaved(page);
      await open(page, app.url);
      await page.getByRole('radio', { name: 'Sie', exact: true }).check();
      await page.locator('#draft').fill('{"next_step":{"tool":"calc.Eval","arguments":{},"goal":"g"}}');
      await page.locator('#draft').press('Control+Enter');
      await expect(page.locator('sp-explain .gates .stopped')).toContainText('Namen gelten genau');
      await expect(page.locator('sp-explain .headline [lang=en]')).toContainText('No capability');
      await page.getByRole('radio', { name: 'Skript', exact: true }).check();
      await finished(page);
      // Captions of the script, and labels of the data that was read, are texts of the interface.
      const caption = page.locator('sp-explain .caption');
      await row(page, /calendar\.add/u)
        .first()
        .click();
      await expect(caption).toHaveText(/^Das Modell gehorcht dem Lieferschein\./u);
      await expect(caption.locator('[lang=en]')).toHaveCount(0);
      await expect(page.locator('sp-explain .label')).toContainText(['nicht vertrauenswürdig']);
      await rows(page).last().click();
      await page.getByRole('button', { name: /In .Prüfung. öffnen/u }).click();
      await page.locator('sp-chain li button').nth(20).click();
      await page.getByRole('button', { name: 'Byte ändern' }).click();
      const fault = page.locator('sp-audit sp-checks li[data-status=fail] .why').first();
      await expect(fault).toContainText('Eintrag 20: ');
      await expect(fault.locator('[lang=en]')).toContainText('Record 20: ');
      await page.getByRole('button', { name: 'Als Seite speichern' }).click();
      // The dialog shows what the page discloses, with the focus on its button.
      const save = page
        .getByRole('dialog', { name: 'Diesen Lauf senden' })
        .getByRole('button', { name: 'Als Seite speichern' });
      await expect(save).toBeFocused();
      await save.click();
      const file = info.outputPath('lauf.html');
      writeFileSync(file, await saved(page));
      const alone = await page.context().newPage();
      await alone.goto(pathToFileURL(file).href);
      await expect(root(alone)).toHaveAttribute('lang', 'de');
      await expect(alone).toHaveTitle('Sallyport-Lauf');
      await expect(alone.locator('h1')).toHaveText(/^Nicht intakt: erstes Problem bei Eintrag 20 von \d+\.$/u);
      await expect(alone.locator('li.fail p').first()).toContainText('Eintrag 20: ');
      await expect(alone.locator('li.fail [lang=en]').first()).toContainText('Record 20: ');
      await expect(alone.locator('.story li').first()).toContainText('Begonnen mit dem Modell');
      await alone.evaluate(AXE);
      const { violations } = (await alone.evaluate('axe.run(document)')) as AxeResults;
      expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
      await alone.close();
    },
  );
});

shared('a switch of the language in the middle of a run loses nothing', ONCE, async ({ page }) => {
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const before = await rows(page).count();
  await expect(turn(page)).toHaveAccessibleName('EN, language: English. Change');
  await turn(page).click();
  await expect(root(page)).toHaveAttribute('lang', 'de');
  await expect(badge(page)).toHaveText('Angehalten');
  await expect(rows(page)).toHaveCount(before);
  await page.locator('#step').click();
  await expect(rows(page).filter({ hasText: /Beleg/u })).toHaveCount(2);
  await turn(page).click();
  await expect(root(page)).toHaveAttribute('lang', 'en');
  await expect(badge(page)).toHaveText('Paused');
  await runToQuestion(page);
  await approve(page);
  await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
});

solo('the chosen language is kept for the next visit', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await expect(root(page)).toHaveAttribute('lang', 'en');
  await turn(page).click();
  await expect(badge(page)).toHaveText('Bereit');
  await open(page, app.url);
  await expect(root(page)).toHaveAttribute('lang', 'de');
  await expect(badge(page)).toHaveText('Bereit');
});

solo('the keys and the commands have every language by its own name', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('deutsch');
  await page.keyboard.press('Enter');
  await expect(badge(page)).toHaveText('Bereit');
  await page.keyboard.press('?');
  await page.getByLabel('Sprache', { exact: true }).selectOption({ label: 'English' });
  await expect(page.getByRole('heading', { name: 'Keys' })).toBeVisible();
});

solo.describe('a page whose German texts cannot be loaded', () => {
  solo.use({ complaining: true });

  solo('a page whose German texts cannot be loaded stays in English and says so', ONCE, async ({ page, app }) => {
    await page.route(/\/assets\/de-[^/]+\.js$/u, (route) => route.abort());
    await open(page, app.url);
    await turn(page).click();
    await expect(page.locator('sp-status [role=alert]')).toContainText('The texts in Deutsch could not be loaded');
    await expect(root(page)).toHaveAttribute('lang', 'en');
  });
});

solo('an English page loads no German text', ONCE, async ({ page, app }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open(page, app.url);
  expect(asked.filter((url) => /\/assets\/de-/u.test(url))).toEqual([]);
});

solo.describe('a German page with the server gone', () => {
  solo.use({ ...GERMAN, serviceWorkers: 'allow' });

  solo('a German page works with the server gone', ONCE, async ({ page }) => {
    const headers = (path: string) => headersFor(roleOf({ path }));
    const host = await serveFolders({ folders: { '/': 'dist' }, headers });
    await open(page, `${host.origin}/`);
    await expect(page.locator('sp-trust [data-offline]')).toHaveAttribute('data-offline', 'ready', { timeout: 30_000 });
    await host.close();
    await open(page, `${host.origin}/`);
    await expect(root(page)).toHaveAttribute('lang', 'de');
    await expect(badge(page)).toHaveText('Bereit');
  });
});
