import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';
import { installPackage } from '../install.ts';
import { SMOKE } from '../tags.ts';

/** The reference servers of the protocol, Playwright's server, and the older generation of the SDK. */
const PACKAGES = [
  '@modelcontextprotocol/server-everything@2026.8.31',
  '@modelcontextprotocol/server-filesystem@2026.8.31',
  '@modelcontextprotocol/server-memory@2026.8.31',
  '@playwright/mcp@0.0.83',
  '@modelcontextprotocol/sdk@1.32.2',
];

/** The scripts of the documentation that need a real server. */
const [LOCAL = '', REMOTE = ''] = [
  ...readFileSync('web/docs/mcp-servers.md', 'utf8').matchAll(/^```mjs\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code);

/** Takes the tools of a server, calls one under a grant, ends the server, and replays the run. */
const CENSUS = `
  import { fromMcp } from 'sallyport/mcp';
  import { openRuntime, replayExport } from 'sallyport/node';
  const { server, tool, args } = JSON.parse(process.argv[2]);
  const source = await fromMcp(server, { prefix: 'srv' });
  const taken = (await source.list()).length;
  const { refused, server: { protocol } } = source;
  const runtime = await openRuntime({ tools: [source], grants: [{ capability: 'srv.' + tool, mode: 'allow' }] });
  const session = runtime.openSession();
  const { ok, value, refusal, receipt } = await session.call('srv.' + tool, args);
  await session.close();
  const jsonl = await runtime.ledger.export(session.run.id);
  await runtime.close();
  const { ok: replayed } = await replayExport(jsonl);
  console.log(JSON.stringify({ protocol, taken, refused, status: source.status, ok, value, refusal, receipt, replayed }));
`;

/** A server on the older generation of the SDK. */
const OLD = `
  import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
  import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
  import { z } from 'zod';
  const server = new McpServer({ name: 'old', version: '1.0.0' });
  const add = { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } };
  server.registerTool('add', add, async ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }));
  await server.connect(new StdioServerTransport());
`;

interface Census {
  readonly protocol: string;
  readonly taken: number;
  readonly refused: readonly object[];
  readonly value: unknown;
}

let consumer: string;
let servers: string;
let reason: string | undefined;

test.beforeAll(() => {
  consumer = realpathSync(installPackage());
  servers = join(consumer, 'servers');
  mkdirSync(servers);
  writeFileSync(join(servers, 'package.json'), '{ "type": "module" }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline', ...PACKAGES];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: servers,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) reason = `the servers cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
  writeFileSync(join(servers, 'old.mjs'), OLD);
  writeFileSync(join(consumer, 'census.mjs'), CENSUS);
  writeFileSync(join(consumer, 'note.md'), 'A note.\n');
});
test.beforeEach(() => test.skip(reason !== undefined, reason));
test.afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const installed = (path: string) => join(servers, 'node_modules', path);

async function node(...args: readonly string[]): Promise<string> {
  // the test runner asks its children for colours
  const env = { ...process.env, FORCE_COLOR: '0' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: consumer, env, timeout: 120_000 });
  return stdout;
}

/** The census of a server; prints how many of its tools were taken. */
async function census(name: string, server: object, tool: string, args: object): Promise<Census> {
  const told = JSON.parse(await node('census.mjs', JSON.stringify({ server, tool, args }))) as Census;
  const { taken, refused, protocol } = told;
  console.log(`${name} (${protocol}): ${taken} of ${taken + refused.length} tools taken`);
  expect(refused).toEqual([]);
  expect(told).toMatchObject({ status: 'closed', ok: true, receipt: { run_seq: expect.any(Number) }, replayed: true });
  return told;
}

const over = (...args: readonly string[]) => ({ command: process.execPath, args });

test('every tool of the server everything is taken over stdio', async () => {
  const server = over(installed('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio');
  const { taken, value } = await census('everything', server, 'get-structured-content', { location: 'Chicago' });
  expect(taken).toBeGreaterThan(10);
  expect(value).toMatchObject({ temperature: expect.any(Number) });
});

test('every tool of the server everything is taken over streamable HTTP', async () => {
  const { url, child } = await remote();
  const { taken, value } = await census('everything over HTTP', { url }, 'get-sum', { a: 2, b: 40 }).finally(() =>
    child.kill(),
  );
  expect(taken).toBeGreaterThan(10);
  expect(JSON.stringify(value)).toContain('42');
});

test('every tool of the server filesystem is taken', async () => {
  const server = over(installed('@modelcontextprotocol/server-filesystem/dist/index.js'), consumer);
  const { value } = await census('filesystem', server, 'read_text_file', { path: join(consumer, 'note.md') });
  expect(JSON.stringify(value)).toContain('A note.');
});

test('every tool of the server memory is taken', SMOKE, async () => {
  const server = {
    ...over(installed('@modelcontextprotocol/server-memory/dist/index.js')),
    env: { MEMORY_FILE_PATH: join(consumer, 'memory.json') },
  };
  const entity = { name: 'Ada', entityType: 'person', observations: ['wrote notes'] };
  const { value } = await census('memory', server, 'create_entities', { entities: [entity] });
  expect(JSON.stringify(value)).toContain('Ada');
});

test('the circle of least privilege behind the servers filesystem and memory, for an hour of calls', async () => {
  test.setTimeout(900_000);
  const suite = 'test/workers/bridges/mcp/gateway/circle.node.test.ts';
  const env = { ...process.env, SALLYPORT_MCP_SERVERS: servers, SALLYPORT_ROUNDS: '40', FORCE_COLOR: '0' };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'node', suite];
  const { stdout } = await promisify(execFile)(process.execPath, vitest, { env });
  // what tools allowed by name let through, and the proposal stops
  console.log(stdout.match(/^\|.*\|$/gm)?.join('\n'));
  expect(stdout).toContain('1 passed');
});

test("every tool of Playwright's server is taken", async () => {
  const browser = findHeadless('chromium');
  test.skip(browser === undefined, 'there is no Chromium here');
  const { executablePath } = browser as { readonly executablePath?: string };
  const path = executablePath === undefined ? [] : ['--executable-path', executablePath];
  const server = over(installed('@playwright/mcp/cli.js'), '--headless', '--isolated', '--no-sandbox', ...path);
  const { taken, value } = await census('playwright', server, 'browser_navigate', { url: 'about:blank' });
  expect(taken).toBeGreaterThan(20);
  expect(JSON.stringify(value)).toContain('about:blank');
});

test('a server on the older generation of the SDK gives its tools', async () => {
  const { protocol, value } = await census('SDK 1.32.2', over(join(servers, 'old.mjs')), 'add', { a: 2, b: 40 });
  expect(protocol).toBe('2025-11-25');
  expect(value).toEqual({ sum: 42 });
});

test('the script of the documentation uses a server over stdio', async () => {
  writeFileSync(join(consumer, 'local.mjs'), LOCAL);
  const filesystem = installed('@modelcontextprotocol/server-filesystem/dist/index.js');
  expect((await node('local.mjs', filesystem, consumer)).trim().split('\n')).toEqual(promisedBy(LOCAL));
});

test('the script of the documentation uses a server behind HTTP', async () => {
  writeFileSync(join(consumer, 'remote.mjs'), REMOTE);
  const { url, child } = await remote();
  const said = await node('remote.mjs', url).finally(() => child.kill());
  expect(said.trim().split('\n')).toEqual(promisedBy(REMOTE));
});

function promisedBy(code: string): readonly string[] {
  const lines = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, words = '']) => words);
  expect(lines.length).toBeGreaterThan(1);
  return lines;
}

/** The server everything behind HTTP, on a free port. */
async function remote(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const port = await freePort();
  const args = [installed('@modelcontextprotocol/server-everything/dist/index.js'), 'streamableHttp'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Uint8Array) => {
      if (chunk.toString().includes('listening on port')) resolve();
    });
    child.once('exit', () => reject(new Error('the server has ended')));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, child };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
