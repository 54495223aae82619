/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of the runtime. The page and Node serve the same interface. */

import type { Assertion } from '../core/approval/assertion.ts';
import type { PowerDefinition, ToolDefinition } from '../core/capability/author.ts';
import type { ApprovalReason, Decision } from '../core/capability/authorize.ts';
import type { HostTerms } from '../core/capability/capability.ts';
import type { CapabilityDefinition } from '../core/capability/define.ts';
import type { AuthorTerms } from '../core/capability/grant-terms.ts';
import type { Effect, Hold, Label } from '../core/capability/guard.ts';
import type { Grant } from '../core/capability/policy.ts';
import type { Watch, WatchOptions } from '../core/capability/watch.ts';
import type { Budgets } from '../core/content/budget.ts';
import type { UndoReason } from '../core/errors/run.ts';
import type { Code } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json/value.ts';
import type { Anchor } from '../core/ledger/anchor.ts';
import type { RunHead } from '../core/ledger/chain.ts';
import type { Checkpoint } from '../core/ledger/checkpoint.ts';
import type { CheckId, Report } from '../core/ledger/checks.ts';
import type { StepExplanation } from '../core/ledger/explain.ts';
import type { Finding } from '../core/ledger/export.ts';
import type { HeldRow } from '../core/ledger/held.ts';
import type { HeldPart, HeldValuePart, OpenedHandle } from '../core/ledger/held-parts.ts';
import type { CarriedPlace, Isolation, RunEndState } from '../core/ledger/kinds/run.ts';
import type { AnswerFacts } from '../core/ledger/kinds/step.ts';
import type { PayloadRef } from '../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../core/ledger/record.ts';
import type { RunLimits } from '../core/limits.ts';
import type { Outcome, Refusal } from '../core/outcome.ts';
import type { Allowed, AllowedOptions } from '../core/privilege/allowed.ts';
import type { Dialect } from '../core/protocol/dialect.ts';
import type { StandingYes } from '../core/run/event.ts';
import type { Notice } from '../core/run/notices.ts';
import type { Phase } from '../core/run/state.ts';
import type { StampedEvent } from '../core/telemetry/event.ts';
import type { Content } from './content-api.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  Authorizer,
  ConsentRequest,
  EditedQuestion,
  OpenQuestion,
  WaitingQuestion,
} from './question.ts';

export type * from './content-api.ts';
export type * from './question.ts';

/** Terms of a grant, for a capability or for a power of the page. Each needs a grant of its own. */
export interface GrantOption extends AuthorTerms {
  readonly capability?: string;
  readonly power?: string;
  /** The tool whose calls may be taken back by `runtime.undo`. Without a grant a person is asked about each. */
  readonly revert?: string;
}

/** A grant, as it is listed. */
export interface GrantRow extends Grant {
  /** With `release`: the bits that all runs have charged to it. */
  readonly charged?: number;
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
  readonly labels: readonly Label[];
  /** Empty for a tool of the program. */
  readonly source: string;
  /** Present for a tool of the program, with the place that its arguments go to. */
  readonly host?: HostTerms;
  /** Warning: registered names that a person may confuse with this name. Calls match names exactly. */
  readonly alike?: readonly string[];
}

export interface RuntimeInfo {
  readonly isolation: Isolation;
  /** Network accesses that the kernel and its first sandbox tried at start: blocked where both found them blocked. */
  readonly probes: readonly { readonly name: string; readonly blocked: boolean }[];
  readonly store: {
    /** `indexeddb`, `memory`, `directory`, `sqlite` or `postgres`, or the kind of a store that the program brings. */
    readonly kind: string;
    readonly reason?: string;
    readonly state?: StorageStatus['state'];
    readonly mirror?: StorageStatus['mirror'];
    readonly cut?: StorageStatus['cut'];
  };
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
    /** Lists the values that capabilities of this name, or of all names, have stored, whether registered or not. */
    stored(name?: string): Promise<readonly StoredEntry[]>;
    /**
     * Erases the values that capabilities of this name have stored, and records how many. Their labels stay, so that the
     * absence of a key tells nothing that was private.
     */
    forgetStored(name: string): Promise<Erasure>;
  };
  /** Tools: functions of this program that a run can call as capabilities. */
  readonly tools: {
    /**
     * Adds a tool, enabled, for runs that start from now on. A tool of the same name is replaced: active runs lose it,
     * and its grants end. `definition_invalid`, `schema_refused`, `capability_twice` for the name of a capability that
     * is no tool.
     */
    provide(definition: ToolDefinition): Promise<CapabilityRow>;
    /** Removes a tool and its grants. Active runs have recorded it when this resolves. `unknown_capability` */
    remove(name: string): Promise<void>;
  };
  /** Functions of this program that capabilities may call if they declare them. */
  readonly powers: {
    /** Adds a power, for runs that start from now on. `definition_invalid`, also for a name twice; `schema_refused` */
    provide(definition: PowerDefinition): Promise<void>;
    /** Removes a power and its grants. Active runs have recorded it when this resolves. `power_unknown` */
    remove(name: string): Promise<void>;
  };
  /**
   * Permissions of runs that start from now on. An active run gains no grant later, and loses each grant that is
   * revoked.
   */
  readonly grants: {
    /** The grants of new runs, and the standing answers (`parent`, `run`) of the runs under way here. */
    list(): Promise<readonly GrantRow[]>;
    /** Binds the grant to the definition that has this name now. `unknown_capability`, `power_unknown` */
    grant(option: GrantOption): Promise<Grant>;
    /**
     * Begins a watch: a person lets calls run for which there is no grant, and proposes rules from what ran. It covers
     * the definitions that are registered and enabled now, in runs that start from now on, until an absolute time. Grants,
     * denials, schemas, budgets and the guard decide as without it; what leaves the device asks, unless `egress` says
     * otherwise. `revoke` ends it. `option_invalid`, `unknown_capability`
     *
     * @example await runtime.grants.watch({ until: Date.now() + 2 * 3_600_000, note: 'first day' });
     */
    watch(options: WatchOptions): Promise<Watch>;
    /**
     * Revokes every grant with these terms, and the standing answers to it; the id is the hash of the terms, or the id of
     * a watch. Active runs have recorded it when this resolves.
     */
    revoke(id: string): Promise<void>;
    /**
     * Everything that is permitted now and why, with its uses: `revoke` takes the id of a row, `held.clear` the name of a
     * source. Uses are counted from the ledger when this is called, over its newest 100,000 decisions. `by`: why a grant of
     * the program stands, where the program knows more.
     */
    allowed(options?: Pick<AllowedOptions, 'by'>): Promise<Allowed>;
  };
  /** Held outcomes, for programs and persons: no model is shown what these return. */
  readonly held: {
    /** The held outcomes of a run, oldest first, without their values. */
    list(run_id: string): Promise<readonly HeldRow[]>;
    /**
     * Opens an outcome by its handle. The value is undefined after an erasure. Refuses with `held_unknown`.
     */
    open(run_id: string, handle: string): Promise<Outcome<OpenedHandle>>;
    /**
     * The words of a model in parts: `{{h12/0/subject}}` in them stands for that part of the value of this run. Each value
     * is data, whatever it says: show it as text, apart from the model's own words.
     */
    parts(run_id: string, text: string): Promise<readonly HeldPart[]>;
    /**
     * The sources that held values were handed to, in any run, by name. In every run their results have at least these
     * labels, and a call that can reach a store among them is held.
     */
    sources(): Promise<readonly HeldSource[]>;
    /**
     * Clears a source: runs that begin from now on know nothing of what it was handed. The log records it. The labels of
     * values in a store stay. `option_invalid`
     */
    clear(source: string): Promise<void>;
  };
  readonly content: Content;
  start(options: StartOptions): Run;
  /**
   * Answers a question with a yes that a passkey has signed, in whichever run of this runtime it is asked; `standing`: the
   * terms that were signed. Rejects with `question_unknown`, and as `Run.answer` does.
   */
  answerSigned(digest: string, assertion: Assertion, standing?: StandingYes): Promise<void>;
  /**
   * Yields the questions that wait for a person in the runs and sessions of this runtime, oldest first: all of them at once,
   * then again after each change, to the close or until the signal aborts. A slow reader gets the newest list. Runs of other
   * processes on the same ledger are not among them. A question that `approve` is asked is listed until it is answered.
   *
   * @example for await (const open of runtime.questions()) console.log(open.map(({ pending }) => pending?.capability));
   */
  questions(options?: Abortable): AsyncIterable<readonly WaitingQuestion[]>;
  /** Opens a session: gated calls for a caller that has a loop of its own. */
  openSession(options?: SessionOptions): Session;
  /**
   * Resumes a run, also after a crash: an open question is asked again, and an interrupted step is closed. A run that
   * has completed its turn waits for its next task; any other ended run is refused (`run_sealed`). A run that came by
   * `storage.restore` is refused too, because its grants and its code are those of the file's author (`run_foreign`),
   * and so is a run of which texts that it needs were erased (`run_erased`).
   */
  resume(run_id: string, model: ModelPort, options?: ResumeOptions): Promise<Run>;
  /**
   * Yields a run's records from run_seq 0, as any tab writes them, to the seal or until the signal aborts. It does not
   * claim the run. `run_absent`
   */
  follow(run_id: string, options?: FollowOptions): AsyncIterable<LedgerRecord>;
  /**
   * Takes calls of a run back, newest first, each by the `revert` of its tool, in a run of its own that begins with the
   * labels of that run. Each revert is a call like any other: a person is asked, unless a grant with `revert` permits it.
   * The first that fails ends it: `stands` says what was not taken back. Asked for the same again after a crash, it goes
   * on. Rejects before anything is done with `undo_impossible` (a call without a revert, with a changed definition, erased
   * bytes, or an unknown outcome), `undo_done`, `undo_open`, `run_absent` and `run_foreign`.
   */
  undo(options: UndoOptions): Promise<UndoEnd>;
  /** What `undo` would do, and why it could not. Changes nothing. */
  undoPlan(target: UndoTarget): Promise<UndoPreview>;
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
     * Explains the run to the developer of its capabilities: for each step that did not succeed or in which a guest
     * logged, the sentence of the reply, the error that the guest threw, and its console.
     */
    explain(run_id: string): Promise<readonly StepExplanation[]>;
    /**
     * Bytes that a record names. A reference gives the payload. A hash gives the bytes with this hash, for a secret
     * step with the salt before the payload. Undefined after erasure. `record` is the number of a record that names it:
     * the search begins there, and else at the end of the run. `payload_altered`
     */
    payload(
      run_id: string,
      name: string | PayloadRef,
      options?: { readonly record?: number },
    ): Promise<Uint8Array | undefined>;
    /**
     * Payloads of a run, a page at a time: those stored with its records from record `from` on, as `payload` gives them
     * for a hash. Equal payloads of several records may come several times. Altered and erased payloads are left out. To
     * search a run, ask for pages until one has no `next`.
     */
    payloads(run_id: string, from?: number): Promise<PayloadPage>;
    /**
     * Checks a run as `check` does, and compares it with its head in this ledger, which is no anchor from elsewhere: the
     * check `anchor` stays `not_run`, with the reason `anchor_of_store`. `run_absent`
     */
    verify(run_id: string, options?: Abortable): Promise<Report>;
    /**
     * Exports the whole run, secrets included, and records the file's hash. The run stays until it is deleted.
     * `run_absent`
     */
    archive(run_id: string): Promise<{ readonly jsonl: string; readonly sha256: string }>;
    /**
     * Deletes a run's records and bytes and the heap of a call that waited, and records the deletion. The hashes of its
     * records stay in the log's tree, so that the rest of the log, and an archive of the run, still verify. Values that
     * its capabilities stored stay: erase them before with `erase(run_id, { stored: true })`. `run_absent`; `run_open`
     * while the run is being written; `run_kept` by the option `retention`.
     */
    delete(run_id: string): Promise<Erasure>;
    /**
     * Erases bytes that a run's records name, all or only `payloads`, and the heap of a call that waited, and records
     * the erasure. With `stored`, also the values that this run was the last to store. Checks that need the bytes report
     * them as erased. Refuses as `delete`.
     */
    erase(run_id: string, options?: ErasureOptions): Promise<Erasure>;
    /**
     * Runs all checks of an export, which is a text or a blob with it: a blob is handed over without a copy. With
     * `replay`, repeats its calls in fresh sandboxes. Calls that do not fit into `deadlineMs` in all (default: a minute)
     * are listed as not verified.
     */
    check(
      jsonl: string | Blob,
      options?: Abortable & {
        readonly anchor?: Anchor;
        /** Length and head of the run in the store that it came from; another head fails (`store_disagrees`). */
        readonly stored?: RunHead;
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
    /**
     * Replaces the whole ledger by a backup, and closes this runtime: the next runtime has the ledger of the backup. The
     * ledger stays until the new one is whole beside it; an aborted signal until then, a failure or a closed page leaves
     * it as it was. `backup_refused`, `store_busy` where another tab has the ledger open, `store_full`, `run_kept`.
     */
    replace(backup: Blob | Uint8Array, options?: KeepOptions): Promise<void>;
    /** Deletes this device's ledger, its copy, witness, key and images, and closes this runtime. `store_busy`, `run_kept` */
    deleteEverything(): Promise<void>;
    /** Records of the log itself: losses, restorations, archived and deleted runs, erased bytes and values. */
    events(): Promise<readonly LedgerRecord[]>;
  };
  /**
   * Ends the runs and frees the workers. A call under way is aborted: `session.call` resolves with `call_aborted`, and
   * rejects with `run_sealed` for a call that was queued. With `drain` they are waited for instead. Later requests get `runtime_closed`.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** Which calls of a run are taken back. With neither `step` nor `back_to`: all. */
export interface UndoTarget {
  /** Id of the run. */
  readonly run: string;
  /** The calls of this step alone. */
  readonly step?: number;
  /** The calls behind this step, which stays as the last; 0: all. */
  readonly back_to?: number;
}

export interface UndoOptions extends UndoTarget, Abortable {
  /** Answers the questions. Absent: `approve` of the runtime. */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
  /** As of a session: a question that nobody can answer is refused, which ends the undo, or waits for `run.answer`. */
  readonly questions?: 'refuse' | 'wait';
  /** Called with each question, as of a session's call. */
  readonly onQuestion?: (question: OpenQuestion) => void;
  /** Called with the undo's own run when it begins. */
  readonly onRun?: (run: Run) => void;
  /** Called after each call that was taken back. */
  readonly onCall?: (call: UndoneRow) => void;
}

/** A call of the run that is, or was, taken back. */
export interface UndoneRow {
  readonly step: number;
  /** Index of an operation of a message, from 0. */
  readonly operation?: number;
  /** Number of a call that guest code made while it ran. */
  readonly ticket?: number;
  readonly capability: string;
}

export interface UndoPreview {
  /** Newest first, with what each `revert` is given; `carries` names the places of held values. */
  readonly calls: readonly (UndoneRow & {
    readonly args: JsonValue;
    readonly result: JsonValue;
    readonly carries?: readonly CarriedPlace[];
  })[];
  /** The calls because of which nothing can be taken back. */
  readonly barriers: readonly (UndoneRow & { readonly reason: UndoReason })[];
  /** Calls that were taken back before, with the run that did. */
  readonly before: readonly (Pick<UndoneRow, 'step' | 'capability'> & { readonly run_id: string })[];
  /** Calls of the run with an effect that are later than these, and stay. */
  readonly later_calls: number;
  /** Runs that began later than these calls, forks among them. */
  readonly later_runs: number;
}

export interface UndoEnd {
  /** The undo's own run. */
  readonly run_id: string;
  readonly undone: readonly UndoneRow[];
  /** What was not taken back, newest first. */
  readonly stands: readonly UndoneRow[];
  /** The call that ended it. */
  readonly failed?: UndoneRow & { readonly refusal: Refusal };
  readonly later_calls: number;
  readonly later_runs: number;
}

/** `signal` ends the wait of `drain`; what is still under way is aborted then. */
export interface CloseOptions extends Abortable {
  /**
   * True: no run, session or call begins any more, and the calls under way end and are recorded, those that a session
   * has queued too, before the runs end. A run with a model ends behind the step at work. A question that such a call
   * puts is waited for.
   */
  readonly drain?: boolean;
}

/** A list of tools that may change while the runtime is open, for example of a server. */
export interface ToolSource {
  /** Name of the source for messages to the developer. */
  readonly id: string;
  list(): Promise<readonly ToolDefinition[]>;
  /** Has the listener called after each change of the list. Returns a function that ends this. */
  readonly changed?: (listener: () => void) => () => void;
  /** Called when the runtime closes. */
  close(): Promise<void>;
}

export interface RuntimeOptions {
  readonly capabilities?: readonly CapabilityDefinition[];
  /** Functions of this program that capabilities may call if they declare them; made by `definePower`. */
  readonly powers?: readonly PowerDefinition[];
  /** Functions of this program that a run can call as capabilities, made by `defineTool`, and sources of them. */
  readonly tools?: readonly (ToolDefinition | ToolSource)[];
  readonly grants?: readonly GrantOption[];
  /**
   * Answers approval requests. Absent: a run that needs a person waits for `run.answer`, and a session refuses with
   * `approval_unavailable`.
   */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
  /** Answers consent requests. Absent: a run that needs consent waits for `run.answer`. */
  readonly consent?: (request: ConsentRequest) => Promise<boolean>;
  /**
   * Receives the hints about runs, each code a single time; absent: the console. `question_waits` tells that a run waits
   * for a person while the program has no `approve` and no watcher of the run.
   */
  readonly onNotice?: (notice: Notice) => void;
  /** Rules beside the grants. They can only narrow the grants. */
  readonly authorizer?: Authorizer;
  /** The trifecta guard, on by default. Every decision records when it is off. */
  readonly guard?: boolean;
  /**
   * A model that answers questions about values (`defineQuestion`), most often held ones: it gets the question, the value and
   * the schema of the answer, and no history and no tools. It is the power `quarantine.ask`. Without a grant for that power a
   * person is asked before a value goes to a remote model.
   */
  readonly quarantine?: ModelPort;
  /**
   * Ends the opening: `openRuntime` rejects with the signal's reason, and the ledger is free. It has no effect on a
   * runtime that is open.
   */
  readonly signal?: AbortSignal;
  /**
   * Holds the results of all calls, or of those that can bring private or untrusted data: the model hears a handle such as
   * `{"$held":"h12"}`, and can pass it on without reading the value. Off by default. `held` of a tool, a capability, a power
   * or a grant holds single results. Such a run also offers `held.read`, which puts a value into the context; without a grant
   * for it a person is asked.
   */
  readonly hold?: Hold;
  readonly retention?: RetentionOptions;
}

/** How long this program keeps runs. */
export interface RetentionOptions {
  /**
   * `ledger.delete` refuses a run whose last record is younger, as `run_kept`; `storage.replace` and
   * `storage.deleteEverything` refuse while there is such a run. `ledger.erase` still removes texts, and the records of the run
   * stay. The time is the device's. A restored run that is dated ahead of it is not kept. It binds this runtime alone: another
   * program that opens the ledger has options of its own.
   */
  readonly keepAtLeast?: { readonly days: number };
}

export type {
  CapabilityDefinition,
  CheckId,
  Decision,
  HeldPart,
  HeldRow,
  HeldValuePart,
  Notice,
  OpenedHandle,
  PowerDefinition,
  Report,
  ToolDefinition,
  UndoReason,
  Watch,
  WatchOptions,
};

/** Public types of the log and of its storage. */

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
  /** Bytes behind the last record that cannot be read, for example of a write that a crash cut off. */
  readonly unreadBytes: number;
  readonly runs: readonly { readonly run_id: string; readonly report: Report }[];
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

/** Selection of the data that `ledger.erase` takes. */
export interface ErasureOptions {
  /** Hashes of the bytes to erase; absent: all bytes that the run's records name. */
  readonly payloads?: readonly string[];
  /** Take the values, too, that this run was the last to store by its capabilities. */
  readonly stored?: boolean;
}

/** Result of an erasure. */
export interface Erasure {
  /** Stored values that were erased. */
  readonly values: number;
  /**
   * Other tabs whose private file still holds erased data, because they have not answered: a frozen tab does not. Such
   * a tab erases it when it goes on; the file of a closed tab loses it with the next opening of the ledger. 0: the data
   * is in no copy of the ledger that the runtime can reach.
   */
  readonly otherTabs: number;
}

/** A value that a capability has stored. */
export interface StoredEntry {
  readonly capability: string;
  readonly key: string;
  readonly value: JsonValue;
  readonly labels: readonly Label[];
  /** The run that was the last to put it. */
  readonly run_id?: string;
  /** A held call has put it. */
  readonly held?: true;
}

/** Storage of the ledger and its condition. */
export interface StorageStatus {
  readonly kind: string;
  /**
   * `restored`: the browser had lost its database, and the private files have given all records back. `lost`: records
   * are missing, and a new epoch began.
   */
  readonly state: 'good' | 'restored' | 'lost';
  /** Private files, which hold the ledger beside its index in IndexedDB; `none` where IndexedDB is alone. */
  readonly mirror: 'opfs' | 'none';
  readonly epoch: number;
  /**
   * A restore was cut off, for example by a closed page, before its content was whole. The log is as it was before:
   * restore the file again.
   */
  readonly cut?: true;
  /** Refusal of the last write; absent after a write succeeds. */
  readonly trouble?: { readonly code: Code; readonly message: string };
  /**
   * Whether the browser promised not to evict the ledger, and bytes used and available, where the browser reports them.
   */
  readonly persisted?: boolean;
  readonly usage?: number;
  readonly quota?: number;
}

/** Public types of models. */

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
  /** UTF-8 bytes of a run's history in a single request; becomes the run's `contextBytes`. */
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

/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of runs. */

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

/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of sessions. */

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
