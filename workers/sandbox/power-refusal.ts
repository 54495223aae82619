import type { PowerError } from '../../core/capability/call.ts';
import type { JsonObject } from '../../core/json/value.ts';
import type { Refusal } from '../../core/outcome.ts';
import { thrownError } from '../async/thrown.ts';

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

/** The error of a power as it is recorded. */
export function powerError(error: unknown): Pick<PowerError, 'name' | 'message' | 'details'> {
  return { ...thrownError(error), ...(error instanceof PowerRefusal && { details: error.details }) };
}
