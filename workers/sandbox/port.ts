import type { CallSettled } from '../../core/capability/call.ts';
import type { CallLimits } from '../../core/limits.ts';
import type { ParkedCall, StoredImage } from '../../sandbox/index.ts';

/** A capability as the sandbox needs it. */
export interface GuestCapability {
  /** Hash of the whole definition: the name under which it is called. */
  readonly hash: string;
  readonly name: string;
  readonly source: string;
  readonly powers: readonly string[];
  readonly limits: CallLimits;
  /** The image of an earlier load. A refused image costs only a build. */
  readonly image?: KeptImage;
}

/** An image that was kept, and its digest, which was kept where the image was not. */
export interface KeptImage {
  readonly stored: StoredImage;
  readonly digest: string;
}

/** A single call. Every member is recorded, so that the call can be repeated. */
export interface CallRequest {
  /** Hash of a loaded capability. */
  readonly hash: string;
  /** JSON text. */
  readonly args: string;
  /** Seeds the guest's `Math.random`. */
  readonly seed: number;
  /** ms since epoch: the guest's clock stands still at it. */
  readonly now: number;
  /** Also hash the heap as the call leaves it; costs milliseconds. */
  readonly heapHash?: boolean;
  /** Lets an async guest stopped by a limit report its position. A call with this flag is never recorded. */
  readonly trace?: boolean;
  /** Less fuel than the capability's limit, for the repetition of a recorded call, whose use is known. */
  readonly fuelMax?: number;
}

/**
 * Carries out a power: JSON text of the array of arguments in, JSON text of the result out. A rejection reaches the
 * guest as an `Error` with the same name and message; left uncaught there, it ends the call as `power`. `ticket` counts
 * the call's power calls from 1, in the order the guest asked in; a call that was parked asks again with the same.
 */
export type CarryOut = (name: string, args: string, ticket: number) => Promise<string>;

export interface RunningCall {
  /** Never rejects: every way a call can end is a value. */
  readonly settled: Promise<CallSettled>;
  /** Ends the call as `aborted`, at once; a guest that is running is killed with its worker a moment later. */
  abort(): void;
}

/** The sandbox as the rest of the runtime sees it, wherever it runs. */
export interface SandboxPort {
  /** Builds the capability's image, or finds it. Rejects with a `SallyportError` when the source cannot be loaded. */
  load(capability: GuestCapability): Promise<{ readonly imageHash: string; readonly adopted?: boolean }>;
  /** Starts a call on a pristine heap. */
  call(request: CallRequest, powers?: CarryOut): RunningCall;
  close(): Promise<void>;
}

export interface ParkableCall extends RunningCall {
  /**
   * Takes the call out of the sandbox once it waits for a power; `settled` stays open then, and answers that are still
   * to come are not wanted any more. Undefined when the call has ended before it came to wait, or is too much to be
   * kept (`PARKED_BYTES`) and waits on in the sandbox.
   */
  park(): Promise<ParkedCall | undefined>;
}

/** A sandbox from which images and calls that wait can be taken out as data, and put back after a restart. */
export interface KeepingSandboxPort extends SandboxPort {
  call(request: CallRequest, powers?: CarryOut): ParkableCall;
  /** Goes on with a parked call of a loaded capability. Its open questions are put to `powers` once more. */
  resume(hash: string, parked: ParkedCall, digest: string, powers?: CarryOut): ParkableCall;
  /** The image of a loaded capability, to be kept. */
  image(hash: string): Promise<StoredImage>;
}

/** A sandbox worker: the end of a channel to it, and the only way to stop a guest in a native loop. */
export interface Spawned {
  readonly port: MessagePort;
  terminate(): unknown;
  /** Lets the process end while the worker is idle; called when the port is listened to. */
  rest?(): void;
  /** Resolves when the worker ends by itself: it could not start, or its memory ran out. */
  readonly ended?: Promise<string>;
}

/**
 * Makes sandbox workers. In the browser only the page can, because the kernel's own lock forbids it workers; in Node it
 * is `worker_threads`.
 */
export interface Spawn {
  spawn(): Promise<Spawned>;
}
