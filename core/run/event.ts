import type { CallSettled } from '../capability/call.ts';
import type { Checked } from '../capability/check.ts';
import type { GuestError } from '../errors.ts';
import type { Ending } from './state.ts';

/**
 * What can happen to a run. `step` says which proposal an answer belongs to: an answer to one that is over is
 * ignored. Every `now` is integer ms and recorded with what it decided.
 */
export type RunEvent =
  | { readonly type: 'start'; readonly task: string }
  | { readonly type: 'step' }
  | { readonly type: 'run' }
  | { readonly type: 'pause' }
  | { readonly type: 'say'; readonly task: string }
  /** A person's abort, or a limit of the run that the outside keeps the clock for. */
  | { readonly type: 'stop'; readonly ending: Ending }
  | {
      readonly type: 'proposed';
      readonly step: number;
      readonly bytes: Uint8Array;
      readonly now: number;
      readonly nonce: string;
    }
  | {
      readonly type: 'model_failed';
      readonly step: number;
      readonly code: 'model_exhausted' | 'model_failed';
      readonly error: GuestError;
    }
  | { readonly type: 'checked'; readonly step: number; readonly results: ReadonlyMap<string, Checked> }
  | { readonly type: 'answered'; readonly digest: string; readonly answer: Answer; readonly now: number }
  | { readonly type: 'settled'; readonly step: number; readonly settled: CallSettled; readonly image_hash: string }
  | { readonly type: 'appended' }
  | { readonly type: 'append_failed'; readonly reason: string };

/** A person's yes is to one call. `standing` says more: the same again, for so many times or until the run ends. */
export type Answer =
  | { readonly approved: true; readonly standing?: StandingYes }
  | { readonly approved: false; readonly reason: string };

export interface StandingYes {
  readonly args: 'exact' | 'any';
  /** This call included; absent: until the run ends. */
  readonly uses?: number;
}
