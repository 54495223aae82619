import { ModelError } from '../../../../core/model-error.ts';

interface Failure {
  readonly message: string;
  readonly retryable: boolean;
}

export type PromptFault =
  | 'unsupported'
  | 'unavailable'
  | 'not_ready'
  | 'not_allowed'
  | 'filtered'
  | 'not_supported'
  | 'download'
  | 'window'
  | 'ended'
  | 'failed';

/** Failures of the browser's model. The messages are recorded, so they hold no text of the browser. */
const FAILURES: { readonly [fault in PromptFault]: Failure } = {
  unsupported: {
    message: 'This browser has no Prompt API here. It exists in windows of some browsers, and in no worker.',
    retryable: false,
  },
  unavailable: { message: 'The browser has no model for this device or these languages.', retryable: false },
  not_ready: { message: 'The model of the browser is not downloaded. Call prepare() on a click.', retryable: true },
  not_allowed: { message: 'The browser does not let this page use its model.', retryable: false },
  filtered: { message: 'The browser has withheld the answer of its model.', retryable: false },
  not_supported: {
    message: 'The model of the browser does not support the language or the schema of the request.',
    retryable: false,
  },
  download: { message: 'The browser could not download its model.', retryable: true },
  window: { message: 'The request is larger than the window of the browser model.', retryable: false },
  ended: { message: 'The browser has ended the session of its model.', retryable: true },
  failed: { message: 'The model of the browser has failed.', retryable: true },
};

/** Faults by the name of the browser's exception. */
const BY_NAME: ReadonlyMap<string, PromptFault> = new Map([
  ['NotAllowedError', 'not_allowed'],
  ['NotReadableError', 'filtered'],
  ['NotSupportedError', 'not_supported'],
  ['NetworkError', 'download'],
  ['QuotaExceededError', 'window'],
  ['AbortError', 'ended'],
  ['InvalidStateError', 'ended'],
]);

/** UTF-16 units of the browser's text that are shown to the developer. */
const SAID_MAX = 2048;

export function promptFailure(fault: PromptFault, said?: string): ModelError {
  const { message, retryable } = FAILURES[fault];
  return new ModelError(message, { retryable, ...(said && { said: said.slice(0, SAID_MAX) }) }, { fault });
}

/** The failure for the run, of a request that the run has not aborted. A `ModelError` passes unchanged. */
export function failureOfPrompt(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { name, message } = Object(error) as { readonly name?: unknown; readonly message?: unknown };
  return promptFailure(BY_NAME.get(String(name)) ?? 'failed', `${String(name)}: ${String(message)}`);
}
