import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import { deferred } from '../../../async.ts';
import { makeLineSplitter } from '../../models/lines.ts';
import { WIRE_LIMITS } from '../wire/message.ts';
import type { CallerSession } from './caller-session.ts';
import { drained } from './drained.ts';
import type { ServedRuntime } from './host.ts';
import { type Incoming, readIncoming, tooLong } from './incoming.ts';
import type { LineStreams } from './options.ts';

/**
 * Keeps standard output for the protocol: what the program and its packages write there, `console` included, goes to
 * standard error until `leave` is called. A line between two messages would end the connection.
 */
export function keepOutput(): { readonly write: (line: string) => boolean; readonly leave: () => void } {
  const { stdout, stderr } = process;
  const { write } = stdout;
  const aside = ((...given: Parameters<typeof write>) => stderr.write(...given)) as typeof write;
  stdout.write = aside;
  const leave = (): void => {
    if (stdout.write === aside) stdout.write = write;
  };
  return { write: (line) => write.call(stdout, line), leave };
}

/** Messages of JSON-RPC in lines. Each line passes `decode` before the SDK sees its value. */
class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #streams: LineStreams;
  readonly #session: CallerSession;
  #isClosed = false;
  /** While the client has to read first; all messages wait for the same moment. */
  #drained: Promise<void> | undefined;

  constructor(streams: LineStreams, session: CallerSession) {
    this.#streams = streams;
    this.#session = session;
  }

  async start(): Promise<void> {
    // A client that reads no more has gone.
    this.#streams.output.on('error', () => void this.close());
    void this.#read();
  }

  /** Waits until the client has read, so that a slow client holds no memory. */
  async send(message: object): Promise<void> {
    const { output, write = (line: string) => output.write(line) } = this.#streams;
    if (this.#isClosed || write(`${JSON.stringify(message)}\n`)) return;
    this.#drained ??= drained(output).finally(() => {
      this.#drained = undefined;
    });
    await this.#drained;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#streams.input.destroy();
    this.onclose?.();
  }

  async #read(): Promise<void> {
    const splitter = makeLineSplitter(WIRE_LIMITS.bytes, {
      line: (bytes) => this.#take(bytes, readIncoming(bytes)),
      dropped: ({ bytes, head, tail }) => this.#take(head, tooLong(head, tail, bytes)),
    });
    try {
      for await (const chunk of this.#streams.input) splitter.push(chunk as Uint8Array);
      splitter.end();
    } catch (error) {
      if (!this.#isClosed) this.onerror?.(error as Error);
    }
    await this.close();
  }

  #take(bytes: Uint8Array, incoming: Incoming): void {
    if (this.#isClosed) return;
    if ('message' in incoming) return this.onmessage?.(incoming.message);
    this.#session.reject(incoming.refusal, bytes);
    if (incoming.reply !== undefined) void this.send(incoming.reply);
    if (incoming.failure !== undefined) this.onmessage?.(incoming.failure as JSONRPCMessage);
  }
}

/** Serves one client over two streams. `gone` resolves when the client has gone. */
export function serveStreams(
  served: ServedRuntime,
  streams: LineStreams,
): { readonly gone: Promise<void>; readonly close: () => Promise<void> } {
  const client = served.client();
  const transport = new LineTransport(streams, client.session);
  const { promise: gone, resolve } = deferred<void>();
  let leave: (() => void) | undefined;
  const handle = serveTransport(
    ({ era }) => {
      const server = served.server(client, era === 'modern');
      leave?.();
      leave = served.onChange(() => void server.sendToolListChanged().catch(() => undefined));
      return server;
    },
    { transport },
  );
  const told = transport.onclose;
  transport.onclose = () => {
    told?.();
    leave?.();
    resolve();
  };
  return { gone, close: () => handle.close() };
}
