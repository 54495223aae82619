import type { CallFailureKind, CallSettled } from '../../core/capability/call.ts';
import type { GuestError } from '../../core/errors/details.ts';
import { sha256Text } from '../../core/hash.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { decode } from '../../core/json/decode-within.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { JsonObject, JsonValue } from '../../core/json/value.ts';
import { CALL_LIMITS, type CallLimits } from '../../core/limits.ts';
import { ANY, COUNT, each, FLAG, LIST, OBJECT, type OptionTypes, optionsOf, SIGNAL, TEXT } from '../../core/option.ts';
import { misuse } from '../../core/sallyport-error.ts';
import { disposable } from '../async.ts';
import type { CarryOut, RunningCall, SandboxPort } from './port.ts';

export interface SandboxOptions {
  /** Default limits of a capability. */
  readonly limits?: Partial<CallLimits>;
}

export interface LoadOptions {
  readonly name: string;
  /** An ES module: `export default async function (args, powers) { … }`. */
  readonly source: string;
  /** JSON Schema of the arguments. */
  readonly args?: JsonObject;
  /** JSON Schema of the result. */
  readonly result?: JsonObject;
  readonly powers?: readonly string[];
  readonly limits?: Partial<CallLimits>;
}

/** Gets the guest's arguments, strictly parsed; its result must be JSON. */
export type GuestPower = (...args: never[]) => Promise<unknown>;

export interface CallOptions {
  readonly powers?: { readonly [name: string]: GuestPower };
  readonly seed?: number;
  readonly now?: number;
  readonly signal?: AbortSignal;
  readonly heapHash?: boolean;
  /**
   * Lets a guest stopped by a limit continue for a moment, so that an async function can report its position (`at`).
   * The fuel and the console then differ from those of the call.
   */
  readonly trace?: boolean;
}

/** The settled call, with the text of its result decoded. */
export type CallOutcome =
  | (Omit<Extract<CallSettled, { ok: true }>, 'text'> & { readonly value: JsonValue })
  | Extract<CallSettled, { ok: false }>;

export interface LoadedCapability {
  /** Hash of the heap that every call starts from. */
  readonly imageHash: string;
  /** Every end of a call is a value; rejects only for wrong options, with `option_invalid`. */
  call(args: JsonValue, options?: CallOptions): Promise<CallOutcome>;
}

export interface Sandbox extends AsyncDisposable {
  /** Loads a capability. Rejects with a `SallyportError`, with the position in the source, when it cannot be loaded. */
  load(options: LoadOptions): Promise<LoadedCapability>;
  close(): Promise<void>;
}

/** Returns the fault of a JSON text, or undefined. */
type SchemaCheck = (text: string) => Promise<GuestError | undefined>;

/** Compiles a schema; rejects with a `SallyportError` when it is refused. */
export type CompileSchema = (schema: JsonObject) => Promise<SchemaCheck>;

/** Accepts the whole definition of a capability; members without a use in this sandbox are not checked. */
const CAPABILITY: OptionTypes = {
  ...each(['version', 'description', 'args', 'result', 'effect', 'labels', 'secret', '~types'], ANY),
  name: TEXT,
  source: TEXT,
  powers: LIST,
  limits: OBJECT,
};
/** Names of the limits; the sandbox checks their ranges. */
const LIMITS: OptionTypes = each(Object.keys(CALL_LIMITS), ANY);

const CALL: OptionTypes = {
  powers: OBJECT,
  seed: COUNT,
  now: ['a whole number', Number.isSafeInteger],
  heapHash: FLAG,
  trace: FLAG,
  signal: SIGNAL,
};

/** A sandbox over any port: threads in Node, workers in a page. */
export function createSandbox(port: SandboxPort, schemas: CompileSchema, options: SandboxOptions = {}): Sandbox {
  const { limits: usual } = optionsOf(options, { limits: OBJECT });
  optionsOf(usual, LIMITS);
  return disposable<Sandbox>({
    load: async (given) => {
      const capability = optionsOf(given, CAPABILITY, ['name', 'source']);
      const limits = { ...CALL_LIMITS, ...usual, ...optionsOf(capability.limits, LIMITS) };
      const { name, source, powers = [] } = capability;
      const hash = sha256Text(JSON.stringify([name, source, powers, limits]));
      const checks = {
        args: capability.args === undefined ? undefined : await schemas(capability.args),
        result: capability.result === undefined ? undefined : await schemas(capability.result),
      };
      const { imageHash } = await port.load({ hash, name, source, powers, limits });
      const target = { port, hash, limits, checks };
      return { imageHash, call: async (args, call) => runCall(target, args, optionsOf(call, CALL)) };
    },
    close: () => port.close(),
  });
}

interface CallTarget {
  readonly port: SandboxPort;
  readonly hash: string;
  readonly limits: CallLimits;
  readonly checks: { readonly args: SchemaCheck | undefined; readonly result: SchemaCheck | undefined };
}

async function runCall(target: CallTarget, args: JsonValue, options: CallOptions): Promise<CallOutcome> {
  const { seed = 0, now = 0, heapHash = false, trace = false, signal } = options;
  const text = canonicalize(args);
  if (!text.ok) return failed('args', { name: text.refusal.code, message: text.refusal.message });
  const complaint = await target.checks.args?.(text.value);
  if (complaint !== undefined) return failed('args', complaint);
  if (signal?.aborted === true) return failed('aborted');
  const request = { hash: target.hash, args: text.value, seed, now, heapHash, trace };
  const settled = await settle(target.port.call(request, carryOut(options.powers ?? {}, target.limits)), signal);
  return settled.ok ? read(target, settled) : settled;
}

async function settle(call: RunningCall, signal: AbortSignal | undefined): Promise<CallSettled> {
  const abort = () => call.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const settled = await call.settled;
  signal?.removeEventListener('abort', abort);
  return settled;
}

/** Parses the result of a guest. It is as foreign as the text of a model, so the same limits of the protocol apply. */
async function read(target: CallTarget, settled: CallSettled & { readonly ok: true }): Promise<CallOutcome> {
  const { text, ...rest } = settled;
  const value = decode(encodeText(text), { bytes: target.limits.bytesOut, depth: 64, nodes: 100_000 });
  const complaint = value.ok
    ? await target.checks.result?.(text)
    : { name: value.refusal.code, message: value.refusal.message };
  if (value.ok && complaint === undefined) return { ...rest, ok: true, value: value.value };
  const { fuel, console, powerCalls } = rest;
  return {
    ok: false,
    kind: 'result',
    fuel,
    console,
    powerCalls,
    ...(complaint !== undefined && { error: complaint }),
  };
}

function failed(kind: CallFailureKind, error?: GuestError): CallOutcome {
  return { ok: false, kind, fuel: 0, console: [], powerCalls: [], ...(error !== undefined && { error }) };
}

/** Powers as functions: own members only, arguments decoded strictly, results written canonically. */
function carryOut(powers: { readonly [name: string]: GuestPower }, limits: CallLimits): CarryOut {
  return async (name, args) => {
    const power = Object.hasOwn(powers, name) ? powers[name] : undefined;
    if (power === undefined) throw new TypeError(`power ${name} is not provided`);
    const list = decode(encodeText(args), { bytes: limits.bytesOut, depth: 64, nodes: 100_000 });
    if (!list.ok || !Array.isArray(list.value)) throw new TypeError(`power ${name}: its arguments are not a list`);
    const result = canonicalize((await power(...(list.value as never[]))) ?? null);
    if (!result.ok) throw new TypeError(`power ${name}: ${result.refusal.message}`);
    return result.value;
  };
}

/** Compiler for sandboxes without a schema realm: a schema that would stay unchecked is refused. */
export const noSchemas: CompileSchema = () => Promise.reject(misuse('schemas_unavailable', {}));
