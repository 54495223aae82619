import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { firefox } from 'playwright';
import { FIREFOX_CONTEXT, findBrowser } from '../.scripts/browsers.mjs';
import { packedIn } from '../core/index.ts';
import type { Playground } from '../web/playground/playground.ts';
import { signatureFault } from '../workers/auditor/checkpoint.ts';
import { expect, shared, test } from './fixtures.ts';
import { exported, finished, open } from './open.ts';
import { keepSaved, saved } from './saved.ts';
import { CORE, CORE_ONCE, ONCE } from './tags.ts';

async function audited(page: Page): Promise<void> {
  await finished(page);
  await page.getByRole('button', { name: /Open in Audit/ }).click();
  await expect(check(page, 'Decisions')).toHaveAttribute('data-status', 'pass');
}

const verdict = (page: Page) => page.locator('sp-audit .verdict');
const check = (page: Page, name: string) => page.locator('sp-audit sp-checks li').filter({ hasText: `${name}:` });
const failing = (page: Page) => page.locator('sp-audit sp-checks li[data-status=fail]');

test.describe('the audit', () => {
  shared('the audit finds a flipped byte at exactly its record, and undoes the flip', CORE_ONCE, async ({ page }) => {
    await audited(page);
    await expect(page.locator('sp-audit .verdict')).toContainText('No check failed');
    await page.locator('sp-chain li button').nth(30).click();
    await page.getByRole('button', { name: 'Flip a byte' }).click();
    await expect(page.locator('sp-audit .verdict')).toContainText('first problem at record 30');
    await expect(page.locator('sp-chain .intact')).toHaveCount(30);
    await expect(page.locator('sp-audit .hashes')).toHaveText(/^Stored as [0-9a-f]{64}, and comes to [0-9a-f]{64}$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.locator('sp-audit .verdict')).toContainText('No check failed');
  });

  shared('the audit finds a wholly rewritten chain by a readable anchor alone', ONCE, async ({ page }) => {
    await audited(page);
    await page.getByRole('button', { name: 'Rewrite whole chain' }).click();
    await expect(verdict(page)).toContainText('not the run that its own store has');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(verdict(page)).toContainText('its own store has the same head');
    await expect(verdict(page)).toHaveClass(/own/);
    const anchor = page.getByLabel('Head you noted elsewhere');
    await expect(anchor).toHaveValue('');
    const noted = await page.getByRole('region', { name: 'Head' }).innerText();
    await anchor.fill(noted);
    await page.getByRole('button', { name: 'Rewrite whole chain' }).click();
    await expect(verdict(page)).toContainText('not the run you expected');
    for (const unread of ['hello', noted.slice(0, -1)]) {
      await anchor.fill(unread);
      await expect(verdict(page)).toContainText('cannot be read');
      await expect(verdict(page)).toHaveClass(/bad/);
      await expect(check(page, 'Anchor')).toHaveAttribute('data-status', 'fail');
    }
    await page.getByRole('button', { name: 'Undo' }).click();
    await anchor.fill(`head  ${noted.toUpperCase()} `);
    await expect(verdict(page)).toContainText('the head is the one that was kept elsewhere');
    await expect(verdict(page)).toHaveClass(/good/);
    await expect(page.getByRole('region', { name: 'Head' })).toHaveText(noted);
  });

  shared(
    'the audit says where a file was cut off, and that decisions of another behaviour were not checked',
    ONCE,
    async ({ page }) => {
      await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Audit' }).click();
      const file = page.locator('sp-audit input[type=file]');
      const other = readFileSync(resolve('test/vectors/exports/behaviour-other.jsonl'), 'utf8');
      const cut = `${other.split('\n').slice(0, 10).join('\n')}\n`;
      await file.setInputFiles({ name: 'cut.jsonl', mimeType: 'text/plain', buffer: Buffer.from(cut) });
      await expect(verdict(page)).toHaveText(
        'Cut off: records 0 to 8 are intact, and what came behind them is missing.',
      );
      await expect(page.locator('sp-chain .intact')).toHaveCount(9);
      await file.setInputFiles({ name: 'other.jsonl', mimeType: 'text/plain', buffer: Buffer.from(other) });
      await expect(verdict(page)).toContainText('Its decisions were not made again.');
      await expect(check(page, 'Decisions')).toContainText('behaviour 2, and this build has behaviour 1');
      await expect(check(page, 'Decisions')).toHaveAttribute('data-status', 'not_run');
      await expect(page.getByRole('region', { name: 'Command' })).toHaveText('npx sallyport verify other.jsonl');
    },
  );

  shared('the audit opens an exported file, and refuses a pasted text that is no export', ONCE, async ({ page }) => {
    await finished(page);
    const text = await exported(page);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Audit' }).click();
    const file = page.locator('sp-audit input[type=file]');
    await file.setInputFiles({ name: 'mine.run.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await expect(page.locator('sp-audit .verdict')).toContainText('No check failed over 82 records');
    // The text is copied in a field, and pasting into that field does not open it in the audit.
    await page.locator('sp-audit #find').fill('{"hello":1}');
    for (const key of ['a', 'x', 'v', 'a', 'x']) await page.keyboard.press(`ControlOrMeta+${key}`);
    await expect(page.locator('sp-audit h1')).toContainText('mine.run.jsonl');
    await page.locator('sp-audit h1').click();
    await page.keyboard.press('ControlOrMeta+v');
    await expect(page.locator('sp-audit .verdict')).toContainText('what was pasted holds no record of a run');
    await expect(page.locator('sp-audit h1')).toContainText('mine.run.jsonl');
  });

  shared('the audit makes every decision again by itself, and every call on request', ONCE, async ({ page }) => {
    await audited(page);
    await expect(check(page, 'Replay')).toHaveAttribute('data-status', 'not_run');
    await page.getByRole('button', { name: 'Run it again' }).click();
    await expect(check(page, 'Replay')).toHaveAttribute('data-status', 'pass', { timeout: 30_000 });
    await expect(check(page, 'Replay')).toContainText('82');
  });

  shared(
    'the decisions check finds a changed decision, and replay a changed cost, with every hash made anew',
    ONCE,
    async ({ page }) => {
      await audited(page);
      await page.getByLabel('Head you noted elsewhere').fill('');
      // hashes that are made anew end in another head than the one that the run has in its own store
      await page.getByRole('button', { name: 'Change a decision' }).click();
      await expect(failing(page)).toContainText([/^\s*Anchor:/, /^\s*Decisions:/]);
      await expect(verdict(page)).toContainText('does not follow from what is recorded before it');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Change a cost' }).click();
      await expect(check(page, 'Decisions')).toHaveAttribute('data-status', 'pass');
      await expect(failing(page)).toContainText([/^\s*Anchor:/]);
      await page.getByRole('button', { name: 'Run it again' }).click();
      await expect(failing(page)).toContainText([/^\s*Anchor:/, /^\s*Replay:/], { timeout: 30_000 });
      await expect(failing(page).locator('del')).toHaveText('1');
    },
  );

  shared(
    'the audit compares a run with a signed checkpoint of this device, and finds a cut end',
    ONCE,
    async ({ page }) => {
      await audited(page);
      const taken = await page.evaluate(async () => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        return store.runtime.ledger.checkpoint();
      });
      expect(await signatureFault(taken.text, taken.key ?? '')).toBe(undefined);
      const file = page.locator('sp-audit input[type=file]');
      await file.setInputFiles({ name: 'c.txt', mimeType: 'text/plain', buffer: Buffer.from(taken.text) });
      await expect(check(page, 'Anchor')).toHaveAttribute('data-status', 'pass');
      await expect(page.getByRole('region', { name: 'Command' })).toHaveText(
        'npx sallyport verify run.jsonl --checkpoint checkpoint.txt',
      );
      await page.getByRole('button', { name: 'Cut the end' }).click();
      await expect(check(page, 'Anchor')).toHaveAttribute('data-status', 'fail');
      await expect(failing(page)).toHaveCount(1);
    },
  );

  shared(
    'the audit finds a hash by its first digits and words in texts, and leads to the record',
    ONCE,
    async ({ page }) => {
      await audited(page);
      const head = /[0-9a-f]{64}/.exec(await page.getByRole('region', { name: 'Head' }).innerText())?.[0] ?? '';
      await page.locator('sp-audit #find').fill(`sha256:${head.slice(0, 12)}`);
      await expect(page.locator('sp-happened ul li')).toHaveCount(2);
      await page.getByRole('button', { name: /record 81 \(seal\)/ }).click();
      await expect(page.locator('sp-audit [aria-labelledby=chain] h3')).toHaveText('Record 81');
      await page.locator('sp-audit #find').fill('marlow');
      await expect(page.locator('sp-happened mark').first()).toHaveText(/marlow/i);
      await page.locator('sp-audit #find').fill('zz');
      await expect(page.getByText('No record, text or hash of this file has it.')).toBeVisible();
    },
  );
});

shared(
  'a run saved as a page checks itself from the disk without a network, and is read as an export',
  CORE,
  async ({ page }, info) => {
    await keepSaved(page);
    await audited(page);
    const text = await exported(page);
    await page.getByRole('button', { name: 'Save as a page' }).click();
    await expect(page.locator('sp-send #size')).toContainText('As a page it has about');
    for (const box of await page.locator('sp-send input[type=checkbox]').all()) await box.check();
    await page.locator('sp-send #page').click();
    const file = info.outputPath('mine.run.html');
    writeFileSync(file, await saved(page));
    const alone = await page.context().newPage();
    const asked: string[] = [];
    alone.on('request', (request) => asked.push(request.url()));
    alone.on('console', (message) => asked.push(message.text()));
    await alone.goto(pathToFileURL(file).href);
    await expect(alone.locator('h1')).toHaveText(/^No check failed over 82 records\. Its origin is unknown/);
    await expect(alone.locator('h1')).toHaveClass('wait');
    await expect(alone.locator('.story li').first()).toContainText('Began with the model');
    await expect(alone.locator('li.pass')).toHaveCount(3);
    await alone.getByLabel('The head that you noted').fill(`82:${'0'.repeat(64)}`);
    await expect(alone.locator('h1')).toHaveText('Consistent, but not the run you expected.');
    await alone.getByLabel('The head that you noted').fill('hello');
    await expect(alone.locator('h1')).toHaveText('The head you gave cannot be read, so nothing was compared with it.');
    await expect(alone.locator('h1')).toHaveClass('bad');
    await alone.locator('summary').nth(1).click();
    await expect(alone.locator('details[open] pre').first()).toContainText('"kind": "task"');
    // Some drivers report the request for the file itself.
    expect(asked.filter((url) => url !== pathToFileURL(file).href)).toEqual([]);
    await alone.close();
    const html = readFileSync(file, 'utf8');
    expect(gunzipSync(packedIn(html) ?? '').toString()).toBe(text);
    expect(spawnSync(process.execPath, [resolve('dist/cli.js'), 'verify', file]).status).toBe(0);
    await page.locator('sp-audit input[type=file]').setInputFiles(file);
    await expect(check(page, 'Decisions')).toHaveAttribute('data-status', 'pass');
    await expect(page.locator('sp-audit h1')).toContainText('mine.run.html');
  },
);

shared(
  'a run of a browser replays the same in Node and in another engine',
  ONCE,
  async ({ page, app, browserName }) => {
    await finished(page);
    const text = await exported(page);
    const replayed = spawnSync(process.execPath, [resolve('dist/cli.js'), 'replay'], { input: text, encoding: 'utf8' });
    expect(replayed.stdout).toMatch(/✓ Replay: .* 82\n/);
    expect(replayed.status).toBe(0);
    const options = findBrowser('firefox');
    if (browserName === 'firefox' || options === undefined) return;
    const other = await firefox.launch(options);
    const there = await other.newPage(FIREFOX_CONTEXT);
    await open(there, app.url);
    await there.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Audit' }).click();
    const buffer = Buffer.from(text);
    await there
      .locator('sp-audit input[type=file]')
      .setInputFiles({ name: 'run.jsonl', mimeType: 'text/plain', buffer });
    await there.getByRole('button', { name: 'Run it again' }).click();
    await expect(check(there, 'Replay')).toHaveAttribute('data-status', 'pass', { timeout: 30_000 });
    await other.close();
  },
);
