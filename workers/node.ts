/** `sallyport/node`: the same runtime, headless. Capabilities run in worker threads, so that what hangs can be ended. */
import { SallyportError } from '../core/index.ts';
import type { Runtime, RuntimeOptions } from './api.ts';
import { openClient } from './client.ts';
import { makeKernel } from './kernel.ts';
import { openMemoryStore } from './memory/store.ts';
import { clock, openSandboxes } from './node/platform.ts';
import { createSandbox as makeSandbox, type Sandbox, type SandboxOptions } from './sandbox/create.ts';
import { schemaCompiler } from './schemas.ts';
import { makeValidator, type Validator, type ValidatorOptions } from './validator.ts';

export { defineCapability, SallyportError, verifyExport } from '../core/index.ts';
export type * from './api.ts';
export { fromOpenAI, type OpenAIOptions, type OpenAIPort } from './proposers/openai.ts';
export { fromPerson } from './proposers/person.ts';
export { fromRecording, type RecordedAnswer, recording } from './proposers/recorded.ts';
export { fromScript } from './proposers/script.ts';
export type {
  CallOptions,
  CallOutcome,
  LoadedCapability,
  LoadOptions,
  Sandbox,
  SandboxOptions,
} from './sandbox/create.ts';
export type { Validator, ValidatorOptions } from './validator.ts';

export interface NodeOptions extends RuntimeOptions {
  /** Where the ledger is kept. */
  readonly store?: 'memory';
}

/** Opens a runtime in this process. Rejects with `SallyportError`. */
export async function openRuntime(options: NodeOptions = {}): Promise<Runtime> {
  const { store = 'memory' } = options;
  if (store !== 'memory')
    throw new SallyportError('store_unknown', `There is no store ${JSON.stringify(store)} here. Use 'memory'.`, {});
  const ports = { store: openMemoryStore(), ...(await openSandboxes()), ...clock };
  return openClient(makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } }), options);
}

/** Validates proposals without running anything. Schemas are checked in a thread, which ends with the process or by `close`. */
export async function createValidator(options: ValidatorOptions): Promise<Validator & { close(): Promise<void> }> {
  const { sandbox, schemas } = await openSandboxes();
  return { ...(await makeValidator(options, schemas)), close: () => sandbox.close() };
}

/** The sandbox on its own: guest code with limits, on a fresh heap for every call. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { sandbox, schemas } = await openSandboxes();
  return makeSandbox(sandbox, schemaCompiler(schemas), options);
}
