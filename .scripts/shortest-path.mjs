// `npm run bench -- shortest-path`: from an empty folder to private notes and a first receipt, with the seconds of each stage.
//
// It packs the built package, makes a project with its command, installs and starts it, keeps a note in Chromium and
// asks a question, which the script of the page answers where no model does. `npm run build` has to come before it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findHeadless } from './browsers.mjs';
import { installInto, makeProject, packPackage, startProject } from './project.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-shortest-'));
/** @type {Array<[string, number]>} */
const stages = [];
/** @type {Array<() => Promise<void>>} */
const closing = [];
try {
  // An installation from a registry packs no tarball.
  const tarball = packPackage(folder);
  const project = await stage('npx sallyport new notes --template notes', () =>
    makeProject({ folder, name: 'notes', template: 'notes', tarball }),
  );
  await stage('npm install', () => installInto(project));
  const { address, stop } = await stage('npm start', () => startProject(project, ['start', '--', '--port', '0']));
  closing.unshift(stop);
  const page = await stage('a browser opens the page', () => openPage(address));
  await stage('a note, a question, the first receipt', () => askOnce(page));
  await stage('the answer', () => page.locator('output').filter({ hasText: 'Dentist on Tuesday' }).waitFor());
  const locked = await page.locator('sallyport-run [part=meter]').getAttribute('data-isolation');
  const total = stages.reduce((sum, [, seconds]) => sum + seconds, 0);
  for (const [name, seconds] of [...stages, /** @type {const} */ (['together', total])])
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${name}`);
  console.log(`The kernel is ${locked}.`);
} finally {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a stage and notes its seconds.
 * @template T
 * @param {string} name
 * @param {() => T | Promise<T>} run
 * @returns {Promise<T>} */
async function stage(name, run) {
  const start = performance.now();
  const result = await run();
  stages.push([name, (performance.now() - start) / 1000]);
  return result;
}

/** @param {string} address */
async function openPage(address) {
  const browser = await chromium.launch(findHeadless('chromium') ?? {});
  closing.unshift(() => browser.close());
  const page = await browser.newPage();
  await page.goto(address);
  await page.locator('fieldset:enabled').waitFor();
  return page;
}

/** @param {import('playwright').Page} page */
async function askOnce(page) {
  await page.getByLabel('New note').fill('Dentist on Tuesday at nine.');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.locator('#notes li').waitFor();
  // No server listens at this port.
  await page.getByLabel('Local server').fill('http://127.0.0.1:9/v1');
  await page.getByLabel('Question').fill('When is the dentist?');
  await page.getByRole('button', { name: 'Ask' }).click();
  // The compact view lists no records.
  await page.waitForFunction(() => {
    /** @type {(Element & {records: Array<{kind: string}>}) | null} */
    const element = document.querySelector('sallyport-run');
    return element?.records.some(({ kind }) => kind === 'receipt');
  });
}
