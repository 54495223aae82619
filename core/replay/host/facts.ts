import { guarded } from '../../capability/authorize.ts';
import type { PowerCall } from '../../capability/call.ts';
import type { Label } from '../../capability/guard.ts';
import type { Grant } from '../../capability/policy.ts';
import { isForPerson } from '../../ledger/kinds/parts.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import { isSameUse } from '../../run/powers/power-ledger.ts';
import { isTool, powerOf } from '../../run/powers/power-text.ts';
import type { Executing, RunState } from '../../run/state.ts';
import { isOfContent } from '../reads.ts';
import { deniesAll, isDeniable, isDenial, isNo, NOES } from './denied.ts';
import { type HostRecord, isSame } from './records.ts';

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
function isWellSaid({ charged }: Executing, { ticket, decision, code, grant }: PowerDecision): boolean {
  if (ticket < 1 || ticket > charged.capability.manifest.limits.powerCalls) return false;
  if (decision === 'AUTHORIZED') return code === undefined && grant !== undefined;
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
  if (decided.decision !== 'AUTHORIZED') return isDeniable(decided.code, given, { policy: state.policy, own });
  const grant = given.find(({ id }) => id === decided.grant);
  if (grant === undefined || grant.mode === 'deny') return false;
  const { effect } = power.manifest;
  const isIssued = own.some(({ kind, body }) => kind === 'power' && body.event === 'issued');
  const yeses = own.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'answered' && body.approved ? [body.via] : [],
  );
  const approved = yeses.some(isForPerson);
  if (!isIssued && (effect === 'write' || effect === 'egress' || isTool(at, decided.power))) return false;
  const isAnswered = own.some(isAnswerTo(at.open.step, decided.ticket));
  if (isIssued && !isAnswered && decided.ticket <= answers.length) return false;
  if (grant.mode === 'ask' && !approved) return false;
  // labels of its other powers can only have demanded more
  return guarded(effect, { ...state, approved, authorizerApproved: yeses.length > 0 }, grant) === undefined;
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
