import { ModelError } from '../../../core/model-error.ts';
import type { EndpointError, EndpointReply } from './host.ts';

export async function replyOf<T>(work: () => Promise<T>): Promise<EndpointReply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: errorOf(error) };
  }
}

export function errorOf(error: unknown): EndpointError {
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
