import { ModelError } from '../../../../core/model-error.ts';
import { thrownError } from '../../../thrown.ts';

/** UTF-16 units of an engine's text that are shown to the developer. */
const SAID_MAX = 2048;

/** WebLLM's name of the error for a request that is longer than the model's window. */
const TOO_LONG = 'ContextWindowSizeExceededError';

/**
 * The failure for the run, of an engine on this device. The message is recorded, so it holds no text of the engine. An
 * engine that has failed gets the same request again only where the program asks for it.
 */
export function engineFailure(engine: string, error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { name, message } = thrownError(error);
  const fault = name === TOO_LONG ? 'window' : 'failed';
  const text = fault === 'window' ? 'The request is larger than the window of the model.' : `${engine} has failed.`;
  return new ModelError(text, { retryable: false, said: `${name}: ${message}`.slice(0, SAID_MAX) }, { fault });
}
