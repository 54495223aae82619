import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { placesFor } from '../../../../../workers/bridges/mcp/gateway/data-folder.ts';
import { type Gateway, openGateway } from '../../../../../workers/bridges/mcp/gateway/gateway.ts';
import { serveMcp, serveMcpOver } from '../../../../../workers/bridges/mcp/server/serve.ts';
import { fromMcp } from '../../../../../workers/mcp.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { type Issuer, openIssuer } from '../issuer.ts';
import { clientOf, codeOf, ERAS, textOf } from '../server-shared.ts';
import { pipes } from './host.ts';

const AUDIENCE = 'https://tools.example/mcp';
const SERVER = fileURLToPath(new URL('./scripted-server.mjs', import.meta.url));

let issued: Issuer;
let folder = '';
let gateway: Gateway | undefined;
beforeAll(async () => void (issued = await openIssuer(AUDIENCE)));
afterAll(() => issued.close());
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'gateway-persons-'))));
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A gateway with a tool that is allowed for ada, and the address that it serves; undefined over standard streams. */
async function start(isHttp: boolean) {
  const at = (name: string) => join(folder, name);
  writeFileSync(at('tools'), JSON.stringify([{ name: 'read', inputSchema: { type: 'object' } }]));
  const a = { command: process.execPath, args: [SERVER], env: { TOOLS: at('tools'), CALLS: at('calls') } };
  const value = {
    mcpServers: { a },
    auth: { issuer: issued.address, audience: AUDIENCE },
    grants: [{ tool: 'a.read', mode: 'allow', for: ['ada'] }],
  };
  writeFileSync(at('sallyport-mcp.json'), JSON.stringify(value));
  const said: string[] = [];
  let address = '';
  gateway = await openGateway(
    {
      places: placesFor(folder, false, folder),
      policy: { allow: [], deny: [] },
      hasPage: false,
      environment: {},
      signal: new AbortController().signal,
      say: (line) => said.push(line),
    },
    {
      openRuntime,
      connect: fromMcp,
      serve: async (runtime, _, words, auth) => {
        if (!isHttp) return serveMcpOver(runtime, pipes().streams, words);
        const serving = await serveMcp(runtime, { ...words, transport: { port: 0, ...(auth && { auth }) } });
        address = serving.address ?? '';
        return serving;
      },
    },
  );
  return { said: said.join('\n'), address };
}

test('over HTTP each person of the issuer has a session, and a grant can be for some of them', async () => {
  const { said, address } = await start(true);
  expect(said).toContain(`Serving ${address} for whoever has a token of ${issued.address} for ${AUDIENCE}`);
  expect(said).not.toContain('WITHOUT A TOKEN');
  const call = async (subject: string) => {
    const client = clientOf(ERAS[0]);
    const headers = { authorization: `Bearer ${await issued.token(subject)}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
    const result = await client.callTool({ name: 'a_read', arguments: {} });
    await client.close();
    return result;
  };
  expect(textOf(await call('ada'))).toContain('read done');
  // the host has asked, and its person has said no
  expect(codeOf(await call('bob'))).toBe('approval_denied');
});

test('without --http there are no persons, and that is told', async () => {
  expect((await start(false)).said).toContain('"auth" is for --http');
});
