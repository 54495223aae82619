import type { GuestError, SchemaIssue } from '../errors/details.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Label } from './guard.ts';

/**
 * Reason why a call has no value. The host observes it, and the first reason stands, also when the guest returns a
 * value later. `barred`: the capability hung before in this run, and was not started again. `corrupt`: the heap was
 * damaged, or the worker's memory ran out. `worker`: there was no worker, or it ended for another reason, which `error`
 * tells.
 */
export type CallFailureKind =
  | 'threw'
  | 'args'
  | 'result'
  | 'fuel'
  | 'memory'
  | 'stack'
  | 'deadline'
  | 'hang'
  | 'barred'
  | 'jobs'
  | 'power'
  | 'power_calls'
  | 'bytes_in'
  | 'bytes_out'
  | 'console'
  | 'aborted'
  | 'corrupt'
  | 'worker';

/**
 * Reason why a call of a run has no value. `gone`: the program does not provide the tool. `program`: the function of the
 * program threw, and its words are not for the model. `args_refused`, `args_transformed`, `result_refused`: what the own
 * check of a tool's schema said, in the program.
 */
export type EndedBy = CallFailureKind | 'gone' | 'program' | 'args_refused' | 'args_transformed' | 'result_refused';

export type ConsoleLevel = 'debug' | 'log' | 'info' | 'warn' | 'error';
export interface ConsoleLine {
  readonly level: ConsoleLevel;
  readonly text: string;
}

/** A use of a power, with its arguments and its answer: a replay answers it from here. */
export interface PowerCall {
  readonly name: string;
  readonly args: JsonValue;
  readonly result: JsonValue;
  /** The power failed with this; `result` is null then. */
  readonly error?: PowerError;
}

/**
 * Error of a failed power. The guest receives the name and the message and may hide or change them; the record holds
 * this error.
 */
export interface PowerError extends GuestError {
  /** Details that the table of codes promises. Present for a refusal of the runtime, whose code is the name. */
  readonly details?: JsonObject;
}

/** A settled call as the sandbox reports it. `text` is the guest's JSON, unread: core decodes it like any stranger's bytes. */
export type CallSettled =
  | {
      readonly ok: true;
      readonly text: string;
      readonly fuel: number;
      readonly console: readonly ConsoleLine[];
      readonly powerCalls: readonly PowerCall[];
      readonly heapHash?: string;
    }
  | {
      readonly ok: false;
      readonly kind: CallFailureKind;
      readonly error?: GuestError;
      /** About where in its source the guest was when a limit stopped it. Told to the caller, and recorded nowhere. */
      readonly at?: Required<Pick<GuestError, 'line' | 'column'>>;
      readonly fuel: number;
      readonly console: readonly ConsoleLine[];
      readonly powerCalls: readonly PowerCall[];
    };

/** The end of a call of a run: of a capability in the sandbox, or of a tool, which the program may not provide. */
export type SettledCall =
  | CallSettled
  | (Omit<Extract<CallSettled, { ok: false }>, 'kind'> & {
      readonly kind: Exclude<EndedBy, CallFailureKind>;
      /** Of `args_refused` and `result_refused`. */
      readonly issues?: readonly SchemaIssue[];
    });

/** Facts that a tool tells beside its value. They are recorded; its labels alone take part in decisions. */
export interface ToldFacts {
  /** JSON text of the whole answer that the value was taken from, and in a replay its reference. */
  readonly answer?: string | PayloadRef;
  /** Code of the reason why the tool has sent its request again. */
  readonly repeated?: string;
  /** Labels that the answer itself has, beside those of the definition. */
  readonly labels?: readonly Label[];
}

/** A call of a power by its ticket, as the guest hears its answer. */
export interface AnsweredRead {
  readonly ticket: number;
  readonly call: PowerCall;
}
