import { afterAll, expect, test } from 'vitest';
import { assetsIn, fetchEngine } from '../../web/engine.ts';
import { openSandboxes } from '../../web/sandboxes.ts';
import { startKernel } from '../../web/start-kernel.ts';
import { startWorker } from '../../web/worker.ts';
import { BUILD } from '../../workers/lock/greeting.ts';

const urls: string[] = [];
const told = new BroadcastChannel('calls of a replaced worker');
const calls: unknown[] = [];
told.onmessage = ({ data }) => calls.push(data);
afterAll(() => {
  told.close();
  for (const url of urls) URL.revokeObjectURL(url);
});

/** A file in the place of a worker's: it sends this first message, and tells of every message that it gets. */
function replaced(first: unknown): string {
  const script = `
    onmessage = () => new BroadcastChannel('calls of a replaced worker').postMessage('a call');
    postMessage(${JSON.stringify(first)});`;
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  urls.push(url);
  return url;
}

const OTHER = { sallyport: 'other', probes: [] };
const mismatch = (file: string, found = 'other') => ({
  code: 'build_mismatch',
  details: { file, expected: BUILD, found },
  message: expect.stringContaining('Reload the page.'),
});

test('a worker of this build is met', async () => {
  const { met, terminate } = startWorker(replaced({ sallyport: BUILD }), 'same');
  expect((await met).greeting).toEqual({ sallyport: BUILD });
  terminate();
});

test.each([
  ['another build', OTHER, 'other'],
  ['no build', 'hello', 'unknown'],
])('a worker of %s is not met', async (_, first, found) => {
  const url = replaced(first);
  const { met, terminate } = startWorker(url, 'other');
  await expect(met).rejects.toMatchObject(mismatch(url, found));
  terminate();
});

test.each(['kernel', 'sandbox'] as const)('a page with a %s of another build opens no runtime', async (name) => {
  const url = replaced(OTHER);
  const assets = { ...assetsIn(undefined), [name]: url };
  await expect(startKernel(assets, 'memory', () => undefined)).rejects.toMatchObject(mismatch(url));
});

test('a spare sandbox of another build is told to the kernel with its code', async () => {
  const url = replaced(OTHER);
  const { spawn, killAll } = openSandboxes(fetchEngine(assetsIn(undefined).engine), url);
  expect(await spawn()).toMatchObject({ ok: false, error: mismatch(url) });
  killAll();
});

test('no call reached a worker of another build', () => {
  expect(calls).toEqual([]);
});
