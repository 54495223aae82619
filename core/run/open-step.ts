import type { Charged } from '../capability/charge.ts';
import type { Validated } from '../capability/check.ts';
import type { Label } from '../capability/guard.ts';
import type { Spent } from '../content/budget.ts';
import type { Expansion } from '../content/expand.ts';
import type { StagedFiles } from '../content/staged.ts';
import type { Target } from '../content/target.ts';
import type { JsonObject } from '../json/value.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Action } from '../ledger/receipt.ts';
import type { AnswerFacts, Draft, OperationEvidence } from '../ledger/record.ts';
import type { Refusal } from '../outcome.ts';
import type { Message } from '../protocol/proposal.ts';
import type { KeptRow, Payload } from './effect.ts';
import type { Params } from './validate/params.ts';

/** A proposal on its way, with the records it has made so far and that are not yet written. */
export interface OpenStep {
  readonly step: number;
  readonly step_id: string;
  readonly proposal: PayloadRef;
  /** What the model said beside it. */
  readonly answer: AnswerFacts;
  /** What the model will remember having said. */
  readonly text: string;
  readonly drafts: readonly Draft[];
  readonly payloads: readonly Payload[];
  /** Integer ms at which the proposal arrived: the clock of its decision. */
  readonly now: number;
  readonly nonce: string;
  /** Of a secret step: 64 hex digits that leave this device only in front of the proposal. `stepPayload`. */
  readonly salt?: string;
  /** What the symbols of a message stood for; the verdict names it, and nothing before. */
  readonly resolved?: Payload;
  /** The operations of a message, and how far they are. */
  readonly work?: Work;
}

/** A call that is past its gates, and what its receipt will say. */
export interface OpenCall {
  readonly args: Payload;
  /** Canonical text of the arguments: what the person was shown is what runs. */
  readonly argsText: string;
  readonly holds: ReadonlyMap<string, boolean>;
}

/**
 * The operations of one message on their way: first each is resolved, bound and checked, then each is authorized, and
 * only then the first one runs. What stands here is what its receipt is made of, however far it comes.
 */
export interface Work {
  readonly message: Message;
  readonly params: readonly Params[];
  /** What each operation's target stood for when the message was judged; a capability is no target. */
  readonly targets: readonly (Target | undefined)[];
  readonly plans: readonly Plan[];
  readonly permits: readonly Permit[];
  readonly done: readonly Done[];
  readonly spent: Spent;
  readonly expanded: readonly Expansion[];
  /** Those of `expanded` behind the newest WRITE: the same slice again has the same content. */
  readonly sinceWrite: readonly Expansion[];
  /** What its receipt will name, and no record before that. */
  readonly payloads: readonly Payload[];
  /** Files that were written to, by path; nobody else sees them before the message has succeeded. */
  readonly staged: StagedFiles;
  /** What its successful calls have put, and what need not be kept any more: rows that are written with the receipt. */
  readonly kept: readonly KeptRow[];
  /** What the operations have shown. */
  readonly labels: readonly Label[];
  /** Of the proposal; every operation asks under one of its own, so that no answer counts twice. */
  readonly nonce: string;
}

/** An operation as the call that it is decided as. */
export interface Plan {
  readonly validated: Validated;
  readonly call: OpenCall;
}

export interface Permit {
  readonly charged: Charged;
  readonly call: OpenCall;
}

/** An operation that was attempted. */
export interface Done {
  readonly action: Action;
  readonly evidence: OperationEvidence;
  readonly refusal?: Refusal;
  /** What it yields: told to the model, and under its name an output. */
  readonly yields?: Payload;
  readonly told: JsonObject;
}
