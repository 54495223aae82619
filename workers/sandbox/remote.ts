import type { Details } from '../../core/errors/details.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import type {
  CallInput,
  CallStep,
  EngineSource,
  ParkedCall,
  PowerAnswer,
  RealmLimits,
  RealmOutcome,
  RealmSource,
  StoredImage,
} from '../../sandbox/index.ts';
import type { GuestCapability } from './port.ts';

/** First message to a sandbox worker, from the page or the owning thread: the engine, and the end of a channel. */
export interface SandboxStart {
  readonly engine: EngineSource;
  readonly port: MessagePort;
}

/** A port keeps only the message of an error that is thrown across it; a `SallyportError` crosses as a value. */
export type LoadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: MisuseData };

export interface MisuseData {
  readonly code: SallyportError['code'];
  readonly message: string;
  readonly details: Details;
  readonly line?: number;
  readonly column?: number;
}

/** The result of `load`, with its `SallyportError` as data. */
export async function loading<T>(load: () => Promise<T>): Promise<LoadResult<T>> {
  try {
    return { ok: true, value: await load() };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    const { code, message, details, line, column } = error;
    const at = line === undefined || column === undefined ? {} : { line, column };
    return { ok: false, error: { code, message, details, ...at } };
  }
}

/** The value of a result. Throws its `SallyportError`. */
export function taken<T>(loaded: LoadResult<T>): T {
  if (loaded.ok) return loaded.value;
  const { code, message, details, ...at } = loaded.error;
  throw new SallyportError(code, message, details, at);
}

/** Image that the calls of a capability start from: newly built, or cached and whole. */
export interface LoadedImage {
  readonly imageHash: string;
  readonly adopted?: boolean;
}

/**
 * Methods of a sandbox worker. Every answer comes at the end of a turn of guest code. The worker itself sends no
 * requests; it only tells whose time a part of the turn is (`turn-watch.ts`).
 */
export interface SandboxRemote {
  /** Resolves when its engine is compiled. */
  ready(): Promise<void>;
  /** Loads sources without making an image of any. */
  check(sources: readonly GuestCapability[]): Promise<readonly LoadResult<void>[]>;
  load(capability: GuestCapability): Promise<LoadResult<LoadedImage>>;
  /** Starts a call. `call` is its number, chosen by the owner. */
  begin(call: number, hash: string, args: string, input: CallInput): Promise<CallStep>;
  resume(call: number, ticket: number, answer: PowerAnswer): Promise<CallStep>;
  /** Undefined where the call is too large to be stored: it stays in the worker. */
  park(call: number): Promise<ParkedCall | undefined>;
  unpark(call: number, hash: string, parked: ParkedCall, digest: string): Promise<CallStep>;
  image(hash: string): Promise<StoredImage>;
  /** Drops a waiting call. */
  drop(call: number): Promise<void>;
  /** Realms that are not capabilities, for example the realms of schemas. */
  buildRealm(id: string, source: RealmSource, limits: RealmLimits): Promise<LoadResult<{ imageHash: string }>>;
  callRealm(id: string, entry: string, text: string): Promise<RealmOutcome>;
  /** Forgets a realm and its image. */
  dropRealm(id: string): Promise<void>;
}
