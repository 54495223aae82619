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
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A step of a run, with the run's first record and the payloads that they name. */
export interface StepInHand {
  readonly configuration: LedgerRecord | undefined;
  readonly records: readonly LedgerRecord[];
  readonly bytes: (ref: PayloadRef) => Promise<Uint8Array | undefined>;
}

/** These end a call again at the same operation, in any engine. A clock does not; the others are not at a line. */
const REPEATABLE: ReadonlySet<string | undefined> = new Set(['fuel', 'memory', 'stack']);

export function isRepeatable(endedBy: string | undefined): boolean {
  return REPEATABLE.has(endedBy);
}

/** Where a call that failed says it threw: that is in the ledger, as the guest's word. */
export async function whereThrown({ records, bytes }: StepInHand): Promise<Place | undefined> {
  const observation = records.find((record) => record.kind === 'observation')?.body.payload;
  const reply = observation === undefined ? undefined : valueOf(await bytes(observation));
  const details = isObject(reply) ? reply['details'] : undefined;
  const error = isObject(details) ? details['error'] : undefined;
  const { line, column } = isObject(error) ? error : {};
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}

/** A file may ask for a day. Nobody waits that long for a line. */
const WAIT_MS = 10_000;

/**
 * No receipt tells where a limit stopped a call: it follows from what is recorded. So the call is made again, in a
 * sandbox of its own, with the same clock, seed and answers. Nothing where it does not end as it did, where its bytes are
 * not on this device, and where the guest has caught what stopped it, or had no memory left to say where.
 */
export async function whereStopped(open: typeof createSandbox, step: StepInHand): Promise<Place | undefined> {
  const call = await recordedCall(step);
  if (call === undefined) return undefined;
  const { definition, args, calls, seed, now, evidence } = call;
  const { name, source, powers = [], limits } = definition;
  const sandbox = await open();
  try {
    const loaded = await sandbox.load({ name, source, powers, limits: { ...limits, deadlineMs: WAIT_MS } });
    const again = (trace: boolean) => loaded.call(args, { seed, now, powers: answersOf(powers, calls), trace });
    const settled = await again(false);
    if (settled.ok || settled.kind !== evidence.ended_by || settled.fuel !== evidence.fuel) return undefined;
    const traced = settled.at === undefined ? await again(true) : settled;
    return traced.ok ? undefined : traced.at;
  } finally {
    await sandbox.close();
  }
}

/** What the kernel gave the sandbox, read back. */
async function recordedCall({ configuration, records, bytes }: StepInHand) {
  const verdict = records.find((record) => record.kind === 'verdict')?.body;
  const decision = records.find((record) => record.kind === 'decision')?.body;
  const evidence = records.find((record) => record.kind === 'receipt')?.body.evidence;
  if (configuration?.kind !== 'configuration' || verdict?.args === undefined) return undefined;
  if (decision === undefined || evidence === undefined || !isRepeatable(evidence.ended_by)) return undefined;
  const read = async (ref: PayloadRef): Promise<JsonValue | undefined> => valueOf(await bytes(ref));
  const registry = listOf(await read(configuration.body.registry));
  const args = await read(verdict.args);
  const calls = evidence.power_calls === undefined ? [] : listOf(await read(evidence.power_calls));
  const definition = registry?.find((each) => isObject(each) && each['name'] === verdict.capability);
  // a file is a stranger's: what is not of this form at all is not tried, and the sandbox looks at the rest
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
