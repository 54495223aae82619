/// <reference lib="esnext.disposable" preserve="true" />
/** Public types of the runtime. The page and Node serve the same interface. */

import type { PowerDefinition } from '../core/capability/author-power.ts';
import type { ToolDefinition } from '../core/capability/author-tool.ts';
import type { Decision } from '../core/capability/authorize.ts';
import type { HostTerms } from '../core/capability/capability.ts';
import type { CapabilityDefinition } from '../core/capability/define.ts';
import type { Grant } from '../core/capability/grant.ts';
import type { AuthorTerms } from '../core/capability/grant-terms.ts';
import type { Effect, Label } from '../core/capability/guard.ts';
import type { JsonObject } from '../core/json/value.ts';
import type { Anchor } from '../core/ledger/anchor.ts';
import type { RunHead } from '../core/ledger/chain.ts';
import type { StepExplanation } from '../core/ledger/explain.ts';
import type { Isolation } from '../core/ledger/kinds/run.ts';
import type { PayloadRef } from '../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../core/ledger/record.ts';
import type { CheckId, Report } from '../core/ledger/report.ts';
import type { Notice } from '../core/run/notices.ts';
import type { Content } from './content/api.ts';
import type { ApprovalAnswer, ApprovalRequest, Authorizer, ConsentRequest } from './question.ts';
import type {
  Erasure,
  ErasureOptions,
  KeepOptions,
  LogReport,
  RestoreOptions,
  StorageStatus,
  StoredEntry,
  TakenCheckpoint,
} from './surface/log.ts';
import type { ModelPort } from './surface/model.ts';
import type { Abortable, FollowOptions, ResumeOptions, Run, RunRow, StartOptions } from './surface/run.ts';
import type { Session, SessionOptions } from './surface/session.ts';

/** Terms of a grant, for a capability or for a power of the page. Each needs a grant of its own. */
export interface GrantOption extends AuthorTerms {
  readonly capability?: string;
  readonly power?: string;
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
    list(): Promise<readonly Grant[]>;
    /** Binds the grant to the definition that has this name now. `unknown_capability`, `power_unknown` */
    grant(option: GrantOption): Promise<Grant>;
    /**
     * Revokes every grant with these terms, and the standing answers to it; the id is the hash of the terms. Active runs
     * have recorded it when this resolves.
     */
    revoke(id: string): Promise<void>;
  };
  readonly content: Content;
  start(options: StartOptions): Run;
  /** Opens a session: gated calls for a caller that has a loop of its own. */
  openSession(options?: SessionOptions): Session;
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
     * Explains the run to the developer of its capabilities: for each step that did not succeed or in which a guest
     * logged, the sentence of the reply, the error that the guest threw, and its console.
     */
    explain(run_id: string): Promise<readonly StepExplanation[]>;
    /**
     * Bytes that a record names. A reference gives the payload. A hash gives the bytes with this hash, for a secret
     * step with the salt before the payload. Undefined after erasure. `payload_altered`
     */
    payload(run_id: string, name: string | PayloadRef): Promise<Uint8Array | undefined>;
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
     * while the run is being written.
     */
    delete(run_id: string): Promise<Erasure>;
    /**
     * Erases bytes that a run's records name, all or only `payloads`, and the heap of a call that waited, and records
     * the erasure. With `stored`, also the values that this run was the last to store. Checks that need the bytes report
     * them as erased. Refuses as `delete`.
     */
    erase(run_id: string, options?: ErasureOptions): Promise<Erasure>;
    /**
     * Runs all checks of an export. With `replay`, repeats its calls in fresh sandboxes. Calls that do not fit into
     * `deadlineMs` in all (default: a minute) are listed as not verified.
     */
    check(
      jsonl: string,
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
     * it as it was. `backup_refused`, `store_busy` where another tab has the ledger open, `store_full`.
     */
    replace(backup: Blob | Uint8Array, options?: KeepOptions): Promise<void>;
    /** Deletes this device's ledger, its copy, witness, key and images, and closes this runtime. `store_busy` */
    deleteEverything(): Promise<void>;
    /** Records of the log itself: losses, restorations, archived and deleted runs, erased bytes and values. */
    events(): Promise<readonly LedgerRecord[]>;
  };
  close(): Promise<void>;
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
}

export type * from './content/api.ts';
export type * from './question.ts';
export type * from './surface/log.ts';
export type * from './surface/model.ts';
export type * from './surface/run.ts';
export type * from './surface/session.ts';
export type { CapabilityDefinition, CheckId, Decision, Notice, PowerDefinition, Report, ToolDefinition };
