import type { CallSettled, PowerCall } from '../../core/capability/call.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { decode } from '../../core/json/decode-within.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { CallRequest, CarryOut, SandboxPort } from '../sandbox/port.ts';
import { PowerRefusal } from '../sandbox/power-refusal.ts';

/** First difference between two calls, in this order: power requests, outcome, cost, remaining state. */
export type PowerDifference = 'power' | 'outcome' | 'text' | 'fuel' | 'console' | 'heap';

export type ReplayResult =
  | { readonly status: 'same'; readonly settled: CallSettled }
  | { readonly status: 'differs'; readonly what: PowerDifference; readonly settled: CallSettled }
  /** The record holds no wall clock and no persons, so an end by either of them is accepted as recorded. */
  | { readonly status: 'as_recorded'; readonly settled: CallSettled };

/**
 * Repeats a recorded call with its powers answered from the record, and compares all results that are equal in every
 * engine. The capability is loaded, from the same source under the same hash.
 */
export async function replay(port: SandboxPort, request: CallRequest, recorded: CallSettled): Promise<ReplayResult> {
  if (!recorded.ok && ['deadline', 'hang', 'barred', 'aborted', 'worker'].includes(recorded.kind)) {
    return { status: 'as_recorded', settled: recorded };
  }
  const answers = fromRecord(recorded.powerCalls);
  const hashed = recorded.ok && recorded.heapHash !== undefined;
  const settled = await port.call({ ...request, heapHash: hashed }, answers.carryOut).settled;
  const what = answers.differs() ? 'power' : differenceOf(recorded, settled);
  return what === undefined ? { status: 'same', settled } : { status: 'differs', what, settled };
}

/** The powers of a recorded call, answered from its record. A request that is not in the record throws. */
export interface RecordedPowers {
  readonly carryOut: CarryOut;
  /** True when the requests of the guest differ from the record. */
  differs(): boolean;
}

/** Answers powers from a record. Requests come in the order of their tickets, which is the order of the record. */
export function fromRecord(calls: readonly PowerCall[]): RecordedPowers {
  let next = 0;
  let strayed = false;
  return {
    carryOut: async (name, args) => {
      const call = calls[next++];
      if (call === undefined || call.name !== name || written(call.args) !== canonical(args)) {
        strayed = true;
        throw new Error('not in the record');
      }
      if (call.error === undefined) return written(call.result) ?? 'null';
      const { name: code, message, details } = call.error;
      if (details !== undefined) throw new PowerRefusal({ code, message, details });
      throw Object.assign(new Error(message), { name: code });
    },
    differs: () => strayed || next !== calls.length,
  };
}

function canonical(text: string): string | undefined {
  const value = decode(encodeText(text));
  return value.ok ? written(value.value) : undefined;
}

function written(value: unknown): string | undefined {
  const text = canonicalize(value);
  return text.ok ? text.value : undefined;
}

function differenceOf(recorded: CallSettled, again: CallSettled): PowerDifference | undefined {
  if (recorded.ok !== again.ok) return 'outcome';
  if (!recorded.ok && !again.ok && !same([recorded.kind, recorded.error], [again.kind, again.error])) return 'outcome';
  if (recorded.ok && again.ok && recorded.text !== again.text) return 'text';
  if (recorded.fuel !== again.fuel) return 'fuel';
  if (!same(recorded.console, again.console)) return 'console';
  if (recorded.ok && again.ok && recorded.heapHash !== again.heapHash) return 'heap';
  return undefined;
}

/** Compares two values; `undefined` members and absent members are equal. */
function same(a: unknown, b: unknown): boolean {
  return written(JSON.parse(JSON.stringify(a))) === written(JSON.parse(JSON.stringify(b)));
}
