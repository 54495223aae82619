import { afterEach, expect, test, vi } from 'vitest';
import { isOlder, loadPart, loadParts, onGone, part } from '../../workers/load-part.ts';

afterEach(() => vi.unstubAllGlobals());

const failed = () => loadPart(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module: a.js')));

/** A page whose site answers a request so, or not. */
function inPage(fetch: () => Promise<unknown>, onLine = true): void {
  vi.stubGlobal('location', { href: 'https://site.example/page' });
  vi.stubGlobal('navigator', { onLine });
  vi.stubGlobal('fetch', fetch);
}

test('a part that loads is handed on', async () => {
  expect(await loadPart(async () => 1)).toBe(1);
});

test('a file that is gone from a site that answers is build_gone, with the reason of the browser and what to do', async () => {
  const asked = vi.fn(async (..._: unknown[]) => new Response(null, { status: 405 }));
  inPage(asked);
  const told: unknown[] = [];
  onGone((error) => told.push(error));
  const error: unknown = await failed().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: 'SallyportError',
    code: 'build_gone',
    message: expect.stringMatching(
      /^This page is older than its site, .*a\.js\. Reload the page; what its ledger keeps/,
    ),
  });
  expect(isOlder(error)).toBe(true);
  expect(told).toEqual([error]);
  expect(asked).toHaveBeenCalledWith('https://site.example/page', expect.objectContaining({ method: 'HEAD' }));
});

test.each([
  ['a device that is offline', async () => new Response(), false],
  ['a site that does not answer', () => Promise.reject(new TypeError('Failed to fetch')), true],
])('a part of %s is part_unloaded, which no reload mends at once', async (_, fetch, onLine) => {
  inPage(fetch, onLine);
  const error: unknown = await failed().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'part_unloaded', message: expect.stringContaining('Go online, then reload') });
  expect(isOlder(error)).toBe(false);
});

test('a program of Node whose package was replaced is told to start again', async () => {
  vi.stubGlobal('location', undefined);
  await expect(failed()).rejects.toMatchObject({
    code: 'build_gone',
    message: expect.stringMatching(/^This program is older than the files of its package.*Start the program again\.$/),
  });
});

test('a page whose policy forbids a policy of Trusted Types is told which to allow, and not to reload', async () => {
  inPage(async () => new Response());
  const reason = "Failed to execute 'createPolicy' on 'TrustedTypePolicyFactory': Policy \"lit-html\" disallowed.";
  const error: unknown = await loadPart(() => Promise.reject(new TypeError(reason))).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'worker_blocked',
    message: expect.stringMatching(/"lit-html" disallowed\. Allow trusted-types sallyport lit-html\.$/),
  });
  expect(isOlder(error)).toBe(false);
});

test('the error of a part inside of a part is told as it is', async () => {
  inPage(async () => new Response());
  const inner: unknown = await failed().catch((thrown: unknown) => thrown);
  await expect(loadPart(() => Promise.reject(inner as Error))).rejects.toBe(inner);
});

test('declared parts load when the page is idle, before a deploy can take them away', async () => {
  inPage(async () => new Response());
  const there = vi.fn(async () => 1);
  const ask = part(there);
  const gone = part(() => Promise.reject(new TypeError('Failed to fetch')));
  expect(there).not.toHaveBeenCalled();
  await loadParts();
  expect(there).toHaveBeenCalledOnce();
  expect(await ask()).toBe(1);
  await expect(gone()).rejects.toMatchObject({ code: 'build_gone' });
});
