import type { GrantTerms } from './grant-terms.ts';

/**
 * Permission to call one definition of a capability. A changed definition has another hash and no grant. A grant with
 * `parent` is a person's standing answer.
 */
export interface Grant extends GrantTerms {
  /** Hash of the grant's terms. Records name the grant by it, and its uses are counted under it. */
  readonly id: string;
  readonly capability: string;
  readonly capability_hash: string;
  /** Hash of `where`, by which its validator is found. */
  readonly where_hash?: string;
}

/** Permissions of a run: deny by default. `grants` stand in canonical order, so the order of rules never matters. */
export interface Policy {
  readonly hash: string;
  /** Whether the trifecta guard is on. */
  readonly guarded: boolean;
  /** Hashes of the capabilities that are enabled. */
  readonly enabled: ReadonlySet<string>;
  readonly grants: readonly Grant[];
  /**
   * Name of the external rules that must permit a call too. The program vouches for the name, for example a hash of the
   * rules.
   */
  readonly authorizer?: string;
  /** Canonical text of enabled hashes and grants: enough to make a decision again. */
  readonly text: string;
}
