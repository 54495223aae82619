import { readFileSync } from 'node:fs';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromMcp, type McpOptions, type McpServer, type McpSource } from '../../../../../workers/mcp.ts';
import { type Runtime, replayExport } from '../../../../../workers/node.ts';
import { openRuntime } from '../../../../runtime/shared.ts';
import { makeSampleServer } from './sample.mjs';
import { script, serveFetch } from './serve.ts';

async function opened(server: McpServer, options: Partial<McpOptions> = {}): Promise<McpSource> {
  const source = await fromMcp(server, { prefix: 's', ...options });
  onTestFinished(() => source.close());
  return source;
}

async function runtimeOf(source: McpSource): Promise<Runtime> {
  const names = (await source.list()).map(({ name }) => name);
  const runtime = await openRuntime({
    tools: [source],
    grants: names.map((capability) => ({ capability, mode: 'allow' as const })),
    guard: false,
  });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** The ways to the sample server: the transports, and the versions of the protocol. */
const WAYS: readonly { readonly way: string; readonly protocol: string; readonly server: () => Promise<McpServer> }[] =
  [
    { way: 'stdio', protocol: '2026-07-28', server: async () => script('sample-stdio.mjs') },
    { way: 'HTTP', protocol: '2026-07-28', server: () => overHttp() },
    { way: 'HTTP, an older server', protocol: '2025-11-25', server: () => overHttp({ isOld: true }) },
  ];

async function overHttp({ isOld = false } = {}): Promise<McpServer> {
  const handler = createMcpHandler(() => makeSampleServer());
  const served = await serveFetch((request) =>
    isOld ? withoutDiscovery(request, handler.fetch) : handler.fetch(request),
  );
  onTestFinished(() => served.close());
  return { url: served.url };
}

/** The older version knows no `server/discover`. */
async function withoutDiscovery(request: Request, serve: (request: Request) => Promise<Response>): Promise<Response> {
  const copy = request.clone();
  const text = await copy.text();
  if (!text.includes('"server/discover"')) return serve(request);
  const { id } = JSON.parse(text) as { readonly id: string };
  return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
}

it.each(['mcp-servers', 'serve-mcp'])(
  'the page %s names the versions that the SDK speaks, and no other',
  async (page) => {
    const { server } = await opened(await overHttp());
    const text = readFileSync(`web/docs/${page}.md`, 'utf8');
    const named = new Set(text.match(/\b20\d\d-\d\d-\d\d\b/gu));
    expect([...named].sort()).toEqual([LATEST_PROTOCOL_VERSION, server.protocol]);
  },
);

describe.each(WAYS)('a server over $way ($protocol)', ({ protocol, server }) => {
  it('gives its tools of all pages, with their schemas, under its origin', async () => {
    const source = await opened(await server());
    expect(source.server).toMatchObject({ name: 'sample', version: '1.2.3', protocol });
    expect(source.refused).toEqual([]);
    const tools = await source.list();
    expect(tools.map(({ name, effect, labels, version }) => [name, effect, labels, version])).toEqual(
      ['s.add', 's.ask_a_person_d5fdc68a', 's.fail', 's.say', 's.wait'].map((name) => [
        name,
        'egress',
        ['private', 'untrusted'],
        '1.2.3',
      ]),
    );
    expect(tools.every(({ origin }) => origin === source.origin)).toBe(true);
    expect(tools[0]?.args).toMatchObject({ additionalProperties: false, required: ['a', 'b'] });
    expect(tools[3]?.description).toBe('Says a text');
  });

  it('a call has a receipt, checked arguments and results, and a replay needs no server', async () => {
    const source = await opened(await server());
    const runtime = await runtimeOf(source);
    const session = runtime.openSession();
    expect(await session.call('s.add', { a: 2, b: 40 })).toMatchObject({ ok: true, value: { sum: 42 } });
    expect(await session.call('s.add', { a: 2, b: 40, c: 1 })).toMatchObject({
      ok: false,
      refusal: { class: 'invalid_arguments' },
    });
    const said = await session.call('s.say', { text: 'x' });
    expect(said).toMatchObject({
      ok: true,
      value: {
        content: [
          { type: 'text', text: 'said' },
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'audio', mimeType: 'audio/wav', omitted: 450_000 },
          { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'a note' } },
          { type: 'resource_link', uri: 'note://2', name: 'two' },
        ],
      },
    });
    const { answer, ...told } = said;
    expect(JSON.stringify(told)).not.toMatch(/_meta|annotations|icons/);
    expect(JSON.stringify(answer?.value)).toMatch(/_meta.*annotations|annotations.*_meta/);
    expect(await session.call('s.fail', {})).toMatchObject({
      ok: false,
      refusal: { code: 'capability_threw', details: { error: { name: 'mcp_tool_error', message: 'no such note' } } },
    });
    await session.close();
    await source.close();
    const report = await replayExport(await runtime.ledger.export(session.run.id));
    expect(report).toMatchObject({ ok: true });
    expect(report.checks.find(({ id }) => id === 'replay')).toMatchObject({ status: 'pass' });
  });
});
