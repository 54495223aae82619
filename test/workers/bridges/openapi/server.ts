import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { JsonValue } from '../../../../core/index.ts';
import { fromOpenApi, type OpenApiOptions, type OpenApiSource } from '../../../../workers/openapi.ts';

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface LocalServer {
  readonly origin: string;
  readonly arrived: readonly Arrived[];
}

type Answer = (request: Arrived, response: ServerResponse) => void;

/** An http server of this test, which ends with it. Without an answer of its own it echoes an empty object. */
export async function localServer(answer: Answer = (_, response) => json(response, {})): Promise<LocalServer> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(parts).toString() };
      arrived.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  raw(response, JSON.stringify(value), 'application/json', status);
}

export function raw(response: ServerResponse, body: string | Uint8Array, type: string, status = 200): void {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

/** A document with these paths. */
export function documentOf(paths: object, more: object = {}): object {
  return { openapi: '3.0.3', info: { title: 'Test', version: '1.2.3' }, paths, ...more };
}

/** The tools of a document; fails where the document is refused. */
export function sourceOf(document: object | string | Uint8Array, options: Partial<OpenApiOptions>): OpenApiSource {
  const source = fromOpenApi(document, { prefix: 'api', ...options });
  if (!source.ok) throw new Error(source.refusal.message);
  return source.value;
}

/** Calls the tool of an operation as the runtime does, with its result or its error as a value. */
export async function callOf(
  source: OpenApiSource,
  id: string,
  args: JsonValue,
  signal?: AbortSignal,
): Promise<unknown> {
  const name = source.names.get(id);
  const tool = (await source.list()).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool of ${id}: ${JSON.stringify(source.refused)}`);
  const io = { signal: signal ?? new AbortController().signal, step_id: 'step' };
  try {
    return await tool.run(args as never, io);
  } catch (error) {
    const { name: kind, message } = error as Error;
    return { error: kind, message };
  }
}

/** Reason and pointer of each refusal. */
export function refusalsOf(source: OpenApiSource): readonly (readonly [string | undefined, string, string])[] {
  return source.refused.map(({ operation, refusal: { details, code, pointer = '' } }) => [
    operation?.id,
    String(details['reason'] ?? code),
    pointer,
  ]);
}
