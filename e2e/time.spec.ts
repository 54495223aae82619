import { canonicalText, type JsonValue, sha256Text } from '../core/index.ts';
import type { Playground } from '../web/playground/playground.ts';
import { expect, shared } from './fixtures.ts';
import { finished, receipts, row, rows } from './open.ts';
import { ONCE } from './tags.ts';

shared('the time of a run is drawn step by step, with keys and in words', ONCE, async ({ page }) => {
  await finished(page);
  const steps = await receipts(page).count();
  await page.locator('sp-timeline #time').click();
  const lines = page.locator('sp-waterfall [role=option]');
  await expect(lines).toHaveCount(steps);
  await expect(page.locator('sp-waterfall .totals')).toContainText(`in ${steps} steps`);
  await expect(lines.nth(2).locator('rect:not(.track)').first()).toBeAttached();
  await expect(page.locator('sp-waterfall')).not.toContainText('times of their records');
  await page.getByRole('listbox', { name: 'Time of each step' }).press('Home');
  await expect(lines.first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(lines.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expect(lines.nth(1)).toContainText(/Step 2, .+\. .*(?: s| ms)/);
  await expect(page.locator('sp-waterfall .detail')).toContainText('Step 2');
  await page.locator('#filter').fill('type:denied');
  await expect(lines).toHaveCount(1);
  await page.locator('#filter').fill('');
  await page.locator('sp-timeline #time').click();
  await expect(rows(page).first()).toBeVisible();
});

shared('tokens have a cost where a person sets a price, which stays on this device', ONCE, async ({ page }) => {
  const run = async (): Promise<void> => {
    await page.evaluate(async () => {
      const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
      const model = {
        id: 'counted',
        locality: { kind: 'local' as const },
        propose: async () => ({
          text: JSON.stringify({ done: true, message: 'Said.' }),
          usage: { input: 1_000_000, output: 500_000 },
        }),
      };
      const own = store.runtime.start({ dialect: 'xct', task: 'Say it.', model });
      await own.result;
      await store.openRun(own.id);
    });
    await expect(receipts(page)).toHaveCount(1);
    await page.locator('sp-timeline #time').click();
  };
  await run();
  const money = page.locator('sp-waterfall details');
  await expect(money).toHaveText(/1,000,000 tokens in, 500,000 out/);
  await money.locator('summary').click();
  await money.getByLabel('What it reads').fill('3');
  await money.getByLabel('What it writes').fill('10');
  await money.getByLabel('What it writes').press('Tab');
  await expect(money).toContainText('$8.00');
  await money.getByLabel('Currency').selectOption('EUR');
  await expect(money).toContainText('€8.00');
  await page.locator('sp-timeline #time').click();
  expect(await page.evaluate(() => localStorage.getItem('sallyport.prices'))).toContain('"counted"');
  // The end of the run tells its whole cost.
  await row(page, /ended|completed/)
    .last()
    .click();
  await expect(page.locator('sp-inspector')).toContainText('1,000,000 tokens in, 500,000 out, €8.00');
});

shared('a search counts the records by their side, shows the place, and completes fields', ONCE, async ({ page }) => {
  await finished(page);
  await page.locator('#filter').fill('marlow');
  await expect(page.locator('sp-timeline')).toContainText(
    /Found in \d+ records: \d+ proposed, \d+ answered, \d+ recorded/,
  );
  await expect(page.locator('sp-timeline mark').first()).toHaveText(/marlow/i);
  await page.locator('#filter').fill('proposed:marlow type:prop');
  await page.getByRole('button', { name: /^proposed:marlow type:proposal/ }).click();
  await expect(page.locator('#filter')).toBeFocused();
  await page.locator('#filter').fill('answered:"no such words"');
  await expect(page.locator('sp-timeline')).toContainText('No record matches');
  await page.locator('#clear').click();
});

shared('JSON folds as a tree with the keys of its pattern, and copies value, path and hash', ONCE, async ({ page }) => {
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  await receipts(page).click();
  await page.getByRole('tab', { name: 'Receipt' }).click();
  await page.locator('sp-fields #tree').click();
  const items = page.locator('sp-tree').last().getByRole('treeitem');
  await expect(items.first()).toHaveAttribute('aria-expanded', 'true');
  const all = await items.count();
  await page.evaluate(() => {
    const written: string[] = [];
    Object.assign(globalThis, { written });
    navigator.clipboard.writeText = async (text: string) => void written.push(text);
  });
  await page.getByRole('tree').last().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(items.nth(2)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect(items).toHaveCount(1);
  await page.keyboard.press('ArrowRight');
  await expect(items).toHaveCount(all);
  await page.keyboard.press('ArrowRight');
  for (const id of ['value', 'path', 'hash']) await page.locator('sp-tree').last().locator(`#${id}`).click();
  await expect(page.locator('sp-tree').last()).toContainText('Copied the hash of /');
  await items
    .filter({ hasText: /^\s*body\s*\{/ })
    .first()
    .click();
  for (const id of ['value', 'path', 'hash']) await page.locator('sp-tree').last().locator(`#${id}`).click();
  await expect(page.locator('sp-tree').last()).toContainText('Copied the hash of /body');
  const [written, record] = await page.evaluate(() => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const copies = (globalThis as unknown as { written: readonly string[] }).written;
    return [copies, store.selection.record.peek() as unknown as { readonly [member: string]: JsonValue }] as const;
  });
  const [text = '', path = '', hash, whole = '', place, wholeHash] = written;
  const member = record[path.slice(1)] ?? null;
  expect(text).toBe(typeof member === 'string' ? member : JSON.stringify(member));
  expect(hash).toBe(sha256Text(canonicalText(member)));
  expect(place).toBe('/body');
  expect(JSON.parse(whole)).toEqual(record['body']);
  expect(wholeHash).toBe(sha256Text(canonicalText(record['body'] ?? null)));
  await page.getByRole('tab', { name: 'Message' }).click();
  await page.getByRole('button', { name: 'Tree' }).click();
  await expect(page.locator('sp-message sp-tree').getByRole('treeitem').first()).toBeVisible();
  await page.getByRole('button', { name: 'Indented' }).click();
});

shared('two runs are compared side by side, from the list and from a file', ONCE, async ({ page }) => {
  await page.keyboard.press('s');
  await expect(receipts(page)).toHaveCount(1);
  const [same, changed] = await page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const text = await store.runtime.ledger.export(store.session.value?.id ?? '');
    const other = store.runtime.start({
      dialect: 'xct',
      task: 'How old is the leaven?',
      model: { id: 'said', propose: async () => ({ text: '{"done":true,"message":"Said."}' }) },
    });
    await other.result;
    return [text, other.id];
  });
  await page.evaluate(() => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    store.listRuns();
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('compare with');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Compare two runs' });
  await expect(dialog).toBeVisible();
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'same.jsonl',
    mimeType: 'text/plain',
    buffer: Buffer.from(same ?? ''),
  });
  await expect(dialog.getByRole('status')).toHaveText('The runs are the same over 1 step.');
  await dialog.locator('#other').selectOption(changed ?? '');
  await expect(dialog.getByRole('status')).toContainText('1 of 1 step differ');
  await expect(dialog.locator('table')).toContainText('/task/text');
  await expect(dialog.locator('table')).toContainText('How old is the leaven?');
  await expect(dialog.locator('.step').last()).toContainText('1');
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'no.jsonl',
    mimeType: 'text/plain',
    buffer: Buffer.from('<b>no</b>'),
  });
  await expect(dialog.getByRole('status')).toContainText('no.jsonl cannot be compared');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});
