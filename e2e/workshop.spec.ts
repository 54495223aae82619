import type { Page } from '@playwright/test';
import { expect, shared, test } from './fixtures.ts';
import { keepSaved, saved } from './saved.ts';
import { CORE_ONCE, ONCE } from './tags.ts';

async function openWorkshop(page: Page, url: string): Promise<void> {
  await page.goto(`${url}#v=capabilities&c=workshop`);
  await expect(editor(page, 'source')).toBeVisible({ timeout: 30_000 });
}

const editor = (page: Page, field: string) => page.locator(`sp-code#${field} .cm-content`);
const badge = (page: Page) => page.locator('sp-workshop .badge');
const results = (page: Page) => page.locator('sp-tryout .results');
const hash = (page: Page) => page.locator('sp-workshop .hash [title]').first();

/** Replaces the text of an editor, which indents the lines itself. */
async function write(page: Page, field: string, ...lines: string[]): Promise<void> {
  await editor(page, field).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Backspace');
  for (const [i, line] of lines.entries()) {
    if (i > 0) await page.keyboard.press('Enter');
    await page.keyboard.insertText(line);
  }
}

test(
  'a capability is written, tried, broken and mended, and every change has a hash of its own',
  CORE_ONCE,
  async ({ page, app }) => {
    await openWorkshop(page, app.url);
    await page.locator('#try').click();
    await expect(results(page)).toContainText('It answered.', { timeout: 30_000 });
    await expect(results(page)).toContainText('Good morning, x!');
    await expect(results(page).getByRole('region', { name: 'Console' })).toContainText('greeting x');
    const before = await hash(page).getAttribute('title');

    // The keys of the page are letters in the editor.
    await editor(page, 'source').click();
    await page.keyboard.type('?gl');
    await expect(editor(page, 'source')).toContainText('?gl');
    await expect(page).toHaveTitle('Capabilities: workshop – Sallyport');
    await write(page, 'source', 'export default () => {', 'let x = ;', '};');
    await expect(badge(page)).toContainText('one problem', { timeout: 30_000 });
    await expect(page.locator('.problems')).toContainText('source, line 2, column 11');
    await write(page, 'args', '{ "type": "object", "propertees": {} }');
    await expect(page.locator('.problems')).toContainText('args, line 1');
    await page.getByRole('button', { name: 'Revert' }).click();
    await expect(badge(page)).toContainText('loads in the sandbox', { timeout: 30_000 });
    expect(await hash(page).getAttribute('title')).toBe(before);

    await write(page, 'source', 'export default async (args, powers) => ({ greeting: String(await powers.clock()) });');
    await page.locator('#powers summary').click();
    await page.getByLabel('clock').check();
    await page.locator('#bump').click();
    await expect(page.locator('#version')).toHaveValue('0.1.1');
    expect(await hash(page).getAttribute('title')).not.toBe(before);
    await page.locator('#try').click();
    await expect(results(page).getByRole('region', { name: 'Power calls' })).toContainText('clock', {
      timeout: 30_000,
    });
  },
);

test('a try names the code that stopped it, and the next try starts afresh', ONCE, async ({ page, app }) => {
  await openWorkshop(page, app.url);
  await write(page, 'source', 'export default () => { while (true); };');
  await page.locator('#try').click();
  await expect(results(page)).toContainText('fuel_exhausted at execute', { timeout: 30_000 });
  await results(page).getByRole('button', { name: 'At which line?' }).click();
  await expect(results(page)).toContainText('About line 1, column 16 of its source', { timeout: 30_000 });
  await write(page, 'source', 'export default () => ({ greeting: 5 });');
  await page.locator('#try').click();
  await expect(results(page)).toContainText('result_schema at execute', { timeout: 30_000 });
  await expect(results(page).getByRole('region', { name: 'The result that was refused' })).toContainText(
    '"greeting": 5',
  );
  // a source that cannot be loaded has no verdict, and none of an earlier source
  await write(page, 'source', 'export default () => ({ greeting: 5 + };');
  await page.locator('#try').click();
  await expect(results(page)).toHaveText(/^\s*Not tried: the draft has problems\./);
  await write(page, 'source', 'export default (args) => {', '  return args.first.second;', '};');
  await page.locator('#try').click();
  await expect(results(page)).toContainText('Correct the source, or try other arguments.', { timeout: 30_000 });
  await expect(page.locator('sp-draft sp-code#source .cm-lintRange-error')).toHaveCount(1);
  await results(page).getByRole('button', { name: 'Show it in the source' }).click();
  await expect(editor(page, 'source')).toBeFocused();
  await page.getByRole('button', { name: 'Revert' }).click();
  await write(page, 'sample', '{ "name": "Ines", "name": "Theo" }');
  await page.locator('#try').click();
  await expect(results(page)).toContainText('duplicate_member at parse', { timeout: 30_000 });
});

test('a draft survives a reload, and a replaced draft can be brought back', ONCE, async ({ page, app }) => {
  await openWorkshop(page, app.url);
  await page.locator('sp-draft #name').fill('my.farewell');
  await page.reload();
  await expect(page.locator('sp-draft #name')).toHaveValue('my.farewell', { timeout: 30_000 });
  await page.getByLabel('Start from').selectOption('calc.eval');
  await expect(page.locator('sp-draft #name')).toHaveValue('calc.eval');
  await page.getByRole('button', { name: 'Bring back my.farewell' }).click();
  await expect(page.locator('sp-draft #name')).toHaveValue('my.farewell');
});

shared(
  'a definition is saved as a file, and added to the catalogue with a grant that asks',
  ONCE,
  async ({ page, app }) => {
    await keepSaved(page);
    await openWorkshop(page, app.url);
    await page.getByRole('button', { name: 'Save' }).click();
    expect(JSON.parse(await saved(page))).toMatchObject({ name: 'my.greeting', version: '0.1.0', effect: 'pure' });
    await page.getByRole('button', { name: 'Add and grant' }).click();
    await expect(page.locator('sp-catalogue h1')).toHaveText('my.greeting', { timeout: 30_000 });
    await expect(page.locator('sp-catalogue article .badge')).toHaveText('asks you each time');
    await expect(page.locator('sp-grants .said').first()).toContainText('Added and granted.');
    await page.locator('sp-grants .revoke').click();
    await expect(page.locator('sp-grants')).toContainText('is denied, even if it is valid');
  },
);

test('a link shows its capability for review, and runs it only after loading', ONCE, async ({ page, app }) => {
  await openWorkshop(page, app.url);
  await write(page, 'source', 'export default () => { throw new Error("I ran"); };');
  await page.getByRole('button', { name: 'Script' }).click();
  await page
    .locator('#script')
    .fill('not JSON\n---\n{"next_step":{"tool":"my.greeting","arguments":{"name":"A"},"goal":"g"}}');
  await expect(badge(page)).toContainText('loads in the sandbox', { timeout: 30_000 });
  await page.locator('#share').click();
  await expect(page.locator('#link')).toHaveValue(/#s=1\./);
  const link = await page.locator('#link').inputValue();

  await page.goto('about:blank');
  const kernels: string[] = [];
  page.on('worker', (worker) => void (worker.url().includes('worker-kernel') && kernels.push(worker.url())));
  await page.goto(link);
  await expect(page.locator('sp-review h1')).toContainText('my.greeting', { timeout: 30_000 });
  await expect(page.locator('sp-review')).toContainText('I ran');
  await expect(page.locator('sp-review')).toContainText('2 proposals');
  await expect(results(page)).toHaveCount(0);
  // A lab would start its own kernel beside the kernel of the page.
  expect(kernels).toHaveLength(1);
  await page.locator('#load').click();
  await page.locator('#try').click();
  await expect(results(page)).toContainText('json_syntax at parse', { timeout: 30_000 });
  await expect(results(page)).toContainText('capability_threw at execute');
  expect(kernels.length).toBeGreaterThan(1);
  await expect.poll(() => page.url()).not.toContain('s=1.');
});

const REFUSED = [
  ['is damaged', 's=1.AAAA', 'cut off or changed'],
  ['is of another version', 's=7.AAAA', 'made for format 7'],
  ['is huge', `s=1.${'A'.repeat(70_000)}`, 'the limit is 65,536'],
] as const;

shared('a link that cannot be read is refused with its reason, and the draft stays', ONCE, async ({ page }) => {
  for (const [what, fragment, reason] of REFUSED) {
    await page.evaluate((hash) => void (location.hash = hash), fragment);
    await expect.soft(page.locator('sp-review [role=alert]'), what).toContainText(reason);
    await page.locator('#discard').click();
    await expect(page.locator('#name')).toHaveValue('my.greeting');
  }
});
