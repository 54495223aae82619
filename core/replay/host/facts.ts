import { guarded } from '../../capability/authorize.ts';
import type { PowerCall } from '../../capability/call.ts';
import type { Grant } from '../../capability/grant.ts';
import type { Label } from '../../capability/guard.ts';
import type { PowerDecision } from '../../ledger/record.ts';
import { powerOf } from '../../run/powers/power-text.ts';
import type { Executing, RunState } from '../../run/state.ts';
import { isOfContent } from '../reads.ts';
import { deniesAll, isDeniable, isNo } from './denied.ts';
import { isSame, type PageRecord } from './records.ts';

/** What the records tell of a call: its own receipt, or its part in that of its message. */
export interface Told {
  readonly decisions: readonly PowerDecision[];
  /** Of this call, up to where it is gone on with. */
  readonly records: readonly PageRecord[];
  /** Those since the run was last taken up: the receipt does not tell of every decision before a crash. */
  readonly since: readonly PageRecord[];
  /** What the guest was given, by ticket; undefined where the file does not have it. */
  readonly answers: readonly PowerCall[] | undefined;
  /** Of a call that came back. */
  readonly image_hash: string | undefined;
  /** What its step had shown the run, where the receipt is the end of this call and not of what a crash cut off. */
  readonly labels: readonly Label[] | undefined;
}

/** The run as it is by now, and all grants that it has had since the step began. */
type Permitting = RunState & { readonly grants: readonly Grant[] };

/** Where what was decided, what was written down and what the guest heard do not go together. */
export function contradiction(before: RunState, after: Permitting, at: Executing, told: Told): string | undefined {
  const { decisions, since, answers = [] } = told;
  const wrong = decisions.find((decided) => !isOfContent(decided) && !isPermitted(after, at, decided, told));
  if (wrong !== undefined) return `what was decided about the power ${wrong.power}`;
  const twice = decisions.find((one, index) => decisions.findIndex((other) => isAgain(one, other)) < index);
  if (twice !== undefined) return `what was decided twice about the power ${twice.power}`;
  const places = since.flatMap((record) => placeOf(record, decisions) ?? []);
  if (places.includes(-1)) return 'a power that was issued or refused, and no such decision';
  if (places.some((place, nth) => place < (places[nth - 1] ?? 0))) return 'in what order its powers were decided about';
  const unfounded = answers.findIndex((call, index) => !isFounded(before, at, call, index + 1, told));
  return unfounded < 0 ? undefined : `what the guest heard from its power call ${unfounded + 1}`;
}

/** Where the decision stands that a record was written with: what was issued is permitted, and a no is a denial. */
function placeOf(record: PageRecord, decisions: readonly PowerDecision[]): number | undefined {
  const { kind, body } = record;
  if (kind === 'power' && body.event === 'issued')
    return decisions.findIndex((decided) => decided.decision === 'AUTHORIZED' && isSame(decided, body));
  if (kind !== 'approval' || !isNo(record)) return undefined;
  return decisions.findIndex(({ ticket, code }) => ticket === body.ticket && NOES.has(code));
}

const NOES: ReadonlySet<string | undefined> = new Set(['approval_denied', 'authorizer_denied']);

function isAgain(one: PowerDecision, other: PowerDecision): boolean {
  return one.ticket === other.ticket && one.grant === other.grant;
}

/** A use is permitted by a grant or denied by a code, under a ticket that the call could have come to. */
function isWellSaid({ charged }: Executing, { ticket, decision, code, grant }: PowerDecision): boolean {
  if (ticket < 1 || ticket > charged.capability.manifest.limits.powerCalls) return false;
  if (decision === 'AUTHORIZED') return code === undefined && grant !== undefined;
  const denied = code === 'grant_constraint' ? 'DENIED_ARGUMENT_INVALID' : 'DENIED_POLICY_VIOLATION';
  return code !== undefined && grant === undefined && decision === denied;
}

/**
 * A use that was permitted had a grant that is the power's own, and a person's yes where that says so or the guard does;
 * one that can change something was written down before, and what was written down has an answer if the guest heard one.
 */
function isPermitted(
  { grants, ...state }: Permitting,
  at: Executing,
  decided: PowerDecision,
  { records, answers = [] }: Told,
): boolean {
  const power = powerOf(state, at, decided.power);
  if (power?.hash !== decided.power_hash || !isWellSaid(at, decided)) return false;
  const own = records.filter(
    ({ body }) => 'step' in body && body.step === at.open.step && 'ticket' in body && body.ticket === decided.ticket,
  );
  const given = grants.filter((grant) => grant.capability_hash === power.hash);
  if (given.some(deniesAll)) return decided.code === 'grant_denied';
  if (decided.decision !== 'AUTHORIZED') return isDeniable(decided.code, given, { policy: state.policy, own });
  const grant = given.find(({ id }) => id === decided.grant);
  if (grant === undefined || grant.mode === 'deny') return false;
  const { effect } = power.manifest;
  const isIssued = own.some(({ kind, body }) => kind === 'power' && body.event === 'issued');
  const yeses = own.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'answered' && body.approved ? [body.via] : [],
  );
  const approved = yeses.some((via) => via !== 'authorizer');
  if (!isIssued && (effect === 'write' || effect === 'egress')) return false;
  const isAnswered = own.some(isAnswerTo(at.open.step, decided.ticket));
  if (isIssued && !isAnswered && decided.ticket <= answers.length) return false;
  if (grant.mode === 'ask' && !approved) return false;
  // what its other powers have shown it by then can only have asked for more
  return guarded(effect, { ...state, approved, cleared: yeses.length > 0 }, grant) === undefined;
}

/** The guest hears a refusal where its use was refused, and no answer of the page's where none was permitted. */
function isFounded(
  state: RunState,
  at: Executing,
  { name, error }: PowerCall,
  ticket: number,
  { decisions, records }: Told,
): boolean {
  if (powerOf(state, at, name) === undefined) return true;
  const decided = decisions.findLast((each) => each.ticket === ticket);
  // an argument that its schema does not accept is refused before anything is decided
  if (decided === undefined) return UNDECIDED.has(error?.name) || records.some(isAnswerTo(at.open.step, ticket));
  if (decided.power !== name) return false;
  return decided.decision === 'AUTHORIZED' || error?.name === decided.code;
}

const UNDECIDED: ReadonlySet<string | undefined> = new Set(['power_arguments', 'power_unknown']);

function isAnswerTo(step: number, ticket: number) {
  return ({ kind, body }: PageRecord): boolean =>
    kind === 'power' && body.event === 'answered' && body.step === step && body.ticket === ticket;
}
