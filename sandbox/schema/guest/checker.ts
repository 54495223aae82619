/* oxlint-disable no-restricted-imports -- guest source: bundled for the check image, never imported by the host */
import { type RawValidator, validate } from '../../../core/schema/issues.ts';
import { RUNTIME, type ValidatorRuntime } from '../../../core/schema/runtime.ts';

const validators = new Map<string, RawValidator>();
const parse = JSON.parse;
const stringify = JSON.stringify;

/** Called once for each schema while the image is built, by the generated code. */
function register(id: string, make: (runtime: ValidatorRuntime) => RawValidator): void {
  validators.set(id, make(RUNTIME));
}

/** Value text in, list of issues out. An unknown id throws, and so may the validator: neither is a yes. */
function check(id: string, text: string): string {
  const validator = validators.get(id);
  if (validator === undefined) throw new Error('no such schema');
  return stringify(validate(validator, parse(text)));
}

Object.assign(globalThis, { registerSchema: register, checkSchema: check });
