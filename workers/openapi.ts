/**
 * `sallyport/openapi`: tools of the operations of an OpenAPI document, in a page and in Node.
 *
 * @experimental
 */
export type * from '../core/index.ts';
export type * from './api.ts';
export type { OpenApiAnswer } from './bridges/openapi/answer.ts';
export { fromOpenApi, type OpenApiSource, type OperationRefusal } from './bridges/openapi/from-openapi.ts';
export type { OpenApiOperation, OperationErrorName } from './bridges/openapi/operation.ts';
export type { ForOperation, OpenApiHeaderRequest, OpenApiHeaders, OpenApiOptions } from './bridges/openapi/options.ts';
