import type { Grant } from '../../capability/policy.ts';
import { addGrant } from '../../capability/policy.ts';
import { saltIn } from '../../ledger/salt.ts';
import type { Payload } from '../effect.ts';
import type { OpenCall } from '../open-step.ts';
import { saltedPayload } from '../payload.ts';
import type { RunState } from '../state.ts';

/**
 * Hashes of secret arguments in the grants for exactly these arguments. A grant's hash of secret arguments has the salt
 * of the step in which a person gave the grant. A grant whose salt is missing permits no call.
 */
export function exactHashes(
  { policy, salts }: RunState,
  subject: string,
  { argsText }: Pick<OpenCall, 'argsText'>,
): ReadonlySet<string> {
  if (salts.size === 0) return NONE;
  const hashes = policy.grants.flatMap(({ capability_hash, args_hash }) =>
    capability_hash === subject && args_hash !== undefined ? [args_hash] : [],
  );
  return new Set(hashes.filter((hash) => isOf(salts.get(hash), argsText, hash)));
}

const NONE: ReadonlySet<string> = new Set();

function isOf(salt: string | undefined, argsText: string, hash: string): boolean {
  return salt !== undefined && saltedPayload(salt, argsText).ref.sha256 === hash;
}

/** The arguments of a question; their bytes may be missing. */
type QuestionArguments = Pick<Payload, 'ref'> & { readonly bytes: Uint8Array | undefined };

/** The run with a standing answer that a person has given; for secret arguments, with their salt. */
export function withGrant(state: RunState, grant: Grant | undefined, args: QuestionArguments | undefined): RunState {
  if (grant === undefined) return state;
  const parents = grant.parent === undefined ? state.parents : new Map(state.parents).set(grant.id, grant.parent);
  const permitted = { ...state, parents, policy: addGrant(state.policy, grant) };
  const salt = args && saltIn(args.ref, args.bytes);
  if (grant.args_hash === undefined || salt === undefined || grant.args_hash !== args?.ref.sha256) return permitted;
  return { ...permitted, salts: new Map(state.salts).set(grant.args_hash, salt) };
}
