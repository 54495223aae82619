/**
 * `sallyport/node`: the runtime without a page. Capabilities run in worker threads, so that a call that hangs can be
 * terminated.
 */

import type { Report, Runtime } from './api.ts';
import { disposable } from './async/dispose.ts';
import { type CheckOptions, checkExport } from './audit/verify-export.ts';
import { makeValidator, type Validator, type ValidatorOptions } from './client/validator.ts';
import { type NodeOptions, openInProcess } from './node/open.ts';
import { openSandboxes } from './node/platform.ts';
import { createSandbox as makeSandbox, type Sandbox, type SandboxOptions } from './sandbox/create.ts';
import { schemaCompiler } from './sandbox/schemas.ts';

export type * from '../core/index.ts';
export {
  defineCapability,
  defineCodeTool,
  definePower,
  defineTool,
  ModelError,
  SallyportError,
} from '../core/index.ts';
export { CORPUS_CAPABILITIES } from '../sandbox/capabilities/content.ts';
export type * from './api.ts';
export type { CheckOptions } from './audit/verify-export.ts';
export { showTracks } from './client/devtools-tracks.ts';
export { rawJson } from './client/raw-json.ts';
export type { ValidatedCapability, Validator, ValidatorOptions } from './client/validator.ts';
export type { EndpointTest, EndpointTestOptions } from './models/connection.ts';
export type { EndpointOptions } from './models/endpoint.ts';
export {
  type ForFunction,
  type FunctionOptions,
  type FunctionRunner,
  type FunctionTools,
  fromFunctions,
  type RefusedFunction,
} from './models/functions.ts';
export { fromOpenAI, type OpenAIOptions, type OpenAIPort } from './models/openai.ts';
export { fromPerson, type Person } from './models/person.ts';
export {
  type ResponseFormat,
  SERVER_PRESETS,
  type ServerName,
  type ServerPreset,
} from './models/presets.ts';
export type { Probe as ModelProbe } from './models/probe.ts';
export { fromRecording, type RecordedAnswer, recording } from './models/recorded.ts';
export { fromScript, type ScriptItem } from './models/script.ts';
export {
  type AnthropicFunction,
  type FunctionShapes,
  type GeminiFunction,
  type McpFunction,
  type OpenAIFunction,
  type ToolFunctions,
  toFunctions,
} from './models/shapes.ts';
export type { ToolNames } from './models/tool-names.ts';
export type {
  CallOptions,
  CallOutcome,
  GuestPower,
  LoadedCapability,
  LoadOptions,
  Sandbox,
  SandboxOptions,
} from './sandbox/create.ts';
export type { RuntimeStore } from './store/runtime-store.ts';
export type { NodeOptions };

/** Opens a runtime in this process. Rejects with `SallyportError`. */
export function openRuntime(given: NodeOptions = {}): Promise<Runtime> {
  return openInProcess(given);
}

/** Checks an exported run without repeating its calls. Accepts any text; rejects only when its signal aborts. */
export async function verifyExport(jsonl: string, options: Omit<CheckOptions, 'replay'> = {}): Promise<Report> {
  return checkExport(jsonl, options, openSandboxes);
}

/**
 * Checks an exported run and repeats its calls in separate threads. Accepts any text; rejects only when its signal
 * aborts.
 */
export async function replayExport(jsonl: string, options: Omit<CheckOptions, 'replay'> = {}): Promise<Report> {
  return checkExport(jsonl, { ...options, replay: true }, openSandboxes);
}

export interface OpenValidator extends Validator, AsyncDisposable {
  close(): Promise<void>;
}

/** Validates proposals and runs no code. Schemas are checked in a thread that ends with the process or by `close`. */
export async function createValidator(options: ValidatorOptions): Promise<OpenValidator> {
  const { sandbox, schemas } = await openSandboxes();
  return disposable({ ...(await makeValidator(options, schemas)), close: () => sandbox.close() });
}

/** Opens a sandbox on its own: guest code with limits, on a fresh heap for every call. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { sandbox, schemas } = await openSandboxes();
  return makeSandbox(sandbox, schemaCompiler(schemas), options);
}
