import type { PowerError } from '../../core/capability/call.ts';
import type { JsonObject } from '../../core/json/value.ts';
import type { Refusal } from '../../core/outcome.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import { thrownError } from '../thrown.ts';

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

/**
 * The error of a power as it is recorded. A refusal of the store may hold words of a database or of a program's own
 * store: the guest is told its code alone.
 */
export function powerError(error: unknown): Pick<PowerError, 'name' | 'message' | 'details'> {
  if (error instanceof SallyportError)
    return { name: error.code, message: `The runtime cannot give this now (${error.code})` };
  return { ...thrownError(error), ...(error instanceof PowerRefusal && { details: error.details }) };
}
