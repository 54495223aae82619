import type { Page, test } from '@playwright/test';
import { ready } from './ready.ts';
import type { App } from './site.ts';

/** True for `npm run test:long -- boots`, which measures how long the pages of the stories take to open. */
const IS_ON = process.env.SALLYPORT_E2E === 'boots';

/** What a story of `npm run test:long -- boots` does: it opens its page. */
async function boot({ page, app }: { readonly page: Page; readonly app: App }): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(app.url);
  await ready(page);
}

const none = (): void => undefined;
const HOOKS: readonly PropertyKey[] = ['beforeAll', 'beforeEach', 'afterAll', 'afterEach'];

/** Tests of Playwright, and what extends them; for `npm run test:long -- boots` each opens its page, and does nothing else. */
export function bootsOnly<T extends typeof test>(tests: T): T {
  if (!IS_ON) return tests;
  return new Proxy(tests, {
    apply: (target, self, given: unknown[]) => Reflect.apply(target, self, [...given.slice(0, -1), boot]),
    get(target, name) {
      if (HOOKS.includes(name)) return none;
      if (name === 'extend') return (fixtures: Parameters<T['extend']>[0]) => bootsOnly(target.extend(fixtures));
      return Reflect.get(target, name);
    },
  });
}
