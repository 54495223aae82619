import type { AnsweredRead } from '../capability/call.ts';
import type { Label } from '../capability/guard.ts';
import type { Power, PowerAnswer } from '../capability/power.ts';
import type { Spending } from '../content/budget.ts';
import type { PowerDecision } from '../ledger/kinds/power.ts';
import type { Payload } from './effect.ts';
import type { RunEvent } from './event.ts';
import type { AskedQuestion } from './open-step.ts';

/** A power call in progress, from the guest's request to the answer that the guest receives. */
export interface OpenPower {
  readonly ticket: number;
  readonly power: Power;
  readonly args: Payload;
  readonly argsText: string;
  /** Schema hash to whether the argument satisfies it, for the constraints of the grants. */
  readonly constraintResults: ReadonlyMap<string, boolean>;
  readonly now: number;
  /** The answer is recorded before the guest receives it: the power has effects, or a person was asked. */
  readonly recorded: boolean;
  /**
   * `asking` and `issuing` wait until their record is durable. `parking`: the record of the question is, and the
   * question is put as soon as the call survives a crash.
   */
  readonly stage: 'asking' | 'parking' | 'asked' | 'issuing' | 'issued' | 'answering';
  /** The question about it, if a person or the authorizer was asked. */
  readonly asked?: AskedQuestion;
}

/** Action to take when a write of the running call is durable. Writes become durable in the order of their requests. */
export type AfterWrite =
  | { readonly then: 'ask' | 'issue'; readonly ticket: number }
  | { readonly then: 'answer'; readonly ticket: number; readonly answer: PowerAnswer }
  | {
      readonly then: 'unpark';
      readonly digest: string;
      readonly image_hash: string;
      readonly touched: readonly string[];
    }
  | { readonly then: 'parked' | 'nothing' };

/** A power call that was answered before the run was resumed. */
export interface PastPower {
  readonly power_hash: string;
  readonly args_hash: string;
  readonly answer: PowerAnswer;
}

/** Reads of the running call that no record tells yet. */
interface UntoldReads {
  readonly calls: readonly AnsweredRead[];
  /** Ids of the sections that the expansions of the call have touched. */
  readonly touched: readonly string[];
  /** Number of the decisions that a record tells. */
  readonly decisions: number;
  /** Spending of the message with the reads that a record tells. */
  readonly spent?: Spending;
}

/** The power calls of the running call. */
export interface PendingPowerCalls {
  readonly reads: UntoldReads;
  readonly open: ReadonlyMap<number, OpenPower>;
  readonly writes: readonly AfterWrite[];
  /**
   * Answers from before the call was parked. They are in the ledger and are given again; the powers are not called
   * again.
   */
  readonly answered: ReadonlyMap<number, PastPower>;
  /** Hashes of the powers whose answers from before the call was parked the guest was given again. */
  readonly repeated: ReadonlySet<string>;
  /** Labels of the data that the powers have shown the guest. */
  readonly labels: readonly Label[];
  readonly decisions: readonly PowerDecision[];
  /** The call's heap is stored beside the log, and is removed with the receipt. */
  readonly parked: boolean;
  /**
   * Its questions are put: a heap of it is durable, from which another process comes to the same questions, or no heap
   * of it can be stored.
   */
  readonly puts: boolean;
  /** The call has ended, and waits for its own last write. */
  readonly settled?: Extract<RunEvent, { type: 'settled' }>;
}

export const NO_POWER_CALLS: PendingPowerCalls = {
  reads: { calls: [], touched: [], decisions: 0 },
  open: new Map(),
  writes: [],
  answered: new Map(),
  repeated: new Set(),
  labels: [],
  decisions: [],
  parked: false,
  puts: false,
};
