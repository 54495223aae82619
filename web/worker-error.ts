import { ModelError, SallyportError } from '../core/index.ts';
import type { EndpointError, EndpointReply } from '../workers/bridges/endpoint/host.ts';

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
