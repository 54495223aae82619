import type { Peers } from './peer-channel.ts';
import type { Claim } from './run-claims.ts';
import type { LedgerStore } from './store.ts';

/** A store that several kernels have open at once, with their locks and messages. */
export interface SharedStore extends LedgerStore {
  /** Makes this store the only writer of a run until it releases the claim or closes. */
  readonly claim: Claim;
  /** Runs that a store on the same log writes, this store included. */
  readonly held: () => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  readonly peers: Peers;
  /** Blocks content changes by other stores on the same log until released. */
  readonly exclusive: () => Promise<() => void>;
}
