/**
 * In the place of the SDK's `_shims`: the build aliases them to this file, so that its validators of JSON Schema stay
 * outside of the bundle. The gate checks arguments and results.
 */

/** True in a page, where the metadata of an authorization may be unreadable: the sign-in then goes on without it. */
export const CORS_IS_POSSIBLE: boolean = 'document' in globalThis;

/** The SDK's transport over standard input and output is never made. */
export const process: object = {};

/** Accepts every value. */
export class DefaultJsonSchemaValidator {
  getValidator<T>(): (value: unknown) => { readonly valid: true; readonly data: T; readonly errorMessage: undefined } {
    return (value) => ({ valid: true, data: value as T, errorMessage: undefined });
  }
}
