import { FORMATS } from './formats.ts';
import { OPERATIONS, type Operations } from './operations.ts';

/** Operations for validators whose schemas may name formats. */
export interface ValidatorRuntime extends Operations {
  readonly formats: typeof FORMATS;
}

export const RUNTIME: ValidatorRuntime = { ...OPERATIONS, formats: FORMATS };
