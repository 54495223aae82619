import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { expect, shared, test } from './fixtures.ts';
import { approve, badge, exported, focused, goTo, open, propose, receipts, row } from './open.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

/** A tool of the page: what a program that embeds the runtime provides. `а` is a Cyrillic letter. */
const ORIGIN = 'mcp:https://аpi.example/\u202Egpj';

/** Provides the tool `shop.order`, and a grant that asks. */
async function provide(page: Page, origin = ORIGIN): Promise<void> {
  await page.evaluate(async (given) => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const text = { type: 'string', maxLength: 40 } as const;
    await store.runtime.tools.provide({
      name: 'shop.order',
      version: '1.0.0',
      description: 'Orders from the shop.',
      effect: 'write',
      args: { type: 'object', properties: { item: text }, required: ['item'], additionalProperties: false },
      origin: given,
      run: (args: { item: string }) => `ordered ${args.item}`,
    });
    await store.catalogue.grant({ capability: 'shop.order', mode: 'ask' });
  }, origin);
}

shared(
  'a tool of the program is asked about with its origin, and its receipt names no image',
  CORE_ONCE,
  async ({ page }) => {
    await provide(page);
    await propose(page, '{"next_step":{"tool":"shop.order","arguments":{"item":"salt"},"goal":"g"}}');
    await expect(page.locator('sp-approval #origin')).toContainText('mcp:https://аpi.example/\\u202egpj');
    await expect(page.locator('sp-approval')).toContainText('letters that may not be what they look like');
    await approve(page);
    await expect(receipts(page)).toContainText('success, carried out by the program');
    await expect(page.locator('sp-explain')).toContainText('Through every gate: carried out by the program');
    await expect(page.locator('sp-explain')).toContainText('there is no image and no fuel');
    await expect(page.locator('sp-explain .gates')).toContainText('carried out by the program, outside the sandbox');
    await page.getByRole('tab', { name: 'Receipt' }).click();
    await expect(page.locator('sp-fields')).not.toContainText('prepared memory of the sandbox');
    await goTo(page, 'Capabilities');
    await page.locator('sp-catalogue nav').getByRole('button', { name: 'shop.order' }).click();
    await expect(page.locator('sp-catalogue article')).toContainText('The program carries this out');
    await expect(page.locator('sp-catalogue article')).toContainText('\\u202e');
    await expect(page.locator('sp-catalogue article')).not.toContainText('Source');
    await expect(page.getByRole('button', { name: 'Open a copy in the workshop' })).toHaveCount(0);
  },
);

test('a resumed call whose tool is not provided any more ends with tool_gone', ONCE, async ({ page, app }) => {
  await open(page, app.url);
  await provide(page);
  await page.evaluate(() => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    store.startRun();
  });
  await propose(page, '{"next_step":{"tool":"shop.order","arguments":{"item":"salt"},"goal":"g"}}');
  await expect(page.locator('sp-approval #origin')).toBeVisible();
  await page.reload();
  await expect(page.locator('sp-approval #origin')).toBeVisible({ timeout: 30_000 });
  await approve(page);
  await expect(page.locator('sp-explain')).toContainText('Provide the tool with the same definition');
  await expect(page.locator('sp-explain .gates')).toContainText('tool_gone');
  await expect(page.locator('sp-explain #remedy')).toHaveCount(0);
});

shared(
  'a session is named by its caller, followed as it is written, read, verified and exported',
  CORE_ONCE,
  async ({ page }) => {
    const id = await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      const session = store.runtime.openSession({ label: 'ai-sdk', labels: ['untrusted'] });
      Object.assign(globalThis, { session });
      await session.call('calc.eval', { expression: '1+1' });
      return session.run.id;
    });
    await page.locator('sp-runs summary').click();
    await page.locator('sp-runs li button', { hasText: 'Session of ai-sdk' }).click();
    await expect(page.locator('sp-runbar h1')).toHaveText('Session of ai-sdk');
    await expect(badge(page)).toHaveText('Followed');
    await expect(page).toHaveTitle(/^Session of ai-sdk, run/);
    await expect(page.locator('#take')).toHaveCount(0);
    await expect(page.locator('#step')).toHaveCount(0);
    await expect(page.locator('#task')).toHaveCount(0);
    await expect(page.locator('sp-setup')).toContainText('the caller of this session');
    await expect(receipts(page)).toHaveCount(1);
    await row(page, /configured/).click();
    await expect(row(page, /configured/)).toContainText('session of ai-sdk, untrusted from the start');
    await expect(page.locator('sp-explain')).toContainText('Session of ai-sdk');
    await expect(page.locator('sp-explain')).toContainText('untrusted');
    await page.evaluate(async () => {
      const { session } = globalThis as unknown as { session: ReturnType<Playground['runtime']['openSession']> };
      await session.call('calc.eval', { expression: '2+2' });
      await session.close('all is said');
    });
    await expect(receipts(page)).toHaveCount(2);
    await expect(badge(page)).toHaveText('Read only');
    await row(page, /completed/).click();
    await expect(page.locator('sp-explain')).toContainText('The caller’s last words');
    await expect(page.locator('#task')).toHaveCount(0);
    expect(await exported(page)).toContain(id);
    await page.getByRole('button', { name: 'Verify' }).click();
    await expect(page.locator('sp-checks li')).toHaveCount(6, { timeout: 30_000 });
  },
);

const FIELDS = 'sp-propose-form .form';

shared(
  'a form made from the schema writes the proposal, and shows the fault that the gate names',
  ONCE,
  async ({ page }) => {
    await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      const line = {
        type: 'object',
        properties: { item: { type: 'string', maxLength: 40 }, count: { type: 'integer', minimum: 1, maximum: 9 } },
        required: ['item', 'count'],
        additionalProperties: false,
      } as const;
      await store.runtime.tools.provide({
        name: 'shop.order',
        version: '1.0.0',
        description: 'Orders from the shop.',
        effect: 'pure',
        args: {
          type: 'object',
          properties: {
            lines: { type: 'array', items: line, minItems: 1, maxItems: 3 },
            pay: { enum: ['cash', 'card'] },
            gift: { type: 'boolean', default: false },
            extra: { anyOf: [{ type: 'number' }, { type: 'null' }] },
          },
          required: ['lines', 'pay'],
          additionalProperties: false,
        },
        run: () => 'ordered',
      });
      await store.catalogue.grant({ capability: 'shop.order', mode: 'allow' });
    });
    await page.getByRole('radio', { name: 'You' }).check();
    await page.locator('sp-tools summary').first().click();
    await expect(page.locator('sp-tools li').filter({ hasText: 'shop.order' })).toContainText('pure, allowed');
    await page.getByRole('button', { name: 'Use shop.order' }).click();
    const form = page.locator(FIELDS);
    await form.getByLabel('item').fill('salt');
    await form.getByLabel('count').fill('12');
    await form.getByRole('button', { name: 'Add to lines' }).click();
    await form.getByLabel('item').nth(1).fill('rye');
    await form.getByLabel('count').nth(1).fill('2');
    await form.getByLabel('pay').selectOption('card');
    await form.getByLabel('Include gift').check();
    await expect(form.getByLabel('gift', { exact: true })).toHaveValue('false');
    await form.getByLabel('Include extra').check();
    await form.getByLabel(/^extra/).fill('{');
    await expect(form.locator('.fault')).toContainText('This is not JSON');
    await form.getByLabel(/^extra/).fill('null');
    await expect(page.locator('#draft')).toHaveValue(
      /"lines":\[\{"item":"salt","count":12\},\{"item":"rye","count":2\}\],"pay":"card","extra":null,"gift":false/,
    );
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(receipts(page)).toHaveCount(1);
    await expect(form.getByLabel('count').first()).toHaveAttribute('aria-invalid', 'true');
    await expect(form.locator('.fault')).toContainText('must be <= 9');
    await form.getByLabel('count').first().fill('2');
    await expect(form.locator('.fault')).toHaveCount(0);
    await form.getByRole('button', { name: 'Remove lines 1' }).click();
    await expect(form.getByLabel('item')).toHaveValue('rye');
    await page.locator('#draft').press('Control+Enter');
    await expect(receipts(page).filter({ hasText: 'carried out by the program' })).toHaveCount(1);
  },
);

shared('a proposal that a person has edited by hand is not overwritten by the form', ONCE, async ({ page }) => {
  await page.getByRole('radio', { name: 'You' }).check();
  await page.locator('sp-tools summary').first().click();
  await page.getByRole('button', { name: 'Use calc.eval' }).click();
  const field = page.locator(FIELDS).getByLabel('expression');
  await expect.poll(() => focused(page)).toContain('#f-0');
  await page.locator('#draft').fill('{"mine":1}');
  await field.fill('1+1');
  await expect(page.locator('#draft')).toHaveValue('{"mine":1}');
  await page.getByRole('button', { name: 'Write it from the form' }).click();
  await expect(page.locator('#draft')).toHaveValue(/"expression":"1\+1"/);
  await field.fill('2+2');
  await expect(page.locator('#draft')).toHaveValue(/"expression":"2\+2"/);
  await page.getByRole('button', { name: 'All tools' }).click();
  await expect(page.locator('sp-tools li').first()).toBeVisible();
});
