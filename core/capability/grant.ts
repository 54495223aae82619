import type { JsonObject } from '../json/value.ts';
import type { Label } from './guard.ts';

/** Permission to call one definition of a capability. A changed definition has another hash and no grant. */
export interface Grant {
  /** Hash of the grant's terms. Records name the grant by it, and its uses are counted under it. */
  readonly id: string;
  readonly capability: string;
  readonly capability_hash: string;
  readonly mode: 'allow' | 'ask' | 'deny';
  /**
   * JSON Schema that narrows the capability's own; both must accept. A denial with `where` denies only the arguments
   * that it accepts.
   */
  readonly where?: JsonObject;
  /** Hash of `where`, by which its validator is found. */
  readonly where_hash?: string;
  /** Only these very arguments: hash of their canonical text. */
  readonly args_hash?: string;
  readonly uses?: number;
  /** Integer ms since epoch; from this moment on the grant is void. */
  readonly expires?: number;
  /**
   * Digest of the question that a person answered with this grant: a standing answer. It is of one run, and void when
   * that run ends. Two answers are two grants, each with its own count, though their terms be the same.
   */
  readonly answer?: string;
  /**
   * Id of the grant that asked. Each use of a standing answer is also a use of its parent, and a standing answer ends
   * with its parent.
   */
  readonly parent?: string;
  /** Run of the question that was answered. */
  readonly run?: string;
  /** Labels of the data read when the person answered, sorted: the guard asks again about labels that came later. */
  readonly labels?: readonly Label[];
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
