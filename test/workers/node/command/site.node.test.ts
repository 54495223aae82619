import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RETIRED_WORKER } from '../../../../workers/lock/retire.ts';
import { siteServer } from '../../../../workers/node/command/site.ts';

let folder: string;
/** The package, whose files the server mounts below a path. */
let home: string;
let server: Server;
let port: number;
const TEXT = 'export const a = 1;\n'.repeat(400);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-site-'));
  await mkdir(join(folder, '.git'));
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'index.html'), '<p>Here');
  await writeFile(join(folder, 'docs/index.html'), '<p>Docs');
  await writeFile(join(folder, '404.html'), '<p>Not here');
  await writeFile(join(folder, 'a.js'), TEXT);
  await writeFile(join(folder, 'a.wasm'), Buffer.alloc(5000));
  await writeFile(join(folder, 'a.png'), Buffer.alloc(5000));
  await writeFile(join(folder, '.env'), 'secret');
  await writeFile(join(folder, '.git/config'), 'secret');
  await symlink('.env', join(folder, 'plain.txt'));
  await symlink('/etc/passwd', join(folder, 'out.txt'));
  await symlink('/dev/zero', join(folder, 'zero.txt'));
  home = await mkdtemp(join(tmpdir(), 'sallyport-package-'));
  await writeFile(join(home, 'worker-kernel.js'), 'kernel');
  await symlink(join(folder, 'a.js'), join(home, 'a.js'));
  server = siteServer(folder, { path: '/lib/sallyport/', folder: home });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await Promise.all([folder, home].map((each) => rm(each, { recursive: true })));
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function ask(path: string, headers: { readonly [name: string]: string } = {}, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asking.on('error', reject).end();
  });
}

test.each(['localhost', 'LOCALHOST:5180', '127.0.0.1', '127.0.0.1:80'])(
  'the site server answers a request for the host %s',
  async (host) => {
    expect((await ask('/', { host })).status).toBe(200);
  },
);

test.each(['evil.example', 'evil.example:5180', 'localhost.evil.example', '127.0.0.1.evil.example', 'x@localhost'])(
  'the site server refuses the host %s, which a rebound page may send',
  async (host) => {
    const { status, body } = await ask('/', { host });
    expect([status, body.includes('Here')]).toEqual([421, false]);
  },
);

test('the site server refuses a request without a host', async () => {
  const said = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.once('data', (data) => resolve(String(data)));
  });
  expect(said.split('\r\n')[0]).toContain('421');
});

test.each([
  '/.env',
  '/.git/config',
  '/%2eenv',
  '/a/../.env',
  '/plain.txt',
  '/out.txt',
  '/zero.txt',
  '/docs',
  '/docs%00/',
])('the site server answers 404 for %s', async (path) => {
  const { status, body } = await ask(path);
  expect([status, String(body).split(':')[0]?.trim()]).toEqual([404, 'Not found']);
});

test.skipIf(process.platform === 'win32')(
  'the site server refuses a pipe at once, and answers other requests meanwhile',
  async () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe.txt')]);
    const pipes = await Promise.all(Array.from({ length: 12 }, () => ask('/pipe.txt')));
    expect(pipes.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 404));
    expect((await ask('/')).status).toBe(200);
  },
);

test('the site server serves the index of a folder, with the headers of the lock', async () => {
  const { headers, body } = await ask('/docs/');
  expect(String(body)).toBe('<p>Docs');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});

test('the site server serves the files of the package below the path of its mount, and none beside them', async () => {
  const { status, headers, body } = await ask('/lib/sallyport/worker-kernel.js?v=1');
  expect([status, String(body)]).toEqual([200, 'kernel']);
  expect(headers['content-security-policy']).toContain("script-src 'wasm-unsafe-eval'");
  const others = ['/worker-kernel.js', '/lib/sallyport/index.html', '/lib/sallyport/a.js', '/lib/sallyport/../../a.js'];
  for (const path of others) expect((await ask(path)).status, path).toBe(404);
});

test('the site server compresses scripts and WASM, but no images, in an encoding that the client accepts', async () => {
  const br = await ask('/a.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect([br.headers['content-encoding'], br.headers['vary']]).toEqual(['br', 'Accept-Encoding']);
  expect(String(brotliDecompressSync(br.body))).toBe(TEXT);
  expect(br.body.length).toBeLessThan(TEXT.length / 10);
  const gz = await ask('/a.js', { 'accept-encoding': 'gzip, br;q=0' });
  expect(gz.headers['content-encoding']).toBe('gzip');
  expect(String(gunzipSync(gz.body))).toBe(TEXT);
  const loud = await ask('/a.js', { 'accept-encoding': 'GZIP, br;Q=0' });
  expect(loud.headers['content-encoding']).toBe('gzip');
  const plain = await ask('/a.js');
  expect([plain.headers['content-encoding'], String(plain.body)]).toEqual([undefined, TEXT]);
  expect((await ask('/a.wasm', { 'accept-encoding': 'br' })).body.length).toBeLessThan(100);
  expect((await ask('/a.png', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
});

test('the site server compresses a file again after it has changed', async () => {
  await ask('/a.js', { 'accept-encoding': 'br' });
  await writeFile(join(folder, 'a.js'), 'changed');
  const { body } = await ask('/a.js', { 'accept-encoding': 'br' });
  expect(String(brotliDecompressSync(body))).toBe('changed');
});

test('the site server answers a request for an answer that the client keeps with 304 and the headers of the lock', async () => {
  const first = await ask('/a.wasm', { 'accept-encoding': 'br' });
  const tag = String(first.headers.etag);
  expect([tag, first.headers['cache-control']]).toEqual([expect.stringMatching(/^"[\w-]+"$/), 'no-cache']);
  for (const kept of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await ask('/a.wasm', { 'accept-encoding': 'br', 'if-none-match': kept });
    expect([again.status, again.body.length, again.headers['content-encoding']], kept).toEqual([304, 0, undefined]);
    expect([again.headers.etag, again.headers.vary]).toEqual([tag, 'Accept-Encoding']);
    expect(again.headers['content-security-policy']).toContain("default-src 'none'");
  }
  const other = await ask('/a.wasm', { 'accept-encoding': 'br', 'if-none-match': '"other"' });
  expect([other.status, other.body.equals(first.body)]).toEqual([200, true]);
});

test('the site server gives each encoding, each policy and each content a tag of its own', async () => {
  const tagOf = async (headers: { readonly [name: string]: string }) => (await ask('/a.mjs', headers)).headers.etag;
  await writeFile(join(folder, 'a.mjs'), TEXT);
  const tags = [
    await tagOf({}),
    await tagOf({ 'accept-encoding': 'gzip' }),
    await tagOf({ 'accept-encoding': 'br' }),
    await tagOf({ 'sec-fetch-dest': 'worker' }),
  ];
  await writeFile(join(folder, 'a.mjs'), `${TEXT}// changed`);
  expect(new Set([...tags, await tagOf({})]).size).toBe(5);
});

test('the site server answers HEAD with the headers of GET, and without a body', async () => {
  const [head, whole] = await Promise.all(
    ['HEAD', 'GET'].map((method) => ask('/a.wasm', { 'accept-encoding': 'br' }, method)),
  );
  expect(head?.body.length).toBe(0);
  const named = ({ headers: { date: _, ...others } }: Reply) => others;
  expect(named(head as Reply)).toEqual(named(whole as Reply));
  expect(whole?.headers['content-length']).toBe(String(whole?.body.length));
});

test('a retired site answers its service worker with one that removes itself, with the header of its role', async () => {
  const retired = siteServer(folder, undefined, true);
  await new Promise<void>((listening) => retired.listen(0, '127.0.0.1', listening));
  const { port: own } = retired.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${own}/service-worker.js?x`);
  expect(await answer.text()).toBe(RETIRED_WORKER);
  expect(answer.headers.get('content-type')).toContain('text/javascript');
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  expect(await (await fetch(`http://127.0.0.1:${own}/`)).text()).toBe('<p>Here');
  retired.close();
  retired.closeAllConnections();
});

test('the page on deploys has the worker of a retired site as it is', async () => {
  expect(await readFile('web/docs/deploys.md', 'utf8')).toContain(RETIRED_WORKER);
});

test('a person who asks for a missing page gets the site’s own words, and a program a line', async () => {
  const { status, headers, body } = await ask('/docs/old.html', { accept: 'text/html,*/*' });
  expect([status, String(body)]).toEqual([404, '<p>Not here']);
  expect(headers['content-type']).toContain('text/html');
  expect(String((await ask('/old.js', { accept: '*/*' })).body)).toBe('Not found\n');
});

test('the small model comes from the build, or from its own package where the person serves; else the answer says how', async () => {
  const paths = ['/lib/sallyport/small-model.bin', '/lib/sallyport/assets/weights-AbCd1234.bin'];
  const here = process.cwd();
  const project = await mkdtemp(join(tmpdir(), 'sallyport-project-'));
  process.chdir(project);
  try {
    for (const path of paths) {
      const { status, body } = await ask(path);
      expect([status, body.toString()]).toEqual([404, expect.stringContaining('npm install sallyport-small-model')]);
    }
    const installed = join(project, 'node_modules/sallyport-small-model');
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, 'package.json'), '{"exports":{"./weights.bin":"./weights.bin"}}');
    await writeFile(join(installed, 'weights.bin'), 'installed');
    for (const path of paths) expect((await ask(path)).body.toString()).toBe('installed');
    await mkdir(join(home, 'small-model'));
    await writeFile(join(home, 'small-model/weights.bin'), 'built');
    for (const path of paths) expect((await ask(path)).body.toString()).toBe('built');
    expect((await ask('/lib/sallyport/other.bin')).body.toString()).toBe('Not found\n');
  } finally {
    process.chdir(here);
    await rm(project, { recursive: true });
  }
});
