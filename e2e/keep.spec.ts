import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { verifyExport } from '../core/index.ts';
import type * as pages from '../web/index.ts';
import type { Playground } from '../web/playground/playground.ts';
import type * as node from '../workers/node.ts';
import { expect, shared, test } from './fixtures.ts';
import { finished, open, openServer, receipts } from './open.ts';
import { ready } from './ready.ts';
import { keepSaved, saved, savedBytes } from './saved.ts';
import { CORE_ENGINES, ONCE } from './tags.ts';
import { eraseRun, keepWords, openLedger, WORDS, whereIs } from './where-is.ts';

const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Kept on this device' });
const said = (page: Page): Locator => dialog(page).getByRole('status').first();

async function openKept(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('kept on this device');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('heading', { name: 'Everything' })).toBeVisible();
  return dialog(page);
}

shared('the dialog of stored runs opens again after Escape', async ({ page }) => {
  for (let time = 0; time < 2; time++) {
    await openKept(page);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
  }
});

shared('the dialog of a model opens again after Escape', ONCE, async ({ page }) => {
  const model = page.getByRole('dialog', { name: 'A model server' });
  await openServer(page);
  for (let time = 0; time < 2; time++) {
    await expect(model).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(model).toBeHidden();
    await page.locator('sp-models #connect').click();
  }
});

shared('a dialog stays closed when the page draws it before it hears that it was closed', ONCE, async ({ page }) => {
  await openKept(page);
  await page.locator('sp-keep').evaluate(closeAndDraw);
  await expect(dialog(page)).toBeHidden();
  await openServer(page);
  await expect(page.getByRole('dialog', { name: 'A model server' })).toBeVisible();
  await page.locator('sp-endpoint').evaluate(closeAndDraw);
  await expect(page.getByRole('dialog', { name: 'A model server' })).toBeHidden();
});

shared('a dialog that is asked for again before it hears that it was closed is open', ONCE, async ({ page }) => {
  await openServer(page);
  const dialog = page.getByRole('dialog', { name: 'A model server' });
  await expect(dialog).toBeVisible();
  await page.locator('sp-endpoint').evaluate(async (element) => {
    const { shadowRoot, store } = element as HTMLElement & { readonly store: Playground };
    const asked = shadowRoot?.querySelector('dialog');
    const closed = new Promise((heard) => asked?.addEventListener('close', heard, { once: true }));
    asked?.close();
    store.endpoint.asks.value = true;
    await closed;
  });
  await expect(dialog).toBeVisible();
});

/** In the page: closes a dialog, and draws its element before the event `close`, as news that arrive at that time do. */
async function closeAndDraw(element: HTMLElement): Promise<void> {
  const view = element as HTMLElement & { requestUpdate(): void; readonly updateComplete: Promise<unknown> };
  const dialog = view.shadowRoot?.querySelector('dialog');
  const closed = new Promise((heard) => dialog?.addEventListener('close', heard, { once: true }));
  dialog?.close();
  view.requestUpdate();
  await view.updateComplete;
  await closed;
}

test('a run is archived, and is erased and deleted after a warning and a typed word', ONCE, async ({ page, app }) => {
  await keepSaved(page);
  await open(page, app.url);
  await finished(page);
  const kept = await openKept(page);
  await expect(kept).toContainText('are used');
  await expect(kept.locator('.runs li')).toHaveCount(1);

  await kept.getByRole('button', { name: /^Archive the run/ }).click();
  // The dialog of Export says first what the file discloses; a whole file is an archive.
  const send = page.locator('sp-send dialog');
  await expect(send.getByRole('heading', { name: 'Archive this run' })).toBeVisible();
  await expect(send.locator('#save')).toHaveAttribute('aria-disabled', 'false');
  await send.locator('#save').click();
  expect(verifyExport(await saved(page))).toMatchObject({ ok: true });
  await expect(send.locator('.act [role=status]')).toContainText('Nothing was taken away');
  await page.keyboard.press('Escape');

  expect(await page.evaluate(whereIs, SAID)).not.toEqual([]);
  await kept.getByRole('button', { name: /^Erase what was said/ }).click();
  await expect(kept).toContainText('Decisions and replay report that their data is missing');
  const act = kept.getByRole('button', { name: 'Erase what was said' });
  await expect(act).toHaveAttribute('aria-disabled', 'true');
  // Escape closes the question, keeps the dialog open, and erases no data.
  await page.keyboard.press('Escape');
  await kept.getByRole('button', { name: /^Erase what was said/ }).click();
  await expect(kept.locator('#word')).toBeFocused();
  await page.keyboard.type('erase');
  await page.keyboard.press('Enter');
  await expect(said(page)).toContainText('Erased. Its records and their hashes stay');
  expect(await page.evaluate(whereIs, SAID)).toEqual([]);

  await kept.getByRole('button', { name: /^Delete the run/ }).click();
  await expect(kept.locator('#word')).toBeFocused();
  await page.keyboard.type('delete');
  await page.keyboard.press('Enter');
  await expect(said(page)).toContainText(/Deleted\. \d+ hashes/);
  await expect(kept.locator('.runs')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
});

test(
  'what is erased while another tab is open is in no file, database, cache or setting',
  CORE_ENGINES,
  async ({ page, app }) => {
    const other = await page.context().newPage();
    await openLedger(page, app.url);
    await openLedger(other, app.url);
    const run = await keepWords(other);
    expect(await page.evaluate(whereIs, WORDS)).not.toEqual([]);
    // The run was written by the other tab, into its own file.
    expect(await eraseRun(page, run)).toEqual({ values: 1, otherTabs: 0 });
    for (const tab of [page, other]) expect(await tab.evaluate(whereIs, WORDS)).toEqual([]);
    await other.close();
  },
);

test('a backup restores a deleted log, and a damaged backup changes no data', ONCE, async ({ page, app }) => {
  await keepSaved(page);
  await open(page, app.url);
  await finished(page);
  const kept = await openKept(page);
  await kept.getByRole('button', { name: 'Save a backup' }).click();
  const backup = await savedBytes(page);
  await expect(said(page)).toContainText('not encrypted');
  const checkpoint = Buffer.from(await checkpointOf(page));
  const against = (text: Buffer) => ({ name: 'monday.txt', mimeType: 'text/plain', buffer: text });
  await kept.getByLabel('Check it against a checkpoint').setInputFiles(against(checkpoint));
  await expect(said(page)).toContainText('and it is the log of the checkpoint');

  await kept.getByRole('button', { name: 'Delete everything…' }).click();
  await kept.locator('#word').fill('delete everything');
  await kept.getByRole('button', { name: 'Delete everything', exact: true }).click();
  await expect(said(page)).toContainText('Everything was deleted');
  expect(await page.evaluate(whatIsLeft)).toEqual([]);
  await kept.getByRole('button', { name: 'Begin anew' }).click();

  await ready(page);
  await openKept(page);
  await expect(dialog(page).locator('.runs')).toHaveCount(0);
  // The new log is not the log of the checkpoint.
  await kept.getByLabel('Check it against a checkpoint').setInputFiles(against(checkpoint));
  await expect(said(page)).toContainText('The log is not whole');
  await kept.getByRole('button', { name: 'Check the whole log' }).click();
  await expect(said(page)).toContainText('The log is whole');
  const file = (buffer: Buffer) => ({ name: 'all.backup', mimeType: 'application/octet-stream', buffer });
  const damaged = Buffer.from(backup);
  damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 1;
  await kept.getByLabel('Restore a backup').setInputFiles(file(damaged));
  await expect(said(page)).toContainText('Nothing was changed');
  await kept.getByLabel('Restore a backup').setInputFiles(file(backup));
  await expect(dialog(page)).toContainText('logs do not merge');
  await dialog(page).locator('#word').fill('replace');
  await page.keyboard.press('Enter');
  await expect(said(page)).toContainText('Replaced by the backup');
  await dialog(page).getByRole('button', { name: 'Begin anew' }).click();
  await ready(page);
  await expect((await openKept(page)).locator('.runs li')).toHaveCount(1);
});

test('a run from the backup of a stranger is not resumed when the page opens', ONCE, async ({ page, app }) => {
  const { backup, run_id } = await hostileBackup();
  // This page has the origin, and does not open the ledger.
  await page.goto(`${app.url}docs/`);
  await page.evaluate(async (bytes) => {
    const { openRuntime } = (await import(new URL('/index.js', location.href).href)) as typeof pages;
    const runtime = await openRuntime({ assets: '/' });
    await runtime.storage.restore(new Uint8Array(bytes));
    await runtime.close();
  }, backup);
  await open(page, app.url);
  const kinds = () =>
    page.evaluate(async (id) => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      return (await store.runtime.ledger.records(id)).map(({ kind }) => kind);
    }, run_id);
  // The page resumes runs before it is shown; its own run takes a step.
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  expect((await kinds()).at(-1)).toBe('parked');
  const session = await page.evaluate(async (id) => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const begun = store.session.value?.id;
    await store.openRun(id);
    return begun;
  }, run_id);
  expect(session).not.toBe(run_id);
  await expect(page.locator('sp-runbar')).toContainText('Read only');
  await expect(page.locator('#take')).toHaveCount(0);
});

/** A backup of a ledger in which a stranger's capability waits for a power, under the stranger's grants. */
async function hostileBackup(): Promise<{ readonly backup: number[]; readonly run_id: string }> {
  const { defineCapability, definePower, fromScript, openRuntime } = (await import(
    pathToFileURL(resolve('dist/node.js')).href
  )) as typeof node;
  const common = { version: '1.0.0', description: 'For a test.', args: {}, labels: [] } as const;
  const slow = definePower({ ...common, name: 'slow', effect: 'read', run: () => new Promise<null>(() => undefined) });
  const source = 'export default async (_, powers) => { try { await powers.slow({}); } catch { return "ran"; } }';
  const runtime = await openRuntime({
    capabilities: [defineCapability({ ...common, name: 'helper', effect: 'egress', powers: ['slow'], source })],
    powers: [slow],
    grants: [
      { capability: 'helper', mode: 'allow' },
      { power: 'slow', mode: 'allow' },
    ],
  });
  const script = [{ next_step: { tool: 'helper', arguments: {}, goal: 'help' } }, { done: true, message: 'done' }];
  const run = runtime.start({ dialect: 'xct', task: 'harmless', model: fromScript(script) });
  const kinds = async () => (await runtime.ledger.records(run.id)).map(({ kind }) => kind);
  await expect.poll(kinds, { timeout: 10_000 }).toContain('parked');
  const backup = [...new Uint8Array(await (await runtime.storage.backup()).arrayBuffer())];
  await runtime.close();
  return { backup, run_id: run.id };
}

function checkpointOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    return (await store.runtime.ledger.checkpoint()).text;
  });
}

/** Words that only the proposals of this run contain. */
const SAID = 'Find out how the mill';

/** In the page: names of all databases, private files, caches and settings that this origin still stores. */
async function whatIsLeft(): Promise<string[]> {
  const databases = (await indexedDB.databases()).map(({ name }) => `database ${name}`);
  const root = (await navigator.storage.getDirectory()) as unknown as { keys(): AsyncIterable<string> };
  const files: string[] = [];
  for await (const name of root.keys()) files.push(`file ${name}`);
  const caches_ = (await caches.keys()).map((name) => `cache ${name}`);
  return [...databases, ...files, ...caches_, ...Object.keys(localStorage)];
}
