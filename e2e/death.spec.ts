import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../.scripts/browsers.mjs';
import { expect, test } from './fixtures.ts';
import { approve, badge, open, row, runToQuestion } from './open.ts';
import { eraseRun, keepWords, openLedger, WORDS } from './where-is.ts';

test('a question survives a kill of the browser, and its answer runs the call once', async ({ playwright, app }) => {
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-'));
  const launch = () => playwright.chromium.launchPersistentContext(profile, findBrowser('chromium') ?? {});
  const before = await launch();
  const page = await before.newPage();
  await open(page, app.url);
  await runToQuestion(page);
  // Kills every process of this profile at once and without notice, as a crash or the system would.
  execFileSync('pkill', ['-KILL', '-f', profile]);
  await before.close().catch(() => undefined);

  const after = await launch();
  const again = await after.newPage();
  await open(again, app.url);
  await expect(badge(again)).toHaveText('Waiting for approval', { timeout: 30_000 });
  await approve(again);
  await again.keyboard.press('r');
  await expect(badge(again)).toHaveText('Completed', { timeout: 30_000 });
  await expect(row(again, /starting/)).toHaveCount(1);
  await after.close();
  await rm(profile, { recursive: true, force: true });
});

test('on the disk, erased words are nowhere but in the log of the browser’s own database', async ({
  playwright,
  app,
}) => {
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-'));
  const context = await playwright.chromium.launchPersistentContext(profile, findBrowser('chromium') ?? {});
  const [page, other] = [await context.newPage(), await context.newPage()];
  for (const tab of [page, other]) await openLedger(tab, app.url);
  const run = await keepWords(other);
  expect((await filesWith(profile, WORDS)).some((name) => name.startsWith('Default/File System/'))).toBe(true);
  expect(await eraseRun(page, run)).toEqual({ values: 1, otherTabs: 0 });
  const left = await filesWith(profile, WORDS);
  expect(left.filter((name) => !/^Default\/IndexedDB\/.*\.leveldb\//.test(name))).toEqual([]);
  await context.close();
  await rm(profile, { recursive: true, force: true });
});

/** Names of the files of a folder that contain these words, swap files and old versions included. */
async function filesWith(folder: string, words: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // the browser may remove a file meanwhile
    const bytes = entry.isFile() ? await readFile(path, 'latin1').catch(() => '') : '';
    if (bytes.includes(words)) found.push(path.slice(folder.length + 1));
  }
  return found;
}
