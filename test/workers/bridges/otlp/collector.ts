import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { OtlpLog, OtlpLogs, OtlpSpan, OtlpTraces } from '../../../../core/index.ts';

/** The answer of a collector to one request; `destroy` breaks the connection. */
export interface Answer {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
  readonly destroy?: true;
}

export interface Asked {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly at: number;
  readonly body: Partial<OtlpTraces & OtlpLogs>;
}

/** A collector on this machine that answers as `answer` says, and keeps what it was sent. */
export async function startCollector(answer: (asked: Asked, nth: number) => Answer | Promise<Answer> = () => ({})) {
  const asked: Asked[] = [];
  /** Requests that were answered with 200. */
  const taken: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', method = '', headers } = request;
    const body = JSON.parse(await text(request)) as Asked['body'];
    const one: Asked = { path: url, method, headers, at: performance.now(), body };
    asked.push(one);
    const {
      status = 200,
      headers: more = {},
      body: said = '{"partialSuccess":{}}',
      destroy,
    } = await answer(one, asked.length - 1);
    if (destroy) return void request.socket.destroy();
    if (status === 200) taken.push(one);
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(said);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spansIn = (list: readonly Asked[]): readonly OtlpSpan[] =>
    list.flatMap(({ body }) => body.resourceSpans?.[0].scopeSpans[0].spans ?? []);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    spans: () => spansIn(taken),
    logs: (): readonly OtlpLog[] => taken.flatMap(({ body }) => body.resourceLogs?.[0].scopeLogs[0].logRecords ?? []),
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
