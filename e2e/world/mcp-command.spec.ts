import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { Tab } from '../../test/workers/bridges/mcp/gateway/host.ts';
import { SMOKE } from '../tags.ts';
import { isAlive } from './is-alive.ts';
import { hostOf } from './mcp-host.ts';

const CLI = resolve('dist/cli.js');
const SERVER = resolve('test/workers/bridges/mcp/gateway/scripted-server.mjs');
const TOOLS = [
  { name: 'read', description: 'Reads.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'wait', description: 'Waits.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

let folder = '';
const started = new Set<ChildProcess>();
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-mcp-'));
  writeFileSync(at('tools'), JSON.stringify(TOOLS));
});
test.afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
/** Processes of the server, by their numbers. */
const children = () =>
  [...(existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8') : '').matchAll(/"started":(\d+)/g)].map(([, pid]) =>
    Number(pid),
  );
const calls = () => (readFileSync(at('calls'), 'utf8').match(/"name"/g) ?? []).length;

function start(words: readonly string[] = [], more: Record<string, string> = {}) {
  const env = { ...process.env, XDG_DATA_HOME: folder, ...more };
  const child = spawn(process.execPath, [CLI, 'mcp', ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  started.add(child);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ...hostOf(child), ended, ledger: at('ledger') };
}

const config = (server: object = {}) => {
  const entry = {
    command: process.execPath,
    args: [SERVER],
    env: { TOOLS: at('tools'), CALLS: at('calls'), ...server },
  };
  writeFileSync(at('c.json'), JSON.stringify({ mcpServers: { a: entry } }));
  return ['--config', at('c.json'), '--ledger', at('ledger')];
};

/** The seals of a ledger, with its check. */
function sealsOf(ledger: string): { readonly whole: boolean; readonly ended: (string | undefined)[] } {
  const program = `import { openRuntime } from ${JSON.stringify(resolve('dist/node.js'))};
    const rt = await openRuntime({ store: { directory: ${JSON.stringify(ledger)} } });
    const { ok } = await rt.ledger.fsck();
    process.stdout.write(JSON.stringify({ whole: ok, ended: (await rt.runs()).map(({ ended }) => ended) }));
    await rt.close();`;
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return JSON.parse(text) as ReturnType<typeof sealsOf>;
}

for (const [title, end] of [
  ['the end of stdin', (child: ChildProcess) => child.stdin?.end()],
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ['SIGINT', (child: ChildProcess) => child.kill('SIGINT')],
] as const)
  test(`${title} seals the run and ends the server`, async () => {
    const { child, host, ended, ledger, said } = start([...config(), '--allow', 'read']);
    await host.begin();
    expect((await host.tools()).map(({ name }) => name)).toEqual(['a_read', 'a_wait']);
    expect(await host.call('a_read')).toMatchObject({ content: [{ text: expect.stringContaining('read done') }] });
    end(child);
    expect(await ended).toBe(0);
    expect(children().filter(isAlive)).toEqual([]);
    expect(children()).toHaveLength(1);
    expect(sealsOf(ledger)).toEqual({ whole: true, ended: ['completed'] });
    expect(said()).toContain('--allow read: tools that only read run without a question.');
  });

test('SIGTERM seals the run in a call that the server never answers, and ends a server that ignores the request to end', async () => {
  const { child, host, ended, ledger } = start([...config({ STUBBORN: '1' }), '--allow', 'read']);
  await host.begin();
  host.call('a_wait').catch(() => undefined);
  await expect.poll(() => existsSync(at('calls')) && calls()).toBe(1);
  child.kill('SIGTERM');
  await ended;
  await expect.poll(() => children().filter(isAlive)).toEqual([]);
  expect(sealsOf(ledger)).toMatchObject({ whole: true, ended: [expect.any(String)] });
});

test('a start without a call leaves no run, and stdout carries the protocol alone', async () => {
  const { child, host, ended, ledger } = start(config());
  await host.begin();
  await host.tools();
  child.stdin?.end();
  await ended;
  expect(sealsOf(ledger)).toEqual({ whole: true, ended: [] });
});

test('a second host on a directory is refused with advice', async () => {
  const first = start(config());
  await first.host.begin();
  const second = start(config());
  expect(await second.ended).toBe(70);
  expect(second.said()).toMatch(/^sallyport: Process \d+ has this ledger open\..+ --ledger FILE\.sqlite/);
  expect(second.said().trim().split('\n')).toHaveLength(1);
});

test('a signal while a server does not answer ends the command without a complaint', async () => {
  const began = at('began');
  writeFileSync(
    at('silent.mjs'),
    `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(began)}, '');
setInterval(() => undefined, 1000);`,
  );
  writeFileSync(
    at('c.json'),
    JSON.stringify({ mcpServers: { a: { command: process.execPath, args: [at('silent.mjs')] } } }),
  );
  const { child, ended, said } = start(['--config', at('c.json'), '--ledger', at('ledger')]);
  await expect.poll(() => existsSync(began)).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(said()).toBe('');
});

test(
  'a call waits for the page whose address the command prints, and its answer is recorded as a gesture',
  SMOKE,
  async () => {
    const { host, said, child, ended } = start(config());
    await host.begin();
    const called = host.call('a_read');
    await expect.poll(said).toMatch(/a\.read \(egress\) asks\. Answer at http:\/\/127\.0\.0\.1:\d+\/\?token=/);
    const tab = await Tab.open(/Answer at (\S+)/.exec(said())?.[1] ?? '');
    expect(await tab.answer(await tab.question(), 'once')).toMatchObject({ status: 200 });
    expect(await called).toMatchObject({ content: [{ text: expect.stringContaining('read done') }] });
    child.stdin?.end();
    await ended;
  },
);

test('--http serves the protocol with a token that the command prints', async () => {
  const { said, child, ended } = start([...config(), '--http', '0', '--allow', 'read']);
  await expect.poll(said).toMatch(/Serving (http:\S+), token (\S+)/);
  const [, address = '', token = ''] = /Serving (http:\S+), token (\S+)/.exec(said()) ?? [];
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(401);
  const authorized = await fetch(address, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
  });
  expect(await authorized.text()).toContain('"serverInfo"');
  child.kill('SIGTERM');
  await ended;
});

for (const [title, words, text] of [
  ['no server', ['--ledger', 'LEDGER'], 'No server is named: write a command behind --'],
  ['a configuration that is not there', ['--config', 'nowhere.json'], 'does not exist. Create it'],
  ['a port that is none', ['--http', 'x', '--', 'node'], '--http takes a number'],
] as const)
  test(`${title} is a mistake of usage`, async () => {
    const { ended, said } = start(words.map((word) => (word === 'LEDGER' ? at('ledger') : word)));
    expect(await ended).toBe(64);
    expect(said()).toContain(text);
  });

test('a broken configuration is refused with the line of each fault', async () => {
  writeFileSync(
    at('c.json'),
    '{\n  "mcpServers": {\n    "a": { "command": "x", "effect": "safe" },\n    "b": { "cmd": "y" }\n  }\n}\n',
  );
  const { ended, said } = start(['--config', at('c.json')]);
  expect(await ended).toBe(64);
  expect(said()).toContain(
    `${at('c.json')}:3:38 /mcpServers/a/effect: Write "pure", "read", "write" or "egress" here.`,
  );
  expect(said()).toContain(`${at('c.json')}:4:19 /mcpServers/b/cmd: Remove the member "cmd"`);
});

test('the schema of the configuration is in the package', () => {
  const schema = JSON.parse(readFileSync('dist/sallyport-mcp.schema.json', 'utf8')) as { title: string };
  expect(schema.title).toBe('Configuration of sallyport mcp');
});
