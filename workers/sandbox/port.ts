import type { CallSettled } from '../../core/capability/call.ts';
import type { CallLimits } from '../../core/limits.ts';
import type { GivenImage, ParkedCall, StoredImage } from '../../sandbox/index.ts';

/** A capability as the sandbox needs it. */
export interface GuestCapability {
  /** Hash of the whole definition, by which calls name the capability. */
  readonly hash: string;
  readonly name: string;
  readonly source: string;
  readonly powers: readonly string[];
  readonly limits: CallLimits;
  /** Finds the image of an earlier visit; called by the first load. A refused image costs only a build. */
  image?(): Promise<GivenImage | undefined>;
}

/** Image that the calls of a realm start from. */
export interface LoadedImage {
  readonly imageHash: string;
  /** The image, where it was built now: for a cache, and for the next workers. */
  readonly built?: StoredImage;
}

/** A single call. Every member is recorded, so that the call can be repeated. */
export interface CallRequest {
  /** Hash of a loaded capability. */
  readonly hash: string;
  /** JSON text. */
  readonly args: string;
  /** Seeds the guest's `Math.random`. */
  readonly seed: number;
  /** Time of the guest's clock, in ms since epoch. The clock stands still. */
  readonly now: number;
  /** Also hashes the heap after the call; costs milliseconds. */
  readonly heapHash?: boolean;
  /** Lets an async guest stopped by a limit report its position. A call with this flag is never recorded. */
  readonly trace?: boolean;
  /**
   * The run that is charged with a hang: its next call may wait, and it starts no capability again that hung. Calls
   * without a run are charged together, and only wait.
   */
  readonly scope?: string;
  /** Less fuel than the capability's limit, for the repetition of a recorded call, whose use is known. */
  readonly fuelMax?: number;
}

/**
 * Carries out a power. It gets the array of arguments and returns the result, both as JSON text. A rejection reaches
 * the guest as an `Error` with the same name and message; if the guest does not catch it, the call ends as `power`.
 * `ticket` counts the call's power requests from 1, in their order; a parked call repeats a request with the same
 * ticket.
 */
export type CarryOut = (name: string, args: string, ticket: number) => Promise<string>;

export interface RunningCall {
  /** Never rejects: every end of a call is a value. */
  readonly settled: Promise<CallSettled>;
  /** Ends the call as `aborted`, at once; a running guest is killed with its worker a moment later. */
  abort(): void;
}

/** The sandbox as the runtime sees it, in whichever realm it runs. */
export interface SandboxPort {
  /**
   * Runs the source's top-level code once and makes no image. Rejects with a `SallyportError` when the source cannot be
   * loaded.
   */
  check(capability: GuestCapability): Promise<void>;
  /** Builds the capability's image, or finds it. Rejects with a `SallyportError` when the source cannot be loaded. */
  load(capability: GuestCapability): Promise<LoadedImage>;
  /** Starts a call on a pristine heap. */
  call(request: CallRequest, powers?: CarryOut): RunningCall;
  close(): Promise<void>;
}

export interface ParkableCall extends RunningCall {
  /**
   * Takes the call out of the sandbox once it waits for a power; `settled` then stays open, and later answers are
   * dropped. Undefined when the call has ended before it waited, or is too large to be stored (`PARKED_BYTES`) and
   * waits on in the sandbox.
   */
  park(): Promise<ParkedCall | undefined>;
}

/** A parked call of a loaded capability, and the digest of its heap, which was stored apart. */
export interface ResumeRequest extends Pick<CallRequest, 'hash' | 'scope'> {
  readonly parked: ParkedCall;
  readonly digest: string;
}

/** A sandbox whose waiting calls can be taken out as data, and put back after a restart. */
export interface PersistentSandboxPort extends SandboxPort {
  call(request: CallRequest, powers?: CarryOut): ParkableCall;
  /** Continues a parked call of a loaded capability. Its open requests are sent to `powers` again. */
  resume(request: ResumeRequest, powers?: CarryOut): ParkableCall;
}

/** Why a worker ended by itself. */
export interface WorkerEnd {
  readonly isMemory: boolean;
  readonly reason: string;
}

/** A started sandbox worker: the end of its channel, and the only way to stop a guest in a native loop. */
export interface Spawned {
  readonly port: MessagePort;
  terminate(): unknown;
  /** Lets the process end while the worker is idle; called when the port is listened to. */
  rest?(): void;
  /** Resolves when the worker ends by itself: it could not start, its memory ran out, or it failed. */
  readonly ended?: Promise<WorkerEnd>;
}

/**
 * Starts sandbox workers. In the browser only the page can, because the kernel's own lock forbids it workers; in Node
 * it is `worker_threads`.
 */
export interface Spawn {
  spawn(): Promise<Spawned>;
}
