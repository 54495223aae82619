import type { GuestError } from '../errors/details.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';

/** Why a call did not yield a value. Observed by the host and sticky: the first to fire wins over whatever the guest returns. */
export type CallFailureKind =
  | 'threw'
  | 'args'
  | 'result'
  | 'fuel'
  | 'memory'
  | 'stack'
  | 'deadline'
  | 'hang'
  | 'jobs'
  | 'power'
  | 'power_calls'
  | 'bytes_in'
  | 'bytes_out'
  | 'console'
  | 'aborted'
  | 'corrupt';

export type ConsoleLevel = 'debug' | 'log' | 'info' | 'warn' | 'error';
export interface ConsoleLine {
  readonly level: ConsoleLevel;
  readonly text: string;
}

/** One use of a power: what went out and what came back, so that a replay can answer it again. */
export interface PowerCall {
  readonly name: string;
  readonly args: JsonValue;
  readonly result: JsonValue;
  /** The power failed with this; `result` is null then. */
  readonly error?: PowerError;
}

/** What a power failed with. The guest hears name and message, and may hide or change them; a record has what is here. */
export interface PowerError extends GuestError {
  /** Of a refusal of the runtime's own, whose code is the name: what the table of codes promises for it. */
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
