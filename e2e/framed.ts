import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test';
import { type StaticHost, serveFolders } from './serve.ts';

/** The frame example on two origins: the shop that embeds, and the agent in the frame. */
export interface Framed {
  readonly shop: StaticHost;
  readonly agent: StaticHost;
  close(): Promise<void>;
}

/**
 * `friend` is the origin that the agent's page names; the default is the origin of the shop. `isNamed`: the agent is at a
 * name, and not at an address, so that its page can have passkeys.
 */
export async function serveFramed(friend?: string, isNamed = false): Promise<Framed> {
  const folders = {
    '/sallyport/': 'dist',
    '/scenario.json': 'web/examples/plain/scenario.json',
    '/': 'web/examples/frame',
  };
  const served = await serveFolders({
    folders,
    replace: () => ({ 'https://shop.example': friend ?? shop.origin }),
  });
  const agent = isNamed ? { ...served, origin: served.origin.replace('127.0.0.1', 'localhost') } : served;
  const shop: StaticHost = await serveFolders({
    folders,
    replace: () => ({ 'https://agent.example': agent.origin }),
  });
  return { shop, agent, close: async () => void (await Promise.all([shop.close(), agent.close()])) };
}

/** The element inside the frame. */
export function innerOf(page: Page): Locator {
  const frame: FrameLocator = page.frameLocator('sallyport-run iframe');
  return frame.locator('sallyport-run');
}

/** Opens the shop and lets the agent run until it asks. */
export async function askFramed(page: Page, { shop }: Framed): Promise<Locator> {
  await page.goto(`${shop.origin}/`);
  const inner = innerOf(page);
  await expect(inner).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await expect(inner.getByRole('heading', { name: 'Approve bill.write?' })).toBeVisible({ timeout: 60_000 });
  return inner;
}
