import { type Remote, wrap } from 'comlink';
import { ModelError, SallyportError } from '../core/index.ts';
import type { EndpointError, EndpointHost, EndpointReply } from '../workers/endpoint/host.ts';
import endpointUrl from '../workers/endpoint/worker.ts?worker&url';
import { fileIn } from './engine.ts';
import { startWorker } from './worker.ts';

/** A started endpoint worker, which is opened once. */
export interface EndpointWorker<T> {
  readonly host: Remote<EndpointHost>;
  /** Value with which the worker was opened. */
  readonly opened: T;
  /** Ends the worker; its keys go with it. */
  terminate(): void;
}

/** Starts an endpoint worker and opens it by `open`. `assets` is a folder, or absent for the bundler's place. */
export async function openEndpointWorker<T>(
  assets: string | undefined,
  open: (host: Remote<EndpointHost>) => Promise<EndpointReply<T>>,
): Promise<EndpointWorker<T>> {
  const url = assets === undefined ? endpointUrl : fileIn(assets, 'worker-endpoint.js');
  const { worker, failed } = startWorker(url, 'sallyport-endpoint');
  const host = wrap<EndpointHost>(worker);
  const terminate = (): void => worker.terminate();
  try {
    return { host, opened: valueOf(await Promise.race([open(host), failed])), terminate };
  } catch (error) {
    terminate();
    throw error;
  }
}

/** The value of a reply. Throws its error with its code. */
export function valueOf<T>(told: EndpointReply<T>): T {
  if (told.ok) return told.value;
  throw errorOf(told.error);
}

/** The error that the worker told. */
export function errorOf({ name, message, code, details = {}, retryable, ...told }: EndpointError): Error {
  if (retryable !== undefined) {
    const { afterMs, said } = told;
    const failure = { retryable, ...(afterMs !== undefined && { afterMs }), ...(said !== undefined && { said }) };
    return new ModelError(message, failure, details as Record<string, never>);
  }
  if (code !== undefined)
    return new SallyportError(code as SallyportError['code'], message, details as Record<string, never>);
  return Object.assign(new Error(message), { name });
}
