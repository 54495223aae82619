import type { Weighed } from '../capability/authorize.ts';
import { type Label, withLabels } from '../capability/guard.ts';
import type { Power, PowerAnswer } from '../capability/power.ts';
import { refuse } from '../errors.ts';
import type { Draft, PowerDecision } from '../ledger/record.ts';
import type { Refused } from '../outcome.ts';
import type { Ended } from './draft.ts';
import type { RunEffect } from './effect.ts';
import type { RunEvent } from './event.ts';
import type { Executing, Payload, RunState } from './state.ts';
import { enter, type Transition } from './step.ts';

/** A power call on its way, from the guest's question to the answer it hears. */
export interface OpenPower {
  readonly ticket: number;
  readonly power: Power;
  readonly args: Payload;
  readonly argsText: string;
  /** Which of the schemas that grants are held against accept the argument. */
  readonly holds: ReadonlyMap<string, boolean>;
  readonly now: number;
  /** It can change something, or a person was asked: its answer is recorded before the guest hears it. */
  readonly recorded: boolean;
  /** `asking` and `issuing` wait for their record to be durable. */
  readonly stage: 'asking' | 'asked' | 'issuing' | 'issued' | 'answering';
  /** Of the question that a person is asked. */
  readonly digest?: string;
  readonly why?: Extract<Weighed, { decision: 'REQUIRES_APPROVAL' }>['why'];
}

/** What is done when a write of the running call is durable; writes become durable in the order they were asked for. */
export type AfterWrite =
  | { readonly then: 'ask' | 'issue'; readonly ticket: number }
  | { readonly then: 'answer'; readonly ticket: number; readonly answer: PowerAnswer }
  | {
      readonly then: 'unpark';
      readonly digest: string;
      readonly image_hash: string;
      readonly touched: readonly string[];
    }
  | { readonly then: 'nothing' };

/** A power call that was answered before the run was taken up again. */
export interface PastPower {
  readonly power_hash: string;
  readonly args_hash: string;
  readonly answer: PowerAnswer;
}

/** The power calls of one running call. */
export interface PowerDesk {
  readonly open: ReadonlyMap<number, OpenPower>;
  readonly writes: readonly AfterWrite[];
  /** Answers of before the call was parked: in the ledger, and given again instead of issued again. */
  readonly answered: ReadonlyMap<number, PastPower>;
  /** What the powers have shown the guest. */
  readonly labels: readonly Label[];
  readonly decisions: readonly PowerDecision[];
  /** Its heap is kept beside the log, to be removed with the receipt. */
  readonly parked: boolean;
  /** The call is over, and waits for a write of its own. */
  readonly settled?: Extract<RunEvent, { type: 'settled' }>;
}

export const EMPTY_DESK: PowerDesk = {
  open: new Map(),
  writes: [],
  answered: new Map(),
  labels: [],
  decisions: [],
  parked: false,
};

/** The call that runs, also while a person is asked about one of its powers. */
export function executing({ at }: RunState): Executing | undefined {
  if (at.phase === 'CAPABILITY_EXECUTING') return at;
  return at.phase === 'AWAITING_APPROVAL' && 'during' in at ? at.during : undefined;
}

/** A run has one call at most that waits. */
export function parkedKey(run_id: string): string {
  return `parked/${run_id}`;
}

/** What a receipt tells of the call's powers; what was kept of it while it waited is removed with the same write. */
export function ofDesk({ facts }: RunState, { desk }: Executing): Pick<Ended, 'powers' | 'labels' | 'kept'> {
  if (desk === undefined) return {};
  const kept = desk.parked ? { kept: [{ key: parkedKey(facts.run_id) }] } : {};
  return { powers: desk.decisions, labels: desk.labels, ...kept };
}

/**
 * A power that was issued and not answered: by its record it may have acted, and nobody will write down any more what
 * came of it. Of one that was only just written down nobody but this process knows that it did not begin.
 */
export function unanswered({ open }: PowerDesk): Refused | undefined {
  const issued = [...open.values()].find(
    ({ recorded, stage }) => recorded && (stage === 'issued' || stage === 'issuing'),
  );
  return issued && refuse('power_interrupted', { name: issued.power.manifest.name }, { step: 'execute' });
}

export function nextAsked({ open }: PowerDesk): OpenPower | undefined {
  return [...open.values()].find(({ stage }) => stage === 'asked');
}

/** The guest hears its answer. */
export function tell(state: RunState, at: Executing, ticket: number, answer: PowerAnswer): Transition {
  const desk = at.desk ?? EMPTY_DESK;
  const open = new Map(desk.open);
  open.delete(ticket);
  const effect = { type: 'answer_power', step: at.open.step, ticket, answer } as const;
  return [place(state, { ...at, desk: { ...desk, open } }), [effect]];
}

export function shown(desk: PowerDesk, labels: PowerDesk['labels']): PowerDesk {
  return { ...desk, labels: [...withLabels(new Set(desk.labels), labels)] };
}

export function put(at: Executing, open: OpenPower): Executing {
  const desk = at.desk ?? EMPTY_DESK;
  return { ...at, desk: { ...desk, open: new Map(desk.open).set(open.ticket, open) } };
}

/** What the step has not written yet of itself goes first: the ledger tells things in their order. */
export function write(
  state: RunState,
  at: Executing,
  drafts: readonly Draft[],
  payloads: readonly Payload[],
  after: AfterWrite,
  kept?: Extract<RunEffect, { type: 'append' }>['kept'],
): Transition {
  const desk = at.desk ?? EMPTY_DESK;
  const written = {
    ...at,
    open: { ...at.open, drafts: [], payloads: [] },
    desk: { ...desk, writes: [...desk.writes, after] },
  };
  const append: RunEffect = {
    type: 'append',
    drafts: [...at.open.drafts, ...drafts],
    payloads: [...at.open.payloads, ...payloads],
    ...(kept === undefined ? {} : { kept }),
    durability: 'strict',
  };
  return [place(state, written), [append]];
}

/** Labels of what the model has read, of what the operations before this call have, and of what powers have shown it. */
export function readBy({ labels }: RunState, { open, desk = EMPTY_DESK }: Executing): RunState['labels'] {
  return withLabels(withLabels(labels, open.work?.labels ?? []), desk.labels);
}

/** As long as a person is asked about a power, that is what the run waits for. */
export function place(state: RunState, at: Executing): RunState {
  const stand = nextAsked(at.desk ?? EMPTY_DESK) ? ({ phase: 'AWAITING_APPROVAL', during: at } as const) : at;
  return stand.phase === state.at.phase ? { ...state, at: stand } : enter(state, stand);
}
