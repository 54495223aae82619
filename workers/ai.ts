/**
 * `sallyport/ai`: models of the AI SDK for runs, and the tools of a session for the AI SDK. It needs no package: the
 * types fit `ai` 5, 6 and 7 and the specifications v2, v3 and v4 by their form.
 */

export type * from '../core/index.ts';
export type * from './api.ts';
export { fromLanguageModel, type LanguageModelOptions } from './bridges/ai/language-model.ts';
export type { AiLanguageModel, AiPart } from './bridges/ai/model.ts';
export type {
  AiApproval,
  AiCall,
  AiFunctions,
  AiMiddleware,
  AiRequest,
  AiTool,
  SessionTools,
} from './bridges/ai/sdk.ts';
export { type ToolsForOptions, toolsFor } from './bridges/ai/tools.ts';
export type { Patience } from './bridges/models/patience.ts';
