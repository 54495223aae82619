import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { expect, test } from './fixtures.ts';
import { serveFolders } from './serve.ts';

test('a page made with React gives the element its capabilities and model, and hears how the run ended', async ({
  page,
}) => {
  const outDir = await mkdtemp(join(tmpdir(), 'sallyport-react-'));
  await build({
    root: 'web/examples/react',
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { 'sallyport/element': resolve('dist/element.js'), sallyport: resolve('dist/index.js') } },
    build: { outDir, emptyOutDir: true, target: 'es2024', assetsInlineLimit: 0 },
  });
  const host = await serveFolders({ folders: { '/': outDir } });
  await page.goto(`${host.origin}/`);
  // Typed, because React does not see a value that a driver sets.
  const rename = async (name: string) => {
    await page.getByLabel('Name').press('ControlOrMeta+a');
    await page.getByLabel('Name').pressSequentially(name);
  };
  await rename('Grace');
  await page.getByRole('button', { name: 'Greet' }).click();
  await expect(page.locator('output')).toHaveText('Grace was greeted.', { timeout: 30_000 });
  await expect(page.locator('sallyport-run [part=meter]')).toHaveAttribute('data-isolation', 'locked');
  await rename('Alan');
  await page.getByRole('button', { name: 'Greet' }).click();
  await expect(page.locator('output')).toHaveText('Alan was greeted.', { timeout: 30_000 });
  await host.close();
  await rm(outDir, { recursive: true });
});

/** Speaks like Ollama: answers each request with the next of these texts, and keeps what it was asked. */
async function localModel(texts: readonly string[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*');
    if (request.method === 'OPTIONS') return void response.end();
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const content = texts[asked.push(Buffer.concat(pieces).toString()) - 1];
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, close: () => server.close() };
}

test('private notes stay here: a local model sees what it searched for and nothing more', async ({ page }) => {
  const host = await serveFolders({ folders: { '/sallyport/': 'dist', '/': 'web/examples/notes' } });
  const search = { next_step: { tool: 'notes.search', arguments: { words: ['dentist'] }, goal: 'find it' } };
  const model = await localModel([JSON.stringify(search), '{"done":true,"message":"On Tuesday at nine."}']);
  await page.goto(`${host.origin}/`);
  for (const note of ['Dentist on Tuesday at nine.', 'The safe opens with 4-8-15.']) {
    await page.getByLabel('New note').fill(note);
    await page.getByRole('button', { name: 'Keep' }).click();
  }
  await page.reload();
  await expect(page.locator('#notes li')).toHaveCount(2);
  await page.getByLabel('Local server').fill(model.url);
  await page.getByLabel('Question').fill('When is the dentist?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect(page.locator('output')).toHaveText('On Tuesday at nine.', { timeout: 30_000 });
  expect(model.asked).toHaveLength(2);
  expect(model.asked[1]).toContain('Dentist on Tuesday');
  expect(model.asked.join()).not.toContain('4-8-15');
  // Only files were asked of the page's own server.
  expect(host.requests.filter((path) => !/\.(html|js|css|wasm)$|^\/$/.test(path))).toEqual([]);
  model.close();
  await host.close();
});
