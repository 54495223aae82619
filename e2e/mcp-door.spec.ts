import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveAuthority } from '../test/workers/bridges/mcp/client/authority.ts';
import { serveFetch } from '../test/workers/bridges/mcp/client/serve.ts';
import type * as sallyport from '../web/index.ts';
import type * as mcp from '../web/mcp.ts';
import { headersFor, roleOf } from '../workers/lock/headers.ts';
import { expect, test } from './fixtures.ts';
import { cors, ENDLESS, KEY, type McpTestServer, startMcp } from './mcp-server.ts';
import { serveFolders } from './serve.ts';
import { CORE } from './tags.ts';

const MODULES = { index: '/sallyport/index.js', mcp: '/sallyport/mcp-page.js' };

let server: McpTestServer;
let other: McpTestServer;
test.beforeEach(async () => {
  other = await startMcp('http://127.0.0.1:9');
  server = await startMcp(other.origin);
});
test.afterEach(() => {
  server.close();
  other.close();
});

// The browser reports each request that the policy or the server refuses.
test.use({ complaining: true });

test(
  'a page under the strict policy reaches an MCP server through a door alone',
  CORE,
  async ({ page, complaints }) => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-door-'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>A door</title>');
    const host = await serveFolders({
      folders: { '/sallyport/': 'dist', '/': folder },
      headers: (path) => headersFor(roleOf({ path })),
    });
    await page.goto(`${host.origin}/`);

    // Messages from every worker to the page, and at every port of the page.
    await page.evaluate(() => {
      const heard: string[] = [];
      const keep = (data: unknown): void => {
        heard.push(
          JSON.stringify(data, (_, value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value)) ??
            '',
        );
      };
      for (const { prototype } of [Worker, MessagePort]) {
        const add = prototype.addEventListener;
        prototype.addEventListener = function (this: EventTarget, ...args: unknown[]) {
          if (args[0] === 'message') add.call(this as Worker, 'message', (event) => keep((event as MessageEvent).data));
          return Reflect.apply(add, this, args);
        } as typeof add;
        const property = Object.getOwnPropertyDescriptor(prototype, 'onmessage') as PropertyDescriptor;
        Object.defineProperty(prototype, 'onmessage', {
          ...property,
          set(listener) {
            add.call(this, 'message', (event) => keep((event as MessageEvent).data));
            property.set?.call(this, listener);
          },
        });
      }
      Object.assign(window, { heard });
    });

    await test.step('the policy of the page blocks the server', async () => {
      const said = await page.evaluate(
        ({ url, key }) =>
          fetch(url, { headers: { authorization: key } }).then(
            () => 'open',
            () => 'blocked',
          ),
        { url: `${server.origin}/bytes`, key: `Bearer ${KEY}` },
      );
      expect([said, server.asked, server.refused]).toEqual(['blocked', [], []]);
    });

    await test.step('a door asks its server, and keeps its rules', async () => {
      const found = await page.evaluate(
        async ({ modules, origin, elsewhere, key }) => {
          const { openDoor } = (await import(modules.index)) as typeof sallyport;
          const door = await openDoor({
            kind: 'mcp',
            url: `${origin}/mcp`,
            headers: { authorization: `Bearer ${key}` },
            assets: '/sallyport/',
          });
          const codeOf = (url: string, init?: RequestInit) =>
            door.fetch(url, init).then(
              ({ status }) => String(status),
              (error: unknown) => {
                const { code, details } = error as {
                  readonly code?: string;
                  readonly details?: { readonly rule?: string };
                };
                return details?.rule ?? code;
              },
            );
          const bytes = new Uint8Array(await (await door.fetch(`${origin}/bytes`)).arrayBuffer());
          const isWhole = bytes.length === 2_000_000 && bytes.every((byte, index) => byte === index % 251);
          const echo = await (await door.fetch(`${origin}/echo`)).text();
          const codes = [
            await codeOf(`${elsewhere}/mcp`),
            await codeOf(`${origin}/moved`),
            await codeOf(`${origin}/bytes`, { headers: { 'x-other': '1' } }),
            await codeOf(`${origin}/bytes`, { headers: { authorization: 'Bearer other' } }),
          ];
          const reader = (await door.fetch(`${origin}/endless`)).body?.getReader();
          await reader?.read();
          await door.fetch(`${origin}/bytes`).then((response) => response.arrayBuffer());
          Object.assign(window, { door, reader });
          return { isWhole, echo, codes, shown: JSON.stringify(door) };
        },
        { modules: MODULES, origin: server.origin, elsewhere: other.origin, key: KEY },
      );
      expect(found).toMatchObject({
        isWhole: true,
        echo: `you sent ${'*'.repeat(`Bearer ${KEY}`.length)}`,
        codes: ['url', 'door_unreachable', 'header', '200'],
      });
      expect(found.shown).not.toContain(KEY);
      expect([other.asked, other.refused, server.refused]).toEqual([[], [], []]);
    });

    await test.step('a server waits for a reader, and is told of the end', async () => {
      expect(server.endless.sent).toBeLessThan(ENDLESS);
      expect(server.endless.isClosed).toBe(false);
      await page.evaluate(() => (window as unknown as { reader: ReadableStreamDefaultReader }).reader.cancel());
      await expect.poll(() => server.endless.isClosed).toBe(true);
      const code = await page.evaluate(async (url) => {
        const { door } = window as unknown as { door: sallyport.Door };
        const waiting = door.fetch(url);
        door.close();
        return waiting.catch((error: unknown) => (error as { readonly code?: string }).code);
      }, `${server.origin}/endless`);
      expect(code).toBe('door_closed');
    });

    for (const [path, protocol] of [
      ['/mcp', '2026-07-28'],
      ['/old', '2025-11-25'],
    ] as const)
      await test.step(`the tools of a server of ${protocol} pass every gate`, async () => {
        const before = server.cancelled();
        const found = await page.evaluate(
          async ({ modules, url, key }) => {
            const { openRuntime } = (await import(modules.index)) as typeof sallyport;
            const { fromMcp } = (await import(modules.mcp)) as typeof mcp;
            const notices: mcp.McpNotice[] = [];
            const source = await fromMcp(
              { url, authorization: key, assets: '/sallyport/' },
              { prefix: 'e2e', effect: 'read', labels: [], onNotice: (notice) => void notices.push(notice) },
            );
            const grants = ['add', 'learn', 'long', 'wait'];
            const runtime = await openRuntime({
              store: 'memory',
              assets: '/sallyport/',
              tools: [source],
              grants: grants.map((name) => ({ capability: `e2e.${name}`, mode: 'allow' as const })),
            });
            const session = runtime.openSession();
            const names = async () =>
              (await runtime.capabilities.list()).flatMap(({ name }) => (name.startsWith('e2e.') ? [name] : [])).sort();
            const first = await names();
            const sum = await session.call('e2e.add', { a: 40, b: 2 });
            const long = await session.call('e2e.long', { length: 900_000 });
            const tooLong = await session.call('e2e.long', { length: 2_000_000 });
            const stop = new AbortController();
            const waiting = session.call('e2e.wait', {}, { signal: stop.signal });
            while (!notices.some(({ kind }) => kind === 'progress'))
              await new Promise((resolve) => setTimeout(resolve, 20));
            stop.abort(new Error('enough'));
            const waited = await waiting.catch((error: unknown) => (error as Error).message);
            await session.call('e2e.learn', {});
            while ((await names()).length === first.length) await new Promise((resolve) => setTimeout(resolve, 20));
            await runtime.grants.grant({ capability: 'e2e.learned', mode: 'allow' });
            const lesson = runtime.openSession();
            const learned = await lesson.call('e2e.learned', { a: 1, b: 2 });
            const report = await runtime.ledger.verify(session.run.id);
            const { isolation } = runtime.info;
            await runtime.close();
            await source.close();
            const { heard } = window as unknown as { readonly heard: string[] };
            return {
              isolation,
              protocol: source.server.protocol,
              first,
              sum,
              learned,
              long: JSON.stringify(long).length,
              tooLong,
              waited,
              ok: report.ok,
              isHeard: heard.some((text) => text.includes('x'.repeat(900_000))),
              keys: heard.filter((text) => text.includes(key)).length,
            };
          },
          { modules: MODULES, url: server.origin + path, key: KEY },
        );
        expect(found).toMatchObject({
          isolation: 'locked',
          protocol,
          first: ['e2e.add', 'e2e.learn', 'e2e.long', 'e2e.wait'],
          sum: { ok: true, value: { content: [{ type: 'text', text: '42' }] } },
          learned: { ok: true, value: { content: [{ type: 'text', text: '3' }] } },
          tooLong: { ok: true, value: { content: [{ type: 'text', omitted: 2_000_000 }] } },
          waited: 'enough',
          ok: true,
          isHeard: true,
          keys: 0,
        });
        expect(found.long).toBeGreaterThan(900_000);
        expect(server.refused).toEqual([]);
        await expect.poll(() => server.cancelled()).toBe(before + 1);
      });

    await test.step('a person signs in at an authorization server that the program names', async () => {
      const authority = await serveAuthority((handle) => serveFetch(cors(handle)));
      const guarded = await startMcp(other.origin, authority.guard);
      await page.exposeFunction('signIn', authority.signIn);
      const found = await page.evaluate(
        async ({ modules, url, issuer }) => {
          const { fromMcp } = (await import(modules.mcp)) as typeof mcp;
          const { signIn } = window as unknown as { readonly signIn: (url: string) => Promise<string> };
          const open = (alsoAsk: readonly string[]) =>
            fromMcp(
              {
                url,
                assets: '/sallyport/',
                alsoAsk,
                authorization: { redirectUrl: `${location.href}back`, redirect: signIn },
              },
              { prefix: 'e2e' },
            );
          const { code } = (await open([]).catch((error: unknown) => error)) as { readonly code?: string };
          const source = await open([issuer]);
          const { length } = await source.list();
          await source.close();
          return { code, length };
        },
        { modules: MODULES, url: `${guarded.origin}/mcp`, issuer: authority.origin },
      );
      expect(found).toEqual({ code: 'mcp_unavailable', length: 4 });
      expect(authority.verified).toBe(1);
      guarded.close();
      await authority.close();
    });

    await test.step('a page starts no command', async () => {
      const said = await page.evaluate(async (modules) => {
        const { fromMcp } = (await import(modules.mcp)) as typeof mcp;
        return fromMcp({ command: 'npx' }, { prefix: 'e2e' }).catch((error: unknown) => {
          const { code, message } = error as { readonly code: string; readonly message: string };
          return { code, message };
        });
      }, MODULES);
      expect(said).toEqual({ code: 'option_invalid', message: expect.stringContaining('A page starts no command') });
    });

    expect(complaints.filter((text) => /eval|Trusted/i.test(text))).toEqual([]);
    await host.close();
    await rm(folder, { recursive: true });
  },
);
