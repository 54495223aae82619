import type { JsonObject } from '../../core/json/value.ts';
import type { Refusal } from '../../core/outcome.ts';

/**
 * Refusal of a built-in power. The name of the error is the code. Its details are recorded with it, and the guest
 * cannot change them.
 */
export class PowerRefusal extends Error {
  override readonly name: string;
  readonly details: JsonObject;

  constructor({ code, message, details }: Pick<Refusal, 'message' | 'details'> & { readonly code: string }) {
    super(message);
    this.name = code;
    this.details = details;
  }
}
