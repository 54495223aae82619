/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of models, runs and sessions. */

import type { ApprovalReason, Decision } from '../core/capability/authorize.ts';
import type { Effect, Label } from '../core/capability/guard.ts';
import type { Budgets } from '../core/content/budget.ts';
import type { Code } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json/value.ts';
import type { RunEndState } from '../core/ledger/kinds/run.ts';
import type { AnswerFacts } from '../core/ledger/kinds/step.ts';
import type { PayloadRef } from '../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../core/ledger/record.ts';
import type { RunLimits } from '../core/limits.ts';
import type { Refusal } from '../core/outcome.ts';
import type { Dialect } from '../core/protocol/dialect.ts';
import type { Notice } from '../core/run/notices.ts';
import type { Phase } from '../core/run/state.ts';
import type { StampedEvent } from '../core/telemetry/event.ts';
import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, EditedQuestion, OpenQuestion } from './question.ts';

/** A message of the context that a model proposes from. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  /** The instructions, a task of a person, a proposal of the model, or the reply to a proposal. */
  readonly kind: 'opening' | 'task' | 'proposal' | 'observation';
  readonly content: string;
  /**
   * The call that a proposal made, also with the observation that answers it. `args` is the text of the arguments as
   * the model spelled it. A request that shortens the history may hold the observation without its proposal.
   * `providerData`: as the model returned it with this call.
   */
  readonly call?: { readonly id: string; readonly name: string; readonly args: string; readonly providerData?: string };
}

/** A capability that a proposal may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly args: JsonObject;
}

/** Capacity of a model, where it is less than the limits of a run. */
export interface ModelWindow {
  /**
   * UTF-8 bytes of a run's history in a single request; becomes the run's `contextBytes`, which is 1,024 at least. A request
   * holds less than that for a smaller window: then the newest reply may be shown without its result.
   */
  readonly contextBytes: number;
  /** Tokens of a single answer; becomes the run's `answerTokens`. */
  readonly maxTokens?: number;
}

/**
 * The instructions that a request begins with. `full` explains the dialect and describes each capability, `names`
 * explains the dialect and lists names, and `none` sends no instructions, for a model that was trained on the dialect.
 */
export type OpeningLength = 'full' | 'names' | 'none';

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly dialect: Dialect;
  /** The capabilities that the run offers at present. */
  readonly tools: readonly ModelTool[];
  readonly proposalSchema: JsonObject;
  readonly maxTokens: number;
  readonly seed?: number;
}

/** A model: takes a request, returns a proposal as raw text or bytes. It never parses, repairs or retries. */
export interface ModelPort {
  readonly id: string;
  /** OpenTelemetry's name of the vendor or server, for example `openai`; told in telemetry only. */
  readonly provider?: string;
  /** Name of the model at its provider; told in telemetry only. */
  readonly name?: string;
  /**
   * Where the model runs. Private content goes to a remote model only with consent. Absent means remote, origin
   * unknown.
   */
  readonly locality?: { readonly kind: 'local' } | { readonly kind: 'remote'; readonly origin: string };
  readonly window?: ModelWindow;
  /**
   * Proposes for a request. `onText` may receive the text in pieces as it arrives; only the returned text counts.
   * `goal`: what the model said beside a call whose dialect has no place for it; it is recorded beside the proposal.
   * `providerData`: what the model's server demands back with the call, for example a thought signature; at most
   * 1,048,576 UTF-16 units, else it is left out. It is recorded beside the proposal, and each later request has it with
   * the call, after a reload too. It counts towards `contextBytes`.
   */
  propose(
    request: ModelRequest,
    io: { readonly signal: AbortSignal; readonly onText?: (text: string) => void },
  ): Promise<
    { readonly text: string | Uint8Array; readonly goal?: string; readonly providerData?: string } & AnswerFacts
  >;
}

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

/** Bits of a grant with `release` that a run has charged. */
export interface ChargedBits {
  readonly capability: string;
  /** Id of the grant. */
  readonly grant: string;
  readonly charged: number;
  /** Left to all runs when this one charged last. */
  readonly left: number;
}

/** State of a run between two records, for display. */
export interface RunView {
  readonly run_id: string;
  readonly dialect: Dialect;
  readonly phase: Phase;
  /** `stepping` pauses again after the current step. */
  readonly mode: 'paused' | 'stepping' | 'running';
  /** Results can be held: something that is offered says so. */
  readonly holding?: true;
  readonly steps: number;
  readonly records: number;
  /** Tokens of all requests and answers so far; absent while the model's server has reported none. */
  readonly tokens?: { readonly input: number; readonly output: number };
  /** Bits that the run has charged to each grant for small results that it was told. */
  readonly released?: readonly ChargedBits[];
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
  /** `runtime.close({ suspend: true })` has let the run go. Later calls on this handle reject with `run_suspended`. */
  readonly suspended?: true;
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
   * Runs a single proposal to its receipt or to the question it raises; while a step is at work, that step. Resolves with
   * the reason to wait if the model failed.
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
  /**
   * The open question about a call as it would stand with these arguments, for a person to look at before the yes. Nothing
   * is written or run. The answer `{ approved: true, instead: edited }` says yes to it: the call that was asked about ends as
   * `replaced`, and the edited one runs as a step of the person's own. Rejects as a gate would refuse the call (for example
   * `arguments_schema`, `grant_constraint`), with `edit_unavailable` where the question is not `editable`, and with
   * `question_answered` or `question_unknown`.
   */
  edit(digest: string, args: JsonValue): Promise<EditedQuestion>;
  /**
   * Answers a question. Rejects with `question_answered` where an answer came before, with a code `assertion_*` for a yes
   * that does not count because of its signature, and with `edit_stale` or as `edit` does for a yes to an edited call that no
   * longer fits: then the question stays open.
   */
  answer(digest: string, answer: ApprovalAnswer): Promise<void>;
  /** Records from run_seq 0 to the seal, each after the ledger has acknowledged it. */
  records(options?: Abortable): AsyncIterable<LedgerRecord>;
  /**
   * Telemetry events from the oldest that is still kept to the end of the turn. A slow reader never delays the run. Of a held
   * call they tell that it was requested, started and has ended. With `held: true` they tell a person the rest as well, each
   * such event marked.
   */
  telemetry(options?: TelemetryOptions): AsyncIterable<StampedEvent>;
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

export interface PayloadPage {
  readonly payloads: readonly { readonly sha256: string; readonly bytes: Uint8Array }[];
  /** Record with which the next page begins; absent on the last page. */
  readonly next?: number;
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
  /**
   * Beginning of the first task, at most 200 UTF-16 units: private text, which `ledger.erase` and `ledger.delete` take
   * away with the run's. Absent for a session, for a run without a task, and where the text is erased. A restored run is
   * named by its own records, whatever the backup says.
   */
  readonly task?: string;
  /** Id of the model, as the first record has it. Absent for a session, and before the first task. */
  readonly model?: string;
  /** Name of a session's caller, as its first record has it. */
  readonly caller?: string;
  /** Another tab, or another runtime on this directory, writes the run. */
  readonly elsewhere?: true;
  /** The run came by `storage.restore`: it can be read, checked, replayed, exported and deleted, but not resumed. */
  readonly foreign?: true;
}

/** A `signal` ends the session as `run.abort` does. */
export interface SessionOptions extends Abortable {
  /** Name of the caller in the records, for example `ai-sdk`; default `caller`. */
  readonly label?: string;
  /**
   * Labels of the data that the caller's context holds already. The guard counts them from the first call on. A caller
   * that opens a session for a conversation that it continues gives the labels of the last call before. `fresh`: without
   * `after`, the labels of the principal's runs before do not count.
   */
  readonly labels?: readonly Label[] | 'fresh';
  /**
   * Who asks, for example issuer and subject of a token. Without `after`, the session goes on for the principal's newest
   * one of the last 24 hours. Records name the principal by an HMAC with a secret of the ledger.
   */
  readonly principal?: string;
  /**
   * Id of a session of the same caller that is over, which this session goes on for: its labels, its counts, and what
   * it has used of its limits and grants go along. A program that replaces a session (new tools, new grants) names the
   * one before, so that nobody shakes off a limit by having it replaced. Also a session that waits for a yes to a call
   * of a tool: this one goes on beside it, the open call keeps its use of its grants, and the other ends with that call.
   * What it has come to is counted by the next session `after` this one.
   */
  readonly after?: string;
  /** Id of a session that a crash or a restart has cut off; it goes on with its open question. */
  readonly resume?: string;
  /** Names of the capabilities that the session offers; absent: all that are enabled. */
  readonly offer?: readonly string[];
  /** Without these limits a session has no limit of steps, of refusals and of time. */
  readonly limits?: Partial<RunLimits>;
  /** Answers the questions of this session. Absent: `approve` of the runtime. */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
  /**
   * A question that neither `approve` nor `onQuestion` of its call can answer: `refuse` (default) ends the call with
   * `approval_unavailable`, `wait` keeps it open for `run.answer`. Also for a question that a resumed session puts again.
   */
  readonly questions?: 'refuse' | 'wait';
}

/** A capability that a session offers. */
export interface ToolRow {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly args: JsonObject;
  readonly result?: JsonObject;
  readonly effect: Effect;
  readonly labels: readonly Label[];
  readonly hash: string;
  /** Place that a tool's arguments go to. */
  readonly origin?: string;
}

export interface TelemetryOptions extends Abortable {
  /** True for a reader that may know what is held: how held calls were decided and how they ended. Default false. */
  readonly held?: boolean;
}

export interface CallingOptions extends Abortable {
  /** Purpose of the call, at most 4096 characters. It is recorded with the proposal and takes no part in decisions. */
  readonly goal?: string;
  /**
   * Called with each question about this call, also where an approver answers it. Where none does, the question waits
   * for `run.answer`. A function that returns false leaves the question to others, as if it were absent.
   */
  readonly onQuestion?: (question: OpenQuestion) => unknown;
}

/** Place of a call's receipt in the ledger. */
export interface ReceiptPlace {
  readonly run_id: string;
  /** Absent in a run that can hold results, as is the hash: both follow from the records of held calls before. */
  readonly run_seq?: number;
  /** Hash of the record. */
  readonly hash?: string;
  readonly step_id: string;
}

/** A source that held values were handed to. */
export interface HeldSource {
  /**
   * The origin of tools, for example `mcp:https://api.example`; `program` for the tools without one and the powers of
   * this program; `store:NAME` for what capabilities of a name store.
   */
  readonly source: string;
  readonly labels: readonly Label[];
  /** Of a store: a call that can reach it is held, in every run. */
  readonly held?: true;
}

/** Result of a call, with its receipt. */
export type Called = OpenCalled | HeldCalled;

/** A result or a refusal that the caller reads. */
export type OpenCalled = {
  readonly receipt: ReceiptPlace;
  /** Labels of all data that the session has shown its caller up to this call, sorted. */
  readonly labels: readonly Label[];
  /** The whole answer that a tool took its value from. `value` is absent for an answer that was too long to be kept. */
  readonly answer?: Pick<PayloadRef, 'sha256' | 'bytes'> & { readonly value?: JsonValue };
  readonly held?: never;
  /** The call was a release: its value is one of few, or `no_release` whatever went wrong. */
  readonly released?: true;
} & ({ readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly refusal: Refusal });

/**
 * A call whose outcome is held, the same for every outcome. `{"$held": held}` stands for the value in the arguments of later
 * calls of the session.
 */
export interface HeldCalled {
  readonly ok: true;
  readonly held: string;
  readonly receipt: Pick<ReceiptPlace, 'run_id' | 'step_id'> & { readonly run_seq?: never; readonly hash?: never };
  readonly value?: never;
  readonly released?: never;
  readonly labels?: never;
  readonly answer?: never;
}

/** The decision that the gates would make about a call now. */
export interface CallPreview {
  /** Absent for a call that is refused before the policy is evaluated. */
  readonly decision?: Decision;
  /**
   * The arguments have handles. A decision beside it follows from public facts: a denial, or the question of the guard about
   * the context. Everything else about the call is held.
   */
  readonly held?: true;
  /** Reason for a question, with `REQUIRES_APPROVAL`. */
  readonly reason?: ApprovalReason;
  readonly refusal?: Refusal;
}

/** JSON text of arguments, as it came. Made by `rawJson`. */
export interface RawJson {
  readonly text: string | Uint8Array;
}

/**
 * Gated calls of a caller that has a loop of its own: an SDK, a server, a button. Each call is a proposal that passes
 * every gate to its receipt, in the ledger of one run in the form `femtoclaw`. Calls wait for each other in order.
 */
export interface Session extends AsyncDisposable {
  /** The run of the session: its records, its telemetry, its open question. */
  readonly run: Run;
  /** The capabilities that the session offers, by name. */
  tools(): Promise<readonly ToolRow[]>;
  /**
   * Calls a capability. Resolves with the result, or with the refusal of a gate, when the receipt is recorded. With a
   * `signal`, a call that is aborted gets its receipt too, and the promise rejects with the reason of the signal.
   * Rejects with `run_sealed` for a session that has ended, `run_open` for a session of another process, and
   * `not_json` for arguments outside of JSON.
   */
  call(name: string, args: JsonValue | RawJson, options?: CallingOptions): Promise<Called>;
  /** The decision that the gates would make about a call now. Records no data and counts no use of a grant. */
  preview(name: string, args: JsonValue | RawJson): Promise<CallPreview>;
  /**
   * The call that was open when the session was resumed; resolves with undefined where there was none. Its question is
   * put again, to `approve` or with `questions: 'wait'` to `run.answer`; elsewhere it is refused.
   */
  readonly resumed: Promise<Called | undefined>;
  /** Seals the run after the calls under way. A session that is closed cannot be resumed. */
  close(message?: string): Promise<RunEnd>;
}
