/// <reference lib="esnext.disposable" preserve="true" />
/** What the page may see of the runtime: types only. The same interface is served in the page and in Node. */

import type { PowerDefinition } from '../core/capability/author-power.ts';
import type { Decision } from '../core/capability/authorize.ts';
import type { CapabilityDefinition } from '../core/capability/define.ts';
import type { Grant } from '../core/capability/grant.ts';
import type { Effect } from '../core/capability/guard.ts';
import type { Budgets } from '../core/content/budget.ts';
import type { Code } from '../core/errors/details.ts';
import type { JsonObject } from '../core/json/value.ts';
import type { Anchor } from '../core/ledger/anchor.ts';
import type { Checkpoint } from '../core/ledger/checkpoint.ts';
import type { Finding } from '../core/ledger/export.ts';
import type { PayloadRef } from '../core/ledger/payload-ref.ts';
import type { AnswerFacts, Isolation, LedgerRecord, RunEndState } from '../core/ledger/record.ts';
import type { CheckId, Report } from '../core/ledger/verify.ts';
import type { RunLimits } from '../core/limits.ts';
import type { Dialect } from '../core/protocol/proposal.ts';
import type { Notice } from '../core/run/notices.ts';
import type { Phase } from '../core/run/state.ts';
import type { StampedEvent } from '../core/telemetry/event.ts';
import type { Content } from './content/api.ts';
import type { ApprovalAnswer, ApprovalRequest, Authorizer, ConsentRequest, OpenQuestion } from './question.ts';

/** A checkpoint of the log. `text` is all of it, in the form of C2SP's tlog-checkpoint. */
export interface TakenCheckpoint extends Checkpoint {
  readonly text: string;
  /** The key that signed it, to be kept beside it; absent where this platform has no Ed25519. */
  readonly key?: string;
}

/** What is the matter with a whole log. `problems` are of the log; each run has its own report. */
export interface LogReport {
  readonly ok: boolean;
  readonly size: number;
  readonly root: string;
  readonly problems: readonly Finding[];
  readonly runs: readonly { readonly run_id: string; readonly report: Report }[];
}

/** For a capability, or for a power that the page provides: each needs a grant of its own. */
export interface GrantOption {
  readonly capability?: string;
  readonly power?: string;
  readonly mode: 'allow' | 'ask' | 'deny';
  /** JSON Schema that narrows the capability's or the power's own: both must accept. */
  readonly where?: JsonObject;
  readonly uses?: number;
  /** ms since epoch */
  readonly expires?: number;
}

/** One message of the context a model proposes from. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What a model can hold, where that is less than the limits of a run. */
export interface ModelWindow {
  /** UTF-8 bytes of a run's history in one request; becomes the run's `contextBytes`. */
  readonly contextBytes: number;
  /** Tokens of one answer; becomes the run's `answerTokens`. */
  readonly maxTokens?: number;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly proposalSchema: JsonObject;
  readonly maxTokens: number;
  readonly seed?: number;
}

/** Proposes, and does nothing else: raw text or bytes, never a parsed object; no repair, no retry. */
export interface ModelPort {
  readonly id: string;
  /** A model elsewhere is an exit: private content goes there only with consent. One that does not say is elsewhere. */
  readonly locality?: { readonly kind: 'local' } | { readonly kind: 'remote'; readonly origin: string };
  readonly window?: ModelWindow;
  /** `onText` may be told the text piece by piece, as it comes. What counts is the text of the answer. */
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
   * Receipts also hold the hash of the whole heap that each call left, so that a replay compares that, too. Costs some
   * milliseconds for each call.
   */
  readonly heapHash?: boolean;
  /** Handed to the model with every request, and recorded. */
  readonly seed?: number;
  /** Told what the model says, as it says it: for a person who watches. Of a model that does not stream, all at once. */
  readonly onText?: (text: string, step: number) => void;
  /** Wait for `step()` or `run()` instead of starting at once. */
  readonly paused?: boolean;
  /** Ends the run as `abort` would. */
  readonly signal?: AbortSignal;
}

/** The model gave no answer, and may give one later: the run rests until `run()` or `step()` asks again. */
export interface ModelWait {
  readonly message: string;
  /** What the model's server said: text of a stranger, shown to the developer and not recorded. */
  readonly said?: string;
  /** ms after which another attempt makes sense, as that server says. */
  readonly afterMs?: number;
  /** Requests in a row that the model has not answered. */
  readonly failures: number;
}

export interface RunEnd {
  readonly state: RunEndState;
  readonly message?: string;
  readonly code?: Code;
  readonly steps: number;
  /** Hash of the run's last record. */
  readonly head: string;
  /** Of `model_failed`: what the model's server said, text of a stranger. It is not recorded. */
  readonly said?: string;
}

/** What a face shows of a run between two records. */
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
  /** What the developer should know, such as a model that is offered nothing. The console says each once, too. */
  readonly notices?: readonly Notice[];
  readonly end?: RunEnd;
  /** Another tab goes on with the run: what is asked of this handle from now on is refused with `run_open`. */
  readonly taken?: true;
}

/** Gives up what it is given to: that then rejects with the reason of the signal, or an iteration ends. */
export interface Abortable {
  readonly signal?: AbortSignal;
}

/** `onProgress` is told the share that is done, from 0 to 1. A signal ends it with nothing changed, until it is written. */
export interface KeepOptions extends Abortable {
  readonly onProgress?: (share: number) => void;
}

export interface RestoreOptions extends KeepOptions {
  /** It is verified, as for an empty ledger, and nothing is changed. */
  readonly only?: 'tried';
}

/**
 * A run begins by itself unless it was started `paused` or the caller's first word to it, in the same turn,
 * is `step()` or `pause()`. Disposing of it aborts it, if it is not over.
 */
export interface Run extends AsyncDisposable {
  readonly id: string;
  readonly view: RunView;
  readonly result: Promise<RunEnd>;
  /** One proposal, to its receipt or to the question it raises. Resolves with why the run waits, if its model failed. */
  step(): Promise<ModelWait | undefined>;
  /**
   * Goes on until the run rests: it has ended, is paused, needs a person whom nobody answers for, or waits after a
   * failure of its model, which it then resolves with.
   */
  run(): Promise<ModelWait | undefined>;
  pause(): Promise<void>;
  /** As `run`. */
  resume(): Promise<ModelWait | undefined>;
  abort(reason?: string): Promise<void>;
  /**
   * Gives the conversation its next task, at most 60 KiB. Resolves when the ledger has it: at once where the run is
   * paused or has completed a turn, else when the step at work is over, so nothing that the step waits for may wait for
   * it. A turn that completes meanwhile is followed by the next one, and `result` is that one's.
   * Rejects with `run_sealed` where the run has ended otherwise, or does before it is heard.
   */
  say(task: string): Promise<void>;
  answer(digest: string, answer: ApprovalAnswer): Promise<void>;
  /** Every record from run_seq 0 to the seal, as they are acknowledged. */
  records(options?: Abortable): AsyncIterable<LedgerRecord>;
  /** What the run tells, from its start or from what is kept of it, to the end of the turn. Reading never slows it. */
  telemetry(options?: Abortable): AsyncIterable<StampedEvent>;
  watch(listener: (view: RunView) => void): () => void;
}

export interface ResumeOptions extends Abortable {
  /**
   * Where another tab has the run, asks it to let go, and waits until it has, or is gone, or the signal says to wait no
   * longer. It lets go between two steps, or while it waits for a person or a model; a frozen tab cannot until it thaws.
   */
  readonly takeOver?: boolean;
  /** As for `start`. */
  readonly onText?: StartOptions['onText'];
}

export interface FollowOptions extends Abortable {
  /** Told whether anybody writes the run: at the beginning, and some seconds after it has changed, by a crash too. */
  readonly onWriter?: (isThere: boolean) => void;
}

export interface RunRow {
  readonly run_id: string;
  readonly records: number;
  readonly head: string;
  readonly at: number;
  readonly dialect: string;
  readonly sealed: boolean;
  /** What the seal says; a completed run may be given its next task. */
  readonly ended?: RunEndState;
  /** Another tab writes it, or another runtime on this directory. */
  readonly elsewhere?: true;
  /** It came by `storage.restore`: it can be read, checked, replayed, exported and deleted, and is never resumed. */
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
  /** A warning: other names that are registered, and that a person may take for this one. Calls never do. */
  readonly alike?: readonly string[];
}

export interface RuntimeInfo {
  readonly isolation: Isolation;
  /** What the kernel tried at start to reach the network with, and what came of it. */
  readonly probes: readonly { readonly name: string; readonly blocked: boolean }[];
  readonly store: {
    readonly kind: 'indexeddb' | 'memory' | 'directory';
    readonly reason?: string;
    readonly state?: StorageStatus['state'];
    readonly mirror?: StorageStatus['mirror'];
  };
}

/** How the ledger is kept, and what became of it. */
export interface StorageStatus {
  readonly kind: 'indexeddb' | 'memory' | 'directory';
  /** `restored`: the browser had lost records, all are here again. `lost`: they are not, and a new epoch began. */
  readonly state: 'good' | 'restored' | 'lost';
  /** The second copy: private files, a cache (which cannot be flushed), or none. */
  readonly mirror: 'opfs' | 'cache' | 'none';
  readonly epoch: number;
  /** What the last write was refused with, until one succeeds. */
  readonly trouble?: { readonly code: Code; readonly message: string };
  /** The browser promised not to evict it; bytes used, and bytes there may be. Where it says. */
  readonly persisted?: boolean;
  readonly usage?: number;
  readonly quota?: number;
}

/** `close` ends what runs, and frees the workers; so does disposing of it. */
export interface Runtime extends AsyncDisposable {
  readonly info: RuntimeInfo;
  readonly capabilities: {
    list(): Promise<readonly CapabilityRow[]>;
    register(definition: CapabilityDefinition): Promise<CapabilityRow>;
    enable(name: string): Promise<void>;
    /** Also in the runs under way, which have recorded it when this resolves. `unknown_capability` */
    disable(name: string): Promise<void>;
    /** Takes a definition and its grants away, as `disable` does; its name is free again. `unknown_capability` */
    remove(name: string): Promise<void>;
  };
  /** What runs that start from now on may do. One that has started is never given more, and loses what is revoked. */
  readonly grants: {
    list(): Promise<readonly Grant[]>;
    /** Bound at once to the definition registered under this name now. `unknown_capability`, `power_unknown` */
    grant(option: GrantOption): Promise<Grant>;
    /** Every grant with these terms: its id is their hash. The runs under way have recorded it when this resolves. */
    revoke(id: string): Promise<void>;
  };
  readonly content: Content;
  start(options: StartOptions): Run;
  /**
   * Takes a run up again, also after a crash: a question is put once more, a step that was cut off is closed. One that has
   * completed its turn waits for what is said next; any other end is for good (`run_sealed`). A run that came by
   * `storage.restore` is never taken up: its grants and its code are those of whoever made the file (`run_foreign`).
   */
  resume(run_id: string, model: ModelPort, options?: ResumeOptions): Promise<Run>;
  /**
   * A run's records from run_seq 0, as whichever tab writes them, to its seal or to the signal. Nothing is claimed by it.
   * `run_absent`
   */
  follow(run_id: string, options?: FollowOptions): AsyncIterable<LedgerRecord>;
  runs(): Promise<readonly RunRow[]>;
  readonly ledger: {
    /**
     * Canonical JSONL: header, records in order, end line with count, head and root. The bytes of steps whose capability
     * marks them secret are left out unless asked for, and so is content around what a message has read; hashes stay, those
     * of secret steps over a salt that leaves with the bytes alone.
     */
    export(run_id: string, options?: { readonly secrets?: boolean }): Promise<string>;
    records(run_id: string): Promise<readonly LedgerRecord[]>;
    /**
     * What a record names: by its reference the payload, by a hash alone the bytes that make this hash, with the salt
     * that stands before a payload of a secret step. Undefined where it was erased. `payload_altered`
     */
    payload(run_id: string, name: string | PayloadRef): Promise<Uint8Array | undefined>;
    verify(run_id: string, options?: Abortable): Promise<Report>;
    /** The whole run, secrets too, as a file whose hash is recorded. It stays here until it is deleted. `run_absent`. */
    archive(run_id: string): Promise<{ readonly jsonl: string; readonly sha256: string }>;
    /**
     * Deletes a run's records and bytes, which is recorded. The hashes of its records stay in the log's tree, so that
     * everything else still verifies, and an archive of it does. `run_absent`; `run_open` where somebody writes it.
     */
    delete(run_id: string): Promise<void>;
    /** Erases bytes that a run's records name, all or these, which is recorded; what needs them says so. As `delete`. */
    erase(run_id: string, payloads?: readonly string[]): Promise<void>;
    /**
     * All checks of any export; with `replay` its calls are made again, in sandboxes that nothing else runs in. What would
     * take longer than `deadlineMs` in all, a minute where it is not said, is listed as not verified.
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
    /** What the log is now, to be kept where this device cannot write; signed, where a key can be kept. */
    checkpoint(options?: { readonly origin?: string }): Promise<TakenCheckpoint>;
    /** Checks the whole log, every run in it, and against a checkpoint that was taken of it, signed with this key. */
    fsck(options?: Abortable & { readonly checkpoint?: string; readonly key?: string }): Promise<LogReport>;
  };
  readonly storage: {
    status(): Promise<StorageStatus>;
    /** Asks the browser never to evict this origin's storage. It may ask the person, and may never answer. */
    persist(): Promise<boolean>;
    /** Everything that is kept, as one file that is not encrypted; Node opens it as the journal of a directory. */
    backup(options?: KeepOptions): Promise<Blob>;
    /** The same into a stream, which is then closed: at no moment is more than a page of it in memory. */
    backupTo(stream: WritableStream<Uint8Array>, options?: KeepOptions): Promise<void>;
    /**
     * Puts a backup back into an empty ledger, or behind one that is its beginning. `backup_refused`. A file is read
     * page by page: in a page one that was chosen, in Node what `openAsBlob` gives. The runs it brings are `foreign`, and
     * what capabilities kept is private and untrusted from then on.
     */
    restore(backup: Blob | Uint8Array, options?: RestoreOptions): Promise<void>;
    /** Deletes the ledger of this device, its copy, witness, key and images, and ends this runtime. `store_busy`. */
    deleteEverything(): Promise<void>;
    /** What happened to the log itself: losses, restorations, archived and deleted runs, erased bytes. */
    events(): Promise<readonly LedgerRecord[]>;
  };
  close(): Promise<void>;
}

export interface RuntimeOptions {
  readonly capabilities?: readonly CapabilityDefinition[];
  /** What capabilities that declare it may ask of this program, call by call; made by `definePower`. */
  readonly powers?: readonly PowerDefinition[];
  readonly grants?: readonly GrantOption[];
  /** Absent, a run that needs a person waits for `run.answer`. */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
  /** Absent, a run that needs a person's consent waits for `run.answer`. */
  readonly consent?: (request: ConsentRequest) => Promise<boolean>;
  /** Rules beside the grants, which they can only narrow. */
  readonly authorizer?: Authorizer;
  /** The trifecta guard; on unless it is switched off here, which every decision then records. */
  readonly guard?: boolean;
}

export type * from './content/api.ts';
export type * from './question.ts';
export type { CapabilityDefinition, CheckId, Decision, Notice, PowerDefinition, Report };
