/**
 * `sallyport/models`: models on this device. `fromPromptApi`, `openModelWorker` and `startWorker` run in a page,
 * `serveModel` in a worker of the program's own, and the other adapters in both. Importing it has no effect.
 *
 * @experimental
 */
export type * from '../core/index.ts';
export type {
  ModelMessage,
  ModelPort,
  ModelRequest,
  ModelTool,
  ModelWindow,
} from '../workers/api.ts';
export { checkGguf, type GgufFacts, type GgufOptions } from '../workers/bridges/models/device/gguf.ts';
export type { ModelMaker, ModelWorkerOptions } from '../workers/bridges/models/device/messages.ts';
export {
  fromPromptApi,
  type PreparationOptions,
  type PromptApiOptions,
  type PromptApiPort,
} from '../workers/bridges/models/device/prompt-api.ts';
export type * from '../workers/bridges/models/device/prompt-types.ts';
export { serveModel } from '../workers/bridges/models/device/serve-model.ts';
export {
  fromTransformers,
  type TransformersGenerator,
  type TransformersMessage,
  type TransformersOptions,
  type TransformersStop,
} from '../workers/bridges/models/device/transformers.ts';
export {
  fromWebLlm,
  type WebLlmChunk,
  type WebLlmEngine,
  type WebLlmOptions,
  type WebLlmRequest,
} from '../workers/bridges/models/device/web-llm.ts';
export {
  fromWllama,
  type WllamaLike,
  type WllamaOptions,
  type WllamaRequest,
} from '../workers/bridges/models/device/wllama.ts';
export { SMALL_MODEL_EXAMPLES, SMALL_MODEL_LIMITS } from '../workers/bridges/models/small/examples.ts';
export {
  fromSmallModel,
  type SmallModelData,
  type SmallModelOptions,
} from '../workers/bridges/models/small/small-model.ts';
export { openModelWorker, startWorker, type WorkerModel } from './model-worker.ts';
