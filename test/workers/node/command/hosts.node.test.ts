import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { headersFor, type Role, roleOf } from '../../../../workers/lock/headers.ts';
import { askWithin, examine, HOSTS } from '../../../../workers/node/command/doctor.ts';

const FILES = [
  '/index.html',
  '/assets/index-1.js',
  '/assets/client-2.js',
  '/assets/worker-kernel-aB1.js',
  '/assets/worker-sandbox-2.js',
  '/assets/worker-endpoint-3.js',
  '/assets/worker-model-4.js',
  '/assets/worker-model-gguf-5.js',
  '/worker-model-gguf.js',
  '/service-worker.js',
] as const;

const BODIES: { readonly [path: string]: string } = {
  '/': '<!doctype html><script type="module" src="./assets/index-1.js"></script>',
  '/assets/index-1.js': 'import"./client-2.js";',
  '/assets/client-2.js':
    'new Worker(""+new URL("worker-kernel-aB1.js",import.meta.url));f(`assets/worker-sandbox-2.js`);"worker-endpoint-3.js"',
};

interface NextRule {
  readonly source: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

const nextConfig = (): string => HOSTS['next']?.write([]) ?? '';

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** Starts a server that sends the given headers for each path, and returns its address. */
async function hostWith(headers: (path: string) => Record<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    response.writeHead(200, headers(path)).end(BODIES[path] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Reads a `_headers` file as Netlify and Cloudflare do: a path, and the headers indented below it. */
function readHeaders(text: string): (path: string) => Record<string, string> {
  const rules = new Map<string, Record<string, string>>();
  let at: Record<string, string> = {};
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, name = '', value = ''] = /^ {2}([\w-]+): (.*)$/.exec(line) ?? [];
    if (name !== '') at[name] = value;
    else rules.set(line, (at = {}));
  }
  return (path) => rules.get(path) ?? {};
}

describe('doctor', () => {
  test('doctor accepts a host that sends the headers written for netlify', async () => {
    const text = HOSTS['netlify']?.write(FILES) ?? '';
    const findings = await examine(await hostWith(readHeaders(text)));
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ file }) => new URL(file).pathname)).toEqual(
      expect.arrayContaining([
        '/assets/worker-kernel-aB1.js',
        '/assets/worker-sandbox-2.js',
        '/assets/worker-endpoint-3.js',
      ]),
    );
  });

  test('doctor names the directives that each worker of a host lacks', async () => {
    const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'none'";
    const findings = await examine(await hostWith(() => ({ 'Content-Security-Policy': policy })));
    const kernel = findings.find(({ file }) => file.includes('kernel'));
    expect(kernel).toMatchObject({ ok: false, what: "lacks script-src 'wasm-unsafe-eval'" });
    expect(findings.find(({ what }) => what.includes('frame-ancestors'))?.ok).toBe(false);
  });

  test.each([
    ['max-age=31536000, immutable', false],
    ['public, max-age=86400', false],
    ['no-cache', true],
    ['max-age=600', true],
  ])('doctor says whether a page with Cache-Control: %s is asked for anew after a deploy', async (control, ok) => {
    const findings = await examine(await hostWith(() => ({ 'Cache-Control': control })));
    expect(findings.filter(({ what }) => /deploy|anew/.test(what))).toMatchObject([{ ok }]);
  });

  test('doctor finds the faults of a host that sends no headers', async () => {
    const findings = await examine(await hostWith(() => ({})));
    expect(findings.filter(({ ok }) => !ok).length).toBeGreaterThanOrEqual(4);
  });

  test.each([
    [
      'whose HTML is minified',
      '/',
      { '/': '<script type=module src=/m.mjs></script>', '/m.mjs': '"/worker-kernel-1.js"' },
    ],
    ['of Next.js', '/', { '/': '<script src="/c/0a.js"></script>', '/c/0a.js': 'e.v("/c/worker-kernel.23r.js")' }],
    [
      'of Next.js that loads a chunk later',
      '/',
      {
        '/': '<script src="/_next/static/chunks/0a.js"></script>',
        '/_next/static/chunks/0a.js': 'Promise.all(["static/chunks/0-b_c.js"].map(s=>t.l(s)))',
        '/_next/static/chunks/0-b_c.js': 's.q("/_next/static/media/worker-kernel.42-a.js")',
      },
    ],
    [
      'that loads chunks through an import map',
      '/',
      { '/': '<script type="importmap">{"imports":{"x":"/s/i.js"}}</script>', '/s/i.js': '"worker-kernel.js"' },
    ],
    [
      'that loads the element, which loads the rest',
      '/',
      {
        '/': '<script src="e.js">',
        '/e.js': 'import("./r.js")',
        '/r.js': 'import"./c.js"',
        '/c.js': '"worker-kernel.js"',
      },
    ],
    ['of a folder', '/sub/', { '/sub/': '<sallyport-run assets="../s/"></sallyport-run>', '/s/worker-kernel.js': '' }],
    [
      'that tells the folder in a script',
      '/',
      { '/': '<script src="m.js"></script>', '/m.js': 'o({assets:"/s/"})', '/s/worker-kernel.js': '' },
    ],
  ])('doctor finds the workers of a page %s', async (_, path, files: { readonly [path: string]: string }) => {
    const get = async (url: string) => {
      const { pathname } = new URL(url);
      const isThere = Object.hasOwn(files, pathname) || pathname.includes('/worker-kernel');
      // Hosts of single-page applications answer an unknown path with their page.
      const type = isThere && pathname !== path ? 'text/javascript' : 'text/html';
      return new Response(files[isThere ? pathname : path] ?? '', { headers: { 'Content-Type': type } });
    };
    const findings = await examine(`http://localhost${path}`, get);
    const workers = findings.filter(({ file, what }) => file.includes('/worker-') && !what.includes('anew'));
    expect(workers.map(({ file }) => file)).toEqual([expect.stringContaining('worker-kernel')]);
  });

  test.each([
    ['never answers', () => undefined],
    ['never comes to an end', (response: ServerResponse) => response.writeHead(200).write('<script src="/x.js">')],
  ])('doctor gives up a host that %s', async (_, answer) => {
    const server = createServer((_request, response) => void answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => (server.closeAllConnections(), server.close()));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await expect(examine(address, askWithin(100))).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('doctor does not hang on a page that is made to be slow to search', async () => {
    const address = await hostWith(() => ({}));
    const slow = async () => new Response(`${'<script '.repeat(1 << 17)}${'a-'.repeat(1 << 19)}`);
    expect((await examine(address, slow)).some(({ ok }) => !ok)).toBe(true);
  });
});

describe('the configuration of every host', () => {
  const written = Object.entries(HOSTS).filter(([name]) => name !== 'github-pages');
  const roles = [...new Set(FILES.map((path) => roleOf({ path })))];

  test.each(written)('the configuration for %s has the policy of every role, word for word', (name, { write }) => {
    const text = write(FILES).replaceAll('\\"', '"');
    // Next writes scripts into its pages: its own test says which part of the page's policy it gets.
    const isPartial = /^(?:next|express|hono|sveltekit|astro|nuxt)$/.test(name);
    for (const role of roles.filter((each) => each !== 'page' || !isPartial))
      expect(text).toContain(headersFor(role)['Content-Security-Policy']);
  });

  const patternsIn = (name: string, before: RegExp): [RegExp, string][] =>
    [...(HOSTS[name]?.write([]) ?? '').matchAll(before)].map(([, pattern = '', body = '']) => [
      new RegExp(pattern),
      body,
    ]);

  test.each([
    ['nginx', /location ~ "([^"]+)" \{([^}]+)\}/g],
    ['caddy', /path_regexp (\S+)\n([\s\S]+?)file_server/g],
    ['apache', /<FilesMatch "(\^[^"]+)">([\s\S]+?)<\/FilesMatch>/g],
  ] as const)('the patterns for %s give each file the policy of the role that the lock gives it', (name, blocks) => {
    const patterns = patternsIn(name, blocks);
    expect(patterns).toHaveLength(5);
    for (const path of FILES) {
      // Apache matches the name of a file and takes its last match. nginx and Caddy take the first match of the path.
      const subject = name === 'apache' ? path.slice(path.lastIndexOf('/') + 1) : path;
      const ordered = name === 'apache' ? patterns.toReversed() : patterns;
      const [, body] = ordered.find(([pattern]) => pattern.test(subject)) ?? [];
      const policy = (role: Role) => headersFor(role)['Content-Security-Policy'] ?? '';
      if (body === undefined) expect(roleOf({ path }), path).toBe('page');
      else expect(body, path).toContain(policy(roleOf({ path })));
    }
  });

  test('each path matches a single source for next, which sends the policy of its role', () => {
    const [, list = ''] = /^const headers = (\[[\s\S]+?^\]);$/m.exec(nextConfig()) ?? [];
    const rules = JSON.parse(list) as readonly NextRule[];
    const policy = (role: Role) => headersFor(role)['Content-Security-Policy'] ?? '';
    const media = '/_next/static/media/worker-';
    for (const path of [
      ...FILES,
      '/',
      '/notes',
      `${media}kernel.0a~1.js`,
      `${media}endpoint.0a~1.js`,
      `${media}model.0a~1.js`,
      `${media}model-gguf.0a~1.js`,
    ]) {
      const matching = rules.filter(({ source }) => new RegExp(`^${source}$`).test(path));
      expect(matching, path).toHaveLength(1);
      const sent = new Map(matching[0]?.headers.map(({ key, value }) => [key, value]));
      expect([...sent.keys()], path).toEqual(Object.keys(headersFor('page')));
      const role = roleOf({ path });
      if (role !== 'page') expect(sent.get('Content-Security-Policy'), path).toBe(policy(role));
      else
        expect(sent.get('Content-Security-Policy')?.split('; ')).toEqual([
          "connect-src 'self'",
          "worker-src 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'",
        ]);
    }
  });

  const SERVERS = ['express', 'hono', 'sveltekit', 'astro', 'nuxt'];
  test.each(SERVERS)('the server for %s sends each path the policy of its role, also behind a dot', async (name) => {
    const text = HOSTS[name]?.write([]) ?? '';
    const [script = ''] = /const rules = [\s\S]+?\?\? page;/.exec(text) ?? [];
    const { headersOf } = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as {
      readonly headersOf: (url: string) => { readonly [name: string]: string };
    };
    for (const path of [
      ...FILES,
      '/',
      '/_app/immutable/assets/worker-kernel.PAJGgOQ4.js',
      '/_nuxt/worker-model-gguf.a-1.js',
    ]) {
      const role = roleOf({ path });
      const sent = headersOf(`${path}?v=1`)['Content-Security-Policy'] ?? '';
      if (role === 'page')
        expect(sent).toBe("connect-src 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors 'none'");
      else expect(sent, path).toBe(headersFor(role)['Content-Security-Policy']);
    }
  });

  test('the middleware for express sets the headers before it goes on, and that for hono on the answer', async () => {
    const of = (name: string) => import(`data:text/javascript,${encodeURIComponent(HOSTS[name]?.write([]) ?? '')}`);
    const sent = new Map<string, string>();
    const { lock } = await of('express');
    let went = 0;
    lock({ url: '/a/worker-kernel.x.js' }, { setHeader: (key: string, value: string) => sent.set(key, value) }, () => {
      went = sent.size;
    });
    expect(went).toBe(3);
    const res = new Response('', { headers: { 'content-security-policy': 'of another' } });
    await (await of('hono')).lock({ req: { path: '/worker-kernel.js' }, res }, async () => undefined);
    expect(res.headers.get('content-security-policy')).toBe(headersFor('worker')['Content-Security-Policy']);
  });

  test('the instructions for github-pages, which sends no headers, name the service worker', () => {
    expect(HOSTS['github-pages']?.write([])).toContain('service-worker.js');
  });
});
