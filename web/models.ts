/**
 * `sallyport/models`: models on this device. `fromPromptApi`, `openModelWorker` and `startWorker` run in a page,
 * `serveModel` in a worker of the program's own, and the other adapters in both. Importing it has no effect.
 */
export type * from '../core/index.ts';
export type {
  ModelMessage,
  ModelPort,
  ModelRequest,
  ModelTool,
  ModelWindow,
} from '../workers/api.ts';
export type { ModelMaker, ModelWorkerOptions } from '../workers/device/messages.ts';
export { serveModel } from '../workers/device/serve-model.ts';
export { checkGguf, type GgufFacts, type GgufOptions } from '../workers/models/device/gguf.ts';
export {
  fromPromptApi,
  type PreparationOptions,
  type PromptApiOptions,
  type PromptApiPort,
} from '../workers/models/device/prompt-api.ts';
export type * from '../workers/models/device/prompt-types.ts';
export {
  fromTransformers,
  type TransformersGenerator,
  type TransformersMessage,
  type TransformersOptions,
  type TransformersStop,
} from '../workers/models/device/transformers.ts';
export {
  fromWebLlm,
  type WebLlmChunk,
  type WebLlmEngine,
  type WebLlmOptions,
  type WebLlmRequest,
} from '../workers/models/device/web-llm.ts';
export {
  fromWllama,
  type WllamaLike,
  type WllamaOptions,
  type WllamaRequest,
} from '../workers/models/device/wllama.ts';
export { SMALL_MODEL_EXAMPLES, SMALL_MODEL_LIMITS } from '../workers/models/small/examples.ts';
export {
  fromSmallModel,
  type SmallModelData,
  type SmallModelOptions,
} from '../workers/models/small/small-model.ts';
export { openModelWorker, startWorker, type WorkerModel } from './model-worker.ts';
