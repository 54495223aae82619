import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { Devices } from '../test/devices/table.ts';
import { formatFragment, parseFragment, type SelftestResult } from '../web/selftest/result.ts';
import { expect, test } from './fixtures.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

test.use({ serviceWorkers: 'allow' });

const devices = JSON.parse(await readFile('test/devices/devices.json', 'utf8')) as Devices;
const part = (page: Page, id: string) => page.locator(`[data-part=${id}]`);
const ended = 'The ledger of the test is deleted.';

test(
  'the address of the second tab, opened alone, says what it is for and leads to the self-test',
  ONCE,
  async ({ page, app }) => {
    await page.goto(`${app.url}selftest#tab`);
    await expect(page.getByRole('status')).toContainText('No other tab tests this device now.', { timeout: 60_000 });
    await page.getByRole('link', { name: 'To the self-test' }).click();
    await expect(page.getByRole('button', { name: 'Begin' })).toBeVisible();
  },
);

test('a device passes each part, through a reload and a second tab, and the table says the same of it', async ({
  page,
  app,
  browserName,
}) => {
  test.setTimeout(400_000);
  await page.goto(`${app.url}selftest`);
  await page.getByRole('button', { name: 'Begin' }).press('Enter');
  await expect(page.getByRole('status')).toContainText(ended, { timeout: 300_000 });
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await expect(part(page, 'reload')).toHaveClass('pass', { timeout: 60_000 });
  await page.getByRole('button', { name: 'Open a second tab' }).click();
  await expect(part(page, 'tab')).toHaveClass('pass', { timeout: 120_000 });
  await expect(page.getByRole('status')).toContainText(ended);
  const link = await page.getByRole('link', { name: 'The result as a link' }).getAttribute('href');
  const here = parseFragment(new URL(String(link)).hash) as SelftestResult;
  const browser = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'Safari' }[browserName];
  const told = devices.results.find(({ device }) => device.browser === browser);
  expect(factsOf(here)).toEqual(told && factsOf(told));
  // the ledger of the test and its files are gone
  expect(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual([]);

  const server = page.context();
  await server.setOffline(true);
  await page.goto(String(link));
  await expect(page.getByRole('status')).toContainText('A result from a link.');
  await expect(page.locator('li.pass')).toHaveCount(Object.keys(here.parts).length);
  await server.setOffline(false);
});

/** What a browser decides, and no load of the machine does. */
function factsOf({ parts }: SelftestResult): object {
  const { startMs: _, ...start } = parts.start?.facts ?? {};
  const outcomes = Object.entries(parts).map(([id, { outcome, reason }]) => [id, reason ?? outcome]);
  const { vectors, passed } = parts.conformance?.facts ?? {};
  return {
    start,
    lock: parts.lock?.facts,
    refused: parts.refused?.facts,
    all: vectors === passed,
    ...Object.fromEntries(outcomes),
  };
}

test(
  'a result of a link is shown as text, a hostile one is refused, and a test can be canceled',
  CORE_ONCE,
  async ({ page, app }) => {
    const url = `${app.url}selftest.html`;
    const words = { browser: '<img src=x onerror=alert(1)>', version: '1\u202e0', system: 'Toaster' };
    const result: SelftestResult = {
      form: 'sallyport-selftest/1',
      product: '9.9.9',
      at: '2031-01-02T03:04:05Z',
      device: words,
      parts: { start: { outcome: 'fail', ms: 5, reason: 'error', said: '<b>no</b>' } },
    };
    await page.goto(`${url}${formatFragment(result)}`);
    await expect(page.locator('sp-selftest')).toContainText('<img src=x onerror=alert(1)>');
    await expect(page.locator('sp-selftest img, sp-selftest b')).toHaveCount(0);
    await expect(part(page, 'start')).toContainText('<b>no</b>');
    const more = { ...result, more: 1 } as SelftestResult;
    await page.goto('about:blank');
    await page.goto(`${url}${formatFragment(more)}`);
    await expect(page.getByRole('status')).toHaveText('The link has no result that can be read.');

    await page.getByRole('button', { name: 'Test this device' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('status')).toContainText(ended, { timeout: 60_000 });
    await expect(part(page, 'conformance')).toContainText('The test was canceled.');
    await expect(page.getByRole('status').first()).toContainText('The test was canceled. No part failed.');
  },
);
