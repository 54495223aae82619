import type { ApprovalReason, Decision } from '../capability/authorize.ts';
import type { CallFailureKind } from '../capability/call.ts';
import type { Grant } from '../capability/grant.ts';
import type { Effect, Label } from '../capability/guard.ts';
import type { Budgets } from '../content/budget.ts';
import type { RefusalClass, Step } from '../errors/details.ts';
import type { Code } from '../errors.ts';
import type { RunLimits } from '../limits.ts';
import type { DialectVersion } from '../protocol/proposal.ts';
import type { PayloadRef } from './payload-ref.ts';
import type { Receipt } from './receipt.ts';

/** The place of a record in its run: which proposal it belongs to. `step` counts from 1. */
export interface StepRef {
  readonly step: number;
  readonly step_id: string;
}

/** Facts of a model's adapter about an answer, beside its text. They are recorded and take no part in decisions. */
export interface AnswerFacts {
  /** Tokens that the model's server has counted. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** `length`: the answer was cut off at the limit of tokens. */
  readonly finish?: 'stop' | 'length' | 'other';
}

/**
 * Origin of an answer, on the word of the page: `gesture` where a card of ours saw a person's own click or key,
 * `program` where code answered, also after asking a person itself, `authorizer` where the rules that the policy names
 * answered.
 */
export type AnsweredVia = 'gesture' | 'program' | 'authorizer';

export type Isolation = 'locked' | 'unlocked' | 'development' | 'node';

export type RunEndState = 'completed' | 'aborted' | 'failed' | 'limit';

/** All inputs of a run's decisions; later records name them only by hashes. */
export interface ConfigurationBody {
  readonly format: 'sallyport/1';
  readonly dialect: DialectVersion;
  /**
   * `BEHAVIOUR` of the build that wrote the run. Under another number only form, hashes, links and anchor are checked.
   */
  readonly behaviour: number;
  readonly registry: PayloadRef;
  readonly registry_hash: string;
  readonly policy: PayloadRef;
  readonly policy_hash: string;
  /** Manifests of the powers that the page provides; absent where it provides no power. */
  readonly powers?: PayloadRef;
  readonly powers_hash?: string;
  readonly limits: RunLimits;
  readonly limits_hash: string;
  readonly budgets: Budgets;
  readonly model: string;
  readonly remote?: string;
  readonly isolation: Isolation;
  readonly seed?: number;
  /** Receipts also tell the hash of the heap that each call left. */
  readonly heap_hash?: true;
}

export interface VerdictBody extends StepRef {
  readonly accepted: boolean;
  readonly kind?: 'say' | 'call' | 'finish' | 'work';
  readonly capability?: string;
  readonly capability_hash?: string;
  readonly args?: PayloadRef;
  /** Of a message: the verdict on each operation, which is decided like a call. */
  readonly operations?: readonly {
    readonly type: 'READ' | 'WRITE' | 'EXECUTE';
    readonly target: string;
    readonly capability: string;
    readonly capability_hash: string;
    readonly args: PayloadRef;
  }[];
  /**
   * Targets of a message's symbols; absent where no symbol was looked up, or where the targets are too many to be kept.
   */
  readonly resolved?: PayloadRef;
  /** The refusal without its details, which quote the stranger: the details are in the observation's payload. */
  readonly refusal?: { readonly class: RefusalClass; readonly code: Code; readonly step: Step };
  readonly registry_hash: string;
  readonly limits_hash: string;
  readonly dialect: DialectVersion;
  readonly behaviour: number;
}

export interface DecisionBody extends StepRef {
  readonly decision: Decision;
  readonly code?: Code;
  readonly capability: string;
  readonly capability_hash: string;
  readonly args_hash: string;
  readonly policy_hash: string;
  /** Id of the deciding grant; absent where no grant applies. */
  readonly grant?: string;
  /** Why a person is asked. */
  readonly why?: ApprovalReason;
  /** Labels of the context at the decision, sorted. */
  readonly labels: readonly Label[];
  /** The only clock value that the decision depends on: integer ms. */
  readonly now: number;
}

export type ApprovalBody = StepRef & {
  readonly capability: string;
  readonly capability_hash: string;
  /** SHA-256 over capability hash, canonical arguments, run, step and nonce: the call this approval is for. */
  readonly digest: string;
  /** The question is about a power that a running call asked for: then `capability` is the power. */
  readonly ticket?: number;
} & (
    | { readonly event: 'asked'; readonly effect: Effect; readonly args: PayloadRef; readonly nonce: string }
    | {
        readonly event: 'answered';
        readonly approved: boolean;
        /** Origin of the answer, on the word of the page; absent in ledgers of earlier versions. */
        readonly via?: AnsweredVia;
        readonly reason?: PayloadRef;
        readonly grant?: Grant;
      }
  );

/** Which of a call's power calls a record is about. Tickets count from 1, in the order the guest asked in. */
interface PowerRef extends StepRef {
  readonly ticket: number;
  readonly power: string;
  readonly power_hash: string;
}

/**
 * A power call with the effect `write` or `egress`, or with a question to a person. Its record is acknowledged before
 * the call is issued, and the record of its answer before the guest receives the answer. Issued without an answer: the
 * outcome is unknown.
 */
export type PowerBody =
  | (PowerRef & {
      readonly event: 'issued';
      readonly effect: Effect;
      readonly args: PayloadRef;
      readonly grant: string;
      readonly policy_hash: string;
      readonly labels: readonly Label[];
      readonly now: number;
    })
  | (PowerRef & { readonly event: 'answered'; readonly status: 'success' | 'error'; readonly answer: PayloadRef });

/** Decision about a power call, as in the receipt of its call. */
export interface PowerDecision {
  readonly ticket: number;
  readonly power: string;
  readonly power_hash: string;
  readonly decision: Decision;
  readonly code?: Code;
  readonly grant?: string;
}

/**
 * A waiting call, taken out of the sandbox: its heap is kept beside the log, and only a heap with this digest
 * continues.
 */
export interface ParkedBody extends StepRef {
  readonly image_hash: string;
  /** Of a secret step, whose heap can be guessed, the digest is a payload. */
  readonly digest: string | PayloadRef;
  /** The step's nonce, which binds a question that is put again. */
  readonly nonce: string;
  /** Labels that its powers have added so far, sorted. */
  readonly labels: readonly Label[];
  readonly powers: readonly PowerDecision[];
  /**
   * Ids of the sections that its expansions have touched so far; absent without expansions, and in records of an
   * earlier version.
   */
  readonly touched?: readonly string[] | PayloadRef;
}

/** A person permits less from here on: decisions after this record use the policy with this hash. */
export interface RevocationBody {
  /**
   * With `grant`: that grant is revoked. Without: the capability is no longer enabled. In canonical order, and not
   * empty.
   */
  readonly revoked: readonly {
    readonly capability: string;
    readonly capability_hash: string;
    readonly grant?: string;
  }[];
  readonly policy_hash: string;
}

/** Consent to send this run's context to a remote model. */
export interface ConsentBody {
  readonly event: 'asked' | 'answered';
  readonly origin: string;
  readonly bytes: number;
  readonly bytes_max: number;
  readonly digest: string;
  readonly approved?: boolean;
  readonly via?: AnsweredVia;
}

/** Acknowledged before a call with effects starts: no durable intent, no effect. */
export interface IntentBody extends StepRef {
  readonly capability: string;
  readonly capability_hash: string;
  readonly args_hash: string;
  readonly effect: Effect;
}

export interface ObservationBody extends StepRef {
  readonly status: 'success' | 'error';
  readonly payload: PayloadRef;
}

/** Evidence beside the contract's six fields: enough to make the step again and compare. */
export interface Evidence {
  readonly step: number;
  readonly reason?: { readonly class: RefusalClass; readonly code: Code; readonly step?: Step };
  readonly proposal: PayloadRef;
  readonly args_hash?: string;
  readonly capability_hash?: string;
  readonly image_hash?: string;
  /**
   * Hash of the whole heap at the end of a call that returned, if the run was asked for it. Of a secret step, whose
   * heap can be guessed, the hash is a payload.
   */
  readonly heap_hash?: string | PayloadRef;
  readonly registry_hash: string;
  readonly policy_hash: string;
  readonly fuel?: number;
  readonly ended_by?: CallFailureKind;
  readonly power_calls?: PayloadRef;
  /** Decisions about the calls of the page's powers. */
  readonly powers?: readonly PowerDecision[];
  readonly console?: PayloadRef;
  readonly result_hash?: string;
  /** Labels of the context after this step, sorted. */
  readonly labels: readonly Label[];
  readonly behaviour: number;
  /** Content that a call was given, in the order of the receipt's expansions. */
  readonly expanded?: readonly PayloadRef[];
  /** Of a message: evidence for each action, in order. */
  readonly operations?: readonly OperationEvidence[];
  /** Spending of the message from its budgets. */
  readonly spent?: {
    readonly symbols: number;
    readonly sections: number;
    readonly bytes: number;
    readonly expands: number;
  };
}

/** Events of the log itself: records of the run `system`. */
export type LogBody =
  /** The store had fewer records than a witness had seen, and they could not be had again: a new epoch begins. */
  | { readonly event: 'lost'; readonly size: number; readonly root: string; readonly found: number }
  /** The same, and the mirror had them all; `size` and `root` are the log's, as it was restored. */
  | { readonly event: 'restored'; readonly size: number; readonly root: string; readonly found: number }
  /** A run left this device as a file with this hash. */
  | {
      readonly event: 'archived';
      readonly run: string;
      readonly records: number;
      readonly head: string;
      readonly file: string;
    }
  /** A run's records and bytes were deleted; the hashes of the records stay in the log's tree. */
  | { readonly event: 'deleted'; readonly run: string; readonly records: number; readonly head: string }
  /** Bytes that a run's records name were erased; the records stay. */
  | { readonly event: 'erased'; readonly run: string; readonly payloads: readonly string[] }
  /** The content that a step had written was undone: each file has its earlier text again. */
  | {
      readonly event: 'undone';
      readonly run: string;
      readonly step: number;
      readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[];
    };

/** Evidence beside an action of a message. */
export type OperationEvidence = Pick<
  Evidence,
  | 'reason'
  | 'image_hash'
  | 'heap_hash'
  | 'fuel'
  | 'ended_by'
  | 'result_hash'
  | 'console'
  | 'power_calls'
  | 'powers'
  | 'expanded'
> & {
  readonly capability_hash: string;
  readonly args_hash: string;
  /**
   * The content that a READ or WRITE found, from this line of its file on: the input for making the operation again.
   * Absent where the file did not exist or the message itself had written it; without `text` where the content is too
   * large to be kept.
   */
  readonly source?: { readonly line: number; readonly text?: PayloadRef };
  /** Ids of the sections that a capability's expansions touched; of a secret step the list is a payload. */
  readonly touched?: readonly string[] | PayloadRef;
};

/** A symbol that a write has moved to another section, or has unbound. */
export interface ReboundSymbol {
  readonly symbol_id: string;
  readonly from: string;
  readonly to?: string;
}

/** The deterministic part of a record, by kind. */
export interface Bodies {
  configuration: ConfigurationBody;
  task: { readonly text: PayloadRef };
  proposal: StepRef & AnswerFacts & { readonly payload: PayloadRef };
  verdict: VerdictBody;
  decision: DecisionBody;
  approval: ApprovalBody;
  intent: IntentBody;
  power: PowerBody;
  parked: ParkedBody;
  consent: ConsentBody;
  revocation: RevocationBody;
  /** Content that changed with this step: both texts, so that the change can be undone, and the moved symbols. */
  content: StepRef & {
    readonly path: string;
    readonly before: PayloadRef;
    readonly after: PayloadRef;
    /** Of a secret step the list is a payload. */
    readonly symbols: readonly ReboundSymbol[] | PayloadRef;
  };
  observation: ObservationBody;
  receipt: { readonly receipt: Receipt; readonly evidence: Evidence };
  log: LogBody;
  /** `model_failed`: the model gave no answer, and may answer later; `after_ms` as its server says. */
  state: {
    readonly event: 'paused' | 'resumed' | 'interrupted' | 'model_failed';
    readonly reason?: PayloadRef;
    readonly after_ms?: number;
  };
  seal: {
    readonly state: RunEndState;
    readonly code?: Code;
    readonly steps: number;
    readonly message?: PayloadRef;
  };
}

export type RecordKind = keyof Bodies;

/** A record before it has a place: made by core, put into the chain by `extend`. */
export type Draft = { [K in RecordKind]: { readonly kind: K; readonly body: Bodies[K] } }[RecordKind];

/**
 * A link of a run's chain. `hash` is over all further members except `body`, which it covers by `body_hash`; `at` is
 * the wall clock and is never read by core; the record's place in the log is not in its hash, the Merkle tree commits
 * to it.
 */
export type LedgerRecord = Draft & {
  readonly run_id: string;
  readonly run_seq: number;
  readonly epoch: number;
  readonly body_hash: string;
  readonly at: number;
  readonly prev: string;
  readonly hash: string;
};

/** `prev` of a run's first record. */
export const NO_PREV: string = '0'.repeat(64);
