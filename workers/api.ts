/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of the runtime. The page and Node serve the same interface. */

import type { Assertion } from '../core/approval/assertion.ts';
import type { PowerDefinition, ToolDefinition } from '../core/capability/author.ts';
import type { Decision } from '../core/capability/authorize.ts';
import type { HostTerms } from '../core/capability/capability.ts';
import type { CapabilityDefinition } from '../core/capability/define.ts';
import type { AuthorTerms } from '../core/capability/grant-terms.ts';
import type { Effect, Hold, Label } from '../core/capability/guard.ts';
import type { Grant } from '../core/capability/policy.ts';
import type { Watch, WatchOptions } from '../core/capability/watch.ts';
import type { UndoReason } from '../core/errors/run.ts';
import type { JsonObject, JsonValue } from '../core/json/value.ts';
import type { Anchor } from '../core/ledger/anchor.ts';
import type { RunHead } from '../core/ledger/chain.ts';
import type { CheckId, Report } from '../core/ledger/checks.ts';
import type { StepExplanation } from '../core/ledger/explain.ts';
import type { HeldRow } from '../core/ledger/held.ts';
import type { HeldPart, HeldValuePart, OpenedHandle } from '../core/ledger/held-parts.ts';
import type { CarriedPlace, Isolation } from '../core/ledger/kinds/run.ts';
import type { PayloadRef } from '../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../core/ledger/record.ts';
import type { Outcome, Refusal } from '../core/outcome.ts';
import type { Allowed, AllowedOptions } from '../core/privilege/allowed.ts';
import type { StandingYes } from '../core/run/event.ts';
import type { Notice } from '../core/run/notices.ts';
import type { Content } from './content-api.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  Authorizer,
  ConsentRequest,
  OpenQuestion,
  WaitingQuestion,
} from './question.ts';
import type {
  Abortable,
  FollowOptions,
  HeldSource,
  ModelPort,
  PayloadPage,
  ResumeOptions,
  Run,
  RunRow,
  Session,
  SessionOptions,
  StartOptions,
} from './run-api.ts';
import type {
  Erasure,
  ErasureOptions,
  KeepOptions,
  LogReport,
  RestoreOptions,
  StorageStatus,
  StoredEntry,
  TakenCheckpoint,
} from './storage-api.ts';

export type * from './content-api.ts';
export type * from './question.ts';
export type * from './run-api.ts';
export type * from './storage-api.ts';

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
   * rejects with `run_sealed` for a call that was queued. With `drain` they are waited for instead. With `suspend` no run
   * ends, and a later runtime resumes each. Later requests get `runtime_closed`.
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

/** `signal` ends the wait of `drain` or `suspend`; a call that is still under way then ends as `call_aborted`. */
export interface CloseOptions extends Abortable {
  /**
   * True: no run, session or call begins any more, and the calls under way end and are recorded, those that a session
   * has queued too, before the runs end. A run with a model ends behind the step at work. A question that such a call
   * puts is waited for.
   */
  readonly drain?: boolean;
  /**
   * True: no run is sealed, so that `resume` of a later runtime takes each up, as after a crash: a question is put again, and
   * a model that was writing is asked again. The calls at work end and are recorded first; calls that a session has queued
   * reject with `run_suspended`, and so do `result` and every later request of a run. Not with `drain`.
   */
  readonly suspend?: boolean;
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
