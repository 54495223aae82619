/**
 * `sallyport/node`: the runtime without a page. Capabilities run in worker threads, so that a call that hangs can be
 * terminated.
 */

import { ANY, FLAG, type OptionTypes, optionsOf, TEXT } from '../core/option.ts';
import type { Outcome } from '../core/outcome.ts';
import { SallyportError, unwrap } from '../core/sallyport-error.ts';
import type { Report, Runtime, RuntimeOptions } from './api.ts';
import { disposable, unlessAborted } from './async.ts';
import { localAuditor } from './auditor/auditor.ts';
import { type CheckOptions, checkExport } from './auditor/verify-export.ts';
import { type NotifyOptions, notifyOptions, notifyQuestions } from './bridges/webhook/notify.ts';
import { RUNTIME_OPTIONS } from './client/apply-options.ts';
import { closedInTime, openClient } from './client/client.ts';
import { makeValidator, type Validator, type ValidatorOptions } from './client/validator.ts';
import { makeKernel } from './kernel/kernel.ts';
import { finishErasures } from './kernel/retention.ts';
import { nodePorts, openSandboxes } from './node/platform.ts';
import { ownProperties } from './own-properties.ts';
import { createSandbox as makeSandbox, type Sandbox, type SandboxOptions } from './sandbox/create.ts';
import { schemaCompiler } from './sandbox/schemas.ts';
import { failure } from './store/directory/file.ts';
import { openDirectoryStore } from './store/directory/store.ts';
import { openMemoryStore } from './store/memory/store.ts';
import { isLedgerStore, type RuntimeStore } from './store/runtime-store.ts';
import type { SharedStore } from './store/shared-store.ts';
import type { LedgerStore } from './store/store.ts';

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
export type * from './api.ts';
export {
  type CheckpointHistory,
  type ComparedLog,
  type CompareOptions,
  compareCheckpoints,
  type ReadLogFile,
} from './auditor/compare-checkpoints.ts';
export type { LogPlace, PublishedLog, WriteLogFile } from './auditor/publish-log.ts';
export type { CheckOptions } from './auditor/verify-export.ts';
export type { EndpointTest, EndpointTestOptions } from './bridges/models/connection.ts';
export type { EndpointOptions } from './bridges/models/endpoint.ts';
export {
  type ForFunction,
  type FunctionOptions,
  type FunctionRunner,
  type FunctionTools,
  fromFunctions,
  type RefusedFunction,
} from './bridges/models/functions.ts';
export { fromOpenAI, type OpenAIOptions, type OpenAIPort } from './bridges/models/openai.ts';
export type { Patience } from './bridges/models/patience.ts';
export { fromPerson, type Person } from './bridges/models/person.ts';
export {
  type ResponseFormat,
  SERVER_PRESETS,
  type ServerName,
  type ServerPreset,
} from './bridges/models/presets.ts';
export type { Probe as ModelProbe } from './bridges/models/probe.ts';
export { fromRecording, type RecordedAnswer, recording } from './bridges/models/recorded.ts';
export { fromScript, type ScriptItem } from './bridges/models/script.ts';
export {
  type AnthropicFunction,
  type FunctionShapes,
  type GeminiFunction,
  type McpFunction,
  type OpenAIFunction,
  type ToolFunctions,
  toFunctions,
} from './bridges/models/shapes.ts';
export type { ToolNames } from './bridges/models/tool-names.ts';
export type { NotifyOptions } from './bridges/webhook/notify.ts';
export { showTracks } from './client/devtools-tracks.ts';
export { rawJson } from './client/raw-json.ts';
export type { ValidatedCapability, Validator, ValidatorOptions } from './client/validator.ts';
export { makeLogKey, type PublishOptions, publishLog } from './node/publish-log.ts';
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

export interface NodeOptions extends RuntimeOptions {
  /**
   * Place of the ledger: this process's memory, a directory that a single process opens at a time, or an open store of
   * another entry.
   */
  readonly store?: 'memory' | { readonly directory: string } | RuntimeStore;
  /**
   * Sends a message about each question that waits for a person (`runtime.questions()`) by Standard Webhooks: digest, tool,
   * reason code and page, without arguments. Three tries in ten minutes; `storage.events()` has the outcome, `notified`.
   */
  readonly notify?: NotifyOptions;
  /** Starts the compiler of schemas at once, for a program that provides its tools later. Default false. */
  readonly warm?: boolean;
}

/** `openStore` and `notifyOptions` check theirs. */
const NODE_OPTIONS: OptionTypes = { store: ANY, notify: ANY, warm: FLAG, ...RUNTIME_OPTIONS };

/** Opens a runtime in this process. Rejects with `SallyportError`. */
export async function openRuntime(given: NodeOptions = {}): Promise<Runtime> {
  const own = ownProperties(given);
  optionsOf(own, NODE_OPTIONS);
  const { store: kept = 'memory', warm = false, notify: told, ...options } = own;
  const { signal } = options;
  signal?.throwIfAborted();
  const notify = told && notifyOptions(told);
  const store = openStore(kept);
  const { claim = nodePorts.claim, exclusive, held, peers } = store;
  const shared = { ...(exclusive && { exclusive }), ...(held && { held }), ...(peers && { peers }) };
  const sandboxes = openSandboxes();
  const begin = async () => {
    const ports = { ...nodePorts, ...(await sandboxes), store, claim, ...shared };
    if (warm) ports.schemas.warm?.();
    await finishErasures(ports);
    return ports;
  };
  const ports = await unlessAborted(begin(), signal).catch(async (error: unknown) => {
    peers?.close();
    await closedInTime([sandboxes.then(({ sandbox }) => sandbox.close()), store.close()], signal);
    throw error;
  });
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: store.kind } });
  const runtime = await openClient(kernel, async () => localAuditor(openSandboxes), options);
  if (notify !== undefined)
    void notifyQuestions({ questions: runtime.questions(), record: (body) => kernel.notified(body) }, notify);
  return runtime;
}

function openStore(store: unknown): LedgerStore & Partial<SharedStore> {
  if (store === 'memory') return openMemoryStore();
  if (isLedgerStore(store)) return store;
  const directory = (store as { directory?: unknown } | null)?.directory;
  if (typeof directory !== 'string') {
    const given = typeof store === 'string' ? `: it is the text ${JSON.stringify(store)}` : '';
    const use = `Use 'memory', { directory: 'PATH' } or openSqlite({ path }).`;
    throw new SallyportError('store_unknown', `The option store names no store of Node${given}. ${use}`, {});
  }
  optionsOf(store as object, { directory: TEXT });
  return unwrap(opening(directory));
}

/** Opens a directory. A failure of the file system becomes a refusal. */
function opening(directory: string): Outcome<SharedStore> {
  try {
    return openDirectoryStore(directory);
  } catch (reason) {
    return failure(reason);
  }
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
