import { request } from 'node:http';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import type { Runtime } from '../../../../workers/api.ts';
import type { HttpPlace, McpServing } from '../../../../workers/bridges/mcp/server/options.ts';
import { serveMcp } from '../../../../workers/bridges/mcp/server/serve.ts';
import { replayExport } from '../../../../workers/node.ts';
import {
  type Asked,
  clientOf,
  codeOf,
  ERAS,
  type Era,
  permitted,
  ran,
  readingTools,
  runtimeOf,
  textOf,
  YES,
} from './server-shared.ts';

const TOKEN = 'test-token-of-32-characters-or-so';

let runtime: Runtime;
let serving: McpServing | undefined;
afterEach(async () => {
  await serving?.close();
  serving = undefined;
  await runtime.close();
});

async function opened(place: Partial<HttpPlace> = {}): Promise<McpServing> {
  runtime = await runtimeOf();
  serving = await serveMcp(runtime, { transport: { port: 0, token: TOKEN, ...place } });
  return serving;
}

async function connected(era: Era, ask?: Asked) {
  const { address = '', token } = serving ?? (await opened());
  const client = clientOf(era, ask);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  return client;
}

interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly text: string;
}

/** A request with headers that `fetch` does not send. */
function ask(
  address: string,
  { method = 'POST', path = '/mcp', headers = {}, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}' } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(address);
  const given = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent: false, hostname, port, path, method, headers: { ...given, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
  });
}

async function codesOf(run_id: string): Promise<readonly string[]> {
  const records = await runtime.ledger.records(run_id);
  return records.flatMap((record) =>
    record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : [],
  );
}

/** Code and bytes of each message that was turned away. */
async function rejected(): Promise<readonly (readonly [code: string, bytes: string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const { run_id } of await runtime.runs())
    for (const { kind, body } of await runtime.ledger.records(run_id))
      if (kind === 'rejection' && body.event === 'message') {
        const bytes = body.payload && (await runtime.ledger.payload(run_id, body.payload));
        found.push([body.code, new TextDecoder().decode(bytes)]);
      }
  return found;
}

describe.each(ERAS)('a client of $era over HTTP', (era) => {
  test('lists, calls, is refused and asks, and the run verifies and replays', async () => {
    const client = await connected(era, YES);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('math_add');
    const added = await client.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } });
    expect(added.structuredContent).toEqual({ sum: 5 });
    expect(codeOf(await client.callTool({ name: 'math_add', arguments: { a: 2 } }))).toBe('arguments_schema');
    expect(textOf(await client.callTool({ name: 'note_post', arguments: { text: 'Hi.' } }))).toBe('3');
    await client.close();
    await serving?.close();
    const runs = await runtime.runs();
    expect(runs).toHaveLength(1);
    const run_id = runs[0]?.run_id ?? '';
    expect(runs[0]?.sealed).toBe(true);
    expect(await codesOf(run_id)).toEqual(['SUCCESS', 'arguments_schema', 'SUCCESS']);
    expect((await replayExport(await runtime.ledger.export(run_id, { secrets: true }))).ok).toBe(true);
  });

  test('a person who declines stops the call', async () => {
    const client = await connected(era, () => ({ action: 'decline' }));
    expect(codeOf(await client.callTool({ name: 'note_post', arguments: { text: 'Hi.' } }))).toBe('approval_denied');
    expect(ran).toEqual([]);
    await client.close();
  });

  test('a call that its client cancels is aborted', async () => {
    const client = await connected(era);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: {} }, { signal: cancel.signal });
    await expect.poll(() => ran).toEqual(['slow']);
    cancel.abort('not wanted');
    await expect(call).rejects.toThrow();
    await expect.poll(() => ran).toEqual(['slow', 'slow aborted']);
    await client.close();
  });

  test('a client with a progress token hears that its call is alive', async () => {
    const client = await connected(era);
    const heard: number[] = [];
    const cancel = new AbortController();
    const onprogress = ({ progress }: { progress: number }) => void heard.push(progress);
    const call = client.callTool({ name: 'slow', arguments: {} }, { signal: cancel.signal, onprogress });
    await expect.poll(() => heard).toHaveLength(1);
    cancel.abort('enough');
    await expect(call).rejects.toThrow();
    await client.close();
  });

  test('resources are read', async () => {
    const client = await connected(era);
    await client.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } });
    const [, run] = (await client.listResources()).resources;
    expect((await client.readResource({ uri: `${run?.uri}/export` })).contents).toHaveLength(1);
    await client.close();
  });
});

test('each connection of 2025-11-25 is a session, and all requests of 2026-07-28 share one', async () => {
  const [legacy, modern] = ERAS;
  for (const era of [legacy, legacy, modern, modern]) {
    const client = await connected(era);
    await client.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } });
    await client.close();
  }
  expect(await runtime.runs()).toHaveLength(3);
});

test('a client that ends its connection of 2025-11-25 has its run sealed, and can open another', async () => {
  const client = await connected(ERAS[0]);
  await client.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } });
  await (client.transport as StreamableHTTPClientTransport).terminateSession();
  await expect.poll(async () => (await runtime.runs()).map(({ sealed }) => sealed)).toEqual([true]);
  const next = await connected(ERAS[0]);
  expect(textOf(await next.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } }))).toBe('{"sum":5}');
  expect(await runtime.runs()).toHaveLength(2);
});

test('the oldest connection gives way where too many are open', async () => {
  const { address = '' } = await opened();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hand', version: '1.0.0' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const ids: string[] = [];
  for (let nth = 0; nth <= 64; nth++) ids.push(String((await ask(address, { body })).headers['mcp-session-id']));
  const list = { body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' };
  const status = async (id = '') => (await ask(address, { ...list, headers: { 'mcp-session-id': id } })).status;
  expect([await status(ids[0]), await status(ids[1]), await status(ids.at(-1))]).toEqual([404, 200, 200]);
});

describe('the door of the server', () => {
  test.each([
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 401],
    ['a longer token', { authorization: `Bearer ${TOKEN}x` }, 401],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, 401],
    ['a name that a page has pointed at this machine', { host: 'attacker.example' }, 403],
    ['a name that begins like this machine', { host: 'localhost.attacker.example:80' }, 403],
    ['a foreign page', { origin: 'https://attacker.example' }, 403],
    ['a page without an origin of its own', { origin: 'null' }, 403],
  ])('%s is refused before the body is read', async (_, headers, status) => {
    const { address = '' } = await opened();
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"math_add","arguments":{"a":1,"b":2}}}';
    const answer = await ask(address, { headers, body });
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(await runtime.runs()).toEqual([]);
    expect(ran).toEqual([]);
    expect([...(serving?.strangers ?? [])]).toEqual([[status, 1]]);
  });

  test.each([
    ['another path', { path: '/' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['a request without a connection', {}, 400],
    ['a connection that is not open', { headers: { 'mcp-session-id': 'x' } }, 404],
  ])('%s is refused', async (_, given, status) => {
    const { address = '' } = await opened();
    expect((await ask(address, given)).status).toBe(status);
  });

  test('a page of an allowed origin asks in advance and reads the answer, and needs the token', async () => {
    const origin = 'https://app.example';
    const { address = '' } = await opened({ allowedOrigins: [origin] });
    const advance = await ask(address, { method: 'OPTIONS', headers: { origin, authorization: '' } });
    expect(advance.status).toBe(204);
    expect(advance.headers).toMatchObject({ 'access-control-allow-origin': origin });
    expect((await ask(address, { headers: { origin, authorization: '' } })).status).toBe(401);
    expect((await ask(address, { headers: { origin } })).headers).toMatchObject({
      'access-control-allow-origin': origin,
    });
  });

  test('further hosts are served where they are named', async () => {
    const { address = '' } = await opened({ allowedHosts: ['tools.example'] });
    expect((await ask(address, { headers: { host: 'tools.example:8080' } })).status).toBe(400);
    expect((await ask(address)).status).toBe(403);
  });

  test('a token of 256 bits is made where none is given', async () => {
    runtime = await runtimeOf();
    serving = await serveMcp(runtime, { transport: { port: 0 } });
    expect(serving.token).toMatch(/^[\w-]{43}$/);
    const other = await serveMcp(runtime, { transport: { port: 0 } });
    expect(other.token).not.toBe(serving.token);
    await other.close();
  });

  test('a server without a token serves the loopback alone', async () => {
    const { address = '', token } = await opened({ token: false });
    expect(token).toBeUndefined();
    expect((await ask(address, { headers: { authorization: '' } })).status).toBe(400);
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org'])
      await expect(serveMcp(runtime, { transport: { port: 0, host, token: false } })).rejects.toMatchObject({
        code: 'option_invalid',
      });
  });

  test.each([
    ['a short token', { transport: { port: 0, token: 'short' } }],
    ['a token with blanks', { transport: { port: 0, token: 'x'.repeat(30).concat(' y') } }],
    ['a wrong port', { transport: { port: 70_000 } }],
    ['a misspelt option', { transport: { port: 0, alowedHosts: [] } }],
    ['a wrong approver', { approve: 'never' }],
    ['a port that is taken', undefined],
  ])('%s is refused as an option', async (_, given) => {
    const { address = '' } = await opened();
    const options = given ?? { transport: { port: Number(new URL(address).port) } };
    await expect(serveMcp(runtime, options as never)).rejects.toMatchObject({ code: 'option_invalid' });
  });
});

describe.each(ERAS)('resources of two servers for a client of $era', (era) => {
  test('are read from their server, before a list and after it', async () => {
    const sources = ['one', 'two'].map((name) => readingTools(name, { resources: [{ uri: `${name}://a`, name }] }));
    runtime = await runtimeOf(permitted(...sources));
    serving = await serveMcp(runtime, { transport: { port: 0, token: TOKEN } });
    const client = await connected(era);
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read('two://a')).toMatchObject([{ text: 'of two' }]);
    await client.listResources();
    expect(await read('one://a')).toMatchObject([{ text: 'of one' }]);
    await expect(read('three://a')).rejects.toThrow('no such resource');
  });
});

describe('bodies', () => {
  test.each([
    [
      'a member that appears twice',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open","arguments":{"a":1,"a":2}}}',
      3,
      'duplicate_member',
    ],
    ['broken JSON', '{"jsonrpc":"2.0","id":3,', 3, 'json_syntax'],
    ['a batch', '[{"jsonrpc":"2.0","id":3,"method":"ping"}]', null, 'message_unserved'],
    ['a notification that asks for something', '{"jsonrpc":"2.0","method":"ping"}', null, 'missing_member'],
    ['a request without a connection', '{"jsonrpc":"2.0","id":3,"method":"ping"}', null, 'message_unserved'],
  ])('%s is answered with an error and recorded', async (_, body, id, code) => {
    const { address = '' } = await opened();
    const answer = await ask(address, { body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ id, error: { data: { code } } });
    await expect.poll(rejected).toEqual([[code, body]]);
    expect(ran).toEqual([]);
  });

  test('a form is refused before the body is read, and recorded', async () => {
    const { address = '' } = await opened();
    const answer = await ask(address, { headers: { 'content-type': 'text/plain' }, body: '{}' });
    expect(answer.status).toBe(415);
    await expect.poll(rejected).toEqual([['message_unserved', '']]);
  });

  test('a body over the bound is refused, declared or not', async () => {
    const { address = '' } = await opened();
    const body = `{"x":"${'x'.repeat(17 << 20)}"}`;
    expect((await ask(address, { body }).catch(() => ({ status: 413 }))).status).toBe(413);
    const headers = { 'transfer-encoding': 'chunked' };
    expect((await ask(address, { body, headers }).catch(() => ({ status: 413 }))).status).toBe(413);
    expect((await ask(address)).status).toBe(400);
    await expect
      .poll(async () => (await rejected()).map(([code]) => code))
      .toEqual(['limit_size', 'limit_size', 'message_unserved']);
  });
});
