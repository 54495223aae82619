import { isTaken, type Revocation, revoke } from '../../capability/policy.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import type { Bodies } from '../../ledger/record.ts';
import type { RunState, RunStatus } from '../state.ts';
import { openStep, stay, type Transition, unwritten, written } from '../step.ts';

/** Merges two revocations. */
export function allOf(one: Revocation | undefined, { grants, capabilities }: Revocation): Revocation {
  if (one === undefined) return { grants, capabilities };
  return { grants: [...one.grants, ...grants], capabilities: [...one.capabilities, ...capabilities] };
}

/**
 * Revokes permissions and records the revocation. It stays due in two cases: behind a seal it waits for the next task,
 * and a pending content write may still be refused and change the step's reply. Later decisions use the reduced policy;
 * `endRevoked` handles calls that were permitted earlier.
 */
export function revokeNow([state, effects]: Transition, revocation: Revocation): Transition {
  if (!mayNote(state)) return [{ ...state, revoking: revocation }, effects];
  const [after, more] = note(state, revocation);
  return [after, [...effects, ...more]];
}

/** A write that may still be refused changes the reply of its step, so a revocation waits for it. */
export function mayNote(state: RunState): boolean {
  return takesNotes(state) && !(state.at.phase === 'MEMORY_COMMITTING' && state.at.rollback !== undefined);
}

/** True while the run takes records beside its steps: from its first record to its seal. */
export function takesNotes({ at }: RunState): boolean {
  switch (at.phase) {
    case 'INITIALIZING':
    case 'COMPLETED':
    case 'ERROR':
    case 'SHUTDOWN':
      return false;
    case 'MEMORY_COMMITTING':
      return at.then !== 'sealed';
    default:
      return true;
  }
}

/** The step's unwritten records go first: they were decided under the earlier policy. */
function note({ revoking: _, ...state }: RunState, revocation: Revocation): Transition {
  const revoked = concerned(state, revocation);
  if (revoked.length === 0) return stay(state);
  const policy = revoke(state.policy, revocation);
  const record = { kind: 'revocation', body: { revoked, policy_hash: policy.hash } } as const;
  const open = openStep(state);
  const { drafts, payloads } = unwritten(open ?? { drafts: [], payloads: [] });
  const after = drafts.length === 0 ? state : { ...state, at: withoutDrafts(state.at) };
  const pendingNotes = state.pendingNotes + 1;
  return [{ ...after, policy, pendingNotes }, [{ type: 'note', drafts: [...drafts, record], payloads }]];
}

/** The part of the revocation that concerns the run's policy; standing answers to a revoked grant are named too. */
export function concerned(
  { policy, facts }: RunState,
  { grants, capabilities }: Revocation,
): Bodies['revocation']['revoked'] {
  // a run of another dialect has no READ, and its capabilities read content by the grants of READ
  const disabled = [...new Set([...facts.registry.capabilities.values(), CONTENT_READ])]
    .filter(({ hash }) => policy.enabled.has(hash) && capabilities.includes(hash))
    .map(({ hash, manifest }) => ({ capability: manifest.name, capability_hash: hash }));
  const taken = policy.grants
    .filter((grant) => isTaken(grant, grants))
    .map(({ id, capability, capability_hash }) => ({ capability, capability_hash, grant: id }));
  return [...disabled, ...taken];
}

/** Reads the revocation back from its record. */
export function revocationOf({ revoked }: Bodies['revocation']): Revocation {
  return {
    grants: revoked.flatMap(({ grant }) => (grant === undefined ? [] : [grant])),
    capabilities: revoked.flatMap(({ capability_hash, grant }) => (grant === undefined ? [capability_hash] : [])),
  };
}

/** The status with its open step's records written. */
function withoutDrafts(at: RunStatus): RunStatus {
  switch (at.phase) {
    case 'PROTOCOL_VALIDATING':
    case 'AUTHORIZATION_EVALUATING':
    case 'CAPABILITY_EXECUTING':
      return { ...at, open: written(at.open) };
    case 'AWAITING_APPROVAL':
      if (at.about === 'consent') return at;
      if (at.about === 'call') return { ...at, open: written(at.open) };
      return { ...at, during: { ...at.during, open: written(at.during.open) } };
    default:
      return at;
  }
}
