import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from './fixtures.ts';
import { ONCE } from './tags.ts';

const FOLDER = 'dist/docs';
const examples = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => /^example-.+\.js$/.test(file)) : [];

test(
  'an example shows the gates of its steps when it is run, and loads no runtime before',
  ONCE,
  async ({ page, app }) => {
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
  },
);

test('an HTML example shows its element in the page, in its language and colours', ONCE, async ({ page, app }) => {
  await page.goto(`${app.url}docs/theme.html`);
  await page.getByRole('button', { name: 'Run' }).click();
  const element = page.locator('.played sallyport-run');
  await element.getByRole('button', { name: 'Schritt' }).click();
  await expect(element.locator('[part=record]').filter({ hasText: 'Beleg' })).toHaveCount(1, { timeout: 30_000 });
  const accent = await element.evaluate((each) => getComputedStyle(each).getPropertyValue('--sallyport-accent'));
  expect(accent).toContain('#6b2d8a');
  // No data is left in the browser.
  const names = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  expect(names).toEqual([]);
});

test('every example prints in a page the lines that it promises', ONCE, async ({ page, app }) => {
  expect(examples.length).toBeGreaterThan(18);
  // Each example opens a runtime of its own.
  test.setTimeout(examples.length * 15_000);
  await page.goto(`${app.url}docs/first-run.html`);
  for (const file of examples) {
    const { said, printed } = await page.evaluate(
      async (name) => {
        const address = new URL('runtime.js', location.href).href;
        const { show } = (await import(address)) as { show(name: string, place: HTMLElement): Promise<string> };
        const place = document.createElement('div');
        return { said: await show(name, place), printed: place.querySelector('.printed')?.textContent ?? '' };
      },
      file.slice(0, -3),
    );
    expect.soft(said, file).toMatch(/^Steps: \d+\. Lines printed: \d+\.$/);
    const promised = [...readFileSync(`${FOLDER}/${file}`, 'utf8').matchAll(/\/\/ → (.*)$/gm)];
    const lines = printed.split('\n').filter(Boolean);
    expect.soft(lines, file).toEqual(promised.map(([, words = '']) => words.trim()));
  }
});
