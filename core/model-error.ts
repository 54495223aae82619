import type { Details } from './errors/details.ts';
import { SallyportError } from './sallyport-error.ts';

export interface ModelFailureOptions {
  /** True where the same request may succeed later: the run then waits instead of ending. */
  readonly retryable: boolean;
  /** ms after which another attempt makes sense, as the model's server says. */
  readonly afterMs?: number;
  /** Text of the model's server. It is shown to the developer and never recorded, told to the model or exported. */
  readonly said?: string;
}

/**
 * Thrown by the adapter of a model that gave no answer. Code `model_failed`. The message is recorded, so it must hold
 * no key; text of the server belongs in `said`.
 */
export class ModelError extends SallyportError {
  readonly retryable: boolean;
  declare readonly afterMs?: number;
  declare readonly said?: string;

  constructor(message: string, { retryable, afterMs, said }: ModelFailureOptions, details: Details = {}) {
    super('model_failed', message, details);
    this.retryable = retryable;
    if (afterMs !== undefined) this.afterMs = afterMs;
    if (said !== undefined) this.said = said;
  }
}
