import type { Charged } from '../../capability/charge.ts';
import { isTaken, type Revocation, revoke } from '../../capability/policy.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { refuse } from '../../errors.ts';
import type { Bodies } from '../../ledger/record.ts';
import type { Refusal } from '../../outcome.ts';
import { commit } from '../commit/commit.ts';
import type { OpenStep } from '../open-step.ts';
import { powerEvidence } from '../powers/power-calls.ts';
import type { Executing, RunState, RunStatus } from '../state.ts';
import { executing, openStep, stay, type Transition, unwritten, written } from '../step.ts';

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

/**
 * Ends a running call whose grant is revoked or whose capability is disabled, and says so in its receipt. A message
 * ends as a whole, as it was permitted as a whole. A write in flight is awaited, as for a stop, and a result that has
 * already returned is judged to its end.
 */
export function endRevoked([state, effects]: Transition): Transition {
  const at = executing(state);
  if (at === undefined || !isUnderWay(at)) return [state, effects];
  const gone = revokedOf(state, at);
  if (gone === undefined) return [state, effects];
  const call = { ...powerEvidence(state, at), capability: at.charged.capability, args_hash: at.call.args.ref.sha256 };
  const [after, more] = commit(state, at.open, { ...call, cut: true, strict: true, refusal: refusalOf(at.open, gone) });
  return [after, [...effects, { type: 'cancel' }, ...more]];
}

function isUnderWay({ waiting, pendingCalls }: Executing): boolean {
  return (waiting === 'call' || waiting === 'text') && pendingCalls.writes.length === 0;
}

/** The same for a step that has not begun; undefined if all calls ahead are still permitted. */
export function refuseRevoked(state: RunState, at: CallsAhead): Transition | undefined {
  const gone = revokedOf(state, at);
  return gone && commit(state, at.open, { refusal: refusalOf(at.open, gone), capability: gone.capability });
}

type CallsAhead = { readonly open: OpenStep; readonly charged?: Charged };

/** The first call of a step, running or ahead, that is no longer permitted. */
export function revokedOf({ policy }: RunState, { open: { work }, charged }: CallsAhead): Charged | undefined {
  const ahead = work === undefined ? [charged] : work.permits.slice(work.done.length).map((permit) => permit.charged);
  return ahead.find((call) => {
    if (call === undefined) return false;
    const { capability, grant } = call;
    return !policy.enabled.has(capability.hash) || !policy.grants.some(({ id }) => id === grant.id);
  });
}

function refusalOf({ work }: OpenStep, gone: Charged): Refusal {
  const nth = work?.permits.findIndex(({ charged }) => charged === gone);
  const place = { step: 'execute', ...(nth === undefined ? {} : { pointer: `/ops/${nth}` }) } as const;
  return refuse('permission_revoked', { name: gone.capability.manifest.name }, place).refusal;
}
