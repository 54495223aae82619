import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { CDPSession, Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { askFramed, serveFramed } from './framed.ts';
import { badge, exported, readToEnd } from './open.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

interface Device {
  /** False: it asks for a PIN, and gets none. */
  verifies(isVerified: boolean): Promise<unknown>;
  /** Its passkeys, for the device of another window: each page of the driver has one of its own. */
  passkeys(): Promise<readonly Credential[]>;
}
type Credential = Awaited<ReturnType<typeof credentialsOf>>[number];

async function credentialsOf(session: CDPSession, authenticatorId: string) {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
  return credentials;
}

/** A device that makes passkeys and verifies whoever holds it. */
async function device(page: Page, held: readonly Credential[] = []): Promise<Device> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  for (const credential of held) await session.send('WebAuthn.addCredential', { authenticatorId, credential });
  return {
    passkeys: () => credentialsOf(session, authenticatorId),
    verifies: (isUserVerified) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

const call = (name: string): string =>
  JSON.stringify({ next_step: { tool: 'my.greeting', arguments: { name }, goal: 'greet' } });

async function makePasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the person').fill(name);
  await page.getByRole('button', { name: 'Make a passkey…' }).click();
  await expect(page.getByRole('listitem', { name: `passkey of ${name}` })).toBeVisible();
}

const card = (page: Page): Locator => page.locator('sp-approval');
const sign = (page: Page): Locator => card(page).getByRole('button', { name: 'Sign with a passkey' });

async function press(page: Page): Promise<void> {
  await readToEnd(page);
  await expect(sign(page)).toHaveAttribute('aria-disabled', 'false');
  await sign(page).click();
}

test(
  'two persons sign a yes with their passkeys, a cancelled request leaves the question open, and the export verifies offline',
  CORE_ONCE,
  async ({ page, app }) => {
    // a page at an IP address has no passkeys
    const url = app.url.replace('127.0.0.1', 'localhost');
    const { verifies } = await device(page);
    await page.goto(`${url}#v=capabilities&c=workshop`);
    await page.getByRole('button', { name: 'Add and grant' }).click({ timeout: 30_000 });
    await expect(page.locator('sp-catalogue h1')).toHaveText('my.greeting', { timeout: 30_000 });
    await page.locator('sp-grants .revoke').click();

    await page.locator('#keys summary').click();
    for (const name of ['Ada', 'Bob']) await makePasskey(page, name);
    const form = page.locator('sp-grants #give form');
    if (await form.isHidden()) await page.locator('sp-grants #give > summary').click();
    await page.getByRole('radio', { name: 'Ask me, every time' }).check();
    for (const name of ['Ada', 'Bob']) await form.getByRole('checkbox', { name }).check();
    await page.getByLabel('How many of these persons').fill('2');
    await page.locator('#grant').click();
    await expect(page.locator('sp-grants li').first()).toContainText('signed by 2 of Ada, Bob');

    await page.locator('#propose').click();
    await page.locator('#draft').fill(call('Ines'));
    await page.locator('#draft').press('Control+Enter');
    await expect(card(page)).toContainText('The yes has to be signed with a passkey, by 2 of: Ada, Bob.');
    await expect(card(page).locator('#approve')).toHaveCount(0);

    await verifies(false);
    await press(page);
    await expect(card(page).getByRole('status')).toContainText('Nothing was signed');
    await verifies(true);
    await press(page);
    await expect(card(page)).toContainText(/1 of 2 signed, by (Ada|Bob)\. This call, once/);
    await press(page);
    await expect(page.locator('sp-explain .headline')).toContainText('Through every gate');

    await page.locator('#draft').fill(JSON.stringify({ done: true, message: 'Greeted.' }));
    await page.locator('#draft').press('Control+Enter');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    const jsonl = await exported(page);
    const verify = spawnSync(process.execPath, [resolve('dist/cli.js'), 'verify', '--json'], {
      encoding: 'utf8',
      input: jsonl,
      timeout: 60_000,
    });
    const { checks } = JSON.parse(verify.stdout) as { checks: readonly { id: string; status: string }[] };
    expect([verify.status, checks.find(({ id }) => id === 'decisions')?.status]).toEqual([0, 'pass']);
  },
);

test(
  'a yes of a framed question is signed in a window of its own, with a passkey of the agent’s page',
  ONCE,
  async ({ page }) => {
    const framed = await serveFramed(undefined, true);
    const { passkeys } = await device(page);
    await page.goto(`${framed.agent.origin}/agent.html`);
    const ada = await page.evaluate(async () => {
      const { makePasskey: make } = (await import(`${location.origin}/sallyport/element.js`)) as {
        makePasskey(name: string): Promise<object>;
      };
      return make('Ada');
    });
    expect(ada).toEqual({ name: 'Ada', key: expect.stringMatching(/^[0-9a-f]{64}$/), origin: framed.agent.origin });
    await page.route('**/scenario.json', async (route) => {
      const scenario = (await (await route.fetch()).json()) as { grants: readonly { mode: string }[] };
      const grants = scenario.grants.map((each) => (each.mode === 'ask' ? { ...each, signed: { by: [ada] } } : each));
      await route.fulfill({ json: { ...scenario, grants } });
    });

    const inner = await askFramed(page, framed);
    await expect(inner.getByRole('button', { name: 'Approve once' })).toHaveCount(0);
    await expect(inner.getByRole('button', { name: 'Sign with a passkey' })).toHaveCount(0);
    await expect(inner.locator('sallyport-question [role=status]')).toContainText('Sign in a window of its own');
    const opening = page.context().waitForEvent('page');
    await inner.getByRole('button', { name: 'Open in a window…' }).click();
    const window = await opening;
    await device(window, await passkeys());
    const button = window.getByRole('button', { name: 'Sign with a passkey' });
    await expect(window.locator('sallyport-question')).toContainText('signed with a passkey, by 1 of: Ada');
    await expect(button).toHaveAttribute('aria-disabled', 'false');
    await button.click();
    await expect(page.locator('output')).toHaveText('completed: Everybody pays 21.15.', { timeout: 30_000 });
    await framed.close();
  },
);
