import type {
  CallInput,
  CallStep,
  EngineSource,
  GivenImage,
  ParkedCall,
  PowerAnswer,
  RealmLimits,
  RealmOutcome,
  RealmSource,
} from '../../sandbox/index.ts';
import type { Crossed } from '../lock/realm-port.ts';
import type { GuestCapability, LoadedImage } from './port.ts';

/** First message to a sandbox worker, from the page or the owning thread: the engine, and the end of a channel. */
export interface SandboxStart {
  readonly engine: EngineSource;
  readonly port: MessagePort;
}

/**
 * Methods of a sandbox worker. Every answer comes at the end of a turn of guest code. The worker itself sends no
 * requests; it only tells whose time a part of the turn is (`GUEST_RUNS`, `HOST_WORKS`).
 */
export interface SandboxRemote {
  /** Resolves when its engine is compiled. */
  ready(): Promise<void>;
  /** Loads sources without making an image of any. */
  check(sources: readonly GuestCapability[]): Promise<readonly Crossed<void>[]>;
  /** Starts from the image where one is given, or builds it. A refused image costs only a build. */
  load(capability: GuestCapability, image?: GivenImage): Promise<Crossed<LoadedImage>>;
  /** Starts a call. `call` is its number, chosen by the owner. */
  begin(call: number, hash: string, args: string, input: CallInput): Promise<CallStep>;
  resume(call: number, ticket: number, answer: PowerAnswer): Promise<CallStep>;
  /** Undefined where the call is too large to be stored: it stays in the worker. */
  park(call: number): Promise<ParkedCall | undefined>;
  unpark(call: number, hash: string, parked: ParkedCall, digest: string): Promise<CallStep>;
  /** Drops a waiting call. */
  drop(call: number): Promise<void>;
  /** Realms that are not capabilities, for example the realms of schemas. */
  buildRealm(id: string, source: RealmSource, limits: RealmLimits, image?: GivenImage): Promise<Crossed<LoadedImage>>;
  callRealm(id: string, entry: string, text: string): Promise<RealmOutcome>;
  /** Forgets a realm and its image. */
  dropRealm(id: string): Promise<void>;
}

/**
 * Messages of a sandbox worker to its owner within a turn. Guest code may run from the first on; with the second the
 * worker itself works, for example on the hash of a heap, which is no time of the guest.
 */
export const GUEST_RUNS = 'guest runs';
export const HOST_WORKS = 'host works';
