import type { CallFailureKind, CallSettled, ConsoleLine, PowerCall } from '../capability/call.ts';
import type { GuestError } from '../errors.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { arrayOf, type Form, isCount, isPayloadRef, isText, oneOf, optional, shaped } from '../ledger/form.ts';
import type { PayloadRef } from '../ledger/record.ts';
import { inStep, jsonOf, type Tape, textOf } from './tape.ts';

/** What a call left in the records: enough to answer its powers, and to tell what it did without calling it. */
export interface Recorded {
  readonly image_hash: string;
  readonly powerCalls: readonly PowerCall[];
  readonly ended_by?: CallFailureKind;
  /** Absent where the records do not hold what it returned: a refused result is discarded. */
  readonly settled?: CallSettled;
}

/** The call of a step as its records have it, or why they do not tell. */
export function recordedCall(tape: Tape, from: number): Recorded | { readonly missing: PayloadRef | undefined } {
  const { evidence, receipt } = inStep(tape, from, 'receipt') ?? {};
  if (evidence?.image_hash === undefined || evidence.fuel === undefined) return { missing: undefined };
  const { fuel, image_hash, ended_by } = evidence;
  const console = listed<ConsoleLine>(tape, evidence.console, isConsole);
  const powerCalls = listed<PowerCall>(tape, evidence.power_calls, isPowerCalls);
  if (console === undefined || powerCalls === undefined) return { missing: evidence.console ?? evidence.power_calls };
  const left = { fuel, console, powerCalls };
  if (ended_by !== undefined) {
    const settled = failed(tape, from, ended_by);
    return { image_hash, powerCalls, ended_by, ...(settled && { settled: { ...settled, ...left } }) };
  }
  const result = receipt?.actions[0]?.result;
  const text = isPayloadRef(result) ? textOf(tape, result as PayloadRef) : undefined;
  return { image_hash, powerCalls, ...(text === undefined ? {} : { settled: { ok: true, text, ...left } }) };
}

type Failure = Pick<Extract<CallSettled, { ok: false }>, 'ok' | 'kind' | 'error'>;

/** The error is told to the model and nowhere else; what was returned and refused is not told at all. */
function failed(tape: Tape, from: number, kind: CallFailureKind): Failure | undefined {
  if (kind === 'result' || kind === 'bytes_out') return undefined;
  if (kind !== 'threw' && kind !== 'power') return { ok: false, kind };
  const observation = inStep(tape, from, 'observation');
  const reply = observation === undefined ? undefined : jsonOf(tape, observation.payload);
  const details = isObject(reply) ? reply['details'] : undefined;
  const error = isObject(details) ? details['error'] : undefined;
  return isError(error) ? { ok: false, kind, error: error as unknown as GuestError } : undefined;
}

/** An absent list is an empty one; one that is not there, or not such a list, is none. */
function listed<T>(
  tape: Tape,
  ref: PayloadRef | undefined,
  isList: (value: unknown) => boolean,
): readonly T[] | undefined {
  if (ref === undefined) return [];
  const value: JsonValue | undefined = jsonOf(tape, ref);
  return isList(value) ? (value as unknown as readonly T[]) : undefined;
}

const ERROR: Form<GuestError> = { name: isText, message: isText, line: optional(isCount), column: optional(isCount) };
const isError = shaped(ERROR);
const LINE: Form<ConsoleLine> = { level: oneOf('debug', 'log', 'info', 'warn', 'error'), text: isText };
const isConsole = arrayOf(shaped(LINE));
const CALL: Form<PowerCall> = { name: isText, args: () => true, result: () => true, error: optional(isError) };
const isPowerCalls = arrayOf(shaped(CALL));
