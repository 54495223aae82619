import { declaredLabels, handleOf } from '../capability/hold.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { BEHAVIOUR } from '../ledger/behaviour.ts';
import { found } from '../ledger/export.ts';
import type { ApprovalBody } from '../ledger/kinds/authority.ts';
import type { HeldEvidence } from '../ledger/kinds/evidence.ts';
import type { Bodies, LedgerRecord, RecordKind } from '../ledger/record.ts';
import { DIALECT_VERSIONS } from '../protocol/dialect.ts';
import { nonceInstead } from '../run/authorize/instead.ts';
import { approvalDigest } from '../run/authorize/question.ts';
import { isRecorded } from '../run/execute/execute.ts';
import { fold, type RestoredRun, type UnfinishedStep } from '../run/resume/restore.ts';
import type { RunState } from '../run/state.ts';
import { replyFault, yesFor } from './inputs.ts';
import { type Player, reportMismatch, seqAt } from './player.ts';
import { acceptedFault } from './salts.ts';
import { bytesOrPlaceholder, stepBefore, type Tape } from './tape.ts';

/** Records to accept as recorded because they cannot be replayed. */
export interface AcceptedRest {
  readonly why: string;
  /** End of the accepted records (exclusive); absent: the end of the step. */
  readonly until?: number;
  readonly unfinished?: UnfinishedStep;
}

/**
 * Accepts the rest of a step as recorded: the run continues from the state that the records leave, as after a crash.
 */
export function acceptRest(player: Player, { why, until, unfinished }: AcceptedRest): void {
  const { tape } = player;
  player.skipped.push(found(seqAt(player), refuse('not_replayed', { what: why })));
  player.holes = true;
  player.effects = [];
  let run: RestoredRun = { state: player.state, ...(unfinished && { unfinished }) };
  const isStep = until === undefined || unfinished !== undefined;
  let [isOpen, step] = [unfinished !== undefined, unfinished && stepOf(unfinished.proposal)];
  for (let over = false; !over && player.at < (until ?? tape.records.length); player.at++) {
    const record = tape.records[player.at];
    if (record === undefined) break;
    const salts = isStep ? acceptedFault(player.state.facts, tape, player.at) : undefined;
    const what = isStep
      ? (misplaced(run.state, tape, player.at, { isOpen, step }) ?? salts ?? contradicted(run.state, tape, player.at))
      : undefined;
    if (what !== undefined) return reportMismatch(player, what);
    isOpen = true;
    step ??= stepOf(record.body);
    const next = fold(run, record, bytesOrPlaceholder(tape));
    if (next.ok) run = next.value;
    over = isStep && record.kind === 'receipt';
  }
  const seal = tape.records[player.at];
  const sealed = seal?.kind === 'seal' && isStep;
  if (sealed) player.at += 1;
  player.state = {
    ...run.state,
    at: { phase: phaseAfter(sealed ? seal.body : undefined) },
    phasesEntered: [],
    mode: 'paused',
  };
}

interface AcceptedStep {
  readonly isOpen: boolean;
  /** Its number and its id. */
  readonly step: string | undefined;
}

/** Reason why a record cannot belong to the accepted step. A single step is accepted, up to its own receipt. */
function misplaced(state: RunState, tape: Tape, at: number, { isOpen, step }: AcceptedStep): string | undefined {
  const record = tape.records[at] as LedgerRecord;
  const isTold = isOpen && tape.records[at - 1]?.kind === 'observation' && record.kind !== 'receipt';
  if (isTold || record.kind === 'configuration' || (isOpen && BEYOND.has(record.kind)))
    return `a receipt comes here, not a ${record.kind}`;
  if (step !== undefined && (stepOf(record.body) ?? step) !== step) return `a ${record.kind} of another step`;
  if (record.kind === 'approval' && record.body.event !== 'asked') {
    const { digest } = record.body;
    const before = stepBefore(tape, at);
    const isAsked = before.some(
      ({ kind, body }) => kind === 'approval' && body.event === 'asked' && body.digest === digest,
    );
    return isAsked ? replyFault(state, record.body, before) : 'an answer to what nobody has asked';
  }
  if (record.kind === 'progress' && !isOfMessage(tape, at, record.body)) return 'an operation that nobody has judged';
  return isJudged(tape, at) ? undefined : 'a receipt of what nobody has judged';
}

/** True for reads, and for an operation that the verdict names, in its place. */
function isOfMessage(tape: Tape, at: number, body: Bodies['progress']): boolean {
  if (body.event === 'reads') return true;
  const before = stepBefore(tape, at);
  const [verdict] = before.flatMap((record) => (record.kind === 'verdict' ? [record.body] : []));
  const settled = before.filter((record) => record.kind === 'progress' && record.body.event === 'operation').length;
  const judged = verdict?.operations?.[body.operation];
  const { action, evidence } = body;
  return (
    settled === body.operation &&
    judged?.type === action.type &&
    judged.target === action.target &&
    judged.capability_hash === evidence.capability_hash &&
    // the arguments of a message with handles are others once their values stand in them
    (judged.args.sha256 === evidence.args_hash || isResolvedIn(before))
  );
}

function isResolvedIn(step: readonly LedgerRecord[]): boolean {
  return step.some((each) => each.kind === 'decision' && each.body.held === 'decision');
}

const BEYOND: ReadonlySet<string> = new Set(['proposal', 'task', 'seal', 'consent']);

function stepOf(body: Bodies[RecordKind]): string | undefined {
  if ('receipt' in body) return `${body.evidence.step} ${body.receipt.step_id}`;
  return 'step_id' in body ? `${body.step} ${body.step_id}` : undefined;
}

/** True unless the receipt lists actions of a step that has no verdict. */
function isJudged(tape: Tape, at: number): boolean {
  const receipt = tape.records[at];
  if (receipt?.kind !== 'receipt' || receipt.body.receipt.actions.length === 0) return true;
  return stepBefore(tape, at).some(({ kind }) => kind === 'verdict');
}

function phaseAfter(seal: Bodies['seal'] | undefined): 'IDLE' | 'COMPLETED' | 'SHUTDOWN' {
  if (seal === undefined) return 'IDLE';
  return seal.state === 'completed' ? 'COMPLETED' : 'SHUTDOWN';
}

type Known = Pick<RunState, 'facts' | 'policy' | 'labels' | 'held' | 'handed' | 'ranHeld'>;

/**
 * Reason why a record of an accepted step contradicts the run's facts or an earlier record of its step. The texts of the
 * step are missing, so that it cannot be decided again; hashes, names and rules that stand in several records are
 * compared.
 */
function contradicted(known: Known, tape: Tape, at: number): string | undefined {
  const record = tape.records[at] as LedgerRecord;
  const step = stepBefore(tape, at);
  const verdict = step.find((each) => each.kind === 'verdict');
  const disorder = orderFault(record, step);
  const isResolved = isResolvedIn([...step, record]);
  if (disorder !== undefined) return disorder;
  switch (record.kind) {
    case 'verdict':
      return verdictFault(known, record.body);
    case 'decision':
      return (
        decisionFault(known, record.body) ??
        insteadFault(known, record.body, step, replacedBefore(tape, at)) ??
        unaskedFault(known, record.body, step, replacedBefore(tape, at)) ??
        callFault(verdict?.body, record.body, isResolved)
      );
    case 'intent':
      return intentFault(known, record.body, step) ?? callFault(verdict?.body, record.body, isResolved);
    case 'receipt':
      return receiptFault(known, record.body, step) ?? callFault(verdict?.body, record.body.evidence, isResolved);
    default:
      return undefined;
  }
}

/**
 * Reason why a record does not stand where a run writes it: a verdict behind its proposal, the decisions behind the
 * verdict, an intent behind the permission, one of each for a call and for an operation, and before the receipt what the
 * model was told. An act has a permission, whether its texts are there or not.
 */
function orderFault({ kind, body }: LedgerRecord, step: readonly LedgerRecord[]): string | undefined {
  const [verdict] = step.flatMap((each) => (each.kind === 'verdict' ? [each.body] : []));
  const calls = verdict?.operations?.length ?? (verdict?.kind === 'call' ? 1 : 0);
  const countOf = (matches: (each: LedgerRecord) => boolean): number => step.filter(matches).length;
  const permitted = countOf((each) => each.kind === 'decision' && each.body.decision === 'AUTHORIZED');
  switch (kind) {
    case 'verdict':
      if (verdict !== undefined) return 'a second verdict';
      return step.at(-1)?.kind === 'proposal' ? undefined : 'a verdict that follows no proposal';
    case 'decision':
      if (verdict === undefined) return 'a decision on what nobody has judged';
      return permitted + 1 > calls ? 'a decision on what was decided' : undefined;
    case 'intent':
      return countOf((each) => each.kind === 'intent') + 1 > calls ? 'a second intent' : undefined;
    case 'receipt': {
      const { actions } = body.receipt;
      if (actions.length > permitted) return 'an act that no decision has permitted';
      const isReplaced = body.evidence.reason?.code === 'replaced';
      if (isReplaced !== isInstead(step.at(-1))) return 'a call that was replaced by none, or that goes on';
      const isTold = !isReplaced && (actions.length > 0 || verdict?.kind === 'call' || verdict?.accepted === false);
      return isTold && step.at(-1)?.kind !== 'observation' ? 'a receipt of which the model was not told' : undefined;
    }
    default:
      return undefined;
  }
}

function verdictFault({ facts }: Known, body: Bodies['verdict']): string | undefined {
  const { registry_hash, limits_hash, dialect, behaviour, accepted, kind, refusal } = body;
  const isOfRun =
    registry_hash === facts.registry.hash &&
    limits_hash === facts.limits_hash &&
    dialect === DIALECT_VERSIONS[facts.dialect] &&
    behaviour === BEHAVIOUR;
  if (!isOfRun) return 'a verdict by other rules';
  if (accepted === (refusal !== undefined) || accepted !== (kind !== undefined)) return 'neither a yes nor a refusal';
  if ((kind === 'call') !== (body.capability !== undefined && body.args !== undefined))
    return 'a call without its name';
  return isKnown(facts, body) ? undefined : 'a verdict on an unknown capability';
}

function decisionFault({ facts, policy, labels }: Known, body: Bodies['decision']): string | undefined {
  if (body.policy_hash !== policy.hash) return 'a decision by another policy';
  if (canonicalText([...labels]) !== canonicalText([...body.labels])) return 'a decision under other labels';
  if (!isKnown(facts, body)) return 'a decision about an unknown capability';
  const isDenied = body.decision.startsWith('DENIED');
  if (isDenied !== (body.code !== undefined)) return 'a permission with a code, or a denial without one';
  if (body.why !== undefined && body.decision !== 'REQUIRES_APPROVAL') return 'a question that nobody was asked';
  const grant = policy.grants.find(({ id }) => id === body.grant);
  if (body.grant !== undefined && grant?.capability_hash !== body.capability_hash)
    return 'a decision by no grant of the run';
  if ((body.watched === true) !== (grant?.watch !== undefined)) return 'a decision of a watch that does not say so';
  return body.decision === 'AUTHORIZED' && grant === undefined ? 'a permission without a grant' : undefined;
}

/** A grant that asks permits nothing before a person has said yes to that call; a standing answer is a grant of its own. */
function unaskedFault(
  { policy }: Known,
  { decision, grant, capability_hash }: Bodies['decision'],
  step: readonly LedgerRecord[],
  replaced: ReplacedBefore | undefined,
): string | undefined {
  const deciding = policy.grants.find(({ id }) => id === grant);
  if (decision !== 'AUTHORIZED' || deciding === undefined) return undefined;
  const isAsked = step.some(
    ({ kind, body }) =>
      kind === 'decision' && body.grant === grant && body.why !== undefined && body.why !== 'authorizer',
  );
  if (deciding.mode !== 'ask' && !isAsked) return undefined;
  if (replaced !== undefined)
    return yesFor([replaced.yes], deciding).approved ? undefined : 'a permission that nobody was asked about';
  const approvals = step.flatMap(({ kind, body }) =>
    kind === 'approval' && body.ticket === undefined && body.capability_hash === capability_hash ? [body] : [],
  );
  return yesFor(approvals, deciding).approved ? undefined : 'a permission that nobody was asked about';
}

/** The question about the call that a person has replaced, and the yes to the person's own. */
interface ReplacedBefore {
  readonly asked: Extract<ApprovalBody, { event: 'asked' }>;
  readonly yes: Extract<ApprovalBody, { event: 'answered' }>;
}

/** Of a step whose proposal is a person's: what the step before says about it. */
function replacedBefore(tape: Tape, at: number): ReplacedBefore | undefined {
  const from = tape.records.findLastIndex(({ kind }, place) => place < at && kind === 'proposal');
  const proposal = tape.records[from];
  if (proposal?.kind !== 'proposal' || proposal.body.by === undefined) return undefined;
  const before = stepBefore(tape, from).flatMap(({ kind, body }) => (kind === 'approval' ? [body] : []));
  const asked = before.findLast((body) => body.event === 'asked' && body.ticket === undefined);
  const said = before.findLast((body) => body.event === 'answered' && body.instead !== undefined);
  if (asked?.event !== 'asked' || said?.event !== 'answered' || said.instead === undefined) return undefined;
  return { asked, yes: { ...said, digest: said.instead.digest } };
}

/** A person's call is the very one that the yes is of, by its digest: no text is needed for that. */
function insteadFault(
  { facts: { run_id } }: Known,
  { capability_hash, args_hash, step_id, now }: Bodies['decision'],
  step: readonly LedgerRecord[],
  replaced: ReplacedBefore | undefined,
): string | undefined {
  const isPersons = step.some(({ kind, body }) => kind === 'proposal' && body.by !== undefined);
  if (!isPersons) return undefined;
  if (replaced === undefined) return 'a call of a person in the place of no other';
  const { asked, yes } = replaced;
  const nonce = nonceInstead(asked.nonce);
  const digest = approvalDigest({ capability_hash, args_hash, run_id, step_id, nonce });
  // a later decision about it is by the clock of a later answer
  const isDated = yes.instead?.now === now || step.some(({ kind }) => kind === 'decision');
  const isIt = asked.capability_hash === capability_hash && digest === yes.digest && isDated;
  return isIt ? undefined : 'another call than the one that a person has put in its place';
}

/** True for the answer that puts a call of a person in the place of the one that was asked about. */
function isInstead(record: LedgerRecord | undefined): boolean {
  return record?.kind === 'approval' && record.body.event === 'answered' && record.body.instead !== undefined;
}

function intentFault({ facts }: Known, body: Bodies['intent'], step: readonly LedgerRecord[]): string | undefined {
  const known = facts.registry.capabilities.get(body.capability);
  const isPermitted = step.some((each) => each.kind === 'decision' && each.body.decision === 'AUTHORIZED');
  if (!isPermitted) return 'an intent of what nobody has permitted';
  return known?.hash === body.capability_hash && known.manifest.effect === body.effect ? undefined : 'another intent';
}

function receiptFault(
  known: Known,
  { receipt, evidence }: Bodies['receipt'],
  step: readonly LedgerRecord[],
): string | undefined {
  const { facts, policy } = known;
  const held =
    heldFault(facts, evidence, step, receipt.actions.length) ??
    (evidence.held && outcomeFault(known, evidence.held, step));
  if (held !== undefined) return held;
  const isOfRun =
    evidence.registry_hash === facts.registry.hash &&
    evidence.policy_hash === policy.hash &&
    evidence.behaviour === BEHAVIOUR;
  if (!isOfRun) return 'a receipt by other rules';
  const proposal = step.find(({ kind }) => kind === 'proposal');
  if (proposal?.kind === 'proposal' && !isSame(proposal.body.payload, evidence.proposal))
    return 'a receipt of another proposal';
  const told = step.findLast(({ kind }) => kind === 'observation');
  // what a person has put in the place of a call is told in the error of that call
  const isPersons = proposal?.kind === 'proposal' && proposal.body.by !== undefined;
  const isTold = !isPersons && (evidence.held !== undefined || receipt.status === 'SUCCESS');
  if (told?.kind === 'observation' && (told.body.status === 'success') !== isTold)
    return 'a receipt that the model was told otherwise';
  const verdict = step.find(({ kind }) => kind === 'verdict');
  if (verdict?.kind !== 'verdict' || verdict.body.operations !== undefined) return undefined;
  const { capability } = verdict.body;
  if (receipt.actions.length > (capability === undefined ? 0 : 1)) return 'a receipt of more than was judged';
  const [action] = receipt.actions;
  if (action === undefined) return undefined;
  const called = capability === undefined ? undefined : facts.registry.capabilities.get(capability);
  const isIntended = step.some(({ kind }) => kind === 'intent');
  if (called !== undefined && isRecorded(called) && !isIntended) return 'an act without its intent';
  if (action.type !== 'EXECUTE' || action.target !== `@TOOLS/${capability}`) return 'a receipt of another action';
  const { sha256 } = action.result as { readonly sha256?: string };
  return sha256 === evidence.result_hash ? undefined : 'a receipt with two results';
}

/** A held outcome belongs to a decision that says so, and each decision that says so to a held outcome. */
function heldFault(
  { holding }: RunState['facts'],
  { held }: Bodies['receipt']['evidence'],
  step: readonly LedgerRecord[],
  attempted: number,
): string | undefined {
  const decisions = step.flatMap((each) => (each.kind === 'decision' ? [each.body] : []));
  const permitted = decisions.filter(({ decision }) => decision === 'AUTHORIZED');
  const isOfValues = decisions.some((each) => each.held === 'decision');
  const from = permitted.findIndex((each) => each.held === 'outcome');
  if (held !== undefined && holding !== true) return 'a held outcome of a run that holds nothing';
  if (isOfValues) return held?.by === 'handles' ? undefined : 'an outcome in the open of a call that holds';
  if (from < 0) return held?.by === 'outcome' ? 'a held outcome of a call that does not hold' : undefined;
  // a message may end before its first operation that holds
  if (held === undefined) return attempted > from ? 'an outcome in the open of a call that holds' : undefined;
  return held.by === 'outcome' && (held.operation ?? 0) === from
    ? undefined
    : 'a held outcome from another operation on';
}

/** A held outcome has at least the labels of its capability and of the steps whose values it was given. */
function outcomeFault(
  known: Known,
  { now, labels, steps, capability_hash }: HeldEvidence,
  step: readonly LedgerRecord[],
): string | undefined {
  const [decision] = step.flatMap((each) => (each.kind === 'decision' ? [each.body] : []));
  if (decision !== undefined && decision.now !== now) return 'a held outcome of another time';
  const capability = [...known.facts.registry.capabilities.values()].find(({ hash }) => hash === capability_hash);
  const declared = capability === undefined ? [] : declaredLabels(known, capability);
  const given = steps.flatMap((each) => known.held.get(handleOf(each))?.labels ?? []);
  return [...declared, ...given].every((label) => labels.includes(label))
    ? undefined
    : 'a held outcome without the labels of what came into it';
}

/** The names of the judged call, in a later record of its step. */
function callFault(
  verdict: Bodies['verdict'] | undefined,
  said: { readonly capability_hash?: string; readonly args_hash?: string },
  isResolved: boolean,
): string | undefined {
  if (verdict === undefined || (said.capability_hash === undefined && said.args_hash === undefined)) return undefined;
  const calls = [verdict, ...(verdict.operations ?? [])];
  // the arguments of a call with handles are others once their values stand in them
  const isJudged = calls.some(
    ({ capability_hash, args }) =>
      capability_hash === said.capability_hash && (isResolved || args?.sha256 === said.args_hash),
  );
  return isJudged ? undefined : 'another call than the judged one';
}

function isKnown(
  { registry }: RunState['facts'],
  { capability, capability_hash }: { readonly capability?: string; readonly capability_hash?: string },
): boolean {
  if (capability === undefined) return true;
  const known = registry.capabilities.get(capability);
  // an operation on content has a capability that is in no registry
  return known === undefined ? capability.startsWith('content.') : known.hash === capability_hash;
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalText(one as JsonValue) === canonicalText(other as JsonValue);
}
