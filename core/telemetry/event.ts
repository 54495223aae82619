import type { Decision } from '../capability/authorize.ts';
import type { EndedBy } from '../capability/call.ts';
import type { Effect } from '../capability/guard.ts';
import type { RefusalClass, Step } from '../errors/details.ts';
import type { Code } from '../errors.ts';
import type { Isolation, RunEndState } from '../ledger/kinds/run.ts';
import type { DialectVersion } from '../protocol/dialect.ts';
import type { Phase } from '../run/state.ts';

interface Call {
  readonly capability: string;
  readonly capability_hash: string;
  /** The running call of this execution asked for it: the number of the request, from 1. */
  readonly ticket?: number;
}
interface Reason {
  readonly class: RefusalClass;
  readonly code: Code;
}
interface None {
  readonly [name: string]: never;
}

/** Names that the model's adapter gives; no record holds them. */
export interface ModelNames {
  readonly provider?: string;
  readonly model_name?: string;
}

/** The source of a run's proposals. */
interface Proposer extends ModelNames {
  /** The run is a session: `model` is the label of its caller. */
  readonly caller?: true;
}

/**
 * Attributes of each event besides its name, its execution and its status. They never hold arguments, results,
 * proposals or messages, but only their hashes and sizes. A name that only the model has said is not included either.
 */
export interface AttributesOf {
  run_started: Proposer & {
    readonly dialect: DialectVersion;
    readonly model: string;
    readonly isolation: Isolation;
    readonly registry_hash: string;
    readonly policy_hash: string;
  };
  /** Resumed from its records, by another process than before. */
  run_resumed: Proposer;
  /**
   * `finish` and the tokens come from the model's server; absent if the server does not report them. `by`: a person has put
   * this call in the place of the last one, and no model was asked.
   */
  protocol_received: {
    readonly by?: 'person';
    readonly step: number;
    readonly proposal_hash?: string;
    readonly proposal_bytes: number;
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly finish?: 'stop' | 'length' | 'other';
  };
  /** The model gave no answer, and may give an answer later. Its message and its server's message are not included. */
  model_failed: Reason & { readonly after_ms?: number };
  /** Messages of a host that were turned away before they became proposals; without a count a single message. */
  message_rejected: Reason & { readonly count?: number };
  protocol_validated: { readonly kind: 'say' | 'call' | 'finish' | 'work' };
  protocol_rejected: Reason & { readonly gate?: Step };
  /** `args_bytes` is absent for a person's call with held values: its arguments have the values in their places. */
  capability_requested: Call & { readonly args_hash?: string; readonly args_bytes?: number };
  capability_authorized: Call & { readonly decision: Decision; readonly policy_hash: string };
  /** `decision` is absent if the policy did not decide: a person said no, or the run ended first. */
  capability_denied: Call & Reason & { readonly decision?: Decision };
  approval_asked: Call & { readonly decision: Decision; readonly effect: Effect };
  approval_answered: Call & { readonly approved: boolean };
  /** Private content is about to go to a remote model: its size, and its destination. */
  consent_asked: { readonly origin: string; readonly context_units: number };
  consent_answered: { readonly origin: string; readonly context_units: number; readonly approved: boolean };
  /** A person permits less from here on. Without a grant the capability itself is disabled. */
  permission_revoked: Call & { readonly grant?: string; readonly policy_hash: string };
  budget_charged: { readonly grant: string; readonly used: number };
  capability_started: Call & { readonly effect: Effect };
  /** Without the facts of its end: a held call has ended, in whatever way. */
  capability_completed: Call & {
    readonly fuel?: number;
    readonly image_hash?: string;
    readonly result_hash?: string;
    readonly result_bytes?: number;
  };
  capability_failed: Call & Reason & { readonly ended_by?: EndedBy; readonly fuel?: number };
  content_expanded: { readonly target: string; readonly slice: string; readonly content_hash?: string };
  /** A READ or a WRITE of a message failed, or a WRITE was withdrawn with its message. */
  content_failed: Reason & { readonly operation: 'READ' | 'WRITE'; readonly target: string };
  /** Content budgets that a message has spent, however it ended; `bytes_expanded` in UTF-8. */
  budget_spent: {
    readonly symbols: number;
    readonly sections: number;
    readonly bytes_expanded: number;
    readonly expansions: number;
  };
  budget_exceeded: Reason;
  /** A step ended in a receipt that is no SUCCESS; the code is the receipt's. */
  step_failed: Reason & { readonly gate?: Step; readonly outcome: 'FAILURE' | 'PARTIAL' };
  memory_write: {
    readonly records: number;
    readonly payloads: number;
    readonly bytes: number;
    readonly durability: 'strict' | 'relaxed';
  };
  memory_committed: None;
  memory_failed: Reason;
  state_transition: { readonly from: Phase; readonly to: Phase };
  /** The tokens of all answers; absent if the model's server does not report them. */
  run_completed: {
    readonly state: RunEndState;
    readonly steps: number;
    readonly code?: Code;
    readonly input_tokens?: number;
    readonly output_tokens?: number;
  };
  /** Loss of telemetry itself: events for which a reader was too slow, or which a defect of the runtime prevented. */
  telemetry_lost: { readonly lost: number; readonly cause: 'slow' | 'defect' };
}

export type EventType = keyof AttributesOf;
export type EventStatus = 'ok' | 'refused' | 'failed';

/**
 * An event of a run. Equal runs give equal events, at any time and place.
 *
 * @see FemtoClaw 16; 08 5, 9, 10 and 13
 */
export type TelemetryEvent = { readonly [T in EventType]: EventOf<T> }[EventType];
export type EventOf<T extends EventType> = {
  readonly event_type: T;
  /** `<run_id>/<step_id>` from a proposal to its receipt, `<run_id>` outside. */
  readonly execution_id: string;
  readonly status: EventStatus;
  /** The event is about a held call. What it says of it follows from public facts alone, unless a person has asked for all. */
  readonly held?: true;
} & AttributesOf[T];

/** An event with its variable parts: its sequence number in this stream, and the wall clock, integer ms. */
export interface StampedEvent {
  readonly seq: number;
  readonly timestamp: number;
  readonly event: TelemetryEvent;
}

interface EventRow {
  /** The event's name in OpenTelemetry exports. */
  readonly name: string;
  readonly status: EventStatus;
  /**
   * The run's phase that the event belongs to. It decides the event's place among the transitions of a single run
   * event.
   */
  readonly phase?: Phase;
}

/** The table of events. */
export const EVENTS: { readonly [T in EventType]: EventRow } = {
  run_started: { name: 'sallyport.run.started', status: 'ok' },
  run_resumed: { name: 'sallyport.run.resumed', status: 'ok' },
  protocol_received: { name: 'sallyport.protocol.received', status: 'ok', phase: 'INPUT_RECEIVED' },
  model_failed: { name: 'sallyport.model.failed', status: 'failed', phase: 'INPUT_RECEIVED' },
  message_rejected: { name: 'sallyport.message.rejected', status: 'refused' },
  protocol_validated: { name: 'sallyport.protocol.validated', status: 'ok', phase: 'PROTOCOL_VALIDATING' },
  protocol_rejected: { name: 'sallyport.protocol.rejected', status: 'refused', phase: 'PROTOCOL_VALIDATING' },
  capability_requested: { name: 'sallyport.capability.requested', status: 'ok', phase: 'PROTOCOL_VALIDATING' },
  capability_authorized: { name: 'sallyport.capability.authorized', status: 'ok', phase: 'AUTHORIZATION_EVALUATING' },
  capability_denied: { name: 'sallyport.capability.denied', status: 'refused', phase: 'AUTHORIZATION_EVALUATING' },
  approval_asked: { name: 'sallyport.approval.asked', status: 'ok', phase: 'AUTHORIZATION_EVALUATING' },
  approval_answered: { name: 'sallyport.approval.answered', status: 'ok', phase: 'AWAITING_APPROVAL' },
  consent_asked: { name: 'sallyport.consent.asked', status: 'ok' },
  consent_answered: { name: 'sallyport.consent.answered', status: 'ok', phase: 'AWAITING_APPROVAL' },
  permission_revoked: { name: 'sallyport.permission.revoked', status: 'ok' },
  budget_charged: { name: 'sallyport.budget.charged', status: 'ok', phase: 'AUTHORIZATION_EVALUATING' },
  capability_started: { name: 'sallyport.capability.started', status: 'ok', phase: 'CAPABILITY_EXECUTING' },
  capability_completed: { name: 'sallyport.capability.completed', status: 'ok', phase: 'CAPABILITY_EXECUTING' },
  capability_failed: { name: 'sallyport.capability.failed', status: 'failed', phase: 'CAPABILITY_EXECUTING' },
  content_expanded: { name: 'sallyport.content.expanded', status: 'ok', phase: 'CAPABILITY_EXECUTING' },
  content_failed: { name: 'sallyport.content.failed', status: 'failed', phase: 'CAPABILITY_EXECUTING' },
  budget_spent: { name: 'sallyport.budget.spent', status: 'ok', phase: 'MEMORY_COMMITTING' },
  budget_exceeded: { name: 'sallyport.budget.exceeded', status: 'refused', phase: 'MEMORY_COMMITTING' },
  step_failed: { name: 'sallyport.step.failed', status: 'failed', phase: 'MEMORY_COMMITTING' },
  memory_write: { name: 'sallyport.memory.write', status: 'ok', phase: 'MEMORY_COMMITTING' },
  memory_committed: { name: 'sallyport.memory.committed', status: 'ok' },
  memory_failed: { name: 'sallyport.memory.failed', status: 'failed' },
  state_transition: { name: 'sallyport.state.transition', status: 'ok' },
  run_completed: { name: 'sallyport.run.completed', status: 'ok' },
  telemetry_lost: { name: 'sallyport.telemetry.lost', status: 'failed' },
};

type AttributeName = { [T in EventType]: AttributesOf[T] extends None ? never : NamesOf<AttributesOf[T]> }[EventType];
type NamesOf<T> = T extends unknown ? Extract<keyof T, string> : never;

/** The table of attribute names: OpenTelemetry's GenAI name if it exists, otherwise a name of our own. */
export const ATTRIBUTES: { readonly [A in AttributeName | 'held' | 'status']: string } = {
  status: 'sallyport.status',
  held: 'sallyport.held',
  after_ms: 'sallyport.model.after_ms',
  approved: 'sallyport.approval.approved',
  args_bytes: 'sallyport.capability.args_bytes',
  args_hash: 'sallyport.capability.args_hash',
  by: 'sallyport.proposal.by',
  bytes: 'sallyport.memory.bytes',
  bytes_expanded: 'sallyport.budget.bytes_expanded',
  caller: 'sallyport.run.caller',
  capability: 'gen_ai.tool.name',
  capability_hash: 'sallyport.capability.hash',
  cause: 'sallyport.telemetry.cause',
  class: 'sallyport.refusal.class',
  code: 'error.type',
  content_hash: 'sallyport.content.hash',
  count: 'sallyport.message.count',
  context_units: 'sallyport.consent.context_units',
  decision: 'sallyport.decision',
  dialect: 'sallyport.protocol.dialect',
  durability: 'sallyport.memory.durability',
  effect: 'sallyport.capability.effect',
  ended_by: 'sallyport.capability.ended_by',
  finish: 'gen_ai.response.finish_reasons',
  expansions: 'sallyport.budget.expansions',
  from: 'sallyport.state.from',
  fuel: 'sallyport.capability.fuel',
  gate: 'sallyport.refusal.gate',
  grant: 'sallyport.grant.id',
  image_hash: 'sallyport.capability.image_hash',
  input_tokens: 'gen_ai.usage.input_tokens',
  isolation: 'sallyport.isolation',
  kind: 'sallyport.protocol.kind',
  lost: 'sallyport.telemetry.lost',
  model: 'gen_ai.request.model',
  // the name at the provider comes behind the id and replaces it
  model_name: 'gen_ai.request.model',
  operation: 'sallyport.content.operation',
  origin: 'sallyport.consent.origin',
  provider: 'gen_ai.provider.name',
  output_tokens: 'gen_ai.usage.output_tokens',
  outcome: 'sallyport.step.outcome',
  payloads: 'sallyport.memory.payloads',
  policy_hash: 'sallyport.policy.hash',
  proposal_bytes: 'sallyport.proposal.bytes',
  proposal_hash: 'sallyport.proposal.hash',
  records: 'sallyport.memory.records',
  registry_hash: 'sallyport.registry.hash',
  result_bytes: 'sallyport.capability.result_bytes',
  result_hash: 'sallyport.capability.result_hash',
  sections: 'sallyport.budget.sections',
  slice: 'sallyport.content.slice',
  state: 'sallyport.run.state',
  step: 'sallyport.step',
  steps: 'sallyport.run.steps',
  symbols: 'sallyport.budget.symbols',
  target: 'sallyport.content.target',
  ticket: 'sallyport.power.ticket',
  to: 'sallyport.state.to',
  used: 'sallyport.grant.used',
};

/** The execution that an event belongs to; without a step, the run itself. */
export function executionId(run_id: string, step_id?: string): string {
  return step_id === undefined ? run_id : `${run_id}/${step_id}`;
}

/** Makes an event by its row of the table. */
export function tell<T extends EventType>(
  event_type: T,
  execution_id: string,
  attributes: AttributesOf[T],
  status: EventStatus = EVENTS[event_type].status,
): TelemetryEvent {
  return { event_type, execution_id, status, ...attributes } as EventOf<T> as TelemetryEvent;
}
