import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { headersFor, roleOf } from '../workers/lock.ts';
import { expect, test } from './fixtures.ts';
import { open, receipts, step } from './open.ts';

const files = readdirSync('dist/assets').map((file) => `assets/${file}`);
const built = [...files, ...readdirSync('dist').filter((file) => /\.(html|png|webmanifest)$/.test(file))];
const workers = files.filter((file) => roleOf({ path: `/${file}` }) === 'worker');
const doors = files.filter((file) => roleOf({ path: `/${file}` }) === 'endpoint-worker');

test('the build has a kernel and a sandbox worker and one door, each of one file without imports', () => {
  expect(workers).toHaveLength(2);
  expect(doors).toHaveLength(1);
  for (const file of [...workers, ...doors]) {
    const { module, errors } = parseSync(file, readFileSync(`dist/${file}`, 'utf8'));
    expect(errors).toEqual([]);
    expect(module.staticImports).toEqual([]);
    // The one that is left is the self-test: it tries to import what the lock must stop.
    expect(module.dynamicImports.length).toBeLessThanOrEqual(file.includes('kernel') ? 1 : 0);
  }
});

test('every file is served with the headers of its role', async ({ app }) => {
  for (const file of ['', ...files]) {
    const { headers, status } = await fetch(app.url + file);
    expect(status, file).toBe(200);
    const role = roleOf({ path: `/${file}` });
    for (const [name, value] of Object.entries(headersFor(role))) expect(headers.get(name), file).toBe(value);
  }
});

test('a step asks the server for nothing but files of the build', async ({ page, app }) => {
  const before = app.requests.length;
  await open(page, app.url);
  await step(page);
  await expect(receipts(page)).toHaveCount(1);
  const asked = app.requests.slice(before).map((request) => request.replace('GET /', ''));
  expect(asked.filter((file) => !built.includes(file))).toEqual([]);
  expect(asked).toEqual(expect.arrayContaining([...workers]));
});
