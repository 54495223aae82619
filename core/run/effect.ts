import type { SignedAnswer } from '../approval/assertion.ts';
import type { ApprovalReason } from '../capability/authorize.ts';
import type { Charged } from '../capability/charge.ts';
import type { Signed } from '../capability/grant-terms.ts';
import type { Effect as EffectClass, Label } from '../capability/guard.ts';
import type { Power, PowerAnswer } from '../capability/power.ts';
import type { StagedFile } from '../content/write.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Draft } from '../ledger/record.ts';
import type { Refusal } from '../outcome.ts';
import type { Context } from './context.ts';
import type { Ending, StoredRow } from './event.ts';
import type { IssuedPower } from './powers/power-ledger.ts';

/**
 * A request of the run to the outside. It is a value here and an act in `workers`; each request is answered by a single
 * event.
 */
export type RunEffect =
  /** `after_ms`: delay before the model is asked. */
  | { readonly type: 'propose'; readonly step: number; readonly context: Context; readonly after_ms?: number }
  /** Answered by `checked`: for each schema hash, its validator's result for the JSON text. */
  | {
      readonly type: 'check';
      readonly step: number;
      readonly schemas: readonly string[];
      readonly text: string;
      /** Schemas of a later check of this call. They are compiled now; a result says that one does not compile. */
      readonly later?: readonly string[];
    }
  /** Answered by `resolved`: the current target of each symbol. */
  | { readonly type: 'resolve'; readonly step: number; readonly symbols: readonly string[] }
  /** Answered by `loaded`. */
  | { readonly type: 'load'; readonly step: number; readonly path: string }
  /** Answered by `recalled`: the stored bytes of these payloads, by their hash; a missing payload is absent. */
  | { readonly type: 'recall'; readonly step: number; readonly refs: readonly PayloadRef[] }
  /**
   * Adds the bits of a call to what all runs of the store have charged to each of these grants, where they do not exceed its
   * limit; answered by `charged`. `terms` names a grant in the store.
   */
  | {
      readonly type: 'charge';
      readonly step: number;
      readonly bits: number;
      readonly grants: readonly { readonly id: string; readonly count: string; readonly limit: number }[];
    }
  | { readonly type: 'ask'; readonly question: Question }
  /** Tells the answerer why the last answer does not count. */
  | { readonly type: 'refuse_answer'; readonly refusal: Refusal }
  | { readonly type: 'ask_consent'; readonly question: Consent & { readonly run_id: string } }
  | {
      readonly type: 'execute';
      readonly step: number;
      readonly call: Charged;
      readonly args: string;
      readonly seed: number;
      readonly now: number;
      readonly heapHash?: boolean;
    }
  /** Carries out a power of the page; answered by `power_answered`. */
  | {
      readonly type: 'power';
      readonly step: number;
      readonly ticket: number;
      readonly power: Power;
      /** Canonical text of its only argument. */
      readonly args: string;
    }
  /** Hands the guest the answer to a power call. The guest does not see the answer earlier. */
  | {
      readonly type: 'answer_power';
      readonly step: number;
      readonly ticket: number;
      readonly answer: PowerAnswer;
    }
  /** Lets the guest read the content that it asked for, or refuses with this reason. */
  | {
      readonly type: 'answer_read';
      readonly step: number;
      readonly ticket: number;
      readonly refusal?: Refusal;
    }
  /** Takes the call out of the sandbox as soon as it waits; answered by `parked` or `park_failed`. */
  | { readonly type: 'park'; readonly step: number }
  /** Continues a parked call if its stored heap has this digest; answered by `settled` or `lost`. */
  | {
      readonly type: 'unpark';
      readonly step: number;
      readonly call: Charged;
      readonly digest: string;
      readonly image_hash: string;
      /** Ids of the sections that its expansions have touched. */
      readonly touched: readonly string[];
    }
  /** Writes all or none of these, in order; answered by `appended` when they are durable. */
  | {
      readonly type: 'append';
      readonly drafts: readonly Draft[];
      readonly payloads: readonly Payload[];
      /** Rows that are written in the same transaction as the records. */
      readonly kept?: readonly StoredRow[];
      /** Content that is written in the same transaction; answered by `outdated` if the file has changed meanwhile. */
      readonly content?: readonly StagedFile[];
      /** Powers that an earlier process issued, and whose answers are lost with it. Telemetry tells their end. */
      readonly lost?: readonly IssuedPower[];
      readonly durability: 'strict' | 'relaxed';
    }
  /** Writes records that the run does not wait for, behind all earlier writes; answered by `noted`. */
  | { readonly type: 'note'; readonly drafts: readonly Draft[]; readonly payloads: readonly Payload[] }
  /** Cancels the work of the model and of the sandbox for this run. */
  | { readonly type: 'cancel' }
  | { readonly type: 'end'; readonly ending: Ending };

export interface Question {
  readonly run_id: string;
  readonly step_id: string;
  readonly capability: string;
  readonly capability_hash: string;
  readonly effect: EffectClass;
  readonly args: string;
  readonly digest: string;
  /** What is asked, and that somebody is asked, follows from held values: it is told to no model, and to no host of one. */
  readonly held?: true;
  readonly reason: string;
  readonly reason_code: ApprovalReason;
  /** Place that a tool's arguments go to. */
  readonly origin?: string;
  /** Hash of the definition that a person has declared the effect of. */
  readonly declared?: string;
  /** The call is a release: its result, one of few values, is told to the model. */
  readonly releases?: ReleasedBits;
  /** The held values in the arguments. */
  readonly carries?: readonly CarriedValue[];
  /** The question goes to the program's authorizer only. */
  readonly why?: 'authorizer';
  /** The yes has to be signed. */
  readonly signed?: WantedSignatures;
  /** A person may edit the arguments: an edited call takes the place of this one. */
  readonly editable?: true;
}

/** The signatures that a question waits for. */
export interface WantedSignatures extends Signed {
  /** How many different names have to sign the same answer. */
  readonly of: number;
  /** Who has signed so far, and which answer. */
  readonly parts: readonly { readonly name: string; readonly answer: SignedAnswer }[];
}

/** What a release tells at most, and what is left of its grant. */
export interface ReleasedBits {
  /** Charged for this call. */
  readonly bits: number;
  /** Charged to its grant by all runs so far, this call included. */
  readonly charged: number;
  readonly left: number;
  /** The value counts as if nobody else had written it: whoever wrote it may choose among the answers. */
  readonly drops?: readonly 'untrusted'[];
}

/** A held value in arguments that a person is asked about. */
export interface CarriedValue {
  /** JSON pointer of its place; empty for the arguments as a whole. */
  readonly pointer: string;
  readonly labels: readonly Label[];
  /** Absent for all that a program was given before. */
  readonly handle?: string;
  /** Names of the capabilities that its data may have come from. */
  readonly sources: readonly string[];
}

/** Bytes that records name and that are stored beside the records. */
export interface Payload {
  readonly ref: PayloadRef;
  readonly bytes: Uint8Array;
}

/** Question: may this run's context, of this size, go to this origin? */
export interface Consent {
  readonly origin: string;
  /** UTF-8 bytes of all messages that the model has been shown. */
  readonly bytes: number;
  /** Upper bound of every later request of the run: a yes covers them all. */
  readonly bytes_max: number;
  readonly digest: string;
}
