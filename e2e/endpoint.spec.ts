import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { expect, shared, test } from './fixtures.ts';
import { type ModelServer, PROPOSALS, startModel } from './model.ts';
import { abort, badge, focused, receipts, row } from './open.ts';
import { ONCE } from './tags.ts';

let model: ModelServer;
test.beforeEach(async () => {
  model = await startModel();
});
test.afterEach(() => model.close());

async function enter(page: Page, base: string, name = 'tiny', key = ''): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'A model of your own' });
  if (await dialog.isHidden()) await page.getByRole('radio', { name: 'Model' }).check();
  await expect(dialog).toBeVisible();
  await page.getByLabel('Base URL').fill(base);
  await page.getByRole('textbox', { name: 'Model' }).fill(name);
  await page.getByLabel('Key, if it needs one').fill(key);
}

async function use(page: Page, base: string): Promise<void> {
  await enter(page, base);
  await page.getByRole('button', { name: 'Use this model' }).click();
  await expect(page.getByRole('dialog', { name: 'A model of your own' })).toBeHidden();
}

const finding = (page: Page) => page.locator('sp-endpoint [role=status]');

test.describe('the test of a connection', () => {
  // what a failed request looks like to a page is a matter of the browser: it says so on the console
  test.use({ complaining: true });

  const WORDS: { readonly [behaviour: string]: RegExp } = {
    good: /answers, and has tiny\. It keeps to a schema/,
    closed: /does not let this page read it \(CORS\).*OLLAMA_ORIGINS/,
    html: /no list of models/,
    locked: /refuses the key \(HTTP 401\)/,
    broken: /answers with an error \(HTTP 500\)/,
    moved: /sends on to another address/,
    prose: /gives no answer\. .*neither an event stream nor JSON/,
  };

  shared('says what a person can do about each way a server misbehaves', async ({ page }) => {
    for (const [behaviour, words] of Object.entries(WORDS)) {
      await enter(page, model.base(behaviour));
      await page.locator('#test').click();
      await expect(finding(page), behaviour).toHaveText(words, { timeout: 15_000 });
    }
  });

  shared(
    'tells of a server that is not there, a model that it has not, and an address without /v1',
    async ({ page }) => {
      await enter(page, 'http://127.0.0.1:9/v1');
      await page.locator('#test').click();
      await expect(finding(page)).toContainText('Nothing answers at http://127.0.0.1:9');
      await enter(page, model.base('good'), 'huge');
      await page.locator('#test').click();
      await expect(finding(page)).toContainText('has no model huge');
      await finding(page).getByRole('button', { name: 'other' }).click();
      await expect(page.getByRole('textbox', { name: 'Model' })).toHaveValue('other');
      await enter(page, model.base('good').replace('/v1', ''));
      await page.locator('#test').click();
      await finding(page)
        .getByRole('button', { name: /Use .*\/good\/v1/ })
        .click();
      await expect(page.getByLabel('Base URL')).toHaveValue(model.base('good'));
    },
  );

  shared('refuses a key that would go over the network unencrypted', ONCE, async ({ page }) => {
    await enter(page, 'http://models.example/v1', 'tiny', 'sk-quince');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await expect(finding(page)).toContainText('a key is sent over https, or to this device');
  });
});

test.describe('a model elsewhere', () => {
  shared('proposes in a run of its own, through the same gates', ONCE, async ({ page }) => {
    await use(page, model.base('good'));
    await expect(row(page, /configured/)).toContainText('openai-compatible');
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await page.keyboard.press('r');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(page.locator('sp-inspector')).toContainText('forty-two');
    await expect(page.locator('sp-trust .meter')).not.toContainText('0 requests');
  });

  shared('is shown as it speaks, as text and nothing else', async ({ page }) => {
    await use(page, model.base('slow'));
    await page.locator('#step').click();
    await model.say('{"done":true,"message":"<img src=x>\u202E');
    const said = page.getByRole('region', { name: 'What the model is saying' });
    await expect(said).toContainText('<img src=x>\\u202e');
    await expect(said.locator('img')).toHaveCount(0);
    await model.say('"}');
    await model.say('');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
  });

  shared('can be stopped in the middle of a word', async ({ page }) => {
    await use(page, model.base('slow'));
    await page.locator('#step').click();
    await model.say('{"done');
    await expect(page.getByRole('region', { name: 'What the model is saying' })).toContainText('{"done');
    await expect(page.locator('sp-elapsed')).toHaveText(/^\d+ s$/);
    await abort(page);
    await model.say('').catch(() => undefined);
  });

  shared('leaves its key in no record, no export, no link and no storage', ONCE, async ({ page }) => {
    await enter(page, model.base('good'), 'tiny', 'sk-quince-4711');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await expect(page.getByRole('dialog', { name: 'A model of your own' })).toBeHidden();
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    expect(model.asked.at(-1)?.headers.authorization).toBe('Bearer sk-quince-4711');
    await abort(page);
    const kept = await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as {
        store: Playground;
      };
      const id = store.session.value?.id ?? '';
      return [await store.runtime.ledger.export(id), location.href, JSON.stringify({ ...localStorage })].join('\n');
    });
    expect(kept).toContain('openai-compatible');
    expect(kept).not.toContain('quince');
  });
});

test.describe('consent', () => {
  /** A test machine reaches no other one: the worker's own fetch answers in its place, and tells the page. */
  const ELSEWHERE = `{
    const said = ${JSON.stringify(PROPOSALS)}, told = new BroadcastChannel('elsewhere');
    self.fetch = async (url) => {
      told.postMessage(url);
      const content = said.shift();
      return new Response(JSON.stringify({ choices: [{ message: { content } }] }), { headers: { 'content-type': 'application/json' } });
    };
  }`;

  /** The first proposal reads a private note, and before the second the note would leave. */
  async function toQuestion(page: Page): Promise<void> {
    await page.route(/worker-endpoint-.*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${ELSEWHERE}\n${await response.text()}` });
    });
    await page.evaluate(() => {
      const asked: string[] = [];
      const channel = new BroadcastChannel('elsewhere');
      channel.onmessage = ({ data }: MessageEvent<string>) => void asked.push(data);
      Object.assign(window, { asked, channel });
    });
    await use(page, 'https://models.example/v1');
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await page.keyboard.press('s');
    await expect(page.locator('sp-consent h2')).toContainText('https://models.example');
    await expect.poll(() => asked(page)).toBe(1);
  }

  const asked = (page: Page) => page.evaluate(() => (window as unknown as { asked: string[] }).asked.length);

  shared('is asked before private content goes to a model elsewhere, and a yes lets it', ONCE, async ({ page }) => {
    await toQuestion(page);
    await expect(badge(page)).toHaveText('Waiting for consent');
    await expect(page.locator('sp-consent')).toContainText(/[1-9][\d,]* bytes now/);
    await expect.poll(() => focused(page)).toBe('button#deny');
    await page.locator('#consent').evaluate((button: HTMLElement) => button.click());
    await expect(page.locator('#consent')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#consent').evaluate((button: HTMLElement) => button.click());
    await expect(badge(page)).toHaveText('Waiting for consent');
    expect(await asked(page)).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(receipts(page)).toHaveCount(2);
    await expect(row(page, /consent given/)).toHaveCount(1);
    expect(await asked(page)).toBe(2);
  });

  shared('that is refused ends the run, and nothing was sent', ONCE, async ({ page }) => {
    await toQuestion(page);
    await expect(page.locator('#deny')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#deny').click();
    await expect(badge(page)).toHaveText('Failed');
    await expect(row(page, /consent refused/)).toHaveCount(1);
    expect(await asked(page)).toBe(1);
  });
});

test.describe('the page around it', () => {
  test.use({ complaining: true });

  shared('stays closed: what is not the endpoint’s worker reaches nothing', async ({ page }) => {
    await use(page, model.base('good'));
    const before = model.asked.length;
    await page.locator('sp-trust .meter').click();
    await page.getByRole('button', { name: /Test it/ }).click();
    await expect(page.locator('sp-trust')).toContainText('the browser enforced connect-src');
    expect(model.asked.length).toBe(before);
  });
});
