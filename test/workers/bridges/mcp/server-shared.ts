import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { Runtime } from '../../../../workers/api.ts';
import type { McpServing, ServeOptions } from '../../../../workers/bridges/mcp/server/options.ts';
import { serveMcpOver } from '../../../../workers/bridges/mcp/server/serve.ts';
import { defineTool, type NodeOptions } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

/** Versions of the protocol, by the words of the SDK. */
export const ERAS = [
  { era: '2025-11-25', mode: 'legacy' },
  { era: '2026-07-28', mode: { pin: '2026-07-28' } },
] as const;
export type Era = (typeof ERAS)[number];

const common = { version: '1.0.0', description: 'For a test.' } as const;
function closedObject(properties: object, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false } as const;
}
const NUMBERS = closedObject({ a: { type: 'number' }, b: { type: 'number' } });
const TEXT = closedObject({ text: { type: 'string' } });

/** Names and arguments of the calls that reached a function. */
export const ran: string[] = [];

export const TOOLS = [
  defineTool({
    ...common,
    name: 'math.add',
    effect: 'pure',
    args: NUMBERS,
    result: closedObject({ sum: { type: 'number' } }),
    run: ({ a, b }: { a: number; b: number }) => {
      ran.push(`math.add ${a} ${b}`);
      return { sum: a + b };
    },
  } as never),
  defineTool({
    ...common,
    name: 'note.post',
    effect: 'write',
    args: TEXT,
    run: ({ text }: { text: string }) => {
      ran.push(`note.post ${text}`);
      return text.length;
    },
  } as never),
  defineTool({
    ...common,
    name: 'open',
    effect: 'pure',
    args: { type: 'object' },
    run: (args: object) => {
      ran.push(`open ${JSON.stringify(args)}`);
      return Object.keys(args);
    },
  } as never),
  defineTool({
    ...common,
    name: 'slow',
    effect: 'read',
    labels: [],
    args: closedObject({}),
    run: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_done, fail) => {
        ran.push('slow');
        signal.addEventListener('abort', () => {
          ran.push('slow aborted');
          fail(signal.reason);
        });
      }),
  } as never),
] as const;

export const GRANTS = [
  { capability: 'math.add', mode: 'allow' },
  { capability: 'note.post', mode: 'ask' },
  { capability: 'open', mode: 'allow' },
  { capability: 'slow', mode: 'allow' },
] as const;

interface Reading {
  readonly resources?: readonly object[];
  readonly templates?: readonly object[];
  readonly prompts?: readonly object[];
}

/** Tools that read from another server, as `fromMcp` makes them. */
export function readingTools(prefix: string, { resources = [], templates = [], prompts = [] }: Reading) {
  const labels = ['private', 'untrusted'];
  const own = { ...common, effect: 'read', origin: `mcp:${prefix}`, labels };
  const args = { type: 'object' };
  const noted = <T>(name: string, value: T): T => {
    ran.push(name);
    return value;
  };
  return [
    { name: 'resources.list', run: () => ({ resources, templates }) },
    { name: 'resources.read', run: ({ uri }: { uri: string }) => ({ contents: [{ uri, text: `of ${prefix}` }] }) },
    { name: 'prompts.list', run: () => ({ prompts }) },
    {
      name: 'prompts.get',
      run: ({ name }: { name: string }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `${name} of ${prefix}` } }],
      }),
    },
  ].map(({ name, run }) =>
    defineTool({
      ...own,
      args,
      name: `${prefix}.${name}`,
      run: (given: never) => noted(`${prefix}.${name}`, run(given)),
    } as never),
  );
}

/** Options of a runtime with further tools, each of them permitted. */
export function permitted(...further: ReturnType<typeof readingTools>[]): NodeOptions {
  const tools = further.flat();
  const grants = tools.map(({ name }) => ({ capability: name, mode: 'allow' as const }));
  return { tools: [...TOOLS, ...tools], grants: [...GRANTS, ...grants] };
}

export async function runtimeOf(given: NodeOptions = {}): Promise<Runtime> {
  ran.length = 0;
  return openRuntime({ tools: TOOLS, grants: GRANTS, ...given });
}

/** Two streams, and what came back as lines. */
export interface Pipe {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly lines: string[];
}

export function pipe(): Pipe {
  const [input, output, lines] = [new PassThrough(), new PassThrough(), [] as string[]];
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return { input, output, lines };
}

/** A transport of the client's SDK over two streams. */
function clientTransport({ input, output }: Pipe): Transport {
  let rest = '';
  const transport: Transport = {
    start: async () => {
      output.on('data', (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) transport.onmessage?.(JSON.parse(part) as never);
      });
    },
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

export type Asked = (params: { readonly message: string }) => object | Promise<object>;

/** A client of the SDK that answers questions. Without `ask` it has declared no elicitation. */
export function clientOf({ mode }: Era, ask?: Asked): Client {
  const client = new Client({ name: 'test', version: '1.0.0' }, {
    capabilities: ask === undefined ? {} : { elicitation: { form: {} } },
    versionNegotiation: { mode },
  } as never);
  if (ask !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => (await ask(params as never)) as never);
  return client;
}

export interface Connected {
  readonly client: Client;
  readonly serving: McpServing;
  readonly pipe: Pipe;
}

/** A client of the SDK at a server over streams. */
export async function connected(runtime: Runtime, era: Era, ask?: Asked, options?: ServeOptions): Promise<Connected> {
  const streams = pipe();
  const serving = await serveMcpOver(runtime, streams, options);
  const client = clientOf(era, ask);
  await client.connect(clientTransport(streams));
  return { client, serving, pipe: streams };
}

export const YES: Asked = () => ({ action: 'accept', content: { approve: true } });

/** Text of a result's first block. */
export function textOf(result: { readonly content?: unknown }): string {
  return (result.content as readonly { readonly text: string }[])[0]?.text ?? '';
}

/** Code of a refusal in a result. */
export function codeOf(result: { readonly content?: unknown }): string {
  return (JSON.parse(textOf(result)) as { details: { code: string } }).details.code;
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly result?: { readonly [name: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } };
}

/** A client that writes its bytes by hand. */
export class HandClient {
  readonly streams: Pipe;

  constructor(streams: Pipe) {
    this.streams = streams;
  }

  /** Shakes hands as a client of 2025-11-25. */
  async begin(capabilities: object): Promise<this> {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'hand', version: '1.0.0' } };
    this.write(JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }));
    await this.heard('init');
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return this;
  }

  write(line: string | Uint8Array): void {
    this.streams.input.write(line);
    this.streams.input.write('\n');
  }

  get messages(): readonly Message[] {
    return this.streams.lines.map((line) => JSON.parse(line) as Message);
  }

  /** The first message that came with this id, or of this method. */
  async heard(key: number | string | null): Promise<Message> {
    const find = () => this.messages.find(({ id, method }) => (id === key && method === undefined) || method === key);
    await expect.poll(find).toBeDefined();
    return find() as Message;
  }
}

/** Members of each request of 2026-07-28. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'hand', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** A call of 2026-07-28. */
export function callNow(id: number, name: string, args: object, further: object = {}): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: ENVELOPE, ...further },
  });
}
