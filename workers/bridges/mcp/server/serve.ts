import type { Runtime } from '../../../api.ts';
import { deferred, disposable } from '../../../async.ts';
import { ServedRuntime } from './host.ts';
import { serveHttp } from './http.ts';
import { type LineStreams, type McpServing, type ServeOptions, serveTerms } from './options.ts';
import { keepOutput, serveStreams } from './stdio.ts';

/**
 * Serves the capabilities of a runtime to hosts of the Model Context Protocol, in the versions that the SDK speaks. Each
 * `tools/call` is a proposal of a session and passes every gate to its receipt, also for a name that is not served. A
 * question goes to the person at the host, or to the runtime's `approve`. Each message passes `decode` before any other
 * code reads it: a message that is refused gets an error of JSON-RPC, is recorded, and is never run.
 *
 * Each connection is a session of its own. The newest version over HTTP has no connection: all its requests share one
 * session, because its uses of grants and its labels have to count for the holder of the token as a whole. With `auth`
 * each principal has one session, over all its connections and requests.
 *
 * Over standard input and output, what the process writes to standard output goes to standard error until the end.
 *
 * Rejects with `option_invalid`, and with `capability_twice` for `code` where a capability has that name.
 *
 * @example const { closed } = await serveMcp(runtime); await closed; await runtime.close();
 */
export async function serveMcp(runtime: Runtime, options?: ServeOptions): Promise<McpServing> {
  const terms = serveTerms(options);
  const served = new ServedRuntime(runtime, terms);
  await served.begin();
  if (terms.transport === 'stdio') {
    const { write, leave } = keepOutput();
    const serving = overStreams(served, { input: process.stdin, output: process.stdout, write });
    void serving.closed.then(leave, leave);
    return serving;
  }
  const http = await serveHttp(served, terms.transport).catch(async (error: unknown) => {
    await served.close();
    throw error;
  });
  const { address, token, strangers } = http;
  const { promise: closed, resolve } = deferred<void>();
  const end = async (): Promise<void> => {
    await http.close();
    await served.close();
    resolve();
  };
  return disposable<McpServing>({
    address,
    ...(token !== undefined && { token }),
    strangers,
    closed,
    close: once(end),
  });
}

/** Serves one client over two streams, for tests and for programs with streams of their own. */
export async function serveMcpOver(
  runtime: Runtime,
  streams: LineStreams,
  options?: ServeOptions,
): Promise<McpServing> {
  const served = new ServedRuntime(runtime, serveTerms(options));
  await served.begin();
  return overStreams(served, streams);
}

function overStreams(served: ServedRuntime, streams: LineStreams): McpServing {
  const { gone, close } = serveStreams(served, streams);
  const closed = gone.then(() => served.close());
  return disposable<McpServing>({ closed, close: once(() => close().then(() => closed)) });
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}
