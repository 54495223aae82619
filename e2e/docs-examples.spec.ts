import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from './fixtures.ts';
import { ONCE } from './tags.ts';

const FOLDER = 'dist/docs';
const examples = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => /^example-.+\.js$/.test(file)) : [];

test('an example shows the gates of its steps when it is run, and loads no runtime before', async ({ page, app }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${app.url}docs/first-run.html`);
  await expect(page.getByRole('button', { name: 'Run' })).toBeVisible();
  expect(asked.filter((path) => /runtime|worker|wasm|example/.test(path))).toEqual([]);
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.locator('.step')).toHaveCount(3, { timeout: 30_000 });
  await expect(page.locator('.step').first()).toContainText('Step 1: duplicate_member');
  await expect(page.locator('.step').first().locator('.stopped')).toContainText('parse: stopped here');
  await expect(page.locator('.step').nth(1).locator('.passed')).toHaveCount(9);
  await expect(page.getByRole('status').filter({ hasText: 'Steps: 3.' })).toBeVisible();
});

test('some pages of the documentation have examples that run', () => {
  expect(examples.length).toBeGreaterThan(12);
});

for (const file of examples) {
  const name = file.slice(0, -3);
  test(`${name} prints in a page the lines that it promises`, ONCE, async ({ page, app }) => {
    await page.goto(`${app.url}docs/${name.replace(/^example-(.+)-\d+$/, '$1')}.html`);
    const code = page.locator(`.code:has(pre[data-example="${name}"])`);
    await code.locator('+ .run').getByRole('button', { name: 'Run' }).click();
    await expect(code.locator('+ .run').getByRole('status')).toHaveText(/Lines printed: \d+\.$/, { timeout: 60_000 });
    const printed = await code.locator('+ .run + .played .printed').allTextContents();
    const promised = [...readFileSync(`${FOLDER}/${file}`, 'utf8').matchAll(/\/\/ → (.*)$/gm)];
    expect(printed.join('\n').split('\n').filter(Boolean)).toEqual(promised.map(([, words = '']) => words.trim()));
  });
}
