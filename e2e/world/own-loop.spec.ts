import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, expect, test } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';
import type * as sallyport from '../../workers/node.ts';
import { installPackage } from '../install.ts';
import { lockedWorkers, serveFolders } from '../serve.ts';

/** The SDK of the protocol itself, for server and client; and the interface of WebMCP for browsers without it. */
const PACKAGES = ['@modelcontextprotocol/sdk@1.32.2', '@mcp-b/webmcp-polyfill@5.1.0'];

const LINES_MAX = 30;

const PAGE = readFileSync('web/docs/own-loop.md', 'utf8');
const [, ai = '', mcp = '', web = ''] = PAGE.split(/^## .+$/m).map((part) =>
  [...part.matchAll(/^```m?js\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n'),
);

let consumer: string;
let reason: string | undefined;
test.beforeAll(() => {
  consumer = installPackage();
  for (const name of ['ai', 'zod']) symlinkSync(resolve('node_modules', name), join(consumer, 'node_modules', name));
  const others = join(consumer, 'others');
  mkdirSync(others);
  writeFileSync(join(others, 'package.json'), '{ "type": "module" }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline', ...PACKAGES];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: others,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) reason = `the packages cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
  else symlinkSync(join(consumer, 'node_modules/sallyport'), join(others, 'node_modules/sallyport'));
});
test.afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** Lines of a program without blank lines and comments. */
function linesOf(code: string): readonly string[] {
  return code.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
}

for (const [name, code] of [
  ['the app with the AI SDK', ai],
  ['the MCP server', mcp],
  ['the page with WebMCP', web],
] as const)
  test(`${name} has fewer than ${LINES_MAX} lines`, () => {
    expect(linesOf(code).length).toBeGreaterThan(10);
    expect(linesOf(code).length).toBeLessThan(LINES_MAX);
    for (const line of linesOf(code)) expect(line.length).toBeLessThan(200);
  });

test('the app with the AI SDK asks a person, and its model reads a refusal', () => {
  writeFileSync(join(consumer, 'app.mjs'), ai);
  const said = execFileSync(process.execPath, ['app.mjs'], {
    cwd: consumer,
    encoding: 'utf8',
    // the test runner asks its children for colours
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  const promised = [...ai.matchAll(/\/\/ → (.*)$/gm)].map(([, words]) => words);
  expect(said.trim().split('\n')).toEqual(promised);
  expect(promised).toHaveLength(5);
});

interface McpClient {
  setRequestHandler(schema: unknown, handler: (request: { params: { message: string } }) => unknown): void;
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string; inputSchema: object }[] }>;
  callTool(
    call: object,
  ): Promise<{ isError?: boolean; content: { text: string }[]; _meta?: { [name: string]: object } }>;
}

/** The official client, connected to the server of the page. */
async function connected(folder: string, capabilities: object): Promise<{ client: McpClient; sdk: SdkModules }> {
  const sdk = await loadSdk(folder);
  const client = new sdk.Client({ name: 'test', version: '1.0.0' }, { capabilities });
  const args = ['server.mjs', join(folder, 'ledger')];
  await client.connect(new sdk.StdioClientTransport({ command: process.execPath, args, cwd: folder }));
  return { client, sdk };
}

interface SdkModules {
  readonly Client: new (info: object, options: object) => McpClient;
  readonly StdioClientTransport: new (options: object) => object;
  readonly ElicitRequestSchema: unknown;
}

async function loadSdk(folder: string): Promise<SdkModules> {
  const files = ['client/index.js', 'client/stdio.js', 'types.js'];
  const at = (file: string) =>
    pathToFileURL(join(folder, 'node_modules/@modelcontextprotocol/sdk/dist/esm', file)).href;
  const modules = await Promise.all(files.map((file) => import(at(file)) as Promise<object>));
  return Object.assign({}, ...modules) as SdkModules;
}

test('the MCP server lists, calls, refuses and asks, and its ledger verifies', async () => {
  test.skip(reason !== undefined, reason);
  const folder = join(consumer, 'others');
  writeFileSync(join(folder, 'server.mjs'), mcp);
  const { client, sdk } = await connected(folder, { elicitation: { form: {} } });
  const asked: string[] = [];
  client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return asked.length === 1 ? { action: 'accept', content: { approve: true } } : { action: 'decline' };
  });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['math_add', 'note_post']);
  const call = async (name: string, args: object) => {
    const { isError, content, _meta } = await client.callTool({ name, arguments: args });
    expect(_meta).toHaveProperty(['sallyport/receipt']);
    return `${isError ? 'refused: ' : ''}${content[0]?.text}`;
  };
  expect(await call('math_add', { a: 2, b: 3 })).toBe('5');
  expect(await call('math_add', { a: '2', b: 3 })).toMatch(/^refused: .*\/a/);
  expect(await call('math_subtract', {})).toMatch(/^refused: /);
  expect(await call('note_post', { text: 'Hi.' })).toBe('3');
  expect(await call('note_post', { text: 'Hi.' })).toMatch(/^refused: .*The person declined/);
  expect(asked.map((text) => text.split('\n')[1])).toEqual(Array(2).fill('Arguments: {"text":"Hi."}'));
  await client.close();
  // A client that cannot ask a person: the call is refused.
  const { client: silent } = await connected(folder, {});
  const { isError } = await silent.callTool({ name: 'note_post', arguments: { text: 'Hi.' } });
  expect(isError).toBe(true);
  await silent.close();

  const entry = pathToFileURL(resolve('dist/node.js')).href;
  const { openRuntime } = (await import(entry)) as typeof sallyport;
  const runtime = await openRuntime({ store: { directory: join(folder, 'ledger') } });
  expect((await runtime.ledger.fsck()).ok).toBe(true);
  const runs = await runtime.runs();
  expect(runs.map(({ ended }) => ended)).toEqual(['completed', 'completed']);
  for (const { run_id } of runs) expect((await runtime.ledger.verify(run_id)).ok).toBe(true);
  await runtime.close();
});

interface Registered {
  readonly name: string;
}
interface ModelContext {
  getTools(): Promise<readonly Registered[]>;
  executeTool(tool: Registered, input: unknown): Promise<unknown>;
}

for (const kind of ['Chromium', 'the polyfill'] as const)
  test(`the tools of the page are called through WebMCP of ${kind}, and wrong types are refused`, async () => {
    test.skip(reason !== undefined, reason);
    const found = findHeadless('chromium');
    test.skip(found === undefined, 'there is no Chromium');
    const args = [...(found?.args ?? []), ...(kind === 'Chromium' ? ['--enable-features=WebMCP'] : [])];
    const browser = await chromium.launch({ ...found, args });
    const folder = join(consumer, 'page');
    mkdirSync(folder, { recursive: true });
    const polyfill = kind === 'Chromium' ? '' : '<script src="/polyfill.js"></script>';
    writeFileSync(join(folder, 'page.js'), web);
    writeFileSync(
      join(folder, 'index.html'),
      `<!doctype html>${polyfill}<body><script type="module" src="page.js"></script>`,
    );
    const iife = join(consumer, 'others/node_modules/@mcp-b/webmcp-polyfill/dist/index.iife.js');
    const host = await serveFolders({
      folders: { '/sallyport/': 'dist', '/polyfill.js': iife, '/': folder },
      headers: lockedWorkers,
    });
    const page = await browser.newPage();
    await page.goto(`${host.origin}/`);
    const has = await page.evaluate(() => 'modelContext' in document);
    test.skip(!has, 'this Chromium has no WebMCP');
    await expect(page.locator('body')).toHaveAttribute('data-ready', /./);
    const said = await page.evaluate(async (asText) => {
      const context = (document as unknown as { modelContext: ModelContext }).modelContext;
      const [tool] = await context.getTools();
      const answers: string[] = [tool?.name ?? ''];
      for (const input of [
        { item: 'rye', count: 2 },
        { item: 'rye', count: '2' },
        { item: 'rye', count: 1, gift: true },
      ]) {
        const answer = await context.executeTool(tool as Registered, asText ? JSON.stringify(input) : input);
        answers.push(typeof answer === 'string' ? answer : JSON.stringify(answer));
      }
      return answers;
    }, kind === 'the polyfill');
    const [name, ...answers] = said;
    expect(name).toBe('cart_add');
    expect(answers[0]).toMatch(/"isError":false/);
    expect(answers[1]).toMatch(/"isError":true.*\/count/);
    expect(answers[2]).toMatch(/"isError":true.*gift/);
    await expect(page.locator('body')).toHaveText('2 rye');
    await browser.close();
    await host.close();
  });
