/**
 * In the place of the SDK's `_shims`: the build aliases them to this file, so that its validators of JSON Schema stay
 * outside of the bundle. The gate checks arguments and results; `CORS_IS_POSSIBLE` only words an error of the SDK.
 */

export const CORS_IS_POSSIBLE = false;

/** The SDK's transport over standard input and output is never made. */
export const process: object = {};

/** Accepts every value. */
export class DefaultJsonSchemaValidator {
  getValidator<T>(): (value: unknown) => { readonly valid: true; readonly data: T; readonly errorMessage: undefined } {
    return (value) => ({ valid: true, data: value as T, errorMessage: undefined });
  }
}
