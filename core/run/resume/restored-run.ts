import type { PayloadRef } from '../../ledger/payload-ref.ts';
import type { Bodies } from '../../ledger/record.ts';
import type { Ending } from '../event.ts';
import type { PowerLedger } from '../powers/power-ledger.ts';
import type { RunState } from '../state.ts';

/** A step without a receipt, and its records so far. */
export interface UnfinishedStep {
  readonly proposal: Bodies['proposal'];
  readonly verdict?: Bodies['verdict'];
  /** Decisions to authorize, in order: in a message a decision for each operation so far. */
  readonly permitted?: readonly Bodies['decision'][];
  readonly decision?: Bodies['decision'];
  readonly asked?: Extract<Bodies['approval'], { event: 'asked' }>;
  /** Arguments of every question of the step, by the question's digest. */
  readonly questions?: ReadonlyMap<string, PayloadRef>;
  readonly answered?: true;
  /** Its call has asked a person about a power. */
  readonly isCalling?: true;
  readonly intent?: Bodies['intent'];
  /** Settled operations and reads, in order. */
  readonly progress?: readonly Bodies['progress'][];
  readonly powers?: PowerLedger;
  readonly parked?: Bodies['parked'];
  /** The context holds the proposal and its reply. */
  readonly observed?: true;
}

/** A run as restored from its records: at rest between two steps, or with an unfinished step. */
export interface RestoredRun {
  readonly state: RunState;
  readonly unfinished?: UnfinishedStep;
  /** An unanswered question about a remote model. */
  readonly consent?: Bodies['consent'];
  /** The end of its last turn, if no task followed. */
  readonly ended?: Ending;
}

/** The unfinished step with more of its records, if there is one. */
export function moreOf(
  unfinished: UnfinishedStep | undefined,
  more: Partial<UnfinishedStep>,
): { readonly unfinished?: UnfinishedStep } {
  return unfinished === undefined ? {} : { unfinished: { ...unfinished, ...more } };
}
