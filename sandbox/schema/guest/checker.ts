import { type RawValidator, validate } from '../../../core/schema/issues.ts';
import { RUNTIME, type ValidatorRuntime } from '../../../core/schema/runtime.ts';

/** A schema's hash in hex, as the host writes it before the value. */
const HASH_LENGTH = 64;

// generated code reads members without checking that they are own members: no member can be inherited
Object.preventExtensions(Object.prototype);

const validators = new Map<string, RawValidator>();
let sealed = false;

/** Called by the generated scripts while the image is built. */
export function register(hash: string, make: (runtime: ValidatorRuntime) => RawValidator): void {
  if (sealed || validators.has(hash)) throw new Error('registered before');
  validators.set(hash, make(RUNTIME));
}

/** Ends the image: no validator can be registered after it. */
export function seal(): void {
  sealed = true;
}

/** Hash and value text in, list of issues out. An unknown hash throws, and so may the validator: neither is a yes. */
export function check(text: string): string {
  const validator = validators.get(text.slice(0, HASH_LENGTH));
  if (validator === undefined) throw new Error('no such schema');
  return JSON.stringify(validate(validator, JSON.parse(text.slice(HASH_LENGTH))));
}

/** Hashes, a line feed and value text in; a list of issues for each hash out, in their order. */
export function checkAll(text: string): string {
  const end = text.indexOf('\n');
  const value: unknown = JSON.parse(text.slice(end + 1));
  const issues = [];
  for (let at = 0; at < end; at += HASH_LENGTH) {
    const validator = validators.get(text.slice(at, at + HASH_LENGTH));
    if (validator === undefined) throw new Error('no such schema');
    issues.push(validate(validator, value));
  }
  return JSON.stringify(issues);
}

export { explain } from './explain.ts';
