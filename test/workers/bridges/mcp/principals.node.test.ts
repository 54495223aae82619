import { createServer } from 'node:http';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '../../../../workers/api.ts';
import type { McpServing } from '../../../../workers/bridges/mcp/server/options.ts';
import { serveMcp } from '../../../../workers/bridges/mcp/server/serve.ts';
import { type Issuer, listening, openIssuer } from './issuer.ts';
import { clientOf, codeOf, ERAS, type Era, runtimeOf, textOf } from './server-shared.ts';

const AUDIENCE = 'https://tools.example/mcp';

let issued: Issuer;
let issuer = '';
let runtime: Runtime;
let serving: McpServing;

beforeAll(async () => {
  issued = await openIssuer(AUDIENCE);
  issuer = issued.address;
});
afterAll(() => issued.close());
afterEach(async () => {
  await serving.close();
  await runtime.close();
});

const token = (sub: string) => issued.token(sub);

async function opened(): Promise<string> {
  runtime = await runtimeOf({
    grants: [
      { capability: 'math.add', mode: 'allow', uses: 2 },
      { capability: 'note.post', mode: 'ask' },
    ],
  });
  serving = await serveMcp(runtime, { transport: { port: 0, auth: { issuer, audience: AUDIENCE } } });
  return serving.address ?? '';
}

async function connected(era: Era, address: string, sub: string) {
  const client = clientOf(era);
  const headers = { authorization: `Bearer ${await token(sub)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  return client;
}

const ADD = { name: 'math_add', arguments: { a: 2, b: 3 } };

describe.each(ERAS)('two people at a server of $era', (era) => {
  test('neither sees nor spends what is the other’s', async () => {
    const address = await opened();
    const [ada, bob] = [await connected(era, address, 'ada'), await connected(era, address, 'bob')];
    expect(textOf(await ada.callTool(ADD))).toContain('5');
    expect(textOf(await ada.callTool(ADD))).toContain('5');
    expect(codeOf(await ada.callTool(ADD))).toBe('grant_used_up');
    // another connection of the same person has no further uses
    const again = await connected(era, address, 'ada');
    expect(codeOf(await again.callTool(ADD))).toBe('grant_used_up');
    expect(textOf(await bob.callTool(ADD))).toContain('5');
    await Promise.all([ada.close(), bob.close(), again.close()]);
    expect(await runtime.runs()).toHaveLength(2);
  });
});

describe.each(ERAS)('the records of two people at a server of $era', (era) => {
  test('are each for their own clients', async () => {
    const address = await opened();
    const [ada, bob] = [await connected(era, address, 'ada'), await connected(era, address, 'bob')];
    await ada.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } });
    await bob.callTool({ name: 'math_add', arguments: { a: 4, b: 5 } });
    const again = await connected(era, address, 'ada');
    const runsOf = async (client: typeof ada) => {
      const { contents } = await client.readResource({ uri: 'sallyport://runs' });
      const [first] = contents;
      const rows = JSON.parse(first !== undefined && 'text' in first ? first.text : '[]') as { run_id: string }[];
      return rows.map(({ run_id }) => run_id);
    };
    const [run = ''] = await runsOf(ada);
    expect(await runsOf(again)).toEqual([run]);
    expect(await runsOf(bob)).toHaveLength(1);
    expect(await runsOf(bob)).not.toContain(run);
    const { resources } = await bob.listResources();
    expect(resources.map(({ uri }) => uri).join(' ')).not.toContain(run);
    for (const uri of [`sallyport://runs/${run}`, `sallyport://runs/${run}/export`]) {
      await expect(bob.readResource({ uri })).rejects.toThrow('no such resource');
      expect((await again.readResource({ uri })).contents).toHaveLength(1);
    }
    await Promise.all([ada.close(), bob.close(), again.close()]);
  });
});

describe('a server with principals', () => {
  const ask = async (address: string, headers: { readonly [name: string]: string }, body: object) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    });
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  };

  test('a connection is nobody else’s', async () => {
    const address = await opened();
    const ada = { authorization: `Bearer ${await token('ada')}` };
    const first = await ask(address, ada, INITIALIZE);
    const id = first.headers.get('mcp-session-id') ?? '';
    await first.text();
    expect(id).not.toBe('');
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const bob = { authorization: `Bearer ${await token('bob')}`, 'mcp-session-id': id };
    expect((await ask(address, bob, list)).status).toBe(404);
    expect((await ask(address, { ...ada, 'mcp-session-id': id }, list)).status).toBe(200);
  });

  test('nobody ends the connections of another by opening many', async () => {
    const address = await opened();
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const connect = async (sub: string) => {
      const headers = { authorization: `Bearer ${await token(sub)}` };
      const opening = await ask(address, headers, INITIALIZE);
      await opening.text();
      return { ...headers, 'mcp-session-id': opening.headers.get('mcp-session-id') ?? '' };
    };
    const ada = await connect('ada');
    const first = await connect('bob');
    for (let count = 0; count < 64; count += 1) await connect('bob');
    expect((await ask(address, ada, list)).status).toBe(200);
    expect((await ask(address, first, list)).status).toBe(404);
    const eve = await connect('eve');
    expect((await ask(address, ada, list)).status).toBe(200);
    expect((await ask(address, eve, list)).status).toBe(200);
  });

  test('tells how to get a token, and why one is refused', async () => {
    const address = await opened();
    const none = await ask(address, {}, INITIALIZE);
    const place = 'https://tools.example/.well-known/oauth-protected-resource/mcp';
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, `Bearer resource_metadata="${place}"`]);
    const wrong = await ask(address, { authorization: 'Bearer x' }, INITIALIZE);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token", error_description="token_form"');
    expect(await wrong.json()).toMatchObject({ error: { data: { code: 'token_form', by: 'sallyport' } } });
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const metadata = await fetch(new URL(path, address));
      expect(await metadata.json()).toMatchObject({ resource: AUDIENCE, authorization_servers: [issuer] });
    }
    expect([...(serving.strangers ?? [])]).toEqual([[401, 2]]);
    expect(await runtime.runs()).toEqual([]);
  });

  test.each([
    ['token', { token: 'x'.repeat(22), auth: { issuer: 'https://a.example', audience: AUDIENCE } }],
    ['auth', { auth: { issuer: 'http://a.example', audience: AUDIENCE } }],
    ['auth', { auth: { issuer: 'https://a.example/?x', audience: AUDIENCE } }],
    ['auth', { auth: { issuer: 'https://a.example' } }],
  ])('refuses a wrong option %s', async (name, place) => {
    await opened();
    const wrong = serveMcp(runtime, { transport: { port: 0, ...place } as never });
    await expect(wrong).rejects.toMatchObject({ code: 'option_invalid', details: { name } });
  });
});

test('takes the tokens of oidc-provider', async () => {
  const server = createServer();
  const address = await listening(server);
  const { privateKey: key } = await generateKeyPair('RS256', { extractable: true });
  const scope = 'tools';
  const provider = new Provider(address, {
    jwks: { keys: [{ ...(await exportJWK(key)), alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: 'ada',
        client_secret: 'secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope, audience: AUDIENCE, accessTokenFormat: 'jwt' }),
      },
    },
  });
  server.on('request', (request, response) => void provider.callback()(request, response));
  runtime = await runtimeOf();
  serving = await serveMcp(runtime, { transport: { port: 0, auth: { issuer: address, audience: AUDIENCE } } });
  const answer = await fetch(`${address}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('ada:secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: AUDIENCE, scope }),
  });
  const { access_token } = (await answer.json()) as { readonly access_token: string };
  const client = clientOf(ERAS[1]);
  const headers = { authorization: `Bearer ${access_token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(serving.address ?? ''), { requestInit: { headers } }));
  expect(textOf(await client.callTool(ADD))).toContain('5');
  await client.close();
  server.close();
});
