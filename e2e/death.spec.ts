import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../.scripts/browsers.mjs';
import { expect, test } from './fixtures.ts';
import { approve, badge, open, row, runToQuestion } from './open.ts';

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
