import type { ApprovalReason } from '../capability/authorize.ts';
import type { Capability } from '../capability/capability.ts';
import type { Charged } from '../capability/charge.ts';
import type { Validated } from '../capability/check.ts';
import type { GrantUses } from '../capability/grant-terms.ts';
import type { Label, LabelledPlace } from '../capability/guard.ts';
import type { HeldOutcome, PlacedHandle } from '../capability/hold.ts';
import type { Bound } from '../capability/registry.ts';
import type { Charges, ReleasedCall } from '../capability/release.ts';
import type { Spending } from '../content/budget.ts';
import type { Expansion } from '../content/expand.ts';
import type { StagedFiles } from '../content/staged.ts';
import type { Target } from '../content/target.ts';
import type { JsonObject } from '../json/value.ts';
import type { SignedYes } from '../ledger/kinds/authority.ts';
import type { OperationEvidence } from '../ledger/kinds/evidence.ts';
import type { AnswerFacts } from '../ledger/kinds/step.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Action } from '../ledger/receipt.ts';
import type { Draft } from '../ledger/record.ts';
import type { Refusal } from '../outcome.ts';
import type { CatalyticMessage } from '../protocol/proposal.ts';
import type { Payload } from './effect.ts';
import type { StoredRow } from './event.ts';
import type { ToldChange } from './observe.ts';
import type { Params } from './validate/params.ts';

/** A call that a person puts in the place of the call of the step before, from the answer to the end of its own step. */
export interface Replacement {
  /** The step whose call it replaces. */
  readonly of: number;
  /** The person's proposal, in the form `femtoclaw`. */
  readonly text: string;
  /** Follows from the nonce of the replaced step, as `salt` from its salt: so the digest is known before the yes. */
  readonly nonce: string;
  readonly salt?: string;
  /** Integer ms of the answer. */
  readonly now: number;
  /** Digest of the edited call: the yes is of this one. */
  readonly digest: string;
  readonly signed?: SignedYes;
  /** The changed places, as the model is told them. */
  readonly changed: readonly ToldChange[];
  /** The handles of the replaced call, with their places in its arguments. */
  readonly handles: readonly PlacedHandle[];
}

/** A proposal in progress, with the records that it has made and that are not written yet. */
export interface OpenStep {
  readonly step: number;
  readonly step_id: string;
  readonly proposal: PayloadRef;
  /** Facts of the model's answer beside the proposal, for example its tokens. */
  readonly answer: AnswerFacts;
  /** Purpose of a call of a session. */
  readonly goal?: PayloadRef;
  /** What the model's server demands back with the call. A replay has no text. */
  readonly providerData?: { readonly ref: PayloadRef; readonly text?: string };
  /** The message of a host that held the call. */
  readonly wire?: PayloadRef;
  /** Bytes of the history that the model could be shown, where its window is smaller than the run's. */
  readonly window?: number;
  /** The proposal's text as it will enter the context. */
  readonly text: string;
  readonly drafts: readonly Draft[];
  readonly payloads: readonly Payload[];
  /** Integer ms at which the proposal arrived: the clock of its decision. */
  readonly now: number;
  readonly nonce: string;
  /** 64 hex digits, in a secret step only. They leave this device only in front of the proposal. See `stepPayload`. */
  readonly salt?: string;
  /** The targets of a message's symbols. The verdict is the first record that names this payload. */
  readonly resolved?: Payload;
  /** The operations of a message and their progress. */
  readonly work?: Work;
  /** The outcome of the step is held. */
  readonly held?: HeldStep;
  /** The bits that the call has asked of grants. */
  readonly charges?: Charges;
  /** The outcome that the call reads on purpose: its labels join the context once the call has run. */
  readonly reading?: HeldOutcome & { readonly handle: string };
  /** The proposal is a person's: it stands in the place of the call of the step before. */
  readonly replaces?: Replacement;
  /** Labels of a look-up of content symbols, whose outcome the step tells: a name that exists reveals content. */
  readonly labels?: readonly Label[];
}

/** The part of a held step that is known before its intent. Its `outcome` depends on no held value. */
export interface HeldStep {
  /**
   * `handles`: the decision is held, too: the arguments have handles, or the call is a release. `outcome`: the call holds from
   * its intent on.
   */
  readonly by: 'handles' | 'outcome';
  readonly capability: Capability;
  readonly outcome: HeldOutcome;
  /** The places of the handles, with the labels of what they carry. */
  readonly places: readonly LabelledPlace[];
  /** Labels that the answers behind its values said of themselves. */
  readonly raised: readonly Label[];
  /** Where the values of the handles may have come from, sorted. */
  readonly sources: readonly string[];
  /** The result is told to the model, in the place of a handle. */
  readonly release?: ReleasedCall;
  /** Present in a message. */
  readonly message?: HeldMessage;
}

/** The part of a message before its first held operation, which is told. */
export interface HeldMessage {
  /** Index of the first operation that is held. */
  readonly from: number;
  /** Labels of the operations before it, and bytes that they have expanded. */
  readonly labels: readonly Label[];
  readonly bytes: number;
  /** Of its held operations. */
  readonly capabilities: readonly Capability[];
  /** Uses of the grants before the message, where its decisions are held. */
  readonly used?: GrantUses;
}

/** A call that has passed its gates, with the data for its receipt. */
export interface OpenCall {
  readonly args: Payload;
  /** Canonical text of the arguments: the same text that the person was shown is run. */
  readonly argsText: string;
  readonly constraintResults: ReadonlyMap<string, boolean>;
}

/** A question that was written; its answer names the digest. */
export interface AskedQuestion {
  readonly digest: string;
  readonly why: ApprovalReason;
  /** Id of the grant that asks. */
  readonly grant?: string;
}

/**
 * The operations of a message in progress. Each operation is resolved, bound and checked; then each is authorized; only
 * then the first operation runs. The receipt is made from these members, wherever the message ends.
 */
export interface Work {
  readonly message: CatalyticMessage;
  readonly params: readonly Params[];
  /** Target of each operation when the message was judged; undefined for a capability. */
  readonly targets: readonly (Target | undefined)[];
  /** The refs, and the ids of the sections that their targets cover: what a capability of the message may expand. */
  readonly declared: ReadonlySet<string>;
  readonly plans: readonly Plan[];
  readonly permits: readonly Permit[];
  readonly done: readonly OperationResult[];
  readonly spent: Spending;
  readonly expanded: readonly Expansion[];
  /** Members of `expanded` behind the newest WRITE: there, an equal slice has equal content. */
  readonly sinceWrite: readonly Expansion[];
  /** Records of settled operations that no write holds yet. They are written with the next record that an effect may
   * follow; a receipt tells the same. */
  readonly progress: UnwrittenProgress;
  /** Payloads that no written record names yet. */
  readonly payloads: readonly Payload[];
  /** Written files, by path. They are visible to this message only, until it has succeeded. */
  readonly staged: StagedFiles;
  /** Rows to write with the receipt: values that successful calls have put, and removals. */
  readonly kept: readonly StoredRow[];
  /** Labels of the data that the operations have shown. */
  readonly labels: readonly Label[];
  /** Calls with the values of their handles that are not checked yet, by their operations. */
  readonly unchecked?: ReadonlyMap<number, Bound>;
  /** Nonce of the proposal. Every operation derives its own, so that an answer counts for a single operation. */
  readonly nonce: string;
  /** Integer ms of the last answer to a question: the clock of the decisions behind it. */
  readonly answeredAt?: number;
}

/** Records of settled operations, and the members of their message up to which these records tell. */
export interface UnwrittenProgress {
  readonly drafts: readonly Draft[];
  readonly payloads: readonly Payload[];
  readonly told: { readonly payloads: number; readonly expanded: number; readonly kept: number };
  /** The outcome of an effect or of a tool is among them: it is durable before the next operation begins. */
  readonly due?: 'strict' | 'relaxed';
}

export const NO_PROGRESS: UnwrittenProgress = { drafts: [], payloads: [], told: { payloads: 0, expanded: 0, kept: 0 } };

/** An operation, bound and validated as a call. */
export interface Plan {
  readonly validated: Validated;
  readonly call: OpenCall;
  /** The handles of its arguments, with their places in the message. */
  readonly handles?: readonly PlacedHandle[];
}

export interface Permit {
  readonly charged: Charged;
  readonly call: OpenCall;
  /** The operation holds from its intent on. */
  readonly holds?: true;
}

/** Result of an operation that was attempted. */
export interface OperationResult {
  readonly action: Action;
  readonly evidence: OperationEvidence;
  readonly refusal?: Refusal;
  /** The operation's result: told to the model, and listed in `outputs` under the operation's output name. */
  readonly yields?: Payload;
  readonly told: JsonObject;
}
