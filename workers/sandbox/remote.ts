import type { CallLimits, Details } from '../../core/index.ts';
import type {
  CallInput,
  CallStep,
  EngineSource,
  PowerAnswer,
  RealmLimits,
  RealmOutcome,
  RealmSource,
} from '../../sandbox/index.ts';

/** What the page or the owning thread sends a sandbox worker first: the engine, and the end of a channel. */
export interface SandboxStart {
  readonly engine: EngineSource;
  readonly port: MessagePort;
}

/** Comlink keeps only the message of an error that is thrown across it; a `SallyportError` crosses as a value. */
export type Loading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Misused };

export interface Misused {
  readonly code: string;
  readonly message: string;
  readonly details: Details;
  readonly line?: number;
  readonly column?: number;
}

export interface RemoteCapability {
  readonly hash: string;
  readonly name: string;
  readonly source: string;
  readonly powers: readonly string[];
  readonly limits: CallLimits;
}

/**
 * What a sandbox worker answers. Every answer comes at the end of one turn of guest code; the worker asks nothing and
 * calls nobody.
 */
export interface SandboxRemote {
  load(capability: RemoteCapability): Promise<Loading<{ imageHash: string }>>;
  /** `call` is the owner's number for it. */
  begin(call: number, hash: string, args: string, input: CallInput): Promise<CallStep>;
  resume(call: number, ticket: number, answer: PowerAnswer): Promise<CallStep>;
  /** Gives up a call that waits. */
  drop(call: number): Promise<void>;
  /** Realms that are not capabilities, such as those of schemas. */
  buildRealm(id: string, source: RealmSource, limits: RealmLimits): Promise<Loading<{ imageHash: string }>>;
  callRealm(id: string, entry: string, text: string): Promise<RealmOutcome>;
}
