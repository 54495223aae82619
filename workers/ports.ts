import type { Checked } from '../core/capability/check.ts';
import type { PowerAnswer } from '../core/capability/power.ts';
import type { GuestError } from '../core/errors/details.ts';
import type { JsonObject } from '../core/json/value.ts';
import type { AnswerFacts, LedgerRecord } from '../core/ledger/record.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ModelRequest, RunView, StorageStatus } from './api.ts';
import type { Signer } from './audit/checkpoint.ts';
import type { KeepingSandboxPort, SandboxPort } from './sandbox/port.ts';
import type { Neighbours } from './store/peer-channel.ts';
import type { Claim } from './store/run-claims.ts';
import type { LedgerStore } from './store/store.ts';

/** What the interpreter of effects needs of the world. Each has a real implementation per platform and no other. */
export interface Ports {
  readonly store: LedgerStore;
  readonly sandbox: KeepingSandboxPort;
  readonly schemas: SchemaPort;
  /** The key that signs checkpoints; resolves to nothing where the platform cannot make one. */
  readonly signer?: () => Promise<Signer | undefined>;
  /** Makes this kernel the one writer of a run until it gives it free, or lives no more. */
  readonly claim: Claim;
  /** Runs that any kernel on the same store writes; absent where there is one. */
  readonly held?: () => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** Other kernels on the same store; absent where there are none. */
  readonly neighbours?: Neighbours;
  /** Keeps other kernels on the same store from changing content until it is released; absent where there are none. */
  readonly exclusive?: () => Promise<() => void>;
  /** Which epoch of the log it is; 1 where nothing says otherwise. */
  readonly epoch?: () => number;
  readonly storage?: () => StorageStatus;
  /** The page hides: what waits for a better moment is written now. */
  readonly settle?: () => Promise<void>;
  /** Integer ms since epoch. */
  readonly now: () => number;
  /** In [0, 1): what the power `random` gives, and its call's record keeps. */
  readonly random: () => number;
  /** 128 random bits as hex. */
  readonly nonce: () => string;
}

/** Others than a kernel's, closed after use. */
export type OpenSandboxes = () => Promise<{ readonly sandbox: SandboxPort; readonly schemas: SchemaPort }>;

/** Validators of schemas that are registered at run time. They are code of a stranger and run where they can be bounded. */
export interface SchemaPort {
  /** Judges and compiles, or says what in the schema is refused and why. The answer is the schema's hash. */
  register(schema: JsonObject): Promise<Outcome<string>>;
  check(hash: string, text: string): Promise<Checked>;
}

/** Whoever proposes, as the kernel sees it: an answer is a value, also when there is none. */
export interface Proposer {
  propose(request: ModelRequest, step: number): Promise<Proposed>;
  cancel(): void;
}

/** Why there is no answer. Without `retryable` the same request would fail again. */
export interface Unanswered {
  readonly failed: 'model_exhausted' | 'model_failed';
  readonly error: GuestError;
  readonly retryable?: true;
  readonly afterMs?: number;
  readonly said?: string;
}

export type Proposed = ({ readonly text: string | Uint8Array } & AnswerFacts) | Unanswered;

/** Whoever carries out one power: a function of the page's behind a message port. An answer is a value, also a failure. */
export interface PowerRunner {
  /** `id` names this one use, for `cancel`; `args` is the canonical text of its one argument. */
  carryOut(id: string, args: string): Promise<PowerAnswer>;
  /** The answer is no longer wanted. */
  cancel(id: string): void;
}

/** Told after each change: the new view, and the records that have become durable since the last time. */
export type RunListener = (update: { readonly view: RunView; readonly records: readonly LedgerRecord[] }) => void;
