import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { build } from 'vite';
import { expect, test } from '../fixtures.ts';
import { serveFolders } from '../serve.ts';
import { SMOKE } from '../tags.ts';

const ENTRIES = ['element', 'react'].map((name) => [`sallyport/${name}`, resolve(`dist/${name}.js`)]);

/** Builds the program of a folder against the built package, and serves it until the page has left it. */
async function serveProgram(page: Page, root: string) {
  const outDir = await mkdtemp(join(tmpdir(), 'sallyport-react-'));
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { ...Object.fromEntries(ENTRIES), sallyport: resolve('dist/index.js') } },
    build: { outDir, emptyOutDir: true, target: 'es2024', assetsInlineLimit: 0 },
  });
  const host = await serveFolders({ folders: { '/': outDir } });
  const close = async () => {
    await page.goto('about:blank');
    await host.close();
    await rm(outDir, { recursive: true });
  };
  return { origin: host.origin, close };
}

test(
  'a page made with React gives the element its capabilities and model, and hears how the run ended',
  SMOKE,
  async ({ page }) => {
    const { origin, close } = await serveProgram(page, 'web/examples/react');
    await page.goto(`${origin}/`);
    const section = page.locator('section').filter({ hasText: 'The element' });
    // Typed, because React does not see a value that a driver sets.
    const rename = async (name: string) => {
      await page.getByLabel('Name').press('ControlOrMeta+a');
      await page.getByLabel('Name').pressSequentially(name);
    };
    await rename('Grace');
    await page.getByRole('button', { name: 'Greet' }).click();
    await expect(section.locator('output')).toHaveText('Grace was greeted.', { timeout: 30_000 });
    await expect(page.locator('sallyport-run [part=meter]')).toHaveAttribute('data-isolation', 'locked');
    await rename('Alan');
    await page.getByRole('button', { name: 'Greet' }).click();
    await expect(section.locator('output')).toHaveText('Alan was greeted.', { timeout: 30_000 });
    await close();
  },
);

test('a page made with the hooks of React asks a person, and lists the records of its run', async ({ page }) => {
  const { origin, close } = await serveProgram(page, 'web/examples/react');
  await page.goto(`${origin}/`);
  const section = page.locator('section').filter({ hasText: 'The hooks' });
  await expect(section.getByText('locked')).toBeVisible({ timeout: 30_000 });
  await section.getByRole('button', { name: 'Start' }).click();
  await expect(section.getByText('Approve greet with {"name":"Ada"}?')).toBeVisible({ timeout: 30_000 });
  await section.getByRole('button', { name: 'Approve' }).click();
  await expect(section.locator('output')).toHaveText('Ada was greeted.', { timeout: 30_000 });
  await expect(section.getByRole('listitem').first()).toHaveText('configuration');
  await expect(section.getByRole('listitem').last()).toHaveText('seal');
  await close();
});

test('the programs of the guide to React work as they are printed', async ({ page }) => {
  const guide = await readFile('web/docs/react.md', 'utf8');
  const programs = [...guide.matchAll(/^```jsx\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-guide-'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const html = '<!doctype html><div id="root"></div><script type="module" src="./main.jsx"></script>';
  await writeFile(join(folder, 'index.html'), html);
  const [agent, suspended, ...others] = programs;
  expect(others).toEqual([]);

  await writeFile(join(folder, 'main.jsx'), agent ?? '');
  const first = await serveProgram(page, folder);
  await page.goto(`${first.origin}/`);
  await page.getByRole('button', { name: 'Start' }).click({ timeout: 30_000 });
  await expect(page.getByRole('alert')).toContainText('math.add with {"a":2,"b":40}', { timeout: 30_000 });
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.locator('output')).toHaveText('It is 42.', { timeout: 30_000 });
  await expect(page.getByRole('listitem').last()).toHaveText('seal');
  await first.close();

  await writeFile(join(folder, 'main.jsx'), suspended ?? '');
  const second = await serveProgram(page, folder);
  await page.goto(`${second.origin}/`);
  await expect(page.locator('output')).toHaveText('The kernel is locked.', { timeout: 30_000 });
  await second.close();
  await rm(folder, { recursive: true });
});
