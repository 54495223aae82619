import type { CapabilityDefinition } from '../../core/capability/define.ts';
import type { Hold, Label } from '../../core/capability/guard.ts';
import type { Grant } from '../../core/capability/policy.ts';
import type { PowerTerms } from '../../core/capability/power.ts';
import type { Watch, WatchOptions } from '../../core/capability/watch.ts';
import type { Budgets } from '../../core/content/budget.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import type { UndoneRun } from '../../core/ledger/kinds/run.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { RunLimits } from '../../core/limits.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import type { HostRejection, RunEvent } from '../../core/run/event.ts';
import type { Preview } from '../../core/run/preview.ts';
import type { ModelNames } from '../../core/telemetry/event.ts';
import type {
  ApprovalAnswer,
  CapabilityRow,
  EditedQuestion,
  Erasure,
  ErasureOptions,
  GrantOption,
  GrantRow,
  HeldSource,
  ModelWindow,
  OpeningLength,
  OpenQuestion,
  PayloadPage,
  RetentionOptions,
  RunRow,
  RuntimeInfo,
  StorageStatus,
  StoredEntry,
  TakenCheckpoint,
} from '../api.ts';
import type { LogCheck } from '../auditor/verify-log.ts';
import type { PowerRunner, Proposer, RunListener } from '../ports.ts';
import type { BackupProgress, BackupSink } from './backup/backup.ts';
import type { ContentService } from './content/service.ts';
import type { RunArchive } from './retention.ts';
import type { TelemetryBatch } from './run/telemetry.ts';

/** Part of a run, from a record on. */
export interface RunSlice {
  readonly records: readonly LedgerRecord[];
  /** A kernel writes the run. */
  readonly isWritten: boolean;
  /** Further records are stored behind these. */
  readonly hasMore: boolean;
}

/** A run with the question that it waits for now. */
export interface AskingRun {
  readonly run_id: string;
  readonly pending?: OpenQuestion;
}

/**
 * Reads a part of a run from record `from` on. Without new records it waits about two seconds, and may still return an
 * empty list. `run_absent`
 */
export type RunReader = (run_id: string, from: number) => Promise<Outcome<RunSlice>>;

/** Facts about a model that the kernel needs. */
export interface ModelTerms {
  /** The resumed run is a session. */
  readonly caller?: true;
  /** Origin of a model that is not on this device. */
  readonly remote?: string;
  readonly window?: ModelWindow;
  readonly opening?: OpeningLength;
  readonly names?: ModelNames;
}

/** Terms of a session: a run whose caller proposes. */
interface SessionTerms {
  readonly caller?: true;
  /** Labels that the run begins with, for example of the data that the caller of a session has read. */
  readonly labels?: readonly Label[];
  /** Id of the session of the same caller before. */
  readonly after?: string;
  /** Who asks, in words of the program. */
  readonly principal?: string;
  /** Labels of the principal's runs before do not count. */
  readonly fresh?: true;
  /** The calls of another run that this one takes back: it offers their reverts, and nothing else. */
  readonly undoes?: UndoneRun;
}

export interface StartRequest extends ModelTerms, SessionTerms {
  readonly run_id: string;
  readonly dialect: Dialect;
  readonly task: string;
  readonly model: string;
  readonly seed?: number;
  readonly guard: boolean;
  /** Which results are held, beside those that definitions, powers and grants name. */
  readonly hold?: Hold;
  /** Id of the authorizer whose rules apply beside the grants. */
  readonly authorizer?: string;
  /** Names of the capabilities that the run sees. */
  readonly offer?: readonly string[];
  readonly heapHash?: true;
  readonly budgets: Partial<Budgets>;
  readonly limits: Partial<RunLimits>;
}

/** Terms by which a session that would begin now holds, and what it would offer. */
export type OfferTerms = Pick<StartRequest, 'hold' | 'offer'>;

export type KernelCommand = Extract<RunEvent, { type: 'step' | 'run' | 'pause' }>['type'];

/**
 * The kernel between a model and its effects, as the page or a Node program reaches it. Every member is a function, and
 * every answer is a value, so that it works the same behind a message port.
 */
export interface Kernel extends ContentService {
  info(): Promise<RuntimeInfo>;
  register(definition: CapabilityDefinition, enable: boolean): Promise<Outcome<CapabilityRow>>;
  enable(name: string, on: boolean): Promise<Outcome<void>>;
  forget(name: string): Promise<Outcome<void>>;
  grant(option: GrantOption): Promise<Outcome<Grant>>;
  /** `option_invalid`, `unknown_capability` */
  watch(options: WatchOptions): Promise<Outcome<Watch>>;
  grants(): Promise<readonly GrantRow[]>;
  revoke(id: string): Promise<void>;
  /** Adds a power of the page; `runner` carries it out. */
  provide(terms: PowerTerms, runner: PowerRunner): Promise<Outcome<void>>;
  /** Removes a power of the page and its grants. `power_unknown` */
  withdraw(name: string): Promise<Outcome<void>>;
  /**
   * Adds a tool, enabled; `runner` carries it out. A tool of the same name with another definition is removed first.
   */
  provideTool(definition: CapabilityDefinition, runner: PowerRunner): Promise<Outcome<CapabilityRow>>;
  capabilities(): Promise<readonly CapabilityRow[]>;
  start(request: StartRequest, proposer: Proposer, listener: RunListener): Promise<Outcome<void>>;
  /** Resumes an unfinished run from its records; with a ticket, takes it over from the kernel that writes it. */
  resume(
    run_id: string,
    model: ModelTerms,
    proposer: Proposer,
    listener: RunListener,
    takeOver?: string,
  ): Promise<Outcome<void>>;
  /** Cancels the takeover under this ticket. */
  giveUp(ticket: string): Promise<void>;
  readonly look: RunReader;
  command(run_id: string, command: KernelCommand): Promise<void>;
  /**
   * `option_invalid` for a task that is not text, `run_sealed` where the run ends before the task is recorded,
   * `run_open` where the run is released.
   */
  say(run_id: string, task: string): Promise<Outcome<void>>;
  abort(run_id: string, reason: string): Promise<void>;
  /** Closes a session: seals its run. */
  finish(run_id: string, message: string | undefined): Promise<void>;
  /** Ends the open call of a session. */
  cut(run_id: string, step: number): Promise<void>;
  /**
   * Records messages of a host that were turned away. False where the run takes no record any more, or is not written by
   * this kernel.
   */
  reject(run_id: string, rejection: HostRejection): Promise<boolean>;
  /** The decision that the gates would make about a proposal to a session now. `run_absent` */
  preview(run_id: string, proposal: Uint8Array): Promise<Outcome<Preview>>;
  /**
   * What a run that holds offers now, with the schemas in which every place of the arguments may be a handle. Undefined for
   * every other run.
   */
  offered(run_id: string): Promise<readonly CapabilityRow[] | undefined>;
  /** The same of a session that would begin now with these terms. `unknown_capability` */
  offering(terms: OfferTerms): Promise<Outcome<readonly CapabilityRow[] | undefined>>;
  /**
   * `option_invalid` for a malformed answer, `question_answered` for a late one; a code `assertion_*` for a yes whose
   * signature does not count, or that the grant wants signed: the question stays open.
   */
  answer(run_id: string, digest: string, answer: ApprovalAnswer): Promise<Outcome<void>>;
  /**
   * The question about a call as it would stand with these arguments, a JSON text. Nothing is written. Refuses as the gates
   * would, and with `edit_unavailable`, `question_answered`, `question_unknown` and `run_absent`.
   */
  edit(run_id: string, digest: string, args: string): Promise<Outcome<EditedQuestion>>;
  /** The run that asks this question, or has asked it; `question_unknown`. */
  asking(digest: string): Promise<Outcome<AskingRun>>;
  /** Telemetry of the run from `seq` on; waits until an event exists or the run is over. A person is told of held calls. */
  telemetry(run_id: string, seq: number, reader?: 'person'): Promise<TelemetryBatch>;
  runs(): Promise<Outcome<readonly RunRow[]>>;
  records(run_id: string): Promise<Outcome<readonly LedgerRecord[]>>;
  /** The search begins at record `upTo`, and else at the end of the run. */
  payload(run_id: string, sha256: string, upTo?: number): Promise<Outcome<Uint8Array | undefined>>;
  payloads(run_id: string, from: number): Promise<Outcome<PayloadPage>>;
  export(run_id: string, secrets: boolean): Promise<Outcome<string>>;
  checkpoint(origin: string | undefined): Promise<Outcome<TakenCheckpoint>>;
  fsck(checkpoint: string | undefined): Promise<Outcome<LogCheck>>;
  archive(run_id: string): Promise<Outcome<RunArchive>>;
  /** From here on `remove`, `replaceBy` and `destroy` refuse for a run that these options keep: `run_kept`. */
  keep(options: RetentionOptions): Promise<void>;
  remove(run_id: string): Promise<Outcome<Erasure>>;
  erase(run_id: string, options?: ErasureOptions): Promise<Outcome<Erasure>>;
  /** Values that capabilities of this name, or of all names, have stored. */
  stored(name?: string): Promise<Outcome<readonly StoredEntry[]>>;
  forgetStored(name: string): Promise<Outcome<Erasure>>;
  /** Sources that held values were handed to, by name. */
  handed(): Promise<Outcome<readonly HeldSource[]>>;
  /** Clears a source, for runs that begin from now on. `option_invalid` */
  clear(source: string): Promise<Outcome<void>>;
  /** Records the end of a message about a question. */
  notified(body: Extract<LogBody, { event: 'notified' }>): Promise<Outcome<void>>;
  backUp(take: BackupSink): Promise<Outcome<boolean>>;
  /** With `only`, verifies the backup and changes no data. */
  takeBack(backup: Blob, tell: BackupProgress, only?: 'tried'): Promise<Outcome<boolean>>;
  /**
   * Replaces the ledger by a backup and ends this kernel. False if ended by the caller. `backup_refused`, `store_busy`,
   * `run_kept`
   */
  replaceBy(backup: Blob, tell: BackupProgress): Promise<Outcome<boolean>>;
  /** Deletes the ledger and ends this kernel. `store_busy`, `run_kept` */
  destroy(): Promise<Outcome<void>>;
  storage(): Promise<StorageStatus>;
  /** Called when the page is hidden and may not come back. */
  settle(): Promise<void>;
  /** Ends each run where none of its calls is under way, and resolves when all have ended. */
  drain(): Promise<void>;
  /** Lets each open run go behind the step at work, without a seal, and opens none any more. `close` cuts that step. */
  suspend(): Promise<void>;
  close(): Promise<void>;
}
