import { guarded } from '../../capability/authorize.ts';
import { isContentPower, SEARCH } from '../../capability/built-in-power.ts';
import type { PowerCall } from '../../capability/call.ts';
import { HELD_TERMS } from '../../capability/grant-terms.ts';
import type { Label } from '../../capability/guard.ts';
import type { Grant, Policy } from '../../capability/policy.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { isList } from '../../json/value.ts';
import { NO_CODES } from '../../ledger/kinds/parts.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { ProgressBody } from '../../ledger/kinds/progress.ts';
import type { LedgerRecord } from '../../ledger/record.ts';
import { isReadDenial } from '../../run/execute/expansions.ts';
import { NO_POWER_CALLS } from '../../run/pending-power-calls.ts';
import { carriedInto } from '../../run/powers/power.ts';
import { isSameUse } from '../../run/powers/power-ledger.ts';
import { isTool, powerOf } from '../../run/powers/power-text.ts';
import type { Executing, RunState } from '../../run/state.ts';
import { yesFor } from '../inputs.ts';
import type { Tape } from '../tape.ts';

/** Recorded facts of a call, from its own receipt or its part of its message's receipt. */
export interface RecordedFacts {
  readonly decisions: readonly PowerDecision[];
  /** The host's records of this call, up to the point at which it continues. */
  readonly records: readonly HostRecord[];
  /** The host's records since the last resumption: the receipt does not hold every decision before a crash. */
  readonly since: readonly HostRecord[];
  /** Power calls with the answers that the guest received, by ticket; undefined if the file does not hold them. */
  readonly answers: readonly PowerCall[] | undefined;
  /** Present for a call that returned. */
  readonly image_hash: string | undefined;
  /**
   * Labels that its step had shown the run, if the receipt belongs to this call and not to a call that a crash cut off.
   */
  readonly labels: readonly Label[] | undefined;
}

/** The current run, and all grants that it has had since the step began. */
type PermissionState = RunState & { readonly grants: readonly Grant[] };

/** The first contradiction between the decisions, the host's records and the answers that the guest received. */
export function contradiction(
  before: RunState,
  after: PermissionState,
  at: Executing,
  told: RecordedFacts,
): string | undefined {
  const { decisions, since, answers = [] } = told;
  const wrong = decisions.find((decided) => !isOfContent(decided) && !isPermitted(after, at, decided, told));
  if (wrong !== undefined) return `what was decided about the power ${wrong.power}`;
  const twice = decisions.find((one, index) => decisions.findIndex((other) => isSameUse(one, other)) < index);
  if (twice !== undefined) return `what was decided twice about the power ${twice.power}`;
  const places = since.flatMap((record) => placeOf(record, decisions) ?? []);
  if (places.includes(-1)) return 'a power that was issued or refused, and no such decision';
  if (places.some((place, nth) => place < (places[nth - 1] ?? 0))) return 'in what order its powers were decided about';
  const unfounded = answers.findIndex((call, index) => !isFounded(before, at, call, index + 1, told));
  return unfounded < 0 ? undefined : `what the guest heard from its power call ${unfounded + 1}`;
}

/**
 * Index of the decision behind a record, -1 without a fitting decision: an issued power needs a permission, and a no
 * needs a denial.
 */
function placeOf(record: HostRecord, decisions: readonly PowerDecision[]): number | undefined {
  const { kind, body } = record;
  if (kind === 'power' && body.event === 'issued')
    return decisions.findIndex(
      (decided) => decided.decision === 'AUTHORIZED' && isSame(decided, body) && decided.now === body.now,
    );
  if (kind !== 'approval' || !isNo(record)) return undefined;
  return decisions.findIndex(({ ticket, code }) => ticket === body.ticket && NOES.has(code));
}

/**
 * True if the decision is well formed: permitted by a grant or denied by a code, under a ticket that the call can have
 * reached.
 */
function isWellSaid({ charged }: Executing, { ticket, decision, code, grant, watched }: PowerDecision): boolean {
  if (ticket < 1 || ticket > charged.capability.manifest.limits.powerCalls) return false;
  if (decision === 'AUTHORIZED') return code === undefined && grant !== undefined;
  if (watched) return false;
  const isOfArguments = code === 'grant_constraint' || code === 'power_arguments';
  const denied = isOfArguments ? 'DENIED_ARGUMENT_INVALID' : 'DENIED_POLICY_VIOLATION';
  return code !== undefined && grant === undefined && decision === denied;
}

/**
 * True if the recorded decision follows from the policy. A permitted use has a grant for the power, and a person's yes
 * if the grant or the guard demands it. A use with effects was recorded first, and a recorded use has an answer if the
 * guest received an answer.
 */
function isPermitted(
  { grants, ...state }: PermissionState,
  at: Executing,
  decided: PowerDecision,
  { records, answers = [] }: RecordedFacts,
): boolean {
  const power = powerOf(state, at, decided.power);
  if (power?.hash !== decided.power_hash || !isWellSaid(at, decided)) return false;
  const own = records.filter(
    ({ body }) => 'step' in body && body.step === at.open.step && 'ticket' in body && body.ticket === decided.ticket,
  );
  const given = grants.filter((grant) => grant.capability_hash === power.hash);
  // arguments that violate the schema are refused before any grant is read, and the guest has heard so
  const heard = answers[decided.ticket - 1];
  if (decided.code === 'power_arguments') return heard === undefined || heard.error?.name === decided.code;
  if (given.some(deniesAll)) return isDenial(decided.code, given);
  if (decided.decision !== 'AUTHORIZED') return isDeniable(decided, given, { policy: state.policy, own });
  const grant = given.find(({ id }) => id === decided.grant);
  if (grant === undefined || grant.mode === 'deny' || !isWatchedAlike(state.policy, grant, decided)) return false;
  const approvals = own.flatMap(({ kind, body }) => (kind === 'approval' ? [body] : []));
  const said = yesFor(approvals, grant);
  const { effect } = power.manifest;
  const isIssued = own.some(({ kind, body }) => kind === 'power' && body.event === 'issued');
  if (!isIssued && (effect === 'write' || effect === 'egress' || isTool(at, decided.power))) return false;
  const isAnswered = own.some(isAnswerTo(at.open.step, decided.ticket));
  if (isIssued && !isAnswered && decided.ticket <= answers.length) return false;
  if (grant.mode === 'ask' && !said.approved) return false;
  // what its other powers have given it can only have demanded more; the records of a use tell what it had by then
  const [argument = null] = isList(heard?.args) ? heard.args : [];
  const { places, isMixed } = carriedInto(state, { ...at, pendingCalls: NO_POWER_CALLS }, argument);
  const carried = { ...(places && { places }), ...(isMixed && { isMixed }) };
  return guarded(effect, { ...state, ...carried, ...said }, grant) === undefined;
}

/** True if the guest received a refusal for a refused use, and no answer of the page without a permission. */
function isFounded(
  state: RunState,
  at: Executing,
  { name, error }: PowerCall,
  ticket: number,
  { decisions, records }: RecordedFacts,
): boolean {
  if (powerOf(state, at, name) === undefined) return true;
  const decided = decisions.findLast((each) => each.ticket === ticket);
  // an argument that violates its schema is refused before any decision
  if (decided === undefined) return UNDECIDED.has(error?.name) || records.some(isAnswerTo(at.open.step, ticket));
  if (decided.power !== name) return false;
  return decided.decision === 'AUTHORIZED' || error?.name === decided.code;
}

const UNDECIDED: ReadonlySet<string | undefined> = new Set(['power_arguments', 'power_unknown']);

function isAnswerTo(step: number, ticket: number) {
  return ({ kind, body }: HostRecord): boolean =>
    kind === 'power' && body.event === 'answered' && body.step === step && body.ticket === ticket;
}

/** A record of the host's part in a call. Revocations by a person may come between them. */
export type HostRecord =
  | Extract<LedgerRecord, { kind: 'power' | 'parked' | 'approval' | 'revocation' }>
  | (Extract<LedgerRecord, { kind: 'progress' }> & { readonly body: ReadsBody });

export type ReadsBody = Extract<ProgressBody, { event: 'reads' }>;

/** The host records from this index up to the next record of another kind, which ends the operation or the call. */
export function hostRecords({ records }: Tape, from: number): readonly HostRecord[] {
  const end = records.findIndex((record, at) => at >= from && !isOfPage(record));
  return records.slice(from, end < 0 ? undefined : end).filter(isOfPage);
}

export function isOfPage(record: LedgerRecord): record is HostRecord {
  if (record.kind === 'approval') return record.body.ticket !== undefined;
  if (record.kind === 'progress') return record.body.event === 'reads';
  return record.kind === 'power' || record.kind === 'parked' || record.kind === 'revocation';
}

type Use = Pick<PowerDecision, 'ticket' | 'power_hash' | 'grant'>;

/** True for two decisions about the same use of a power. */
export function isSame(one: Use, other: Use): boolean {
  return one.ticket === other.ticket && one.power_hash === other.power_hash && one.grant === other.grant;
}

/** True for a denial without conditions: it denies every use of the power. */
function deniesAll(grant: Grant): boolean {
  return (
    grant.mode === 'deny' && HELD_TERMS.every(({ name, limitsDenial }) => !limitsDenial || grant[name] === undefined)
  );
}

/** True for the code of a denial by one of these grants: a changed definition has a code of its own. */
function isDenial(code: string | undefined, grants: readonly Grant[]): boolean {
  const isChanged = code === 'definition_changed';
  if (!isChanged && code !== 'grant_denied') return false;
  return grants.some(({ mode, changed }) => mode === 'deny' && (changed !== undefined) === isChanged);
}

/** True if the decision says that it was by a watch where it was, which lifts the absence of a grant alone. */
function isWatchedAlike({ grants }: Policy, grant: Grant, { watched, now }: PowerDecision): boolean {
  if (grant.watch === undefined) return watched === undefined;
  const others = grants.filter(
    ({ capability_hash, mode, watch }) =>
      capability_hash === grant.capability_hash && mode !== 'deny' && watch === undefined,
  );
  return watched === true && now < (grant.expires ?? 0) && others.every(({ fallback }) => fallback);
}

/** True if this code can deny a use of the power: a grant explains it, or a recorded no. */
function isDeniable(
  { code, now }: Pick<PowerDecision, 'code' | 'now'>,
  grants: readonly Grant[],
  { policy, own }: { readonly policy: Policy; readonly own: readonly HostRecord[] },
): boolean {
  if (code === 'grant_denied' || code === 'definition_changed') return isDenial(code, grants);
  if (NOES.has(code)) return own.some((record) => isNo(record) && codeOf(record) === code);
  const permitting = grants.filter(({ mode }) => mode !== 'deny');
  // a grant that no answer has made was present from the run's beginning, and a grant that is still present was not
  // revoked
  if (code === 'no_grant')
    return !permitting.some(
      (grant) =>
        grant.answer === undefined &&
        policy.grants.includes(grant) &&
        (grant.watch === undefined || now < (grant.expires ?? 0)),
    );
  const names = HELD_TERMS.filter((term) => term.code === code).map(({ name }) => name);
  return permitting.some((grant) => grant.watch === undefined && names.some((name) => grant[name] !== undefined));
}

function isNo({ kind, body }: HostRecord): boolean {
  return kind === 'approval' && body.event === 'answered' && !body.approved;
}

/** Codes of the refusals that a recorded no leads to. */
const NOES: ReadonlySet<string | undefined> = new Set(Object.values(NO_CODES));

function codeOf({ body }: HostRecord): string {
  return NO_CODES[('via' in body ? body.via : undefined) ?? 'program'];
}

/** True for a decision about content, false for a decision about a page power. */
export function isOfContent({ power }: PowerDecision): boolean {
  return isContentPower(power);
}

/**
 * Reason why the recorded decisions about a call's reads are impossible. A permitted read needs a grant for READ that
 * asks no person; a search needs such a grant without a constraint. A denial needs a reason in the policy, and the
 * guest must have received it.
 */
export function readFault(
  state: PermissionState,
  decisions: readonly PowerDecision[],
  calls: readonly PowerCall[] | undefined,
): string | undefined {
  const reads = decisions.filter(isOfContent);
  const wrong = reads.find((decided) => !isReadPermitted(state, decided));
  if (wrong !== undefined) return `what was decided about the power ${wrong.power}`;
  const unfounded = calls?.findIndex((call, index) => !isReadFounded(call, index + 1, reads)) ?? -1;
  return unfounded < 0 ? undefined : `what the guest heard from its power call ${unfounded + 1}`;
}

function isReadPermitted({ grants, policy }: PermissionState, decided: PowerDecision): boolean {
  const { power, power_hash, decision, code, grant, now } = decided;
  const { hash } = CONTENT_READ;
  if (power_hash !== hash) return false;
  const given = grants.filter((each) => each.capability_hash === hash);
  if (decision !== 'AUTHORIZED') {
    if (grant !== undefined || decided.watched || !isReadDenial(code)) return false;
    if (code === 'capability_disabled') return decision === 'DENIED_CAPABILITY_DISABLED' && !policy.enabled.has(hash);
    if (decision !== (code === 'grant_constraint' ? 'DENIED_ARGUMENT_INVALID' : 'DENIED_POLICY_VIOLATION'))
      return false;
    if (code === 'read_unasked') return policy.authorizer !== undefined || given.some(({ mode }) => mode === 'ask');
    return isDeniable({ code, now }, given, { policy, own: [] });
  }
  const own = given.find(({ id }) => id === grant);
  if (code !== undefined || own?.mode !== 'allow' || policy.authorizer !== undefined) return false;
  if (!isWatchedAlike(policy, own, decided)) return false;
  if (power === SEARCH)
    return (
      !own.where_hash && !own.args_hash && !given.some(({ mode, expires }) => mode === 'deny' && expires === undefined)
    );
  return !given.some(deniesAll);
}

/** True if content that the guest received was permitted, and a denial that it received is the recorded decision. */
function isReadFounded({ name, error }: PowerCall, ticket: number, reads: readonly PowerDecision[]): boolean {
  if (!isContentPower(name)) return true;
  const decided = reads.findLast((each) => each.ticket === ticket);
  if (decided === undefined) return error !== undefined && !isReadDenial(error.name);
  if (decided.power !== name) return false;
  return decided.decision === 'AUTHORIZED' ? !isReadDenial(error?.name) : error?.name === decided.code;
}
