import type { Why } from '../capability/authorize.ts';
import type { PowerCall } from '../capability/call.ts';
import type { Charged } from '../capability/charge.ts';
import type { Checked, Validated } from '../capability/check.ts';
import type { Policy } from '../capability/grant.ts';
import type { Label } from '../capability/guard.ts';
import type { Revocation } from '../capability/policy.ts';
import type { PowerSet } from '../capability/power.ts';
import type { Bound, Registry } from '../capability/registry.ts';
import type { Budgets } from '../content/budget.ts';
import type { Code, SchemaIssue } from '../errors.ts';
import type { JsonValue } from '../json/value.ts';
import type { AnswerFacts, Draft, Isolation, PayloadRef } from '../ledger/record.ts';
import type { RunLimits } from '../limits.ts';
import type { Dialect } from '../protocol/proposal.ts';
import type { Context } from './context.ts';
import type { PowerDesk } from './desk.ts';
import type { Work } from './work.ts';

/**
 * FemtoClaw's ten states, and AWAITING_APPROVAL. Two more deviations: message form, which has no legal path in
 * FemtoClaw's own machine, goes PROTOCOL_VALIDATING -> MEMORY_COMMITTING; and whatever ends, a refusal, a denial or the
 * run, passes MEMORY_COMMITTING on its way, because nothing ends unrecorded. `test/core/run/edges.ts` lists every edge.
 */
export type Phase =
  | 'INITIALIZING'
  | 'IDLE'
  | 'INPUT_RECEIVED'
  | 'PROTOCOL_VALIDATING'
  | 'AUTHORIZATION_EVALUATING'
  | 'AWAITING_APPROVAL'
  | 'CAPABILITY_EXECUTING'
  | 'MEMORY_COMMITTING'
  | 'COMPLETED'
  | 'ERROR'
  | 'SHUTDOWN';

/** Everything a run is decided by, fixed at its start and written to its first record; its policy can only be narrowed. */
export interface RunFacts {
  readonly run_id: string;
  readonly dialect: Dialect;
  readonly registry: Registry;
  readonly policy: Policy;
  /** What the page provides for capabilities that declare it. */
  readonly powers?: PowerSet;
  readonly limits: RunLimits;
  readonly limits_hash: string;
  readonly budgets: Budgets;
  readonly model: string;
  /** Origin of a model that is not on this device: what it is told leaves it. */
  readonly remote?: string;
  readonly isolation: Isolation;
  /** Handed to the model with every request; what a server makes of it, it alone knows. */
  readonly seed?: number;
  /** Receipts also tell the hash of the heap that each call left. */
  readonly heapHash?: true;
  /** Validators precompiled at build time, by schema hash; a schema that is not here is checked outside. */
  readonly precompiled: ReadonlyMap<string, (value: JsonValue) => readonly SchemaIssue[]>;
}

/** Bytes that records name and that are stored beside them. */
export interface Payload {
  readonly ref: PayloadRef;
  readonly bytes: Uint8Array;
}

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

/** Where the run stands. Each state holds exactly what its next event needs. */
export type Stand =
  | { readonly phase: 'INITIALIZING' }
  | { readonly phase: 'IDLE' }
  | { readonly phase: 'INPUT_RECEIVED' }
  /** What the symbols of a message stand for is being looked up. */
  | { readonly phase: 'PROTOCOL_VALIDATING'; readonly open: OpenStep }
  | {
      readonly phase: 'PROTOCOL_VALIDATING';
      readonly open: OpenStep;
      readonly bound: Bound;
      readonly argsText: string;
      /** What the precompiled validators have said already. */
      readonly here: ReadonlyMap<string, Checked>;
    }
  /** The question is being written down; it is put to a person only then. */
  | {
      readonly phase: 'AUTHORIZATION_EVALUATING';
      readonly open: OpenStep;
      readonly call: OpenCall;
      readonly asked: Asked;
    }
  | { readonly phase: 'AWAITING_APPROVAL'; readonly open: OpenStep; readonly call: OpenCall; readonly asked: Asked }
  | { readonly phase: 'AWAITING_APPROVAL'; readonly consent: Consent }
  /** A running call asked for a power, and a person is asked about that. */
  | { readonly phase: 'AWAITING_APPROVAL'; readonly during: Executing }
  | Executing
  | {
      readonly phase: 'MEMORY_COMMITTING';
      readonly then: 'idle' | 'propose' | 'sealed' | { readonly consent: Consent };
      /** Where the step goes on if the content it would write to is another by now. */
      readonly undone?: { readonly state: RunState; readonly open: OpenStep };
    }
  | { readonly phase: 'COMPLETED' }
  | { readonly phase: 'ERROR' }
  | { readonly phase: 'SHUTDOWN' };

export interface Executing {
  readonly phase: 'CAPABILITY_EXECUTING';
  readonly open: OpenStep;
  readonly call: OpenCall;
  readonly charged: Charged;
  /**
   * `intent`: waiting until the intent is durable. `text`: for the text of a file. `result`: for the result's schema.
   */
  readonly waiting: 'intent' | 'call' | 'text' | { readonly result: ResultInHand };
  /** What the page's powers do for it; absent as long as it has asked for none. */
  readonly desk?: PowerDesk;
}

export interface Asked {
  readonly validated: Validated;
  readonly digest: string;
  readonly why: Why;
}

/** May this run's context, so and so much of it by now, go to this origin? */
export interface Consent {
  readonly origin: string;
  /** UTF-8 bytes of everything the model has been shown. */
  readonly bytes: number;
  /** A yes covers every later request of the run, because none holds more than this. */
  readonly bytes_max: number;
  readonly digest: string;
}

export interface ResultInHand {
  readonly value: JsonValue;
  readonly text: string;
  readonly evidence: CallEvidence;
}

/** What a call left behind for its receipt, however it ended. */
export interface CallEvidence {
  readonly fuel: number;
  readonly image_hash: string;
  readonly heap_hash?: string;
  readonly console: readonly { readonly level: string; readonly text: string }[];
  readonly touched?: readonly string[];
  readonly powerCalls: readonly PowerCall[];
}

export type RunEndState = 'completed' | 'aborted' | 'failed' | 'limit';

export interface Ending {
  readonly state: RunEndState;
  readonly code?: Code;
  readonly message?: string;
}

export interface RunState {
  readonly facts: RunFacts;
  readonly at: Stand;
  /** Phases entered by the last event, in order: telemetry is derived from it. */
  readonly trail: readonly Phase[];
  readonly mode: 'paused' | 'stepping' | 'running';
  /** A step was asked for while a write was in flight; it is taken when the run comes to rest. */
  readonly due: boolean;
  /** Words to the model that came while a step was at work, oldest first; they are recorded when the run comes to rest. */
  readonly said: readonly string[];
  /** Proposals received. */
  readonly steps: number;
  readonly refusalsInRow: number;
  /** Requests that the model has failed to answer since its last proposal. */
  readonly failures: number;
  /** Why the run rests until its program drives it: the model gave no answer, and may give one later. */
  readonly waiting?: { readonly message: string; readonly after_ms?: number };
  /** ms to wait before the model is asked again. */
  readonly retryMs?: number;
  /** Calls charged, by the grant's id. */
  readonly used: ReadonlyMap<string, number>;
  /** What the run may do by now: the facts' policy, with what a person has added for this run and without what was revoked. */
  readonly policy: Policy;
  /** Salts of secret arguments that a person has permitted once more, by the hash that their grant names. */
  readonly salts: ReadonlyMap<string, string>;
  /** Notes that are on their way to the ledger. */
  readonly noting: number;
  /** What is to be revoked as soon as that can be written down. */
  readonly revoking?: Revocation;
  /** A person has let private content go to the remote model. */
  readonly consented: boolean;
  /** What the model has been shown by now. */
  readonly labels: ReadonlySet<Label>;
  /** UTF-8 bytes of content that all steps have expanded. */
  readonly expandedBytes: number;
  readonly context: Context;
  /** An end that was asked for while a write was in flight, which is never cut off. */
  readonly stopping?: Ending;
  readonly ending?: Ending;
}

/** The state of a run that has not begun; its first event is `start`. */
export function initialState(facts: RunFacts): RunState {
  return {
    facts,
    at: { phase: 'INITIALIZING' },
    trail: ['INITIALIZING'],
    mode: 'paused',
    due: false,
    said: [],
    steps: 0,
    refusalsInRow: 0,
    failures: 0,
    used: new Map(),
    policy: facts.policy,
    labels: new Set(),
    expandedBytes: 0,
    consented: false,
    salts: new Map(),
    noting: 0,
    context: undefined,
  };
}
