import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { SallyportRun } from '../web/element.ts';
import type * as sallyport from '../web/index.ts';
import { RETIRED_WORKER } from '../workers/lock/retire.ts';
import { type Deployment, openDeployment } from './deployed.ts';
import { expect, test } from './fixtures.ts';
import { approve, badge, goTo, open, runToQuestion } from './open.ts';
import { ready } from './ready.ts';
import { DEPLOYS, DEPLOYS_CORE } from './tags.ts';

/** A host of single pages answers every unknown path with its page. */
const SINGLE = '<!doctype html><title>Single</title><p>A page of the host.';

let host: Deployment;
const opened = async (path?: string): Promise<Deployment> => (host = await openDeployment(path));
test.afterEach(() => host.close());

/** The caches of the service worker: the witness of the ledger has one of its own. */
const kept = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('sallyport-files-')));
/** The first script of the page, by which its build is known. */
const entry = (page: Page) => page.locator('script[src*="assets/index-"]').getAttribute('src');
const newer = (page: Page) => page.locator('sp-newer');
const offline = (page: Page) => page.locator('sp-trust [data-offline]');

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' });

  const isReady = (page: Page) => expect(offline(page)).toHaveAttribute('data-offline', 'ready', { timeout: 60_000 });

  /** Looks for a newer build; resolves when the browser has given it up. */
  const refused = (page: Page) =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const end = new Promise<string>((resolve) => {
        registration.addEventListener('updatefound', () => {
          const { installing } = registration;
          installing?.addEventListener('statechange', () => resolve(installing.state));
        });
      });
      await registration.update().catch(() => undefined);
      return end;
    });

  /** What a tab does that is shown again after two hours. */
  const later = (page: Page) =>
    page.evaluate(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 2 * 60 * 60 * 1000;
      document.dispatchEvent(new Event('visibilitychange'));
    });

  test(
    'a half uploaded build changes nothing, and a whole one is told once, without force',
    DEPLOYS_CORE,
    async ({ page }) => {
      const { builds, deploy, origin } = await opened();
      await open(page, `${origin}/`);
      await isReady(page);
      const first = await entry(page);
      for (const fallback of [undefined, SINGLE]) {
        deploy(builds.b, { without: /worker-kernel/, ...(fallback && { fallback }) });
        expect(await refused(page)).toBe('redundant');
      }
      await goTo(page, 'Capabilities');
      await expect(newer(page)).toHaveText('');
      await goTo(page, 'Run', 'sp-runbar');
      await page.reload();
      await ready(page);
      expect(await entry(page)).toBe(first);
      await isReady(page);
      deploy(builds.b);
      await later(page);
      await expect(newer(page)).toContainText('A new version is here.', { timeout: 30_000 });
      await newer(page).getByRole('button', { name: 'Dismiss' }).click();
      await expect(newer(page)).toHaveText('');
      await expect(offline(page)).toHaveAttribute('data-offline', 'update');
      await page.locator('sp-trust .meter').click();
      await page.getByRole('button', { name: 'Use the new version' }).click();
      await expect.poll(() => entry(page).catch(() => first)).not.toBe(first);
      await ready(page);
      await expect(page.locator('sp-trust .claim')).toHaveText('Kernel locked');
      await isReady(page);
      expect(await kept(page)).toHaveLength(1);
    },
  );

  test('a service worker of one build and a page of another install nothing', DEPLOYS, async ({ page }) => {
    const { builds, deploy, origin } = await opened();
    await open(page, `${origin}/`);
    await isReady(page);
    deploy(builds.b, { without: /^\/$/, fallback: readFileSync('dist/index.html', 'utf8') });
    expect(await refused(page)).toBe('redundant');
    expect(await kept(page)).toHaveLength(1);
  });

  test('a browser leaves a site that is retired', DEPLOYS, async ({ page }) => {
    const { deploy, origin, retire } = await opened();
    await open(page, `${origin}/`);
    await isReady(page);
    await page.goto('about:blank');
    deploy('nowhere', { fallback: SINGLE });
    await retire(RETIRED_WORKER);
    await page.goto(`${origin}/`);
    await expect.poll(() => kept(page)).toEqual([]);
    await page.goto(`${origin}/`);
    await expect(page).toHaveTitle('Single');
    const left = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
    await expect.poll(left).toBe(0);
  });
});

test.describe('without the service worker', () => {
  test.use({ complaining: true });

  for (const [name, fallback] of [
    ['are gone', undefined],
    ['are answered with a page', SINGLE],
  ] as const) {
    test(`a page whose files ${name} says that it is older, and goes on with its run`, DEPLOYS, async ({ page }) => {
      const { builds, deploy, origin } = await opened();
      await open(page, `${origin}/`);
      const first = await entry(page);
      await runToQuestion(page);
      deploy(builds.b, { ...(fallback && { fallback }) });
      await goTo(page, 'Capabilities', 'sp-capabilities');
      await expect(page.locator('sp-capabilities')).toContainText('This page is older than its site');
      await expect(newer(page)).toContainText('lacks some of the files');
      await goTo(page, 'Run', 'sp-runbar');
      await approve(page);
      await expect(badge(page)).toHaveText('Completed');
      await newer(page).getByRole('button', { name: 'Reload the page' }).click();
      await expect.poll(() => entry(page).catch(() => first)).not.toBe(first);
      await ready(page);
    });
  }

  test('a page of one build with the files of another says so, and does not wait', DEPLOYS, async ({ page }) => {
    const { builds, deploy, origin } = await opened();
    deploy(builds.b, { without: /\/(assets|boot)/ });
    await page.goto(`${origin}/`);
    // the files of the build before are still there
    await expect(page.getByRole('status')).toContainText('Starting the kernel');
    deploy(builds.b, { without: /\/assets/ });
    await page.goto(`${origin}/`);
    await expect(page.getByRole('status')).toContainText('do not fit together', { timeout: 5_000 });
    deploy(builds.b);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await ready(page);
  });
});

test.describe('the element and the package', () => {
  test.use({ complaining: true });

  const element = (page: Page) => page.locator('sallyport-run');
  const codes = (page: Page) => page.evaluate(() => (globalThis as { codes?: unknown[] }).codes);

  async function openElement(page: Page): Promise<void> {
    await page.goto(`${host.origin}/`);
    await page.evaluate(async () => {
      await customElements.whenDefined('sallyport-run');
      const codes: unknown[] = [];
      Object.assign(globalThis, { codes });
      document.querySelector('sallyport-run')?.addEventListener('sallyport-error', (event) => {
        codes.push((event as CustomEvent<{ code: string }>).detail.code);
      });
    });
  }

  for (const [name, fallback] of [
    ['are gone', undefined],
    ['are answered with a page', SINGLE],
  ] as const) {
    test(`a first step whose files ${name} is told with a button that mends it`, DEPLOYS, async ({ page }) => {
      const { builds, deploy } = await opened('/sallyport/');
      await openElement(page);
      deploy(builds.b, { ...(fallback && { fallback }) });
      await element(page).getByRole('button', { name: 'Step' }).click();
      await expect(element(page).getByRole('alert')).toContainText('This page is older than its site');
      expect(await codes(page)).toEqual(['build_gone']);
      await element(page).getByRole('button', { name: 'Reload the page' }).click();
      await expect(element(page).getByRole('alert')).toHaveText('');
      await element(page).getByRole('button', { name: 'Step' }).click();
      await expect(element(page).locator('[part=record]').first()).toBeVisible();
    });
  }

  test('a question that was open before a deploy is answered behind it', DEPLOYS, async ({ page }) => {
    const { builds, deploy } = await opened('/sallyport/');
    await openElement(page);
    await element(page).getByRole('button', { name: 'Run' }).click();
    await expect(element(page).getByRole('heading', { name: 'Approve bill.write?' })).toBeVisible();
    deploy(builds.b);
    const yes = element(page).getByRole('button', { name: 'Approve once' });
    await expect(yes).toHaveAttribute('aria-disabled', 'false');
    await yes.click();
    await expect(element(page).locator('[part=verdict]')).toHaveText('Completed');
    expect(await element(page).evaluate((each) => (each as SallyportRun).records.length)).toBeGreaterThan(3);
  });

  test('twenty elements of a page share their workers', DEPLOYS, async ({ page }) => {
    await opened('/sallyport/');
    await openElement(page);
    await page.evaluate(async () => {
      const first = document.querySelector('sallyport-run') as SallyportRun;
      for (let i = 1; i < 20; i++) document.body.append(first.cloneNode(true));
      await Promise.all([...document.querySelectorAll<SallyportRun>('sallyport-run')].map((each) => each.step()));
    });
    const runs = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<SallyportRun>('sallyport-run')].map(({ records }) => records[0]?.run_id),
      );
    expect(new Set(await runs()).size).toBe(20);
    expect(page.workers().length).toBeLessThanOrEqual(4);
    await page.evaluate(() => document.body.replaceChildren());
    await expect.poll(() => page.workers().length).toBe(0);
  });

  test(
    'the parts of a session and of a checked run survive a deploy, or are told with a code',
    DEPLOYS,
    async ({ page }) => {
      const { builds, deploy } = await opened('/sallyport/');
      await page.goto(`${host.origin}/`);
      await page.evaluate(async () => {
        const address = '/sallyport/index.js';
        const { defineCapability, openRuntime } = (await import(address)) as typeof sallyport;
        const source = 'export default () => 1;';
        const rest = { version: '1.0.0', description: 'One.', effect: 'pure', args: { type: 'object' } } as const;
        const one = defineCapability({ name: 'one', ...rest, source });
        const grants = [{ capability: 'one', mode: 'allow' }] as const;
        const options = { store: 'memory', assets: '/sallyport/', capabilities: [one], grants } as const;
        Object.assign(globalThis, { runtime: await openRuntime(options) });
      });
      await expect.poll(() => host.requests.some((path) => path.includes('session-wire'))).toBe(true);
      await page.waitForLoadState('networkidle');
      for (const [fallback, code] of [
        [undefined, 'build_mismatch'],
        [SINGLE, 'build_gone'],
      ] as const) {
        deploy(builds.b, { ...(fallback && { fallback, without: /worker-auditor/ }) });
        const told = await page.evaluate(async () => {
          const { runtime } = globalThis as unknown as { runtime: sallyport.Runtime };
          const session = runtime.openSession();
          const called = await session.call('one', {});
          const checked = await runtime.ledger
            .verify(session.run.id)
            .catch((error: unknown) => (error as { code: string }).code);
          await session.close();
          return { ok: called.ok, checked };
        });
        expect(told).toEqual({ ok: true, checked: code });
      }
    },
  );
});
