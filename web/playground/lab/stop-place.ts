import {
  decode,
  isObject,
  type JsonValue,
  type LedgerRecord,
  type PayloadRef,
  type PowerCall,
} from '../../../core/index.ts';
import type { CapabilityDefinition } from '../../../workers/api.ts';
import type { createSandbox } from '../../index.ts';

/** About where in its source a call was when a limit stopped it. Both count from 1. */
export interface StopPlace {
  readonly line: number;
  readonly column: number;
}

/** A step of a run, with the run's first record and the payloads that they name. */
export interface StepInHand {
  readonly configuration: LedgerRecord | undefined;
  readonly records: readonly LedgerRecord[];
  readonly bytes: (ref: PayloadRef) => Promise<Uint8Array | undefined>;
}

/**
 * These limits end a call at the same operation again, in any engine. A deadline does not, and the other limits have no
 * line.
 */
const REPEATABLE: ReadonlySet<string | undefined> = new Set(['fuel', 'memory', 'stack']);

export function isRepeatable(endedBy: string | undefined): boolean {
  return REPEATABLE.has(endedBy);
}

/** The place where a failed call says that it threw. The ledger holds it, as the guest's word. */
export async function whereThrown({ records, bytes }: StepInHand): Promise<StopPlace | undefined> {
  const observation = records.find((record) => record.kind === 'observation')?.body.payload;
  const reply = observation === undefined ? undefined : valueOf(await bytes(observation));
  const details = isObject(reply) ? reply['details'] : undefined;
  const error = isObject(details) ? details['error'] : undefined;
  const { line, column } = isObject(error) ? error : {};
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}

/** A file may ask for a day; the page waits at most this long for the line. */
const WAIT_MS = 10_000;

/**
 * The place where a limit stopped a call. No receipt holds it, but it follows from the records. So the call is made
 * again, in a sandbox of its own, with the same clock, seed and answers. Undefined if the call does not end as
 * recorded, if its bytes are not on this device, or if the guest caught the error or had no memory left to report the
 * place.
 */
export async function whereStopped(open: typeof createSandbox, step: StepInHand): Promise<StopPlace | undefined> {
  const call = await recordedCall(step);
  if (call === undefined || !isRepeatable(call.evidence.ended_by)) return undefined;
  const { evidence } = call;
  return repeated(open, call, async (again) => {
    const settled = await again(false);
    if (settled.ok || settled.kind !== evidence.ended_by || settled.fuel !== evidence.fuel) return undefined;
    const traced = settled.at === undefined ? await again(true) : settled;
    return traced.ok ? undefined : traced.at;
  });
}

/**
 * The result that its schema refused, as JSON. No record holds it, so the call is made again, as for the place of a
 * stop. Undefined if the call does not end with the recorded fuel, or if its bytes are not on this device.
 */
export async function whatWasRefused(open: typeof createSandbox, step: StepInHand): Promise<string | undefined> {
  const call = await recordedCall(step);
  if (call === undefined) return undefined;
  return repeated(open, call, async (again) => {
    const settled = await again(false);
    return settled.ok && settled.fuel === call.evidence.fuel ? JSON.stringify(settled.value) : undefined;
  });
}

type RecordedCall = NonNullable<Awaited<ReturnType<typeof recordedCall>>>;
type LoadedSource = Awaited<ReturnType<Awaited<ReturnType<typeof createSandbox>>['load']>>;
/** Makes the call again; with a trace, which costs more, it tells the place of its end. */
type Again = (trace: boolean) => ReturnType<LoadedSource['call']>;

/** Makes the recorded call again in a sandbox of its own, as often as `read` wants. */
async function repeated<T>(
  open: typeof createSandbox,
  { definition, args, calls, seed, now }: RecordedCall,
  read: (again: Again) => Promise<T>,
): Promise<T> {
  const { name, source, powers = [], limits } = definition;
  const sandbox = await open();
  try {
    const loaded = await sandbox.load({ name, source, powers, limits: { ...limits, deadlineMs: WAIT_MS } });
    return await read((trace) => loaded.call(args, { seed, now, powers: answersOf(powers, calls), trace }));
  } finally {
    await sandbox.close();
  }
}

/** The sandbox's input, read back from the ledger. */
async function recordedCall({ configuration, records, bytes }: StepInHand) {
  const verdict = records.find((record) => record.kind === 'verdict')?.body;
  const decision = records.find((record) => record.kind === 'decision')?.body;
  const evidence = records.find((record) => record.kind === 'receipt')?.body.evidence;
  if (configuration?.kind !== 'configuration' || verdict?.args === undefined) return undefined;
  if (decision === undefined || evidence === undefined) return undefined;
  const read = async (ref: PayloadRef): Promise<JsonValue | undefined> => valueOf(await bytes(ref));
  const registry = listOf(await read(configuration.body.registry));
  const args = await read(verdict.args);
  const calls = evidence.power_calls === undefined ? [] : listOf(await read(evidence.power_calls));
  const definition = registry?.find((each) => isObject(each) && each['name'] === verdict.capability);
  // a file is a stranger's: a record of another form is not tried, and the sandbox checks the rest
  if (definition === undefined || args === undefined || calls === undefined) return undefined;
  return {
    definition: definition as unknown as CapabilityDefinition,
    args,
    calls: calls as unknown as readonly PowerCall[],
    seed: Number.parseInt(verdict.step_id.slice(0, 8), 16),
    now: decision.now,
    evidence,
  };
}

/** A registry holds the source of each capability: it is longer than a proposal may be. */
const LIMITS = { bytes: 64 << 20, depth: 64, nodes: 1_000_000 };

function valueOf(bytes: Uint8Array | undefined): JsonValue | undefined {
  const value = bytes === undefined ? undefined : decode(bytes, LIMITS);
  return value?.ok === true ? value.value : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The powers answer in the order in which they were asked. */
function answersOf(names: readonly string[], calls: readonly PowerCall[]) {
  let next = 0;
  const answer = async (): Promise<JsonValue> => {
    const call = calls[next++];
    if (call === undefined) throw new Error('not in the record');
    if (call.error !== undefined) throw Object.assign(new Error(call.error.message), { name: call.error.name });
    return call.result;
  };
  return Object.fromEntries(names.map((name) => [name, answer]));
}
