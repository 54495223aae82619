/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of sessions. */

import type { ApprovalReason, Decision } from '../../core/capability/authorize.ts';
import type { Effect, Label } from '../../core/capability/guard.ts';
import type { JsonObject, JsonValue } from '../../core/json/value.ts';
import type { RunLimits } from '../../core/limits.ts';
import type { Refusal } from '../../core/outcome.ts';
import type { ApprovalAnswer, ApprovalRequest, OpenQuestion } from '../question.ts';
import type { Abortable, Run, RunEnd } from './run.ts';

/** A `signal` ends the session as `run.abort` does. */
export interface SessionOptions extends Abortable {
  /** Name of the caller in the records, for example `ai-sdk`; default `caller`. */
  readonly label?: string;
  /**
   * Labels of the data that the caller's context holds already. The guard counts them from the first call on. A caller
   * that opens a session for a conversation that it continues gives the labels of the last call before.
   */
  readonly labels?: readonly Label[];
  /**
   * Id of a session of the same caller that is over, which this session goes on for: its labels, its counts, and what
   * it has used of its limits and grants go along. A program that replaces a session (new tools, new grants) names the
   * one before, so that nobody shakes off a limit by having it replaced.
   */
  readonly after?: string;
  /** Id of a session that a crash or a restart has cut off; it goes on with its open question. */
  readonly resume?: string;
  /** Names of the capabilities that the session offers; absent: all that are enabled. */
  readonly offer?: readonly string[];
  /** Without these limits a session has no limit of steps, of refusals and of time. */
  readonly limits?: Partial<RunLimits>;
  /** Answers the questions of this session. Absent: `approve` of the runtime. */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
  /**
   * A question that neither `approve` nor `onQuestion` of its call can answer: `refuse` (default) ends the call with
   * `approval_unavailable`, `wait` keeps it open for `run.answer`. Also for a question that a resumed session puts again.
   */
  readonly questions?: 'refuse' | 'wait';
}

/** A capability that a session offers. */
export interface ToolRow {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly args: JsonObject;
  readonly result?: JsonObject;
  readonly effect: Effect;
  readonly labels: readonly Label[];
  readonly hash: string;
  /** Place that a tool's arguments go to. */
  readonly origin?: string;
}

export interface CallingOptions extends Abortable {
  /** Purpose of the call, at most 4096 characters. It is recorded with the proposal and takes no part in decisions. */
  readonly goal?: string;
  /**
   * Called with each question about this call, also where an approver answers it. Where none does, the question waits
   * for `run.answer`.
   */
  readonly onQuestion?: (question: OpenQuestion) => void;
}

/** Place of a call's receipt in the ledger. */
export interface ReceiptPlace {
  readonly run_id: string;
  readonly run_seq: number;
  /** Hash of the record. */
  readonly hash: string;
  readonly step_id: string;
}

/** Result of a call, with its receipt. */
export type Called = {
  readonly receipt: ReceiptPlace;
  /** Labels of all data that the session has shown its caller up to this call, sorted. */
  readonly labels: readonly Label[];
} & ({ readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly refusal: Refusal });

/** The decision that the gates would make about a call now. */
export interface CallPreview {
  /** Absent for a call that is refused before the policy is evaluated. */
  readonly decision?: Decision;
  /** Reason for a question, with `REQUIRES_APPROVAL`. */
  readonly reason?: ApprovalReason;
  readonly refusal?: Refusal;
}

/** JSON text of arguments, as it came. Made by `rawJson`. */
export interface RawJson {
  readonly text: string | Uint8Array;
}

/**
 * Gated calls of a caller that has a loop of its own: an SDK, a server, a button. Each call is a proposal that passes
 * every gate to its receipt, in the ledger of one run in the form `femtoclaw`. Calls wait for each other in order.
 */
export interface Session extends AsyncDisposable {
  /** The run of the session: its records, its telemetry, its open question. */
  readonly run: Run;
  /** The capabilities that the session offers, by name. */
  tools(): Promise<readonly ToolRow[]>;
  /**
   * Calls a capability. Resolves with the result, or with the refusal of a gate, when the receipt is recorded. With a
   * `signal`, a call that is aborted gets its receipt too, and the promise rejects with the reason of the signal.
   * Rejects with `run_sealed` for a session that has ended, `run_open` for a session of another process, and
   * `not_json` for arguments outside of JSON.
   */
  call(name: string, args: JsonValue | RawJson, options?: CallingOptions): Promise<Called>;
  /** The decision that the gates would make about a call now. Records no data and counts no use of a grant. */
  preview(name: string, args: JsonValue | RawJson): Promise<CallPreview>;
  /**
   * The call that was open when the session was resumed; resolves with undefined where there was none. Its question is
   * put again, to `approve` or with `questions: 'wait'` to `run.answer`; elsewhere it is refused.
   */
  readonly resumed: Promise<Called | undefined>;
  /** Seals the run after the calls under way. A session that is closed cannot be resumed. */
  close(message?: string): Promise<RunEnd>;
}
