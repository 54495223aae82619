import type { ToolContext } from '../core/capability/author.ts';
import type { SchemaVerdict } from '../core/capability/check.ts';
import type { HostAnswer } from '../core/capability/power.ts';
import type { GuestError } from '../core/errors/details.ts';
import type { JsonObject } from '../core/json/value.ts';
import type { AnswerFacts } from '../core/ledger/kinds/step.ts';
import type { LedgerRecord } from '../core/ledger/record.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Payload } from '../core/run/effect.ts';
import type { StoredImage } from '../sandbox/index.ts';
import type { ModelRequest, RunView, StorageStatus } from './api.ts';
import type { Signer } from './auditor/checkpoint.ts';
import type { PersistentSandboxPort, SandboxPort } from './sandbox/port.ts';
import type { Peers } from './store/peer-channel.ts';
import type { Claim } from './store/shared-store.ts';
import type { LedgerStore } from './store/store.ts';

/** Access of the effect interpreter to the platform. Each platform has a single implementation. */
export interface Ports {
  readonly store: LedgerStore;
  readonly sandbox: PersistentSandboxPort;
  readonly schemas: SchemaPort;
  /** Key that signs checkpoints; undefined where the platform cannot make a key. */
  readonly signer?: () => Promise<Signer | undefined>;
  /** Makes this kernel the only writer of a run until it releases the run or ends. */
  readonly claim: Claim;
  /** Runs that any kernel on the same store writes; absent where a store has a single kernel. */
  readonly held?: () => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** Other kernels on the same store; absent where a store has a single kernel. */
  readonly peers?: Peers;
  /**
   * Blocks content changes by other kernels on the same store until released; absent where a store has a single kernel.
   */
  readonly exclusive?: () => Promise<() => void>;
  /** Epoch of the log; absent means 1. */
  readonly epoch?: () => number;
  readonly storage?: () => StorageStatus;
  /** Called when the page is hidden: the store writes its deferred data now. */
  readonly settle?: () => Promise<void>;
  /** Integer ms since epoch. */
  readonly now: () => number;
  /** Number in [0, 1) for the power `random`; the record of the call keeps it. */
  readonly random: () => number;
  /** 128 random bits as hex. */
  readonly nonce: () => string;
}

/** Opens sandboxes apart from the kernel's own; the caller closes them after use. */
export type OpenSandboxes = () => Promise<{ readonly sandbox: SandboxPort; readonly schemas: SchemaPort }>;

/** Validators of schemas that are registered at run time. They are a stranger's code and run in a bounded realm. */
export interface SchemaPort {
  /** Starts the compiler in the background, ahead of the first schema. */
  warm?(): void;
  /**
   * Checks a schema's bounds, keywords and references. Returns its hash, or the refusal with the offending part of the
   * schema. The first check compiles it.
   */
  register(schema: JsonObject): Promise<Outcome<string>>;
  /**
   * Verdicts on a JSON text, by the hash of the schema: all of them in a single call of a realm. `later` are schemas
   * that are only compiled: they have a verdict where they do not compile.
   */
  check(
    schemas: readonly string[],
    text: string,
    later?: readonly string[],
  ): Promise<ReadonlyMap<string, SchemaVerdict>>;
}

/** A model as the kernel sees it: every answer is a value, a failure included. */
export interface Proposer {
  propose(request: ModelRequest, step: number): Promise<ModelAnswer>;
  cancel(): void;
}

/** Failure of a model to answer. Without `retryable`, the same request would fail again. */
export interface ModelFailure {
  readonly failed: 'model_exhausted' | 'model_failed';
  readonly error: GuestError;
  readonly retryable?: true;
  readonly afterMs?: number;
  readonly said?: string;
}

/** `goal`: the purpose that the caller of a session states. `wire`: the message of a host that held the call. */
export type ModelAnswer =
  | ({
      readonly text: string | Uint8Array;
      readonly goal?: string;
      readonly providerData?: string;
      readonly wire?: Uint8Array;
    } & AnswerFacts)
  | ModelFailure;

/** Where a use of a power or a tool stands in the ledger; `ticket` for one that guest code asked for. */
export interface PowerUse extends Pick<ToolContext, 'step_id' | 'ticket'> {
  /** The call takes an earlier one back: the tool's `revert` carries it out. */
  readonly reverts?: true;
}

/**
 * Runs a single power or tool: a function of the page behind a message port. Every answer is a value, a failure
 * included.
 */
export interface PowerRunner {
  /** `id` names this use for `cancel`; `args` is the canonical text of the single argument. */
  carryOut(id: string, args: string, use: PowerUse): Promise<HostAnswer>;
  /** Withdraws the use: its answer is ignored. */
  cancel(id: string): void;
}

/** Called after each change with the new view, and with the records that have become durable since the last call. */
export type RunListener = (update: RunUpdate) => void;

export interface RunUpdate {
  readonly view: RunView;
  readonly records: readonly LedgerRecord[];
  /**
   * Texts that the records name. Of a session: the result and the reply, whole. Of any other run: the texts that are no
   * secret, within a bound. A reader asks the ledger for each other text.
   */
  readonly texts?: readonly Payload[];
}

/** Receives the share of a long opening that is done, from 0 to 1. */
export type TellShare = (share: number) => unknown;

/** Store of the keys of accepted sources between two visits. */
export interface SourceStore {
  keys(): Promise<readonly string[]>;
  add(key: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Store of images between two visits. A missing or unreadable image is built again. */
export interface ImageStore {
  get(capability_hash: string): Promise<StoredImage | undefined>;
  put(capability_hash: string, image: StoredImage): Promise<void>;
}
