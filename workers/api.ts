/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of the runtime. The page and Node serve the same interface. */

import type { PowerDefinition } from '../core/capability/author-power.ts';
import type { Decision } from '../core/capability/authorize.ts';
import type { CapabilityDefinition } from '../core/capability/define.ts';
import type { Grant } from '../core/capability/grant.ts';
import type { Effect } from '../core/capability/guard.ts';
import type { Budgets } from '../core/content/budget.ts';
import type { Code } from '../core/errors.ts';
import type { JsonObject } from '../core/json/value.ts';
import type { Anchor } from '../core/ledger/anchor.ts';
import type { Checkpoint } from '../core/ledger/checkpoint.ts';
import type { Finding } from '../core/ledger/export.ts';
import type { Isolation, RunEndState } from '../core/ledger/kinds/run.ts';
import type { AnswerFacts } from '../core/ledger/kinds/step.ts';
import type { PayloadRef } from '../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../core/ledger/record.ts';
import type { CheckId, Report } from '../core/ledger/report.ts';
import type { RunLimits } from '../core/limits.ts';
import type { Dialect } from '../core/protocol/proposal.ts';
import type { Notice } from '../core/run/notices.ts';
import type { Phase } from '../core/run/state.ts';
import type { StampedEvent } from '../core/telemetry/event.ts';
import type { Content } from './content/api.ts';
import type { ApprovalAnswer, ApprovalRequest, Authorizer, ConsentRequest, OpenQuestion } from './question.ts';

/** A checkpoint of the log. `text` is the whole checkpoint in the form of C2SP's tlog-checkpoint. */
export interface TakenCheckpoint extends Checkpoint {
  readonly text: string;
  /** Public key of the signature, to be kept beside the checkpoint; absent where the platform has no Ed25519. */
  readonly key?: string;
}

/** Result of `ledger.fsck`. `problems` concern the log itself; each run has its own report. */
export interface LogReport {
  readonly ok: boolean;
  readonly size: number;
  readonly root: string;
  readonly problems: readonly Finding[];
  readonly runs: readonly { readonly run_id: string; readonly report: Report }[];
}

/** Terms of a grant, for a capability or for a power of the page. Each needs a grant of its own. */
export interface GrantOption {
  readonly capability?: string;
  readonly power?: string;
  readonly mode: 'allow' | 'ask' | 'deny';
  /** JSON Schema that narrows the schema of the capability or power: arguments must satisfy both. */
  readonly where?: JsonObject;
  readonly uses?: number;
  /** ms since epoch */
  readonly expires?: number;
}

/** A message of the context that a model proposes from. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Capacity of a model, where it is less than the limits of a run. */
export interface ModelWindow {
  /** UTF-8 bytes of a run's history in a single request; becomes the run's `contextBytes`. */
  readonly contextBytes: number;
  /** Tokens of a single answer; becomes the run's `answerTokens`. */
  readonly maxTokens?: number;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly proposalSchema: JsonObject;
  readonly maxTokens: number;
  readonly seed?: number;
}

/** A model: takes a request, returns a proposal as raw text or bytes. It never parses, repairs or retries. */
export interface ModelPort {
  readonly id: string;
  /**
   * Where the model runs. Private content goes to a remote model only with consent. Absent means remote, origin
   * unknown.
   */
  readonly locality?: { readonly kind: 'local' } | { readonly kind: 'remote'; readonly origin: string };
  readonly window?: ModelWindow;
  /** Proposes for a request. `onText` may receive the text in pieces as it arrives; only the returned text counts. */
  propose(
    request: ModelRequest,
    io: { readonly signal: AbortSignal; readonly onText?: (text: string) => void },
  ): Promise<{ readonly text: string | Uint8Array } & AnswerFacts>;
}

export interface StartOptions {
  readonly dialect: Dialect;
  readonly task: string;
  readonly model: ModelPort;
  readonly budgets?: Partial<Budgets>;
  readonly limits?: Partial<RunLimits>;
  /**
   * Adds the hash of the heap after each call to its receipt, so that a replay compares heaps too. Costs some
   * milliseconds for each call.
   */
  readonly heapHash?: boolean;
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

/** The model gave no answer and may answer later: the run rests until `run()` or `step()` asks again. */
export interface ModelWait {
  readonly message: string;
  /** Text of the model's server, for the developer. It is a stranger's text and is not recorded. */
  readonly said?: string;
  /** ms after which the server suggests another attempt. */
  readonly afterMs?: number;
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

/** A signal cancels the operation: its promise rejects with the signal's reason, or its iteration ends. */
export interface Abortable {
  readonly signal?: AbortSignal;
}

/**
 * `onProgress` receives the share that is done, from 0 to 1. Until the write, an aborted signal ends the operation and
 * leaves the ledger unchanged.
 */
export interface KeepOptions extends Abortable {
  readonly onProgress?: (share: number) => void;
}

export interface RestoreOptions extends KeepOptions {
  /** Verify the backup as for an empty ledger, and change no data. */
  readonly only?: 'tried';
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
   * frozen tab releases it after it thaws.
   */
  readonly takeOver?: boolean;
  /** As for `start`. */
  readonly onText?: StartOptions['onText'];
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

export interface CapabilityRow {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly effect: Effect;
  readonly hash: string;
  readonly enabled: boolean;
  readonly args: JsonObject;
  readonly result?: JsonObject;
  readonly source: string;
  /** Warning: registered names that a person may confuse with this name. Calls match names exactly. */
  readonly alike?: readonly string[];
}

export interface RuntimeInfo {
  readonly isolation: Isolation;
  /** Network accesses that the kernel tried at start, each with its result. */
  readonly probes: readonly { readonly name: string; readonly blocked: boolean }[];
  readonly store: {
    readonly kind: 'indexeddb' | 'memory' | 'directory';
    readonly reason?: string;
    readonly state?: StorageStatus['state'];
    readonly mirror?: StorageStatus['mirror'];
  };
}

/** Storage of the ledger and its condition. */
export interface StorageStatus {
  readonly kind: 'indexeddb' | 'memory' | 'directory';
  /**
   * `restored`: the browser had lost records, and the copy has given all of them back. `lost`: records are missing, and
   * a new epoch began.
   */
  readonly state: 'good' | 'restored' | 'lost';
  /** Second copy: private files, a cache (which cannot be flushed), or none. */
  readonly mirror: 'opfs' | 'cache' | 'none';
  readonly epoch: number;
  /** Refusal of the last write; absent after a write succeeds. */
  readonly trouble?: { readonly code: Code; readonly message: string };
  /**
   * Whether the browser promised not to evict the ledger, and bytes used and available, where the browser reports them.
   */
  readonly persisted?: boolean;
  readonly usage?: number;
  readonly quota?: number;
}

/** An open runtime. `close`, or disposing of it, aborts its runs and frees its workers. */
export interface Runtime extends AsyncDisposable {
  readonly info: RuntimeInfo;
  readonly capabilities: {
    list(): Promise<readonly CapabilityRow[]>;
    register(definition: CapabilityDefinition): Promise<CapabilityRow>;
    enable(name: string): Promise<void>;
    /**
     * Withdraws a capability, also from active runs, which have recorded it when this resolves. `unknown_capability`
     */
    disable(name: string): Promise<void>;
    /**
     * Removes a definition and its grants, with the effect of `disable`. The name becomes free. `unknown_capability`
     */
    remove(name: string): Promise<void>;
  };
  /**
   * Permissions of runs that start from now on. An active run gains no grant later, and loses each grant that is
   * revoked.
   */
  readonly grants: {
    list(): Promise<readonly Grant[]>;
    /** Binds the grant to the definition that has this name now. `unknown_capability`, `power_unknown` */
    grant(option: GrantOption): Promise<Grant>;
    /**
     * Revokes every grant with these terms; the id is the hash of the terms. Active runs have recorded it when this
     * resolves.
     */
    revoke(id: string): Promise<void>;
  };
  readonly content: Content;
  start(options: StartOptions): Run;
  /**
   * Resumes a run, also after a crash: an open question is asked again, and an interrupted step is closed. A run that
   * has completed its turn waits for its next task; any other ended run is refused (`run_sealed`). A run that came by
   * `storage.restore` is refused too, because its grants and its code are those of the file's author (`run_foreign`).
   */
  resume(run_id: string, model: ModelPort, options?: ResumeOptions): Promise<Run>;
  /**
   * Yields a run's records from run_seq 0, as any tab writes them, to the seal or until the signal aborts. It does not
   * claim the run. `run_absent`
   */
  follow(run_id: string, options?: FollowOptions): AsyncIterable<LedgerRecord>;
  runs(): Promise<readonly RunRow[]>;
  readonly ledger: {
    /**
     * Exports a run as canonical JSONL: header, records in order, end line with count, head and root. Without
     * `secrets`, the bytes of steps that their capability marks secret are left out, and so is the content around the
     * slices that a message has read. Hashes stay; those of secret steps are over a salt that leaves with the bytes.
     */
    export(run_id: string, options?: { readonly secrets?: boolean }): Promise<string>;
    records(run_id: string): Promise<readonly LedgerRecord[]>;
    /**
     * Bytes that a record names. A reference gives the payload. A hash gives the bytes with this hash, for a secret
     * step with the salt before the payload. Undefined after erasure. `payload_altered`
     */
    payload(run_id: string, name: string | PayloadRef): Promise<Uint8Array | undefined>;
    verify(run_id: string, options?: Abortable): Promise<Report>;
    /**
     * Exports the whole run, secrets included, and records the file's hash. The run stays until it is deleted.
     * `run_absent`
     */
    archive(run_id: string): Promise<{ readonly jsonl: string; readonly sha256: string }>;
    /**
     * Deletes a run's records and bytes, and records the deletion. The hashes of its records stay in the log's tree, so
     * that the rest of the log, and an archive of the run, still verify. `run_absent`; `run_open` while the run is
     * being written.
     */
    delete(run_id: string): Promise<void>;
    /**
     * Erases bytes that a run's records name, all or only `payloads`, and records the erasure. Checks that need the
     * bytes report them as erased. Refuses as `delete`.
     */
    erase(run_id: string, payloads?: readonly string[]): Promise<void>;
    /**
     * Runs all checks of an export. With `replay`, repeats its calls in fresh sandboxes. Calls that do not fit into
     * `deadlineMs` in all (default: a minute) are listed as not verified.
     */
    check(
      jsonl: string,
      options?: Abortable & {
        readonly anchor?: Anchor;
        readonly key?: string;
        readonly replay?: boolean;
        readonly deadlineMs?: number;
      },
    ): Promise<Report>;
    /**
     * Takes a checkpoint of the log, to be kept where this device cannot write. It is signed where the platform can
     * keep a key.
     */
    checkpoint(options?: { readonly origin?: string }): Promise<TakenCheckpoint>;
    /**
     * Checks the log and every run in it; with `checkpoint`, also that the log continues it, and with `key`, its
     * signature.
     */
    fsck(options?: Abortable & { readonly checkpoint?: string; readonly key?: string }): Promise<LogReport>;
  };
  readonly storage: {
    status(): Promise<StorageStatus>;
    /** Asks the browser never to evict this origin's storage. The browser may ask the person, and may never answer. */
    persist(): Promise<boolean>;
    /** Returns the ledger as a single file, not encrypted; Node opens it as the journal of a directory. */
    backup(options?: KeepOptions): Promise<Blob>;
    /** Writes the backup into a stream and closes it; holds at most a page of it in memory. */
    backupTo(stream: WritableStream<Uint8Array>, options?: KeepOptions): Promise<void>;
    /**
     * Restores a backup into an empty ledger, or extends a ledger that is the beginning of the backup.
     * `backup_refused`. Reads a file page by page: in a page a chosen file, in Node the result of `openAsBlob`. The
     * restored runs are `foreign`, and data that capabilities have stored becomes private and untrusted.
     */
    restore(backup: Blob | Uint8Array, options?: RestoreOptions): Promise<void>;
    /** Deletes this device's ledger, its copy, witness, key and images, and closes this runtime. `store_busy` */
    deleteEverything(): Promise<void>;
    /** Records of the log itself: losses, restorations, archived and deleted runs, erased bytes. */
    events(): Promise<readonly LedgerRecord[]>;
  };
  close(): Promise<void>;
}

export interface RuntimeOptions {
  readonly capabilities?: readonly CapabilityDefinition[];
  /** Functions of this program that capabilities may call if they declare them; made by `definePower`. */
  readonly powers?: readonly PowerDefinition[];
  readonly grants?: readonly GrantOption[];
  /** Answers approval requests. Absent: a run that needs a person waits for `run.answer`. */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
  /** Answers consent requests. Absent: a run that needs consent waits for `run.answer`. */
  readonly consent?: (request: ConsentRequest) => Promise<boolean>;
  /** Rules beside the grants. They can only narrow the grants. */
  readonly authorizer?: Authorizer;
  /** The trifecta guard, on by default. Every decision records when it is off. */
  readonly guard?: boolean;
}

export type * from './content/api.ts';
export type * from './question.ts';
export type { CapabilityDefinition, CheckId, Decision, Notice, PowerDefinition, Report };
