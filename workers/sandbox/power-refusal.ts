import type { JsonObject } from '../../core/json/value.ts';
import type { Refusal } from '../../core/outcome.ts';

/** A built-in power refuses: its error's name is the code, and its details are recorded with it, which the guest cannot touch. */
export class PowerRefusal extends Error {
  override readonly name: string;
  readonly details: JsonObject;

  constructor({ code, message, details }: Pick<Refusal, 'message' | 'details'> & { readonly code: string }) {
    super(message);
    this.name = code;
    this.details = details;
  }
}
