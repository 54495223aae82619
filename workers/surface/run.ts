/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of runs. */

import type { Label } from '../../core/capability/guard.ts';
import type { Budgets } from '../../core/content/budget.ts';
import type { Code } from '../../core/errors.ts';
import type { RunEndState } from '../../core/ledger/kinds/run.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { RunLimits } from '../../core/limits.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import type { Notice } from '../../core/run/notices.ts';
import type { Phase } from '../../core/run/state.ts';
import type { StampedEvent } from '../../core/telemetry/event.ts';
import type { ApprovalAnswer, ConsentRequest, OpenQuestion } from '../question.ts';
import type { ModelPort, OpeningLength } from './model.ts';

/** A signal cancels the operation: its promise rejects with the signal's reason, or its iteration ends. */
export interface Abortable {
  readonly signal?: AbortSignal;
}

export interface StartOptions {
  readonly dialect: Dialect;
  readonly task: string;
  readonly model: ModelPort;
  readonly budgets?: Partial<Budgets>;
  readonly limits?: Partial<RunLimits>;
  /** Names of the capabilities that the run sees, now and after a resume; absent: every capability of the runtime. */
  readonly offer?: readonly string[];
  /** Instructions that each request to the model begins with. `full` unless given. */
  readonly opening?: OpeningLength;
  /**
   * Adds the hash of the heap after each call to its receipt, so that a replay compares heaps too. Costs some
   * milliseconds for each call.
   */
  readonly heapHash?: boolean;
  /**
   * Labels that the run begins with. A task or proposals of a stranger are `untrusted`, data of this person in the task
   * is `private`.
   */
  readonly labels?: readonly Label[];
  /** Passed to the model with every request, and recorded. */
  readonly seed?: number;
  /**
   * Receives the model's text while it arrives, to show it to a person. A model that does not stream delivers its text
   * in a single piece.
   */
  readonly onText?: (text: string, step: number) => void;
  /** Wait for `step()` or `run()` instead of starting at once. */
  readonly paused?: boolean;
  /** Ends the run as `abort` does. */
  readonly signal?: AbortSignal;
}

/**
 * The model gave no answer and may answer later. The run rests until `run()` or `step()` asks again, or asks again by
 * itself within `modelFailuresInRow`.
 */
export interface ModelWait {
  readonly message: string;
  /** Text of the model's server, for the developer. It is a stranger's text and is not recorded. */
  readonly said?: string;
  /** ms after which the server suggests another attempt. */
  readonly afterMs?: number;
  /** ms since epoch of the newest failure. */
  readonly since: number;
  /** Consecutive requests that the model has not answered. */
  readonly failures: number;
}

export interface RunEnd {
  readonly state: RunEndState;
  readonly message?: string;
  readonly code?: Code;
  readonly steps: number;
  /** Hash of the run's last record. */
  readonly head: string;
  /** With `model_failed`: text of the model's server. It is a stranger's text and is not recorded. */
  readonly said?: string;
}

/** State of a run between two records, for display. */
export interface RunView {
  readonly run_id: string;
  readonly dialect: Dialect;
  readonly phase: Phase;
  /** `stepping` pauses again after the current step. */
  readonly mode: 'paused' | 'stepping' | 'running';
  readonly steps: number;
  readonly records: number;
  /** Tokens of all requests and answers so far; absent while the model's server has reported none. */
  readonly tokens?: { readonly input: number; readonly output: number };
  readonly pending?: OpenQuestion;
  readonly consent?: ConsentRequest;
  readonly waiting?: ModelWait;
  /**
   * Warnings for the developer, for example that no capability is offered to the model. The console shows each a single
   * time.
   */
  readonly notices?: readonly Notice[];
  readonly end?: RunEnd;
  /** Another tab has taken the run over. Later calls on this handle reject with `run_open`. */
  readonly taken?: true;
}

/**
 * A run. It starts by itself, unless it was started `paused` or the caller calls `step()` or `pause()` in the same turn
 * of the event loop. Disposing of an unfinished run aborts it.
 */
export interface Run extends AsyncDisposable {
  readonly id: string;
  readonly view: RunView;
  readonly result: Promise<RunEnd>;
  /**
   * Runs a single proposal to its receipt or to the question it raises. Resolves with the reason to wait if the model
   * failed.
   */
  step(): Promise<ModelWait | undefined>;
  /**
   * Continues until the run rests: it has ended, is paused, needs a person and has no approver, or waits after a
   * failure of its model. In the last case, resolves with the reason to wait.
   */
  run(): Promise<ModelWait | undefined>;
  pause(): Promise<void>;
  /** As `run`. */
  resume(): Promise<ModelWait | undefined>;
  abort(reason?: string): Promise<void>;
  /**
   * Gives the conversation its next task, at most 60 KiB. Resolves when the ledger has recorded the task: at once where
   * the run is paused or has completed a turn, else after the current step. The current step must not wait for this
   * promise. If the turn completes meanwhile, a new turn follows, and `result` belongs to the new turn. Rejects with
   * `run_sealed` where the run has ended in another state, or ends before the task is recorded.
   */
  say(task: string): Promise<void>;
  answer(digest: string, answer: ApprovalAnswer): Promise<void>;
  /** Records from run_seq 0 to the seal, each after the ledger has acknowledged it. */
  records(options?: Abortable): AsyncIterable<LedgerRecord>;
  /** Telemetry events from the oldest that is still held to the end of the turn. A slow reader never delays the run. */
  telemetry(options?: Abortable): AsyncIterable<StampedEvent>;
  watch(listener: (view: RunView) => void): () => void;
}

export interface ResumeOptions extends Abortable {
  /**
   * Where another tab writes the run, asks that tab to release it, and waits until the tab releases it or closes, or
   * until the signal aborts. A tab releases a run between two steps, or while it waits for a person or a model; a
   * frozen tab releases it after it thaws. After the takeover, `signal` ends the run as `abort` does: a signal that is to
   * limit only the wait, such as `AbortSignal.timeout`, must not outlive it.
   */
  readonly takeOver?: boolean;
  /** As for `start`. */
  readonly onText?: StartOptions['onText'];
  readonly opening?: OpeningLength;
}

export interface FollowOptions extends Abortable {
  /**
   * Called with whether a tab writes the run: at the beginning, and some seconds after each change, a crash included.
   */
  readonly onWriter?: (isThere: boolean) => void;
}

export interface RunRow {
  readonly run_id: string;
  readonly records: number;
  readonly head: string;
  readonly at: number;
  readonly dialect: string;
  readonly sealed: boolean;
  /** End state in the seal. A completed run accepts a next task. */
  readonly ended?: RunEndState;
  /** Another tab, or another runtime on this directory, writes the run. */
  readonly elsewhere?: true;
  /** The run came by `storage.restore`: it can be read, checked, replayed, exported and deleted, but not resumed. */
  readonly foreign?: true;
}
