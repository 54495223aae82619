import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressed } from '../../.scripts/vite/compressed.ts';
import { lock } from '../../.scripts/vite/lock.ts';

let root: string;
let server: PreviewServer;
const ENGINE = Buffer.alloc(50_000, 'engine');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-preview-'));
  await mkdir(join(root, 'dist/assets'), { recursive: true });
  await writeFile(join(root, 'dist/index.html'), '<p>Here');
  await writeFile(join(root, 'dist/404.html'), '<p>Not here');
  await writeFile(join(root, 'dist/assets/quickjs-12345678.wasm'), ENGINE);
  await writeFile(join(root, 'dist/worker-kernel.js'), 'kernel');
  await writeFile(join(root, 'dist/icon.png'), ENGINE);
  server = await preview({
    root,
    configFile: false,
    logLevel: 'silent',
    appType: 'mpa',
    plugins: [lock(), compressed()],
    preview: { port: 0, host: '127.0.0.1' },
  });
});
afterAll(async () => {
  await server.close();
  await rm(root, { recursive: true });
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function ask(path: string, headers: { readonly [name: string]: string } = {}): Promise<Reply> {
  const { hostname: host, port } = new URL(String(server.resolvedUrls?.local[0]));
  return new Promise((resolve, reject) => {
    get({ host, port, path, headers: { 'accept-encoding': 'gzip, br', ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

test('the preview server sends the engine compressed, with the headers of the lock', async () => {
  const { headers, body } = await ask('/assets/quickjs-12345678.wasm?import');
  expect([headers['content-type'], headers['content-encoding']]).toEqual(['application/wasm', 'br']);
  expect(headers.vary).toContain('Accept-Encoding');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(brotliDecompressSync(body).equals(ENGINE)).toBe(true);
});

test('the preview server sends the page of the root compressed, and an image as it is', async () => {
  const page = await ask('/');
  expect([page.headers['content-encoding'], String(brotliDecompressSync(page.body))]).toEqual(['br', '<p>Here']);
  const image = await ask('/icon.png');
  expect([image.headers['content-encoding'], image.body.equals(ENGINE)]).toEqual([undefined, true]);
});

test('the preview server answers a person who asks for a missing page in words', async () => {
  const { status, body } = await ask('/docs/old.html', { accept: 'text/html,*/*' });
  expect([status, String(body)]).toEqual([404, '<p>Not here']);
  expect(String((await ask('/old.js')).body)).toBe('');
});

test('the preview server answers 404 for a worker of another build', async () => {
  expect((await ask('/assets/worker-kernel-12345678.js')).status).toBe(404);
});

test('the preview server refuses a foreign host', async () => {
  const { status, body } = await ask('/assets/quickjs-12345678.wasm', { host: 'evil.example' });
  expect([status, body.equals(ENGINE)]).toEqual([403, false]);
});

test('a browser uses a file with a hash in its name for ten minutes, and asks before each use of another', async () => {
  const keptFor = async (path: string) => (await ask(path)).headers['cache-control'];
  expect(await keptFor('/assets/quickjs-12345678.wasm')).toBe('max-age=600');
  expect(await keptFor('/assets/quickjs-12345678.wasm?a=1')).toBe('max-age=600');
  expect([await keptFor('/'), await keptFor('/worker-kernel.js')]).toEqual(['no-cache', 'no-cache']);
});
