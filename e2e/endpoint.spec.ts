import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { modelIn } from '../web/playground/run/proposer.ts';
import { expect, shared, test } from './fixtures.ts';
import { type ModelServer, PROPOSALS, startModel } from './model.ts';
import { abort, badge, focused, openServer, receipts, row } from './open.ts';
import { CORE, CORE_ONCE, ONCE } from './tags.ts';

let model: ModelServer;
test.beforeEach(async () => {
  model = await startModel();
});
test.afterEach(() => model.close());

async function enter(page: Page, base: string, name = 'tiny', key = ''): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'A model server' });
  if (await dialog.isHidden()) await openServer(page);
  await expect(dialog).toBeVisible();
  await page.getByLabel('Base URL').fill(base);
  await page.getByRole('textbox', { name: 'Model' }).fill(name);
  await page.getByLabel('Key, if it needs one').fill(key);
}

async function use(page: Page, base: string): Promise<void> {
  await enter(page, base);
  await page.getByRole('button', { name: 'Use this model' }).click();
  await expect(page.getByRole('dialog', { name: 'A model server' })).toBeHidden();
}

shared(
  'a price is set where a model is chosen, and kept under the name that the run records',
  ONCE,
  async ({ page }) => {
    await openServer(page);
    await page.getByText('Price of its tokens').click();
    await expect(page.getByLabel('What it reads')).toBeDisabled();
    await enter(page, model.base('good'));
    await page.getByLabel('What it reads').fill('100000');
    await page.getByLabel('What it reads').press('Tab');
    await page.getByLabel('Currency').selectOption('CHF');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await expect(page.locator('sp-endpoint dialog')).toBeHidden();
    const recorded = () =>
      page.evaluate(() => {
        const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
        const [first] = store.session.value?.records.value ?? [];
        return first?.kind === 'configuration' ? first.body.model : '';
      });
    await expect.poll(recorded).toContain('tiny');
    const kept = await page.evaluate(() => localStorage.getItem('sallyport.prices') ?? '');
    expect(JSON.parse(kept)).toMatchObject({ [modelIn(await recorded())]: { input: 100_000, currency: 'CHF' } });
  },
);

const finding = (page: Page) => page.locator('sp-endpoint [role=status]');

test.describe('the test of a connection', () => {
  // The browser reports failed requests on the console.
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

  shared('the test of a connection tells a person how to mend each fault of a server', async ({ page }) => {
    for (const [behaviour, words] of Object.entries(WORDS)) {
      await enter(page, model.base(behaviour));
      await page.locator('#test').click();
      await expect(finding(page), behaviour).toHaveText(words, { timeout: 15_000 });
    }
  });

  shared(
    'the test of a connection reports an absent server, an unknown model and an address without /v1',
    ONCE,
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

  shared('the dialog of a model fills in a known server, and lists the models of a server', ONCE, async ({ page }) => {
    await openServer(page);
    await page.getByRole('combobox', { name: 'Server' }).selectOption('OpenAI');
    await expect(page.getByLabel('Base URL')).toHaveValue('https://api.openai.com/v1');
    await expect(page.getByLabel('Propose by calls of its own tools')).toBeChecked();
    await page.getByRole('combobox', { name: 'Server' }).selectOption('Ollama');
    await expect(page.getByLabel('Base URL')).toHaveValue('http://localhost:11434/v1');
    await expect(page.getByLabel('Propose by calls of its own tools')).not.toBeChecked();
    await page.getByLabel('Base URL').fill(model.base('good'));
    await page.getByRole('button', { name: 'List its models' }).click();
    await expect(finding(page)).toContainText('has 2 models. Choose one.');
    await finding(page).getByRole('button', { name: 'tiny' }).click();
    await expect(page.getByRole('textbox', { name: 'Model' })).toHaveValue('tiny');
  });

  shared('the dialog of a model refuses a key that would go over the network unencrypted', ONCE, async ({ page }) => {
    await enter(page, 'http://models.example/v1', 'tiny', 'sk-quince');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await expect(finding(page)).toContainText('a key is sent over https, or to this device');
  });
});

test.describe('a model behind an endpoint', () => {
  shared('a model behind an endpoint proposes in its own run, through the same gates', CORE_ONCE, async ({ page }) => {
    await use(page, model.base('good'));
    await expect(row(page, /configured/)).toContainText('openai-compatible');
    await page.keyboard.press('s');
    await expect(receipts(page)).toHaveCount(1);
    await page.keyboard.press('r');
    await expect(badge(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(page.locator('sp-inspector')).toContainText('forty-two');
    await expect(page.locator('sp-trust .meter')).not.toContainText('0 requests');
  });

  shared('a streamed proposal is shown as plain text while it arrives', ONCE, async ({ page }) => {
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

  shared('a person cancels a request, and aborts a run while its model streams a proposal', ONCE, async ({ page }) => {
    await use(page, model.base('slow'));
    await page.locator('#step').click();
    await expect(page.locator('sp-status')).toContainText('Waiting for tiny.');
    // The wait is shown in the setup, beside the words of the model, and in the status.
    const waits = page.locator('sp-elapsed');
    await expect(waits).toHaveText([/^\d+ s$/, /^\d+ s$/]);
    await page.locator('sp-status #cancel').click();
    await expect(page.locator('sp-status')).toContainText('A person cancelled the request to the model.');
    await model.say('');
    await page.locator('#step').click();
    await expect(page.locator('sp-status')).toContainText('Waiting for tiny.');
    await model.say('{"done');
    await expect(page.getByRole('region', { name: 'What the model is saying' })).toContainText('{"done');
    await expect(waits).toHaveText([/^\d+ s$/, /^\d+ s$/]);
    await abort(page);
    await model.say('').catch(() => undefined);
  });

  shared('the key of a model is in no record, no export, no link and no settings', CORE_ONCE, async ({ page }) => {
    await enter(page, model.base('good'), 'tiny', 'sk-quince-4711');
    await page.getByRole('button', { name: 'Use this model' }).click();
    await expect(page.getByRole('dialog', { name: 'A model server' })).toBeHidden();
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
  /** A `fetch` for the endpoint worker that answers for a remote model, and reports each request to the page. */
  const ELSEWHERE = `{
    const said = ${JSON.stringify(PROPOSALS)}, told = new BroadcastChannel('elsewhere');
    const real = self.fetch;
    self.fetch = async (url, init) => {
      // the test of the worker's own lock, which has to fail
      if (!String(url?.url ?? url).startsWith('https://models.example/')) return real.call(self, url, init);
      told.postMessage(url);
      const content = said.shift();
      return new Response(JSON.stringify({ choices: [{ message: { content } }] }), { headers: { 'content-type': 'application/json' } });
    };
  }`;

  /** Runs to the question: the first proposal reads a private note, and the second request would send it. */
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

  shared('consent is asked before private content goes to a remote model', ONCE, async ({ page }) => {
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
    // A yes takes no key in the first half second after the focus has come.
    await page.waitForTimeout(600);
    await page.keyboard.press('Enter');
    await expect(receipts(page)).toHaveCount(2);
    await expect(row(page, /consent given/)).toHaveCount(1);
    expect(await asked(page)).toBe(2);
  });

  shared('refused consent ends the run, and no request is sent', ONCE, async ({ page }) => {
    await toQuestion(page);
    await expect(page.locator('#deny')).toHaveAttribute('aria-disabled', 'false');
    await page.locator('#deny').click();
    await expect(badge(page)).toHaveText('Failed');
    await expect(row(page, /consent refused/)).toHaveCount(1);
    expect(await asked(page)).toBe(1);
  });
});

test.describe('a page with a model in use', () => {
  test.use({ complaining: true });

  shared('the page reaches no network while its endpoint worker may reach a model', CORE, async ({ page }) => {
    await use(page, model.base('good'));
    const before = model.asked.length;
    await page.locator('sp-trust .meter').click();
    await page.getByRole('button', { name: /Test it/ }).click();
    await expect(page.locator('sp-trust')).toContainText('the browser enforced connect-src');
    expect(model.asked.length).toBe(before);
  });
});
