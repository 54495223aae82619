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
import type { SchemaIssue } from '../errors/details.ts';
import type { JsonValue } from '../json/value.ts';
import type { Isolation } from '../ledger/record.ts';
import type { RunLimits } from '../limits.ts';
import type { Dialect } from '../protocol/proposal.ts';
import type { Context } from './context.ts';
import type { Consent } from './effect.ts';
import type { Ending } from './event.ts';
import type { OpenCall, OpenStep } from './open-step.ts';
import type { PowerDesk } from './pending-power-calls.ts';

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
