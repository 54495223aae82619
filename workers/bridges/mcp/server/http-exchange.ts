import type { IncomingMessage, ServerResponse } from 'node:http';
import { drained } from './drained.ts';

/** The body of a request, or undefined when it is longer than its bound. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.byteLength;
    if (length > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A request for the SDK, without its body. The signal aborts when the client goes. */
export function webRequest({ headers, method = 'GET', url = '/' }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(new URL(url, 'http://localhost'), { method, headers: given, signal: gone.signal });
}

/** Sends an answer of the SDK, part by part, as fast as the client reads. */
export async function sendWeb(
  { status, headers, body }: Response,
  response: ServerResponse,
  further: { readonly [name: string]: string },
): Promise<void> {
  response.writeHead(status, { ...Object.fromEntries(headers), ...further });
  if (body === null) return void response.end();
  response.flushHeaders();
  const reader = body.getReader();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

/** Sends a JSON text. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}
