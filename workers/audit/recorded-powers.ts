import type { CallSettled, PowerCall } from '../../core/capability/call.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { decode } from '../../core/json/decode-within.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { CallRequest, CarryOut, SandboxPort } from '../sandbox/port.ts';
import { PowerRefusal } from '../sandbox/power-refusal.ts';

/** What differs first, in this order: what the guest asked for, how the call ended, what it cost, what it left. */
export type Difference = 'power' | 'outcome' | 'text' | 'fuel' | 'console' | 'heap';

export type Replayed =
  | { readonly status: 'same'; readonly settled: CallSettled }
  | { readonly status: 'differs'; readonly what: Difference; readonly settled: CallSettled }
  /** Wall clock and people are not in the record, so what they ended is believed as recorded. */
  | { readonly status: 'as_recorded'; readonly settled: CallSettled };

/**
 * Makes a recorded call again, its powers answered from the record, and compares everything that must be the same in
 * any engine. The capability is loaded, from the same source under the same hash.
 */
export async function replay(port: SandboxPort, request: CallRequest, recorded: CallSettled): Promise<Replayed> {
  if (!recorded.ok && ['deadline', 'hang', 'aborted'].includes(recorded.kind)) {
    return { status: 'as_recorded', settled: recorded };
  }
  const answers = fromRecord(recorded.powerCalls);
  const hashed = recorded.ok && recorded.heapHash !== undefined;
  const settled = await port.call({ ...request, heapHash: hashed }, answers.carryOut).settled;
  const what = answers.differs() ? 'power' : differenceOf(recorded, settled);
  return what === undefined ? { status: 'same', settled } : { status: 'differs', what, settled };
}

/** The powers of a recorded call, answered from its record; asked for anything else, they throw. */
export interface Answers {
  readonly carryOut: CarryOut;
  /** True when the guest asked for something else, or for more, or for less. */
  differs(): boolean;
}

/** Questions come in the order of their tickets, which is the order of the record. */
export function fromRecord(calls: readonly PowerCall[]): Answers {
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

function differenceOf(recorded: CallSettled, again: CallSettled): Difference | undefined {
  if (recorded.ok !== again.ok) return 'outcome';
  if (!recorded.ok && !again.ok && !same([recorded.kind, recorded.error], [again.kind, again.error])) return 'outcome';
  if (recorded.ok && again.ok && recorded.text !== again.text) return 'text';
  if (recorded.fuel !== again.fuel) return 'fuel';
  if (!same(recorded.console, again.console)) return 'console';
  if (recorded.ok && again.ok && recorded.heapHash !== again.heapHash) return 'heap';
  return undefined;
}

/** `undefined` members and absent ones are the same. */
function same(a: unknown, b: unknown): boolean {
  return written(JSON.parse(JSON.stringify(a))) === written(JSON.parse(JSON.stringify(b)));
}
