import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import type { OtlpSpan } from '../../core/index.ts';
import type * as headless from '../../workers/node.ts';
import type * as entry from '../../workers/otlp.ts';

/** OpenTelemetry's own packages: the messages of OTLP, made from its protocol files, and the SDK of a program. */
const PACKAGES = ['@opentelemetry/otlp-transformer@0.203.0', '@opentelemetry/sdk-trace-base@2.0.1'];

/** A message of OTLP, as protobufjs makes it. */
interface Message {
  fromObject(given: object): object;
  verify(message: object): string | null;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, how: object): object;
}

const at = (file: string): string => pathToFileURL(resolve('dist', file)).href;

let folder: string;
let reason: string | undefined;
let messages: { readonly [path: string]: Message };
let server: Server;
const received: { readonly path: string; readonly sent: object; readonly read: object }[] = [];

test.beforeAll(async () => {
  test.setTimeout(600_000);
  folder = mkdtempSync(join(tmpdir(), 'sallyport-world-otlp-'));
  writeFileSync(join(folder, 'package.json'), '{}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...PACKAGES];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    reason = `OpenTelemetry's packages cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
    return;
  }
  const load = createRequire(join(folder, 'package.json'));
  const { collector } = load('@opentelemetry/otlp-transformer/build/src/generated/root').opentelemetry.proto;
  messages = {
    '/v1/traces': collector.trace.v1.ExportTraceServiceRequest,
    '/v1/logs': collector.logs.v1.ExportLogsServiceRequest,
  };
  server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
test.afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});
test.beforeEach(() => {
  test.skip(reason !== undefined, reason ?? '');
  received.length = 0;
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const sent = JSON.parse(await text(request)) as object;
  received.push({ path, sent, read: readBy(messages[path] as Message, sent) });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
}

const endpoint = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Reads a request as a collector does, into the binary form and back; a member that OTLP does not know is gone then. */
function readBy(message: Message, sent: object): object {
  const made = message.fromObject(eachId(sent, (hex) => Buffer.from(hex, 'hex').toString('base64')));
  expect(message.verify(made)).toBeNull();
  const read = message.toObject(message.decode(message.encode(made).finish()), { longs: String, bytes: String });
  return eachId(read, (base64) => Buffer.from(base64, 'base64').toString('hex'));
}

/** OTLP writes ids in hex, against the rule for bytes in the JSON form of protobuf. */
function eachId(value: object, write: (id: string) => string): object {
  const ids = ['traceId', 'spanId', 'parentSpanId'];
  return JSON.parse(JSON.stringify(value), (name, member: unknown) =>
    ids.includes(name) ? write(member as string) : member,
  ) as object;
}

const ADD = {
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds.',
  effect: 'pure',
  args: { type: 'object' },
  source: 'export default ({ a, b }) => a + b;',
} as const;
const CALL = { next_step: { tool: 'math.add', arguments: { a: 2, b: 40 }, goal: 'add' } };

async function pushed(options: Partial<entry.PushOptions>, withLedger = false): Promise<entry.PushedTelemetry> {
  const { pushTelemetry } = (await import(at('otlp.js'))) as typeof entry;
  const { fromScript, openRuntime } = (await import(at('node.js'))) as typeof headless;
  const runtime = await openRuntime({ capabilities: [ADD], grants: [{ capability: 'math.add', mode: 'allow' }] });
  const model = fromScript([CALL, '{', { done: true, message: 'Added.' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model });
  const content = withLedger ? { content: { ledger: runtime.ledger } } : {};
  try {
    return await pushTelemetry(run, { endpoint: endpoint(), ...content, ...options });
  } finally {
    await runtime.close();
  }
}

const spansIn = ({ read }: { readonly read: object }) =>
  (read as { resourceSpans: [{ scopeSpans: [{ spans: OtlpSpan[] }] }] }).resourceSpans[0].scopeSpans[0].spans;

for (const withLedger of [false, true])
  test(`OpenTelemetry's messages read every member that is sent, ${withLedger ? 'with' : 'without'} content`, async () => {
    expect(await pushed({}, withLedger)).toMatchObject({ spans: 8, lost: 0 });
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/logs']);
    for (const { sent, read } of received) expect(read).toEqual(sent);
  });

test("a run stands below a span of OpenTelemetry's SDK, in its trace", async () => {
  const load = createRequire(join(folder, 'package.json'));
  const { BasicTracerProvider } = load('@opentelemetry/sdk-trace-base');
  const span = new BasicTracerProvider().getTracer('app').startSpan('request');
  const { traceId, spanId } = span.spanContext() as { readonly traceId: string; readonly spanId: string };
  await pushed({ parent: span.spanContext() });
  await pushed({ parent: `00-${traceId}-${spanId}-01` });
  span.end();
  const traces = received.filter(({ path }) => path === '/v1/traces').map(spansIn);
  expect(traces).toHaveLength(2);
  for (const spans of traces) {
    expect(new Set(spans.map((each) => each.traceId))).toEqual(new Set([traceId]));
    expect(spans.find(({ name }) => name === 'invoke_agent sallyport')?.parentSpanId).toBe(spanId);
  }
});
