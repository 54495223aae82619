import type { Weighed } from '../capability/authorize.ts';
import type { Label } from '../capability/guard.ts';
import type { Power, PowerAnswer } from '../capability/power.ts';
import type { PowerDecision } from '../ledger/record.ts';
import type { Payload } from './effect.ts';
import type { RunEvent } from './event.ts';

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
