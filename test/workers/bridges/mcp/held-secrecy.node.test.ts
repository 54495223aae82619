import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { Runtime } from '../../../../workers/api.ts';
import type { McpProgress } from '../../../../workers/bridges/mcp/client/api.ts';
import { placesFor } from '../../../../workers/bridges/mcp/gateway/data-folder.ts';
import { openGateway } from '../../../../workers/bridges/mcp/gateway/gateway.ts';
import type { ServeOptions } from '../../../../workers/bridges/mcp/server/options.ts';
import { serveMcpOver } from '../../../../workers/bridges/mcp/server/serve.ts';
import { provideWebMcp } from '../../../../workers/bridges/web-mcp/provide.ts';
import { fromMcp, serveMcp } from '../../../../workers/mcp.ts';
import { defineTool, ToolError } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { Host, pipes } from './gateway/host.ts';
import { clientOf, connected, ERAS, readingTools } from './server-shared.ts';

/** Two environments of the same program: what its tools answer, and all that they do beside that. */
const ENVIRONMENTS = ['noon', 'midnight'] as const;
type Environment = (typeof ENVIRONMENTS)[number];

const MAIL = { type: 'array', items: { type: 'object', properties: { subject: { type: 'string' } } } };
const TEXT = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string' } },
};
const common = { version: '1.0.0', description: 'For a test.', args: { type: 'object' } } as const;

/** The program in an environment. In the second one the mail is another, and its server does all that could tell. */
async function program(environment: Environment) {
  let tell: (progress: McpProgress) => void = () => undefined;
  const isLoud = environment === 'midnight';
  const runtime: Runtime = await openRuntime({
    hold: 'untrusted',
    tools: [
      defineTool({
        ...common,
        name: 'mail.search',
        effect: 'read',
        origin: 'mcp:mail',
        result: MAIL,
        run: async (_: unknown, { step_id }: { step_id: string }) => {
          if (!isLoud) return [{ subject: environment }];
          tell({ step_id, progress: 1, text: environment });
          const more = { ...common, name: 'mail.more', effect: 'read', origin: 'mcp:mail', run: () => 1 } as const;
          await runtime.tools.provide(defineTool(more as never));
          return [];
        },
      } as never),
      defineTool({
        ...common,
        name: 'note.post',
        effect: 'egress',
        labels: [],
        args: TEXT,
        origin: 'mcp:notes',
        run: ({ text }: { text: string }) => {
          if (isLoud) throw new ToolError('full', `No room for ${text}.`);
          return text;
        },
      } as never),
      defineTool({ ...common, name: 'apart', effect: 'pure', labels: [], origin: 'mcp:apart', run: () => 5 } as never),
      ...readingTools('one', {
        resources: [{ uri: 'one://a', name: environment }],
        prompts: [{ name: environment }],
      }).map((tool) =>
        tool.name.endsWith('get') || tool.name.endsWith('read') ? { ...tool, run: () => [environment] } : tool,
      ),
    ],
    grants: [
      ...[
        'mail.search',
        'apart',
        'one.resources.read',
        'one.resources.list',
        'one.prompts.list',
        'one.prompts.get',
      ].map((capability) => ({ capability, mode: 'allow' as const })),
      {
        capability: 'note.post',
        mode: 'allow',
        where: { properties: { text: { const: 'noon' } } },
        accepts: { '/text': ['private', 'untrusted'] },
      },
      { capability: 'note.post', mode: 'ask' },
    ],
  });
  const sources: ServeOptions['sources'] = [
    { declaration: () => undefined, onProgress: (listener) => ((tell = listener), () => undefined) },
  ];
  return { runtime, sources };
}

/** What a host does, the same in both environments. */
const CALLS: readonly (readonly [name: string, args: object])[] = [
  ['mail_search', {}],
  ['note_post', { text: { $held: 'h1', at: '/0/subject' } }],
  ['note_post', { text: { $held: 'h1' } }],
  ['note_post', { text: { $held: 'h99' } }],
  ['note_post', { text: { $held: 'h1', about: 'it' } }],
  ['held_read', { handle: { $held: 'h1' } }],
  ['apart', {}],
];

async function visit(client: Client): Promise<void> {
  await client.listTools();
  for (const [name, args] of CALLS)
    await client.callTool({ name, arguments: args as never }, { onprogress: () => undefined });
  await client.listResources();
  await client.readResource({ uri: 'one://a' });
  await client.listPrompts();
  await client.getPrompt({ name: 'one_greet' });
  await client.readResource({ uri: 'sallyport://runs' });
  // a notification of changed tools would come by now
  await new Promise((resolve) => setTimeout(resolve, 50));
  await client.listTools();
}

/** Each door: all that its host receives, in order. */
const DOORS: { readonly [door: string]: (environment: Environment) => Promise<readonly string[]> } = {
  ...Object.fromEntries(
    ERAS.map((era) => [
      `streams, ${era.era}`,
      async (environment: Environment) => {
        const { runtime, sources } = await program(environment);
        const { client, serving, pipe } = await connected(runtime, era, () => ({ action: 'decline' }), { sources });
        await visit(client);
        await serving.close();
        await runtime.close();
        return pipe.lines;
      },
    ]),
  ),
  ...Object.fromEntries(
    ERAS.map((era) => [
      `HTTP, ${era.era}`,
      async (environment: Environment) => {
        const { runtime, sources } = await program(environment);
        const serving = await serveMcp(runtime, { transport: { port: 0, token: false }, sources });
        const bodies: Promise<string>[] = [];
        const heard = async (...asked: Parameters<typeof fetch>): Promise<Response> => {
          const response = await fetch(...asked);
          bodies.push(
            response
              .clone()
              .text()
              .catch(() => ''),
          );
          return response;
        };
        const client = clientOf(era);
        await client.connect(new StreamableHTTPClientTransport(new URL(serving.address ?? ''), { fetch: heard }));
        await visit(client);
        await client.close();
        await serving.close();
        await runtime.close();
        return Promise.all(bodies);
      },
    ]),
  ),
  WebMCP: async (environment) => {
    const { runtime } = await program(environment);
    const session = runtime.openSession();
    const registered = new Map<string, { execute: (input: unknown) => Promise<unknown> }>();
    const context = {
      registerTool: async (tool: { name: string; execute: () => Promise<unknown> }) =>
        void registered.set(tool.name, tool as never),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    };
    await provideWebMcp(session, { context: context as never });
    const told = [JSON.stringify([...registered])];
    for (const [name, args] of CALLS) told.push(JSON.stringify(await registered.get(name)?.execute(args)));
    await runtime.close();
    return told;
  },
  'the gateway': async (environment) => {
    const folder = mkdtempSync(join(tmpdir(), 'held-'));
    const at = (name: string) => join(folder, name);
    const inputSchema = { type: 'object' };
    const tools = [
      { name: 'search', description: 'Searches.', inputSchema, annotations: { readOnlyHint: true } },
      { name: 'work', description: 'Tells its progress.', inputSchema },
      { name: 'post', description: 'Posts.', inputSchema: TEXT },
    ];
    writeFileSync(at('tools'), JSON.stringify(tools));
    const content = [{ type: 'text', text: environment }];
    const answer = environment === 'noon' ? { content } : { content, isError: true };
    writeFileSync(at('answers'), JSON.stringify({ search: answer, work: answer, post: answer }));
    const SERVER = fileURLToPath(new URL('./gateway/scripted-server.mjs', import.meta.url));
    const env = { TOOLS: at('tools'), CALLS: at('calls'), ANSWERS: at('answers') };
    const server = { command: process.execPath, args: [SERVER], env, resources: true, prompts: true };
    const allowed = ['search', 'work', 'resources.read', 'resources.list', 'prompts.get'];
    const grants = allowed.map((name) => ({ tool: `a.${name}`, mode: 'allow' }));
    writeFileSync(at('sallyport-mcp.json'), JSON.stringify({ hold: 'untrusted', mcpServers: { a: server }, grants }));
    const { streams, wire } = pipes();
    const gateway = await openGateway(
      {
        places: placesFor(folder, false, folder),
        policy: { allow: [], deny: [] },
        hasPage: false,
        environment: {},
        signal: new AbortController().signal,
        say: () => undefined,
      },
      {
        openRuntime: (options) => openRuntime(options),
        connect: fromMcp,
        serve: (served, _, words) => serveMcpOver(served, streams, words),
      },
    );
    const host = new Host(wire, () => ({ action: 'decline' }));
    await host.begin();
    await host.tools();
    await host.call('a_search');
    await host.ask('tools/call', { name: 'a_work', arguments: {}, _meta: { progressToken: 7 } });
    await host.call('a_post', { text: { $held: 'h1', at: '/content/0/text' } });
    await host.call('a_post', { text: { $held: 'h1' } });
    await host.ask('resources/list', {});
    await host.ask('resources/read', { uri: 'note://one' });
    await host.ask('prompts/get', { name: 'a_greet', arguments: { who: 'Ann' } });
    await host.tools();
    await gateway.close();
    expect(readFileSync(at('calls'), 'utf8')).not.toContain('"post"');
    rmSync(folder, { recursive: true, force: true });
    return host.received;
  },
};

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The same with random ids by their order. */
function ordered(lines: readonly string[]): string {
  const ids = new Map<string, string>();
  return lines.join('\n').replace(UUID, (id) => {
    const known = ids.get(id) ?? `id ${ids.size + 1}`;
    ids.set(id, known);
    return known;
  });
}

test.each(Object.keys(DOORS))('%s gives a host the same bytes whatever the values are that it holds', async (door) => {
  const [noon = '', midnight] = await Promise.all(
    ENVIRONMENTS.map(async (environment) => ordered((await DOORS[door]?.(environment)) ?? [])),
  );
  expect(midnight).toBe(noon);
  expect(noon).toContain('{\\"$held\\":\\"h2\\"}');
  expect(noon).not.toContain('noon');
});
