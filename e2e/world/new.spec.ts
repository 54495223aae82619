import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';
import type { SallyportRun } from '../../web/element.ts';
import { installInto, makeProject, npm, packPackage, startProject } from './project.mjs';

let folder: string;
let tarball: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-projects-'));
  tarball = packPackage(folder);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Drive {
  /** Arguments after `npm start`, for any free port. */
  readonly args: readonly string[];
  /** Drives the page to the end of a gated run. */
  readonly run: (page: Page) => Promise<void>;
  /** The script that builds the project serves the built page, too. */
  readonly isBuilt?: true;
}

const element = (page: Page) => page.locator('sallyport-run');
const receipts = (page: Page) => element(page).locator('[part=record]').filter({ hasText: 'receipt' });

const SERVE = ['--', '--port', '0'];
const VITE = [...SERVE, '--host', '127.0.0.1'];

const DRIVES: { readonly [template: string]: Drive } = {
  plain: {
    args: SERVE,
    run: async (page) => {
      await element(page).getByRole('button', { name: 'Run' }).click();
      const approve = element(page).getByRole('button', { name: 'Approve once' });
      await expect(approve).toHaveAttribute('aria-disabled', 'false');
      await approve.click();
      await expect(element(page)).toContainText('Everybody pays 21.15.');
      await expect(receipts(page)).toHaveCount(4);
    },
  },
  vite: {
    args: VITE,
    isBuilt: true,
    run: async (page) => {
      await element(page).getByRole('button', { name: 'Run' }).click();
      await expect(element(page)).toContainText('Everybody pays 21.15.');
      await expect(
        element(page).locator('[part=record]').filter({ hasText: 'duplicate_member' }).first(),
      ).toBeVisible();
      await expect(receipts(page)).toHaveCount(3);
    },
  },
  react: {
    args: VITE,
    isBuilt: true,
    run: async (page) => {
      await page.getByRole('button', { name: 'Greet' }).click();
      await expect(page.locator('output').first()).toHaveText('Ada was greeted.');
      await expect(receipts(page)).toHaveCount(2);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await expect(page.locator('output').last()).toHaveText('Ada was greeted.');
      await expect(page.getByText('locked', { exact: true })).toBeVisible();
    },
  },
  notes: {
    args: SERVE,
    run: async (page) => {
      for (const note of ['The safe opens with 4-8-15.', 'Dentist on Tuesday.\nAt nine.']) {
        await page.getByLabel('New note').fill(note);
        await page.getByRole('button', { name: 'Keep' }).click();
        await expect(page.locator('#notes')).toContainText(note.split('\n')[0] ?? '');
      }
      await page.getByLabel('Local server').fill('http://127.0.0.1:9/v1');
      await page.getByLabel('Question').fill('When is the dentist?');
      await page.getByRole('button', { name: 'Ask' }).click();
      await expect(page.locator('output')).toHaveText(
        'A script answers, because no server does: Dentist on Tuesday.\nAt nine.',
      );
      // The compact view lists no records.
      const kinds = await element(page).evaluate((each) => (each as SallyportRun).records.map(({ kind }) => kind));
      expect(kinds.filter((kind) => kind === 'receipt').length).toBeGreaterThan(2);
    },
  },
};

async function drive(address: string, run: Drive['run'], page: Page): Promise<void> {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(address);
  await run(page);
  await expect(element(page).locator('[part=meter]')).toHaveAttribute('data-isolation', 'locked');
  expect(faults).toEqual([]);
}

for (const [template, { args, isBuilt, run }] of Object.entries(DRIVES)) {
  test(`a project of the template ${template} installs, starts, and runs behind the lock`, async ({ playwright }) => {
    const project = makeProject({ folder, name: template, template, tarball });
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      readonly dependencies: { readonly [name: string]: string };
    };
    expect(dependencies['sallyport']).toMatch(/^file:sallyport-[\d.]+\.tgz$/);
    installInto(project);
    const browser = await playwright.chromium.launch(findHeadless('chromium') ?? {});
    const servers = [() => startProject(project, ['start', ...args])];
    if (isBuilt === true)
      servers.push(() => (npm(project, ['run', 'build']), startProject(project, ['run', 'preview', ...args])));
    for (const start of servers) {
      const { address, stop } = await start();
      try {
        await drive(address, run, await browser.newPage());
      } finally {
        await stop();
      }
    }
    await browser.close();
  });
}
