/** `sallyport`: the runtime for a page. Importing it does nothing; `openRuntime` starts the workers. */
export { defineCapability, definePower, SallyportError } from '../core/index.ts';
export { CORPUS_CAPABILITIES } from '../sandbox/capabilities/content.ts';
export type * from '../workers/api.ts';
export type { EndpointTest } from '../workers/proposers/connection.ts';
export { fromOpenAI, type OpenAIOptions, type OpenAIPort } from '../workers/proposers/openai.ts';
export { fromPerson, type Person } from '../workers/proposers/person.ts';
export { fromRecording, type RecordedAnswer, recording } from '../workers/proposers/recorded.ts';
export { fromScript, type ScriptItem } from '../workers/proposers/script.ts';
export type {
  CallOptions,
  CallOutcome,
  LoadedCapability,
  LoadOptions,
  Sandbox,
} from '../workers/sandbox/create.ts';
export { showTracks } from '../workers/tracks.ts';
export { openRuntime, type PageOptions } from './client.ts';
export { createSandbox, type PageSandboxOptions } from './create-sandbox.ts';
export { type EndpointModel, fromEndpoint, type PageEndpointSettings } from './endpoint.ts';
