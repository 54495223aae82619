import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { parseSync } from 'oxc-parser';
import type { Playground } from '../web/playground/playground.ts';
import { deferred } from '../workers/async.ts';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, test } from './fixtures.ts';
import { badge, goTo, open, receipts, step } from './open.ts';
import { ready } from './ready.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

const files = readdirSync('dist/assets').map((file) => `assets/${file}`);
const built = [...files, ...readdirSync('dist').filter((file) => /^boot\.js$|\.(html|png|webmanifest)$/.test(file))];
const workers = files.filter((file) => roleOf({ path: `/${file}` }) === 'worker');
const doors = files.filter((file) => roleOf({ path: `/${file}` }) === 'endpoint-worker');

test('the build has each locked worker as a file without imports', CORE_ONCE, () => {
  expect(workers.map((file) => /worker-([a-z]+)-/.exec(file)?.[1])).toEqual([
    'auditor',
    'class',
    'files',
    'kernel',
    'rules',
    'sandbox',
    'small',
  ]);
  expect(doors).toHaveLength(1);
  for (const file of [...workers, ...doors]) {
    const { module, errors } = parseSync(file, readFileSync(`dist/${file}`, 'utf8'));
    expect(errors).toEqual([]);
    expect(module.staticImports).toEqual([]);
    // The only dynamic import is in the self-test, which tries an import that the lock must stop.
    expect(module.dynamicImports.length).toBeLessThanOrEqual(
      /kernel|sandbox|auditor|class|endpoint|small/.test(file) ? 1 : 0,
    );
  }
});

test('the page loads its views beside the first workers, and the engine behind them', ONCE, () => {
  const page = readFileSync('dist/index.html', 'utf8');
  // the bundler's own runtime is a file apart
  const scripts = [...page.matchAll(/<script [^>]*src="\.\/assets\/([a-z-]+?)-[\w-]{8}\./g)].map(([, name]) => name);
  expect(scripts).toEqual(['rolldown-runtime', 'start', 'index']);
  expect(page).toMatch(/<script async [^>]*src="\.\/assets\/start-/);
  const links = [...page.matchAll(/<link rel="(?:module)?preload"[^>]*href="\.\/assets\/([a-z-]+?)-[\w-]{8}\./g)];
  expect(new Set(links.map(([, name]) => name))).toEqual(new Set(['views', 'worker-kernel', 'worker-sandbox']));
});

test(
  'the workers start before the code of the page has arrived, and the engine waits for it',
  ONCE,
  async ({ page, app }) => {
    const arrived = deferred<void>();
    await page.route(/assets\/index-.*\.js$/, async (route) => {
      await arrived.promise;
      await route.continue();
    });
    const engines: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('.wasm') && engines.push(request.url())));
    const started = ['kernel', 'sandbox'].map((name) =>
      page.waitForEvent('worker', (worker) => worker.url().includes(`worker-${name}`)),
    );
    await page.goto(app.url, { waitUntil: 'commit' });
    await Promise.all(started);
    expect(engines).toEqual([]);
    arrived.resolve();
    await ready(page);
    expect(engines).toHaveLength(1);
  },
);

test('a page that starts asks for the kernel before the engine has arrived', ONCE, async ({ page, app }) => {
  let answered = false;
  const arrived = deferred<void>();
  await page.route('**/*.wasm', async (route) => {
    await arrived.promise;
    answered = true;
    await route.continue();
  });
  const kernel = page.waitForEvent('worker', (worker) => worker.url().includes('worker-kernel'));
  await page.goto(app.url, { waitUntil: 'commit' });
  await kernel;
  expect(answered).toBe(false);
  arrived.resolve();
  await ready(page);
});

test('the first screen is drawn while the kernel loads, and takes no step before', ONCE, async ({ page, app }) => {
  const arrived = deferred<void>();
  await page.route(/worker-kernel-.*\.js$/, async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await page.goto(app.url, { waitUntil: 'commit' });
  await expect(badge(page)).toHaveText('Starting');
  await expect(page.locator('sp-status')).toContainText('Starting the kernel');
  await expect(page.locator('sp-trust .meter')).toContainText('Kernel starting');
  await expect(page.locator('#step')).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('s');
  await page.keyboard.press('n');
  await goTo(page, 'Capabilities', 'main [role=status]');
  arrived.resolve();
  await expect(page.locator('sp-catalogue h1')).toBeVisible();
  await goTo(page, 'Run', 'sp-runbar');
  await expect(badge(page)).toHaveText('Ready');
  await expect(page.locator('sp-trust .meter')).toContainText('Kernel locked');
  await expect(receipts(page)).toHaveCount(0);
});

test('every file is served with the headers of its role', CORE_ONCE, async ({ app }) => {
  for (const file of ['', ...files]) {
    const { headers, status } = await fetch(app.url + file);
    expect(status, file).toBe(200);
    const role = roleOf({ path: `/${file}` });
    for (const [name, value] of Object.entries(headersFor(role))) expect(headers.get(name), file).toBe(value);
  }
});

test('a step asks the server only for files of the build, and not for the auditor', ONCE, async ({ page, app }) => {
  const before = app.requests.length;
  await open(page, app.url);
  await step(page);
  await expect(receipts(page)).toHaveCount(1);
  const asked = app.requests.slice(before).map((request) => request.replace('GET /', ''));
  expect(asked.filter((file) => !built.includes(file))).toEqual([]);
  const [auditor, classes, texts, kernel, rules, sandbox, small] = workers;
  expect(asked).toEqual(expect.arrayContaining([kernel, sandbox]));
  // No run was checked yet, no file was read, no rule was proposed, and no model was chosen.
  for (const later of [auditor, classes, texts, rules, small]) expect(asked).not.toContain(later);
});

/** Serves the file of this worker without its policy header from now on. */
async function unlock(page: Page, name: string): Promise<void> {
  await page.route(new RegExp(`worker-${name}-.*\\.js$`), async (route) => {
    const response = await route.fetch();
    const { 'content-security-policy': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
}

test('a sandbox without its lock makes the page say that it is unlocked', ONCE, async ({ page, app }) => {
  await unlock(page, 'sandbox');
  await open(page, app.url);
  await expect(page.locator('sp-trust .meter')).toContainText('Kernel unlocked');
});

test('a spare sandbox without the lock of the first gets no guest', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await unlock(page, 'sandbox');
  const said = await page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const { runtime } = store;
    const define = (name: string, source: string) =>
      runtime.capabilities.register({ name, version: '1.0.0', description: 'd', effect: 'pure', args: {}, source });
    const names = ['test.hang', 'test.hangs'];
    for (const name of names) {
      const hang = '[].concat({ length: 2 ** 32 - 1, [Symbol.isConcatSpreadable]: true })';
      await define(name, `export default () => ${hang}; // ${name}`);
      await runtime.capabilities.enable(name);
      await runtime.grants.grant({ capability: name, mode: 'allow' });
    }
    // the second hang ends a spare that had started with its lock
    for (const name of names) {
      const session = runtime.openSession();
      await session.call(name, {}).catch(() => undefined);
      await session.close().catch(() => undefined);
    }
    return define('test.late', 'export default () => 1;').then(
      () => 'loaded',
      (error: unknown) => String(error),
    );
  });
  expect(said).toContain('less locked than an earlier worker of this page');
});

test('an auditor without the lock of the kernel gets no file to check', ONCE, async ({ page, app }) => {
  await unlock(page, 'auditor');
  await open(page, app.url);
  const said = await page.evaluate(() => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    return store.runtime.ledger.check('{}\n').then(
      () => 'checked',
      (error: unknown) => (error as { code?: string }).code,
    );
  });
  expect(said).toBe('worker_blocked');
});
