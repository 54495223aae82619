/**
 * Entry of the endpoint worker: the only part that may ask a server other than this page's own. It receives requests,
 * sends them, and returns the text; it makes no decision and keeps only the key.
 */
import { expose, type ProxyMarked, releaseProxy } from 'comlink';
import { assert } from '../../core/assert.ts';
import { ModelError } from '../../core/model-error.ts';
import { closeExits } from '../lock/exits.ts';
import { type OpenAIPort, openPort } from '../models/openai.ts';
import type { EndpointError, EndpointHost, EndpointReply } from './host.ts';

// The only exit left in this worker is `fetch`.
closeExits();

let port: OpenAIPort | undefined;
let asking = new AbortController();

const host: EndpointHost = {
  open: (settings) =>
    replyOf(async () => {
      assert(port === undefined, 'an endpoint worker is opened once');
      port = openPort(settings);
      const { id, provider, name, locality } = port;
      return { id, ...(provider !== undefined && { provider }), ...(name !== undefined && { name }), locality };
    }),
  propose: (request, onText) =>
    replyOf(async () => {
      asking = new AbortController();
      const pieces: unknown[] = [];
      const tell = (text: string) => void pieces.push(onText(text));
      try {
        const answer = await opened().propose(request, { signal: asking.signal, onText: tell });
        // the pieces have a port of their own: the answer comes behind the last piece
        await Promise.allSettled(pieces);
        return answer;
      } finally {
        (onText as Partial<ProxyMarked & { [releaseProxy]: () => void }>)[releaseProxy]?.();
      }
    }),
  cancel: () => asking.abort(),
  test: (timeoutMs) => replyOf(() => opened().testEndpoint(timeoutMs === undefined ? {} : { timeoutMs })),
  probe: () => replyOf(async () => (await opened().probe()).responseFormat),
};

function opened(): OpenAIPort {
  assert(port !== undefined, 'an endpoint is opened before it is asked');
  return port;
}

async function replyOf<T>(work: () => Promise<T>): Promise<EndpointReply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: errorOf(error) };
  }
}

function errorOf(error: unknown): EndpointError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, code, details } = error as Error & { readonly code?: unknown; readonly details?: unknown };
  const { retryable, afterMs, said } = error instanceof ModelError ? error : {};
  return {
    name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(retryable !== undefined && { retryable }),
    ...(afterMs !== undefined && { afterMs }),
    ...(said !== undefined && { said }),
    ...(typeof details === 'object' && details !== null && { details }),
  };
}

expose(host);
