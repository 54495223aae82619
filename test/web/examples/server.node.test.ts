import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The example server without its database: its agents have no run.

const TOKEN = 'f'.repeat(32);
let port = 0;
let server: ReturnType<typeof spawn>;

beforeAll(async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  ({ port } = probe.address() as { port: number });
  probe.close();
  const program = `const { serve } = await import('./web/examples/server/http.js');
    const all = new Map([['ada', { list: async () => [] }]]);
    const terms = { port: ${port}, tokens: new Map([['ada', '${TOKEN}']]), origin: 'http://127.0.0.1:${port}' };
    serve(all, terms).on('listening', () => console.log('up'));`;
  server = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout as NodeJS.ReadableStream, 'data');
});
afterAll(() => void server.kill());

interface Answer {
  readonly status: number | undefined;
  readonly headers: { readonly [name: string]: unknown };
}

/** The answer to a request with just these headers. */
function ask(path: string, headers: { readonly [name: string]: string } = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.headers });
    });
    asked.on('error', reject);
    asked.end(method === 'POST' ? '{"task":"x"}' : undefined);
  });
}

const cookieIn = ({ headers }: Answer) => String((headers['set-cookie'] as string[])[0]).split(';')[0] ?? '';

describe('the example server', () => {
  test('signs a browser in with a cookie that is not its token, and that nobody can make', async () => {
    const cookie = cookieIn(await ask(`/?token=${TOKEN}`));
    expect(cookie).not.toContain(TOKEN);
    expect(await ask('/runs', { cookie })).toMatchObject({ status: 200 });
    expect(await ask('/runs', { authorization: `Bearer ${TOKEN}` })).toMatchObject({ status: 200 });
    const [, ends = '', mark = ''] = /=ada\.(\d+)\.(\w+)/.exec(cookie) ?? [];
    const made = ['session=ada', `${Number(ends) + 1}`, mark].join('.');
    const others = [`token=${TOKEN}`, `session=${TOKEN}`, made, `session=ada.1.${mark}`, `session=bob.${ends}.${mark}`];
    for (const other of others) expect((await ask('/runs', { cookie: other })).status, other).toBe(401);
  });

  test('answers to its own host and origin alone, and is shown in no frame', async () => {
    const cookie = cookieIn(await ask(`/?token=${TOKEN}`));
    const page = await ask('/', { cookie });
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `localhost:${port}`])
      expect((await ask('/runs', { cookie, host })).status, host).toBe(421);
    for (const origin of ['https://evil.example', `http://127.0.0.1:${port + 1}`, 'null'])
      expect((await ask('/runs', { cookie, origin }, 'POST')).status, origin).toBe(421);
    expect((await ask(`/?token=${TOKEN}`, { host: 'evil.example' })).status).toBe(421);
  });
});
