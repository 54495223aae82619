/** `sallyport/openapi`: tools of the operations of an OpenAPI document, in a page and in Node. */
export type * from '../core/index.ts';
export type * from './api.ts';
export type { OpenApiAnswer } from './openapi/answer.ts';
export { fromOpenApi, type OpenApiSource, type OperationRefusal } from './openapi/from-openapi.ts';
export type { OpenApiOperation } from './openapi/operation.ts';
export type { OperationErrorName } from './openapi/operation-error.ts';
export type { ForOperation, OpenApiHeaderRequest, OpenApiHeaders, OpenApiOptions } from './openapi/options.ts';
