import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { parseExport, verifyExport } from '../core/index.ts';
import { hostileEverywhere } from '../test/web/playground/send/hostile-exports.ts';
import { reportedRun } from '../web/playground/files/reported-run.ts';
import type { Playground } from '../web/playground/playground.ts';
import { formatReport } from '../web/playground/send/report.ts';
import { expect, shared, test } from './fixtures.ts';
import { finished, goTo, open, receipts, step } from './open.ts';
import { keepSaved, saved } from './saved.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

const verdict = (page: Page) => page.locator('sp-audit .verdict');
const check = (page: Page, name: string) => page.locator('sp-audit sp-checks li').filter({ hasText: `${name}:` });

async function audited(page: Page): Promise<void> {
  await finished(page);
  await page.getByRole('button', { name: /Open in Audit/ }).click();
  await expect(check(page, 'Decisions')).toHaveAttribute('data-status', 'pass');
}

/** The fragment of a link by hand. */
function fragmentOf(text: string, format = 1): string {
  return `#run=${format}.${deflateRawSync(Buffer.from(text)).toString('base64url')}`;
}

/** Everything of this device that a link must not change. */
function deviceOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const { runtime } = store;
    return JSON.stringify([await runtime.runs(), await runtime.grants.list(), store.draft.peek(), { ...localStorage }]);
  });
}

const WHOLE = readFileSync(resolve('test/vectors/exports/whole.jsonl'), 'utf8');

shared(
  'a person sees the size and the disclosures of a run before a link to it exists, by keys alone',
  ONCE,
  async ({ page }) => {
    await audited(page);
    await page.locator('#send').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Send this run' });
    await expect(dialog.locator('#size')).toContainText(/The link would have [\d,.]+ characters/);
    await expect(dialog).toContainText('82 records');
    await expect(dialog.locator('#link')).toHaveCount(0);
    await expect(dialog.locator('#plain')).toBeChecked();
    const before = await dialog.locator('#size').textContent();
    await dialog.locator('#plain').focus();
    await page.keyboard.press('Space');
    await expect(dialog.locator('#size')).not.toHaveText(before ?? '');
    await expect(dialog).toContainText('left out');
    await page.keyboard.press('Space');
    await expect(dialog.locator('#size')).toHaveText(before ?? '');
    await dialog.locator('#link-make').focus();
    await page.keyboard.press('Enter');
    await expect(dialog.locator('#link')).toHaveValue(/#run=1\.[\w-]+$/);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  },
);

test(
  'a sent run opens in Audit without being run, and its fork brings no authority',
  CORE_ONCE,
  async ({ page, app }) => {
    await open(page, app.url);
    await audited(page);
    await page.locator('#send').click();
    await expect(page.locator('sp-send #private')).not.toBeChecked();
    await page.locator('#link-make').click();
    const link = await page.locator('#link').inputValue();
    await page.locator('sp-send #private').check();
    await page.locator('#link-make').click();
    const whole = await page.locator('#link').inputValue();
    expect(whole.length).toBeGreaterThan(link.length);
    await page.goto('about:blank');
    const asked: string[] = [];
    const workers: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('worker', (worker) => workers.push(worker.url()));
    await page.goto(link);
    await expect(page.locator('sp-sent')).toContainText('None of it was run', { timeout: 30_000 });
    await expect(verdict(page)).toContainText('No check failed over 82 records');
    await expect(check(page, 'Decisions')).toContainText('a link brought this run');
    expect(asked.filter((url) => !url.startsWith(app.url))).toEqual([]);
    expect(workers.filter((url) => url.includes('auditor'))).toEqual([]);
    await expect.poll(() => page.url()).toContain('#run=1.');

    const before = await deviceOf(page);
    await page.locator('sp-chain li button').nth(20).click();
    await page.locator('sp-happened #fork').click();
    await expect(page.getByRole('alert')).toHaveText(
      /The fork failed: the proposal of step \d was left out of the file\./,
    );
    expect(await deviceOf(page)).toBe(before);
    await page.evaluate((fragment) => void (location.hash = fragment), whole.split('#')[1] ?? '');
    await page.locator('#sent-open').click();
    await page.locator('sp-chain li button').nth(20).click();
    await page.locator('sp-happened #fork').click();
    await expect(page.locator('sp-runbar')).toBeVisible();
    await expect(receipts(page)).toHaveCount(0);
    const [, grants] = JSON.parse(before) as unknown[];
    expect((JSON.parse(await deviceOf(page)) as unknown[])[1]).toEqual(grants);
    const forked = () =>
      page.evaluate(() => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        const { records, proposer } = store.session.peek() ?? {};
        return [
          records?.peek().map(({ kind }) => kind),
          proposer?.script.length,
          proposer?.origin,
          store.chosen.peek(),
        ];
      });
    // the first records of the fork arrive behind its view
    await expect.poll(forked).toEqual([['configuration', 'task'], 3, 'forked from a file before step 4', 'script']);
    for (let taken = 0; taken < 3; taken += 1) await step(page);
    await expect(page.getByRole('radio', { name: 'You' })).toBeChecked();
    await expect(page.locator('#draft')).toHaveValue(/csv\.query/);

    const authority = () =>
      page.evaluate(async () => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        return [await store.runtime.capabilities.list(), await store.runtime.grants.list(), store.scenario.id];
      });
    const own = await authority();
    const named = fragmentOf(WHOLE.replace('"model":"script"', '"model":"playground, mail: x"'));
    await page.evaluate((hash) => void (location.hash = hash), named);
    await page.locator('#sent-open').click();
    await page.locator('sp-chain li button').nth(8).click();
    await page.locator('sp-happened #fork').click();
    await expect(page.locator('sp-runbar h1')).toHaveText('Kestrel Street Bakery');
    expect(await authority()).toEqual(own);
  },
);

const REFUSED = [
  ['is damaged', '#run=1.AAAA', 'cut off or changed'],
  ['is of another version', '#run=7.AAAA', 'made for format 7'],
  ['is too long', `#run=1.${'A'.repeat(140_000)}`, 'the limit is 131,072'],
  ['unfolds without end', fragmentOf('x'.repeat(30 << 20)), 'unfolds to more than 2,097,152 bytes'],
  ['is cut', fragmentOf(WHOLE).slice(0, -400), 'cut off or changed'],
  ['holds no run', fragmentOf('<script>alert(1)</script>'), 'no record of a run'],
  ['is a script', '#run=<img src=x onerror=alert(1)>', 'cut off or changed'],
] as const;

shared(
  'a link with a run that cannot be read is refused with its reason, and changes nothing',
  ONCE,
  async ({ page }) => {
    const before = await deviceOf(page);
    for (const [what, fragment, reason] of REFUSED) {
      await page.evaluate((hash) => void (location.hash = hash), fragment);
      await expect.soft(page.locator('sp-sent [role=alert]'), what).toContainText(reason);
      expect.soft(await deviceOf(page), what).toBe(before);
      await page.locator('#sent-leave').click();
      await expect(page.locator('sp-sent')).toHaveCount(0);
      await expect.poll(() => page.url()).toMatch(/#v=audit$/);
    }
  },
);

shared(
  'a link leaves an open file in place until a person opens it, and shows its scripts as texts',
  ONCE,
  async ({ page }) => {
    await goTo(page, 'Audit');
    const file = page.locator('sp-audit input[type=file]');
    await file.setInputFiles({ name: 'mine.jsonl', mimeType: 'text/plain', buffer: Buffer.from(WHOLE) });
    await expect(page.locator('sp-audit h1')).toContainText('mine.jsonl');
    const before = await deviceOf(page);
    await page.evaluate((hash) => void (location.hash = hash), fragmentOf(hostileEverywhere(WHOLE)));
    await expect(page.locator('sp-sent')).toContainText('A link brought another run');
    await expect(page.locator('sp-audit h1')).toContainText('mine.jsonl');
    await page.locator('#sent-open').click();
    await expect(page.locator('sp-audit h1')).toContainText('by link');
    await expect(page.locator('sp-chain li').first()).toBeVisible();
    await page.locator('sp-chain li button').first().click();
    await expect(page.locator('sp-audit sp-json').last()).toContainText('<script>');
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(await deviceOf(page)).toBe(before);
  },
);

test.describe('a run from an address', () => {
  let server: Server;
  let origin = '';
  let asked: string[] = [];
  test.beforeEach(async () => {
    asked = [];
    server = createServer(({ url = '', headers }, response) => {
      asked.push(`${url} ${headers.cookie ?? ''}`);
      if (!url.includes('closed')) response.setHeader('access-control-allow-origin', '*');
      response.statusCode = url.includes('absent') ? 404 : 200;
      response.end(url.includes('absent') ? 'no' : WHOLE);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  test.afterEach(() => void server.close());
  // The browser reports failed requests on the console.
  test.use({ complaining: true });

  shared('a run is fetched through a door after a click, and a fault is told', ONCE, async ({ page }) => {
    await goTo(page, 'Audit');
    await page.locator('#import').click();
    const dialog = page.getByRole('dialog', { name: 'A run from elsewhere' });
    const given = dialog.locator('#given');
    await given.fill(`${origin}/absent.jsonl`);
    await expect(dialog.locator('#take')).toHaveText(`Ask ${origin.slice(7)}`);
    await expect(dialog).toContainText('without cookies');
    expect(asked).toEqual([]);
    await dialog.locator('#take').click();
    await expect(dialog.getByRole('status')).toHaveText('The server answered 404.', { timeout: 15_000 });
    await given.fill(`${origin}/closed.jsonl`);
    await dialog.locator('#take').click();
    await expect(dialog.getByRole('status')).toContainText('does not let this page ask it', { timeout: 15_000 });
    await given.fill(`${origin}/whole.jsonl`);
    await dialog.locator('#take').click();
    await expect(dialog).toBeHidden({ timeout: 15_000 });
    await expect(page.locator('sp-audit h1')).toContainText('whole.jsonl');
    expect(asked).toEqual(['/absent.jsonl ', '/closed.jsonl ', '/whole.jsonl ']);
  });
});

shared('a run is imported from a pasted export and from a pasted link', ONCE, async ({ page }) => {
  await goTo(page, 'Audit');
  await page.locator('#import').click();
  await expect(page.locator('#take')).toHaveAttribute('aria-disabled', 'true');
  await page.locator('#given').fill(WHOLE);
  await page.getByRole('button', { name: 'Open this text' }).click();
  await expect(page.locator('sp-audit h1')).toContainText('what was pasted');
  const tree = page.locator('sp-audit #tree');
  await tree.click();
  await expect(page.locator('sp-audit').getByRole('treeitem').nth(1)).toContainText('at');
  await tree.click();
  await expect(tree).toHaveAttribute('aria-pressed', 'false');
  await expect(page.locator('sp-audit').getByRole('treeitem')).toHaveCount(0);
  await page.locator('#import').click();
  await page
    .locator('#given')
    .fill(`https://play.example/${fragmentOf(WHOLE.replaceAll('Add 2 and 3.', 'Add 2 and 4.'))}`);
  await page.getByRole('button', { name: 'Look at this link' }).click();
  await page.locator('#sent-open').click();
  await expect(verdict(page)).toContainText('Not intact');
});

shared(
  'a report is a file that loads nothing, runs nothing and shows hostile texts as texts',
  CORE_ONCE,
  async ({ page }, info) => {
    await keepSaved(page);
    await goTo(page, 'Audit');
    const file = page.locator('sp-audit input[type=file]');
    await file.setInputFiles({
      name: 'mine.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from(hostileEverywhere(WHOLE)),
    });
    await page.locator('#send').click();
    for (const name of ['private', 'secret']) {
      const box = page.locator(`sp-send #${name}`);
      if ((await box.count()) > 0) await box.check();
    }
    await page.locator('sp-send #report').click();
    await expect(page.locator('sp-send')).toContainText('Saved.');
    const path = info.outputPath('mine.report.html');
    writeFileSync(path, await saved(page));
    const alone = await page.context().newPage();
    const noticed: string[] = [];
    alone.on('request', (request) => noticed.push(request.url()));
    alone.on('console', (message) => noticed.push(message.text()));
    await alone.goto(pathToFileURL(path).href);
    await expect(alone.getByRole('heading', { name: 'Report of a run' })).toBeVisible();
    await expect(alone.locator('body')).toContainText('<script>globalThis.pwned=1</script>');
    expect(await alone.locator('script, img, a, iframe, link').count()).toBe(0);
    expect(await alone.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(
      await alone
        .locator('ol.strip')
        .first()
        .evaluate((strip) => getComputedStyle(strip).display),
    ).toBe('grid');
    // Some drivers report the request for the file itself.
    expect(noticed.filter((url) => url !== pathToFileURL(path).href)).toEqual([]);
    await alone.setViewportSize({ width: 320, height: 640 });
    expect(await alone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await alone.close();
  },
);

test(
  'a printed report fits A4, hides its folded receipts, and prints an unfolded receipt on a page of its own',
  ONCE,
  async ({ page }, info) => {
    const path = info.outputPath('report.html');
    const text = readFileSync(resolve('test/vectors/exports/asked.jsonl'), 'utf8');
    const checks = verifyExport(text);
    writeFileSync(path, formatReport(reportedRun(parseExport(text)), checks));
    await page.goto(pathToFileURL(path).href);
    await page.emulateMedia({ media: 'print' });
    // 210 mm less two margins of 15 mm, at 96 dots an inch
    const width = Math.floor((180 / 25.4) * 96);
    await page.setViewportSize({ width, height: 980 });
    const parts = ['ol.strip', 'ol.waterfall', 'ul.asked', 'ul.checks', 'section'].map((part) =>
      page.locator(part).first(),
    );
    for (const part of [...parts, page.getByText(`${checks.records}:${checks.head}`)]) await expect(part).toBeVisible();
    const receipt = page.locator('details').first();
    await expect(receipt).toBeHidden();
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await wide()).toBeLessThanOrEqual(width);
    await receipt.evaluate((details: HTMLDetailsElement) => (details.open = true));
    await expect(receipt).toBeVisible();
    expect(await wide()).toBeLessThanOrEqual(width);
    const breaks = await receipt.evaluate((details) => {
      const { breakBefore, breakAfter } = getComputedStyle(details);
      return [breakBefore, breakAfter];
    });
    expect(breaks).toEqual(['page', 'page']);
  },
);
