import type { CallFailureKind, PowerCall, PowerError } from '../core/capability/call.ts';
import type { GuestError } from '../core/errors/details.ts';
import { canonicalText } from '../core/json/canonical.ts';
import { decode } from '../core/json/decode-within.ts';
import type { Refusal } from '../core/outcome.ts';

/** A question of the guest's that waits for its answer. */
export interface PowerRequest {
  readonly ticket: number;
  readonly name: string;
  /** JSON text of the array of arguments. */
  readonly args: string;
}

export type GuestPowerAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: Pick<PowerError, 'name' | 'message' | 'details'> };

const encoder = new TextEncoder();

/** Argument of the prelude's `resume`: the ticket, and the canonical result or the failure. */
export function resumption(ticket: number, { result, error }: PowerCall): string {
  const rest = error === undefined ? [1, canonicalText(result)] : [0, error.name, error.message];
  return JSON.stringify([ticket, ...rest]);
}

/** The record of a power call, or the failure with which it ends the call. */
type Recorded =
  | { readonly ok: true; readonly call: PowerCall }
  | { readonly ok: false; readonly kind: CallFailureKind; readonly error: GuestError };

/** Both sides of a power call as values; a side that is not strict JSON ends the call. */
export function recordPowerCall(request: PowerRequest, answer: GuestPowerAnswer, bytes: number): Recorded {
  const limits = { bytes: Math.max(bytes, encoder.encode(request.args).length), depth: 64, nodes: 100_000 };
  const args = decode(encoder.encode(request.args), limits);
  if (!args.ok) return failed(request, args.refusal);
  const call = { name: request.name, args: args.value };
  if (!answer.ok) return { ok: true, call: { ...call, result: null, error: answer.error } };
  const result = decode(encoder.encode(answer.text), limits);
  return result.ok ? { ok: true, call: { ...call, result: result.value } } : failed(request, result.refusal);
}

function failed({ name }: PowerRequest, { message }: Refusal): Recorded {
  return { ok: false, kind: 'power', error: { name: 'Error', message: `${name}: ${message}` } };
}
