import {
  applySlice,
  type Bodies,
  buildIndex,
  canonicalText,
  define,
  isObject,
  type JsonObject,
  type JsonValue,
  parseCheckpoint,
  type Report,
} from '../../core/index.ts';
import type { CapabilityDefinition, ModelPort, PowerDefinition, Runtime } from '../../workers/api.ts';
import { bytesOf, definitions, type Part, type Vector, vectors } from './vectors.ts';

/** The exports that vectors name. */
const exportTexts = import.meta.glob<string>('../../test/vectors/exports/*.jsonl', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Vectors of these subjects run over the public interface. The other files hold the demands on a host's own parts. */
type Subject = (runtime: Runtime, vector: Vector) => JsonValue | object | Promise<JsonValue | object>;

const PROPOSALS = ['xct', 'femtoclaw', 'catalytic', 'ambiguities'];

/** The subject of a vector; undefined for a vector that a page has no function for. */
function subjectOf({ file, input, expect }: Vector): Subject | undefined {
  if (PROPOSALS.includes(file)) return isResolved(expect) ? undefined : verdictOf;
  if (file === 'calls') return callOf;
  if (file === 'exports') return reportOf;
  if (file === 'checkpoints') return checkpointOf;
  if ('definition' in input) return definitionOf;
  if ('index' in input) return indexOf;
  return 'slice' in input ? sliceOf : undefined;
}

/** A run looks up the symbols of a valid message, and a vector of the validator alone has none. */
function isResolved({ accepted, kind, message }: JsonObject): boolean {
  const { ops } = Object(message) as { readonly ops?: readonly JsonValue[] };
  return accepted === true && kind === 'work' && ops?.length !== 0;
}

/** Vectors that ran, and the names of those that failed. */
export interface Conformance {
  readonly vectors: number;
  readonly failed: readonly string[];
}

/**
 * Runs the vectors of `test/vectors` over a runtime that has no capability and no grant. Vectors whose registry refuses
 * itself are left out.
 */
export async function conform(
  runtime: Runtime,
  tell: (share: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Conformance> {
  const all = vectors().flatMap((vector) => {
    const subject = subjectOf(vector);
    return subject === undefined || vector.input['registry'] === 'twins' ? [] : [{ vector, subject }];
  });
  // one registry for all proposals: a run is offered the capabilities of its vector alone
  for (const definition of definitions('standard'))
    await runtime.capabilities
      .register(definition as unknown as CapabilityDefinition)
      .then(({ name }) => runtime.capabilities.enable(name));
  const failed: string[] = [];
  for (const [at, { vector, subject }] of all.entries()) {
    signal?.throwIfAborted();
    const got = await Promise.resolve(subject(runtime, vector)).catch((error: unknown) => ({ threw: String(error) }));
    if (!isLike(got as JsonValue, expectedOf(vector))) failed.push(`${vector.file}: ${vector.name}`);
    tell((at + 1) / all.length);
  }
  return { vectors: all.length, failed };
}

/** What a page can see of the expectation: a verdict's details stand in the reply to the model. */
function expectedOf({ file, expect }: Vector): JsonValue {
  if (PROPOSALS.includes(file)) return only(expect, ['accepted', 'kind', 'capability', 'class', 'code', 'step']);
  return file === 'calls' ? only(expect, ['status', 'code', 'result', 'omitted']) : expect;
}

function only(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** True where `got` has each member of `wanted` with this value; lists are compared item by item. */
function isLike(got: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    const all: readonly JsonValue[] = wanted;
    const items: readonly JsonValue[] | undefined = Array.isArray(got) ? got : undefined;
    return items?.length === all.length && all.every((each, at) => isLike(items[at], each));
  }
  if (isObject(wanted))
    return (
      isObject(got) &&
      Object.keys(wanted).every((name) => isLike((got as JsonObject)[name], (wanted as JsonObject)[name] as never))
    );
  return canonicalText(got) === canonicalText(wanted);
}

/** A model that says these bytes once. */
function saying(bytes: Uint8Array): ModelPort {
  let said = false;
  return {
    id: 'vector',
    locality: { kind: 'local' },
    propose: async () => {
      if (said) throw new Error('The vector has no more proposals.');
      said = true;
      return { text: bytes };
    },
  };
}

async function verdictOf(runtime: Runtime, { input }: Vector): Promise<object> {
  const offer = definitions(input['registry'] as string).map(({ name }) => name as string);
  const run = runtime.start({
    dialect: input['dialect'] as never,
    task: 'Say the vector.',
    model: saying(bytesOf(input['bytes'] as unknown as Part)),
    offer,
  });
  for await (const { kind, body } of run.records()) {
    if (kind !== 'verdict') continue;
    await run.abort();
    const { accepted, kind: said, capability, refusal } = body;
    return { accepted, kind: said ?? null, capability: capability ?? null, ...refusal };
  }
  return {};
}

/** The behaviour of a power of the page when it is used. */
interface Does {
  readonly answers?: JsonValue;
  readonly throws?: { readonly name: string; readonly message: string };
  readonly waits?: true;
}

interface CallInput {
  readonly capability: CapabilityDefinition;
  readonly args: JsonObject;
  readonly powers?: readonly (Omit<PowerDefinition, 'run'> & { readonly does: Does })[];
}

/** Makes the call of a vector, and takes its capability and powers away. The guard is that of the runtime. */
export async function callOf(runtime: Runtime, { input }: Pick<Vector, 'input'>): Promise<object> {
  const { capability, args, powers = [] } = input as unknown as CallInput;
  const { name } = await runtime.capabilities.register(capability);
  await runtime.capabilities.enable(name);
  await runtime.grants.grant({ capability: name, mode: 'allow' });
  for (const { does, ...terms } of powers) {
    await runtime.powers.provide({ ...terms, run: () => doing(does) });
    await runtime.grants.grant({ power: terms.name, mode: 'allow' });
  }
  const call = { next_step: { tool: name, arguments: args, goal: 'call' } };
  const run = runtime.start({
    dialect: 'xct',
    task: 'Call.',
    model: inTurn([call, { done: true, message: '' }]),
    offer: [name],
  });
  await run.result;
  const records = await runtime.ledger.records(run.id);
  const [receipt] = records.flatMap((record) => (record.kind === 'receipt' ? [record.body] : []));
  const [observation] = records.flatMap((record) => (record.kind === 'observation' ? [record.body] : []));
  const payload = await runtime.ledger.payload(run.id, observation?.payload.sha256 ?? '');
  const reply = JSON.parse(new TextDecoder().decode(payload)) as JsonObject;
  await runtime.capabilities.forgetStored(name);
  await runtime.capabilities.remove(name);
  for (const power of powers) await runtime.powers.remove(power.name);
  return toldOf(receipt, reply);
}

function inTurn(proposals: readonly object[]): ModelPort {
  const left = proposals.map((each) => JSON.stringify(each));
  return { id: 'vector', locality: { kind: 'local' }, propose: async () => ({ text: left.shift() ?? '' }) };
}

/** Status and code of the receipt, and the result as the model reads it. */
function toldOf(receipt: Bodies['receipt'] | undefined, reply: JsonObject): object {
  const { status } = receipt?.receipt ?? {};
  const code = receipt?.evidence.reason?.code;
  if (code !== undefined) return { status, code };
  const { result = null } = reply;
  // A result that has no room in the context is told by its code, its hash and its length.
  const omitted = isObject(result) && result['class'] === 'output';
  return omitted ? { status, omitted: result['code'] } : { status, result };
}

async function doing({ answers, throws, waits }: Does): Promise<JsonValue> {
  if (waits) await new Promise<never>(() => undefined);
  if (throws) throw Object.assign(new Error(throws.message), { name: throws.name });
  return answers ?? null;
}

/** The checks of an export, its calls made again: fuel and heaps of this engine are those of the engine that wrote it. */
async function reportOf(runtime: Runtime, { input }: Vector): Promise<object> {
  const { export: name, anchor } = input as { readonly export: string; readonly anchor?: string };
  const text = exportTexts[`../../test/vectors/exports/${name}.jsonl`] ?? '';
  const report = await runtime.ledger.check(text, { replay: true, ...(anchor !== undefined && { anchor }) });
  return findingOf(report);
}

/** Status of each check, with code and place of the first finding. */
export function findingOf({ checks }: Report): {
  readonly checks: object;
  readonly code?: string;
  readonly run_seq?: number;
} {
  const parts = checks.flatMap((check) => check.parts ?? []);
  const [found] = [
    ...checks.flatMap(({ first, skipped }) => first ?? skipped?.first ?? []),
    ...parts.map(({ skipped }) => skipped.first),
  ];
  return {
    checks: Object.fromEntries([...checks, ...parts].map(({ id, status }) => [id, status])),
    ...(found && { code: found.code, run_seq: found.run_seq }),
  };
}

function checkpointOf(_: Runtime, { input }: Vector): object {
  const outcome = parseCheckpoint(input['text'] as string);
  return outcome.ok ? outcome.value.checkpoint : { code: outcome.refusal.code };
}

function definitionOf(_: Runtime, { input }: Vector): object {
  const outcome = define(input['definition']);
  return outcome.ok ? { accepted: true } : { accepted: false, ...outcome.refusal };
}

function indexOf(_: Runtime, { input }: Vector): object {
  const files = input['index'] as unknown as readonly { readonly path: string; readonly bytes: Part }[];
  const outcome = buildIndex(files.map(({ path, bytes }) => ({ path, bytes: bytesOf(bytes) })));
  return outcome.ok ? outcome.value : outcome.refusal;
}

function sliceOf(_: Runtime, { input }: Vector): object {
  const outcome = applySlice(input['of'] as string, input['slice'] as string);
  return outcome.ok ? outcome.value : outcome.refusal;
}
