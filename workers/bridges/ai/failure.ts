import { ModelError } from '../../../core/model-error.ts';
import { isAbort } from '../models/endpoint.ts';
import { endpointFailure } from '../models/failure.ts';
import { delayIn } from '../models/retry-after.ts';

/** The members of `APICallError` that are read, alike in `@ai-sdk/provider` 2, 3 and 4. */
interface ApiCallError {
  readonly isRetryable?: boolean;
  readonly statusCode?: number;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly responseBody?: string;
}

/** Marks the errors of `APICallError` across the versions of the SDK. */
const API_CALL_ERROR: symbol = Symbol.for('vercel.ai.error.AI_APICallError');

/** UTF-16 units of a server's text that are shown. */
const SAID_MAX = 2048;

/**
 * The failure for the run, of a request that the run has not aborted. A `ModelError` passes unchanged. The message is recorded, so it holds no text of
 * a server and no text of the SDK.
 */
export function failureOf(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (isAbort(error)) return endpointFailure('timeout');
  if (Object(error) === error && API_CALL_ERROR in (error as object)) return apiFailure(error as ApiCallError);
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: said(error) };
  const kind = /^\w{1,64}$/.test(name) ? name : 'Error';
  return new ModelError(`The language model of the AI SDK failed with ${kind}.`, {
    retryable: false,
    said: message.slice(0, SAID_MAX),
  });
}

function apiFailure({ isRetryable, statusCode, responseHeaders = {}, responseBody = '' }: ApiCallError): ModelError {
  const fault = statusCode === undefined ? 'unreachable' : 'status';
  const { message, retryable, details } = endpointFailure(
    fault,
    statusCode === undefined ? {} : { status: statusCode },
  );
  const afterMs = waitIn(responseHeaders);
  return new ModelError(
    message,
    {
      retryable: isRetryable ?? retryable,
      ...(afterMs !== undefined && { afterMs }),
      ...(responseBody !== '' && { said: responseBody.slice(0, SAID_MAX) }),
    },
    details,
  );
}

function waitIn(headers: { readonly [name: string]: string }): number | undefined {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const exact = named.get('retry-after-ms');
  return exact !== undefined && /^[0-9]{1,12}$/.test(exact) ? Number(exact) : delayIn(named.get('retry-after') ?? null);
}

function said(error: unknown): string {
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? '');
}
