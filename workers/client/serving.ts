import type { PayloadRef } from '../../core/ledger/payload-ref.ts';
import type { CapabilityRow, Run, Runtime, RuntimeOptions, Session } from '../api.ts';

/** Parts of a runtime that a server of its tools needs beside the public interface. */
interface ServingParts {
  readonly approve?: RuntimeOptions['approve'];
  /**
   * What a session that would begin now offers, with handles in the arguments; undefined where it would hold no result.
   * Rejects with `unknown_capability`.
   */
  readonly offering: (offer: readonly string[]) => Promise<readonly CapabilityRow[] | undefined>;
  /** Has the listener called after each change of the capabilities. Returns a function that ends this. */
  readonly changed: (listener: () => void) => () => void;
}

const parts = new WeakMap<object, ServingParts>();

/** The parts of a runtime that `openClient` has opened; undefined for any other object. */
export function servingParts(runtime: Runtime): ServingParts | undefined {
  return parts.get(runtime);
}

export function keepServingParts(runtime: Runtime, kept: ServingParts): Runtime {
  parts.set(runtime, kept);
  return runtime;
}

/** Reads the stored bytes of a payload of a session, its salt included. */
export type PayloadReader = (ref: Pick<PayloadRef, 'sha256'>) => Promise<Uint8Array | undefined>;

const readers = new WeakMap<Run, PayloadReader>();

/** The reader of this session's payloads; it finds none for an object that no runtime has opened. */
export function payloadsOf({ run }: Pick<Session, 'run'>): PayloadReader {
  return readers.get(run) ?? (async () => undefined);
}

export function keepPayloads(run: Run, reader: PayloadReader): void {
  readers.set(run, reader);
}
