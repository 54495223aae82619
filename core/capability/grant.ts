import type { JsonObject } from '../json/value.ts';

/** Permission to call one definition of a capability. A changed definition has another hash and no grant. */
export interface Grant {
  /** Hash of its terms: its name in records, and what its uses are counted under. */
  readonly id: string;
  readonly capability: string;
  readonly capability_hash: string;
  readonly mode: 'allow' | 'ask' | 'deny';
  /** JSON Schema that narrows the capability's own; both must accept. A denial with `where` denies only those. */
  readonly where?: JsonObject;
  /** Hash of `where`, by which its validator is found. */
  readonly where_hash?: string;
  /** Only these very arguments: hash of their canonical text. */
  readonly args_hash?: string;
  readonly uses?: number;
  /** Integer ms since epoch; from this moment on the grant is void. */
  readonly expires?: number;
  /**
   * Digest of the question a person answered with this grant: it is of this run, and void when it ends. Two answers are
   * two grants, each with its own count, though their terms be the same.
   */
  readonly answer?: string;
}

/** What a run may do: deny by default. `grants` stand in canonical order, so the order of rules never matters. */
export interface Policy {
  readonly hash: string;
  /** Whether the trifecta guard is on. */
  readonly guarded: boolean;
  /** Hashes of the capabilities that are enabled. */
  readonly enabled: ReadonlySet<string>;
  readonly grants: readonly Grant[];
  /** Which rules of somebody else's have to permit a call, too: a name its program vouches for, such as their hash. */
  readonly authorizer?: string;
  /** Canonical text of enabled hashes and grants: what a decision can be made from again. */
  readonly text: string;
}
