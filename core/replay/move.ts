import type { Assertion } from '../approval/assertion.ts';
import type { Label } from '../capability/guard.ts';
import type { LedgerRecord } from '../ledger/record.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import type { OpenStep } from '../run/open-step.ts';
import type { RunFacts } from '../run/state.ts';
import { openStep } from '../run/step.ts';
import type { AcceptedRest } from './accepted.ts';
import { compare, type Player } from './player.ts';
import type { RecordedCall } from './recorded.ts';
import { inStep } from './tape.ts';

/** A request that a replay cannot answer by itself. It is answered by the event that answered the run. */
export type OutsideRequest =
  | {
      readonly type: 'check';
      readonly facts: RunFacts;
      readonly step: number;
      readonly schemas: readonly string[];
      readonly text: string;
      readonly later?: readonly string[];
    }
  | {
      readonly type: 'execute';
      readonly effect: Extract<RunEffect, { type: 'execute' }>;
      /** The powers' answers, which are inputs. */
      readonly recorded: RecordedCall;
      /** Labels of the data that the powers have shown the call. */
      readonly labels: readonly Label[];
    };

/** A request to check the signature of a recorded yes. */
export interface SignatureRequest {
  readonly type: 'signature';
  readonly assertion: Assertion;
}

/** Answer to a request: the event, or the reason for its absence; to the request for a signature, whether it is right. */
export type OutsideAnswer =
  | RunEvent
  | { readonly type: 'unmade'; readonly why: string }
  | { readonly type: 'signature'; readonly isRight: boolean };

/**
 * The next move of a replay: to apply events, to put a request to the outside, to accept the rest of a step as
 * recorded, or to report a mismatch.
 */
export type Move =
  | { readonly events: readonly RunEvent[] }
  | { readonly ask: OutsideRequest }
  /** An event that leaves the pending effects pending. */
  | { readonly aside: RunEvent }
  | { readonly rest: AcceptedRest }
  | { readonly mismatch: string };

/** A move without a request to the outside. */
export type ReplayStep = Exclude<Move, { readonly ask: OutsideRequest }>;

export type Of<T extends RunEffect['type']> = Extract<RunEffect, { type: T }>;

export function happens(...events: readonly RunEvent[]): ReplayStep {
  return { events };
}

export function unexpectedRecord(player: Player): Move {
  return { mismatch: `a ${recordAt(player).kind} does not follow here` };
}

export function recordAt({ tape, at }: Player): LedgerRecord {
  return tape.records[at] as LedgerRecord;
}

/** The open step's unwritten records, and its message. */
export function openOf({ state }: Player): Pick<OpenStep, 'drafts' | 'payloads' | 'work'> {
  return openStep(state) ?? { drafts: [], payloads: [] };
}

/** Place behind the records of the step that are not written yet, as far as the tape has them. */
export function behindStep({ tape: { records }, at, state }: Player): number {
  let place = at + (openStep(state)?.drafts.length ?? 0);
  for (let next = records[place]; next?.kind === 'progress' && next.body.event === 'operation'; next = records[place])
    place++;
  return place;
}

export const MISSING: Move = { rest: { why: 'what came from outside is not in this file' } };

/** Accepts the result of a call as recorded, after comparing the records that come before the call. */
export function acceptAsRecorded(player: Player, why: string, until?: number): ReplayStep {
  const { drafts, payloads } = openOf(player);
  const proposal = inStep(player.tape, player.at, 'proposal') ?? lastProposal(player);
  compare(player, drafts, payloads);
  const upTo = until === undefined ? {} : { until };
  return { rest: { why, ...upTo, ...(proposal && { unfinished: { proposal } }) } };
}

function lastProposal({ tape, at }: Player) {
  for (let before = at - 1; before >= 0; before--) {
    const record = tape.records[before];
    if (record?.kind === 'proposal') return record.body;
  }
  return undefined;
}
