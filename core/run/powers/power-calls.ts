import { type Label, withLabels } from '../../capability/guard.ts';
import type { PowerAnswer } from '../../capability/power.ts';
import { refuse } from '../../errors.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Refusal, Refused } from '../../outcome.ts';
import type { StepEnding } from '../commit/records.ts';
import type { Payload, RunEffect } from '../effect.ts';
import type { SettledReads } from '../event.ts';
import type { AfterWrite, OpenPower, PendingPowerCalls } from '../pending-power-calls.ts';
import { tellReads } from '../progress.ts';
import type { Executing, RunState } from '../state.ts';
import { enter, type Transition, unwritten, written } from '../step.ts';
import { withDecision } from './power-ledger.ts';

/** Storage key of a parked heap. A run has at most a single parked call. */
export function parkedKey(run_id: string): string {
  return `parked/${run_id}`;
}

/** Receipt members about the call's powers. The same write removes the call's parked heap. */
export function powerEvidence(
  { facts }: RunState,
  { pendingCalls }: Executing,
): Pick<StepEnding, 'powers' | 'labels' | 'kept'> {
  const kept = pendingCalls.parked ? { kept: [{ key: parkedKey(facts.run_id) }] } : {};
  return { powers: pendingCalls.decisions, labels: pendingCalls.labels, ...kept };
}

/**
 * A power that was issued and not answered. By its record it may have acted, and its result will not be recorded. A
 * power whose record was only just written counts too, although only this process knows that it did not start.
 */
export function unanswered({ open }: PendingPowerCalls): Refused | undefined {
  const issued = [...open.values()].find(
    ({ recorded, stage }) => recorded && (stage === 'issued' || stage === 'issuing'),
  );
  return issued && refuse('power_interrupted', { name: issued.power.manifest.name }, { step: 'execute' });
}

export function nextAsked({ open }: PendingPowerCalls): OpenPower | undefined {
  return [...open.values()].find(({ stage }) => stage === 'asked');
}

/** The run and its call with this decision in the list, and its use counted. */
export function decided(state: RunState, at: Executing, decision: PowerDecision): readonly [RunState, Executing] {
  const { pendingCalls } = at;
  const before = { decisions: pendingCalls.decisions, used: state.used };
  const { decisions, used } = withDecision(before, decision, state.parents);
  return [
    { ...state, used },
    { ...at, pendingCalls: { ...pendingCalls, decisions } },
  ];
}

/** Has the power carried out. */
export function issue(state: RunState, at: Executing, open: OpenPower): Transition {
  const { ticket, power, argsText: args } = open;
  const issued = put(at, { ...open, stage: 'issued' });
  return [place(state, issued), [{ type: 'power', step: at.open.step, ticket, power, args }]];
}

export function failed({ code, message }: Refusal): PowerAnswer {
  return { ok: false, error: { name: code, message } };
}

/** Hands the guest the answer to its power call. */
export function tell(state: RunState, at: Executing, ticket: number, answer: PowerAnswer): Transition {
  const { pendingCalls } = at;
  const open = new Map(pendingCalls.open);
  open.delete(ticket);
  const effect = { type: 'answer_power', step: at.open.step, ticket, answer } as const;
  return [place(state, { ...at, pendingCalls: { ...pendingCalls, open } }), [effect]];
}

/** The call after its guest was shown data with these labels. */
export function shown(at: Executing, more: readonly Label[]): Executing {
  if (more.length === 0) return at;
  const labels = [...withLabels(new Set(at.pendingCalls.labels), more)];
  return { ...at, pendingCalls: { ...at.pendingCalls, labels } };
}

/** The call with more reads that no record tells yet. */
export function withReads(
  at: Executing,
  more: SettledReads = { calls: [], touched: at.pendingCalls.reads.touched },
): Executing {
  const { reads } = at.pendingCalls;
  const calls = [...reads.calls, ...more.calls];
  return { ...at, pendingCalls: { ...at.pendingCalls, reads: { ...reads, calls, touched: more.touched } } };
}

export function put(at: Executing, open: OpenPower): Executing {
  const all = new Map(at.pendingCalls.open).set(open.ticket, open);
  return { ...at, pendingCalls: { ...at.pendingCalls, open: all } };
}

/**
 * Writes records of a running call. The step's unwritten records go first, so that the ledger keeps their order: its own,
 * those of the settled operations, and the reads of the call.
 */
export function write(
  state: RunState,
  before: Executing,
  drafts: readonly Draft[],
  payloads: readonly Payload[],
  after: AfterWrite,
  { kept, durability = 'strict' }: Partial<Pick<Extract<RunEffect, { type: 'append' }>, 'kept' | 'durability'>> = {},
): Transition {
  const { at, ...reads } = tellReads(state, before);
  const pendingCalls = { ...at.pendingCalls, writes: [...at.pendingCalls.writes, after] };
  const ofStep = unwritten(at.open);
  const append: RunEffect = {
    type: 'append',
    drafts: [...ofStep.drafts, ...reads.drafts, ...drafts],
    payloads: [...ofStep.payloads, ...reads.payloads, ...payloads],
    ...(kept === undefined ? {} : { kept }),
    durability,
  };
  return [place(state, { ...at, open: written(at.open), pendingCalls }), [append]];
}

/** How a record of this power is written: a read that nobody was asked about is harmless where a power cut takes it. */
export function durabilityOf({ power: { manifest }, asked }: OpenPower): 'strict' | 'relaxed' {
  return asked === undefined && manifest.effect !== 'write' && manifest.effect !== 'egress' ? 'relaxed' : 'strict';
}

/** Labels of the data read so far: by the model, by earlier operations of the message, and by the call's powers. */
export function readBy({ labels }: RunState, { open, pendingCalls }: Executing): RunState['labels'] {
  return withLabels(withLabels(labels, open.work?.labels ?? []), pendingCalls.labels);
}

/** Places the call in the run's status. While a person is asked about a power, the run waits for approval. */
export function place(state: RunState, at: Executing): RunState {
  const status = nextAsked(at.pendingCalls)
    ? ({ phase: 'AWAITING_APPROVAL', about: 'power', during: at } as const)
    : at;
  return status.phase === state.at.phase ? { ...state, at: status } : enter(state, status);
}
