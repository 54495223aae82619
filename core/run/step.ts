import type { AnswerFacts } from '../ledger/kinds/step.ts';
import type { Draft } from '../ledger/record.ts';
import type { Payload, RunEffect } from './effect.ts';
import { NO_PROGRESS, type OpenStep } from './open-step.ts';
import type { Executing, Phase, RunState, RunStatus } from './state.ts';

/** A state and its requests to the outside. No request has been carried out when it is returned. */
export type Transition = readonly [RunState, readonly RunEffect[]];

/** Enters a status, through the phases that this event passes on the way. */
export function enter(
  state: RunState,
  at: RunStatus,
  via: readonly Phase[] = [],
  changes: Partial<RunState> = {},
): RunState {
  return { ...state, ...changes, at, phasesEntered: [...state.phasesEntered, ...via, at.phase] };
}

/** The same state: the event was late, or has no meaning here. */
export function stay(state: RunState): Transition {
  return [state, []];
}

/** The tokens of a run after an answer, as the model's server counts them. */
export function countTokens({ tokens }: RunState, { usage }: AnswerFacts): Pick<RunState, 'tokens'> {
  if (usage === undefined) return {};
  const { input, output } = tokens ?? { input: 0, output: 0 };
  return { tokens: { input: input + usage.input, output: output + usage.output } };
}

/** The step with all of its records written. */
export function written({ work, ...open }: OpenStep): OpenStep {
  const rest = { ...open, drafts: [], payloads: [] };
  if (work === undefined) return rest;
  const { told } = work.progress;
  const progress = { ...NO_PROGRESS, told: { ...told, payloads: 0 } };
  return { ...rest, work: { ...work, progress, payloads: work.payloads.slice(told.payloads) } };
}

/** The records of a step that are written before an effect: its own, and those of its settled operations. */
export function unwritten({ drafts, payloads, work }: Pick<OpenStep, 'drafts' | 'payloads' | 'work'>): {
  readonly drafts: readonly Draft[];
  readonly payloads: readonly Payload[];
} {
  if (work === undefined) return { drafts, payloads };
  return { drafts: [...drafts, ...work.progress.drafts], payloads: [...payloads, ...work.progress.payloads] };
}

/** The open step, also while a person is asked about a power of its call. */
export function openStep({ at }: RunState): OpenStep | undefined {
  switch (at.phase) {
    case 'PROTOCOL_VALIDATING':
    case 'AUTHORIZATION_EVALUATING':
    case 'CAPABILITY_EXECUTING':
      return at.open;
    case 'AWAITING_APPROVAL':
      return at.about === 'consent' ? undefined : at.about === 'power' ? at.during.open : at.open;
    default:
      return undefined;
  }
}

/** The running call, also while a person is asked about one of its powers. */
export function executing({ at }: RunState): Executing | undefined {
  if (at.phase === 'CAPABILITY_EXECUTING') return at;
  return at.phase === 'AWAITING_APPROVAL' && at.about === 'power' ? at.during : undefined;
}
