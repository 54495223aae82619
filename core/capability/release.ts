import { refuse } from '../errors/option.ts';
import type { Refused } from '../outcome.ts';
import { releaseBits } from '../schema/release.ts';
import type { Capability } from './capability.ts';
import { GRANT_TERMS, type GrantUse, type GrantUses, NO_USE, type ReleaseTerm } from './grant-terms.ts';
import type { Grant, Policy } from './policy.ts';

/** Bits that a call asks of grants before it starts, and what all runs had charged to each of them by then. */
export interface Charges {
  /** Cost of the call: of the values that its result can have, and of none. */
  readonly bits: number;
  readonly grants: readonly { readonly grant: string; readonly before: number }[];
}

/** A call whose small result is told to the model: its bits are charged, and whatever goes wrong is one value. */
export interface ReleasedCall {
  readonly bits: number;
  /** Ids of the grants that are charged, and that alone may permit the call. */
  readonly grants: readonly string[];
  /** Labels that the result does not bring into the context. */
  readonly drops?: ReleaseTerm['drops'];
}

/** The result that a model is told where a release has no value, whatever the reason. */
export const NO_RELEASE = 'no_release';

/** Bits of a call of this definition; undefined for one that is never released. */
function releaseCost({ manifest: { host, result } }: Capability): number | undefined {
  return host === undefined && result !== undefined ? releaseBits(result) : undefined;
}

/** The refusal of a grant with `release` for a subject that no grant releases; undefined for every other grant. */
export function releaseFault(
  { release }: { readonly release?: ReleaseTerm },
  subject: Pick<Capability, 'manifest'> | { readonly manifest: object },
): Refused | undefined {
  if (release === undefined) return undefined;
  const wrong = (wants: string) => refuse('option_invalid', { name: 'release', wants });
  const { manifest } = subject as Capability;
  if (manifest.host !== undefined || manifest.source === undefined)
    return wrong('a capability in the sandbox: what a tool or a power of the program answers is not released');
  return releaseCost(subject as Capability) === undefined ? wrong(SMALL) : undefined;
}

const SMALL =
  'a capability whose result schema has few values: a boolean, enum or const of scalars, an integer with minimum and maximum, a date, or a closed object of these, of 64 bits at most';

/** The facts by which it is known which grants a call could be released by. No value takes part. */
interface ReleaseFacts {
  readonly policy: Policy;
  readonly used: GrantUses;
  /** Integer ms of the proposal. */
  readonly now: number;
}

/**
 * The grants that a call of this definition asks for its bits; undefined for a call that is not released. A standing answer
 * is charged to its parent. A definition that is disabled, or denied whatever the arguments are, is decided in the open.
 */
export function releasingGrants(
  { policy, used, now }: ReleaseFacts,
  capability: Capability,
): { readonly bits: number; readonly grants: readonly Grant[] } | undefined {
  const own = policy.grants.filter(({ capability_hash }) => capability_hash === capability.hash);
  if (own.every(({ release }) => release === undefined) || !policy.enabled.has(capability.hash)) return undefined;
  const bits = releaseCost(capability);
  const isDenied = own.some(
    ({ mode, where, expires }) => mode === 'deny' && where === undefined && (expires === undefined || now < expires),
  );
  if (bits === undefined || isDenied) return undefined;
  const grants = own.filter(
    (grant) =>
      grant.mode !== 'deny' &&
      grant.parent === undefined &&
      grant.release !== undefined &&
      isOpen(grant, used.get(grant.id) ?? NO_USE, now),
  );
  return grants.length === 0 ? undefined : { bits, grants };
}

/** The release that these grants make of a call; undefined where none of them has its bits left. */
export function releaseBy(
  grants: readonly Grant[],
  bits: number,
  before: ReadonlyMap<string, number>,
): ReleasedCall | undefined {
  const charged = grants.filter(({ id, release }) => hasRoom(before.get(id) ?? 0, bits, release?.bits ?? 0));
  if (charged.length === 0) return undefined;
  // which of them will permit the call may follow from held values
  const drops = charged.every(({ release }) => release?.drops !== undefined);
  return { bits, grants: charged.map(({ id }) => id), ...(drops && { drops: DROPS }) };
}

const DROPS = ['untrusted'] as const;

/** True where a grant of so many bits, of which some were charged before, has the bits of a call left. */
export function hasRoom(before: number, bits: number, limit: number): boolean {
  return before + bits <= limit;
}

/** True for a grant whose terms are met as far as no argument takes part. */
export function isOpen(grant: Grant, use: GrantUse, now: number): boolean {
  const facts = { now, use, holds: new Map<string, boolean>(), isExact: () => true };
  return (['expires', 'uses', 'rate'] as const).every(
    (term) => grant[term] === undefined || GRANT_TERMS[term].held?.miss(grant, facts) === undefined,
  );
}
