/** Questions to a person or an authorizer, and their answers. */

import type { ApprovalReason } from '../core/capability/authorize.ts';
import type { Effect } from '../core/capability/guard.ts';
import type { ChangedPlace } from '../core/json/difference.ts';
import type { CarriedValue, ReleasedBits, WantedSignatures } from '../core/run/effect.ts';
import type { QuestionAnswer } from '../core/run/event.ts';

export type { CarriedValue, ChangedPlace, ReleasedBits, WantedSignatures };

export interface ApprovalRequest {
  readonly run_id: string;
  readonly step_id: string;
  readonly capability: string;
  readonly capability_hash: string;
  readonly effect: Effect;
  /** Canonical JSON text of the exact arguments. */
  readonly args: string;
  readonly digest: string;
  /** What is asked, and that somebody is asked, follows from held values: show it to persons alone. */
  readonly held?: true;
  readonly reason: string;
  /** Why a person is asked, for programs; `reason` says it to a person. */
  readonly reason_code?: ApprovalReason;
  /** Place that the arguments go to, for a tool that names it: `mcp:https://api.example`. */
  readonly origin?: string;
  /** The call is a release: its result, one of few values, is told to the model. */
  readonly releases?: ReleasedBits;
  /**
   * The places of the arguments at which a value stands that the model has not read, with its labels and sources. `args` has
   * the values.
   */
  readonly carries?: readonly CarriedValue[];
  /** The yes has to be signed by passkeys: whose, how many, and who has signed so far. */
  readonly signed?: WantedSignatures;
  /** A person may edit the arguments, by `Run.edit`. */
  readonly editable?: true;
}

/**
 * A question with edited arguments: `args` and `digest` are those of the edited call. The answer
 * `{ approved: true, instead: edited }` to the question before says yes to it, and a passkey signs its digest.
 */
export interface EditedQuestion extends OpenQuestion {
  /** Where the arguments differ from those that were asked about. */
  readonly changed: readonly ChangedPlace[];
}

/** A question that waits for an answer. */
export interface OpenQuestion extends ApprovalRequest {
  /** The question is for the runtime's `authorizer`, because a grant permits the call. Absent: it is for a person. */
  readonly why?: 'authorizer';
}

/** A question that waits for a person: about a call or a power, or for consent to a remote model. */
export interface WaitingQuestion {
  readonly run_id: string;
  readonly digest: string;
  /** When this runtime asked, ms since epoch. A question of a resumed run is asked again. */
  readonly since: number;
  /** The session's `principal`, in the words of the program. No record has it. */
  readonly principal?: string;
  readonly pending?: OpenQuestion;
  readonly consent?: ConsentRequest;
}

/**
 * External rules, for example in Cedar or OPA. The runtime asks them about every call that a grant permits, and before
 * it asks a person. They can only narrow: without a grant the call is refused unasked, and their yes does not replace a
 * person's. An error, an invalid answer or a late answer means no.
 */
export interface Authorizer {
  /**
   * Identity of the rules, for example their hash. It is part of each run's policy, and so of the hash that decisions
   * name.
   */
  readonly id: string;
  authorize(
    request: OpenQuestion,
    io: { readonly signal: AbortSignal },
  ): Promise<{ readonly allow: true } | { readonly allow: false; readonly reason: string }>;
  /** ms; default 10,000 */
  readonly timeoutMs?: number;
}

/**
 * Answer to an approval request. Yes approves this call; with `standing`, it also grants the rest of this run; with
 * `instead` it approves an edited call in the place of this one. No
 * carries a reason, which the model receives. `via` records the origin of the answer: `program`, unless the interface
 * saw a person's own gesture.
 */
export type ApprovalAnswer = QuestionAnswer;

/** Asks whether private content may go to a remote model. A run asks a single time, before the first transfer. */
export interface ConsentRequest {
  readonly run_id: string;
  readonly origin: string;
  /** UTF-8 bytes of all content that the model would receive now. */
  readonly bytes: number;
  /** Upper bound of UTF-8 bytes for this request and every later request of this run. */
  readonly bytes_max: number;
  readonly digest: string;
}
