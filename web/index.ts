/** `sallyport`: the runtime for a page. Importing it has no effect; `openRuntime` starts the workers. */
export type * from '../core/index.ts';
export {
  defineCapability,
  defineCodeTool,
  definePower,
  defineQuestion,
  defineTool,
  ModelError,
  SallyportError,
  ToolError,
} from '../core/index.ts';
export { CORPUS_CAPABILITIES } from '../sandbox/capabilities/content.ts';
export type * from '../workers/api.ts';
export type { DoorKind, DoorSettings, EndpointSettings } from '../workers/bridges/endpoint/host.ts';
export type { EndpointTest, EndpointTestOptions } from '../workers/bridges/models/connection.ts';
export type { EndpointOptions } from '../workers/bridges/models/endpoint.ts';
export {
  type ForFunction,
  type FunctionOptions,
  type FunctionRunner,
  type FunctionTools,
  fromFunctions,
  type RefusedFunction,
} from '../workers/bridges/models/functions.ts';
export { fromOpenAI, type OpenAIOptions, type OpenAIPort } from '../workers/bridges/models/openai.ts';
export type { Patience } from '../workers/bridges/models/patience.ts';
export { fromPerson, type Person } from '../workers/bridges/models/person.ts';
export {
  type ResponseFormat,
  SERVER_PRESETS,
  type ServerName,
  type ServerPreset,
} from '../workers/bridges/models/presets.ts';
export type { Probe as ModelProbe } from '../workers/bridges/models/probe.ts';
export { fromRecording, type RecordedAnswer, recording } from '../workers/bridges/models/recorded.ts';
export { fromScript, type ScriptItem } from '../workers/bridges/models/script.ts';
export {
  type AnthropicFunction,
  type FunctionShapes,
  type GeminiFunction,
  type McpFunction,
  type OpenAIFunction,
  type ToolFunctions,
  toFunctions,
} from '../workers/bridges/models/shapes.ts';
export type { ToolNames } from '../workers/bridges/models/tool-names.ts';
export { showTracks } from '../workers/client/devtools-tracks.ts';
export { rawJson } from '../workers/client/raw-json.ts';
export type {
  CallOptions,
  CallOutcome,
  GuestPower,
  LoadedCapability,
  LoadOptions,
  Sandbox,
  SandboxOptions,
} from '../workers/sandbox/create.ts';
export { openRuntime, type PageOptions } from './client.ts';
export { createSandbox } from './create-sandbox.ts';
export { type Door, type DoorOptions, openDoor } from './door.ts';
export { type EndpointModel, fromEndpoint, type PageEndpointSettings } from './endpoint.ts';
export type { PageSandboxOptions } from './sandbox.ts';
