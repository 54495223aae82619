import { authorizedBefore } from '../../capability/authorize.ts';
import { chargedBefore } from '../../capability/charge.ts';
import type { SchemaVerdict } from '../../capability/check.ts';
import { checkArguments, holding } from '../../capability/check.ts';
import type { PowerAnswer } from '../../capability/power.ts';
import type { Bound } from '../../capability/registry.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { refuse } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import { isHashes } from '../../ledger/kinds/parts.ts';
import { saltIn, unsalted } from '../../ledger/salt.ts';
import { DECODE_LIMITS } from '../../limits.ts';
import { type Outcome, pass } from '../../outcome.ts';
import { read } from '../../protocol/read.ts';
import { commit } from '../commit/commit.ts';
import type { OpenStep, Work } from '../open-step.ts';
import { argsPayload, shown } from '../payload.ts';
import { NO_POWER_CALLS, type PastPower, type PendingPowerCalls } from '../pending-power-calls.ts';
import { parkedKey } from '../powers/power-calls.ts';
import { NO_POWERS, type PowerLedger, unanswered } from '../powers/power-ledger.ts';
import type { RunState } from '../state.ts';
import { enter, type Transition } from '../step.ts';
import { checkCall } from '../validate/propose.ts';
import { lookingUp } from '../validate/work.ts';
import type { FindPayload } from './facts.ts';
import type { RestoredRun, UnfinishedStep } from './restored-run.ts';
import { callsOf, planAgain, type Recheck, type RecheckedCall, workAgain } from './resume-work.ts';

/** The calls to validate again: a single call, the operations of a message, or an empty list if no question is open. */
export interface RecheckPlan {
  readonly checks: readonly Recheck[];
  readonly work?: Work;
}

/** Reads the proposal again through the same gates: a validation by the old process is not trusted. */
export function recheck({ state, unfinished }: RestoredRun, find: FindPayload): Outcome<RecheckPlan> {
  if (unfinished === undefined) return pass({ checks: [] });
  const { payload } = unfinished.proposal;
  const bytes = find(payload);
  // the salt stands before the proposal, and the remaining payloads of a secret step need it
  const isUnsalted = payload.salt !== undefined && saltIn(payload, bytes) === undefined;
  if (isUnsalted) return refuse('payload_missing', { sha256: payload.sha256 });
  if (!isAsked(unfinished) && !isParked(unfinished)) return pass({ checks: [] });
  if (bytes === undefined) return refuse('payload_missing', { sha256: payload.sha256 });
  const outcome = readAgain(state, unsalted(payload, bytes));
  if (!outcome.ok) return outcome;
  const call = (bound: Bound) => {
    const { here, outside: schemas } = checkCall(state, bound);
    return { bound, argsText: canonicalText(bound.call.args), here, schemas };
  };
  const proposal = outcome.value;
  if (proposal.kind === 'call') return pass({ checks: [call(proposal.call)] });
  if (proposal.kind !== 'work') return refuse('facts_altered', { what: 'proposal' });
  const work = workAgain(state, proposal.message, unfinished, find);
  const calls = work && callsOf(state, work);
  return pass(work === undefined || calls === undefined ? { checks: [] } : { checks: calls.map(call), work });
}

/**
 * Resumes a run. An unanswered question is put again. An unfinished step is closed as `interrupted` and never run
 * again. Between steps the run rests, paused. Each case begins with a record of the resumption. After a completed turn
 * there is no such record: the next task comes next.
 */
export function resume(
  restored: RestoredRun,
  { checks, work }: RecheckPlan,
  results: readonly ReadonlyMap<string, SchemaVerdict>[],
  find: FindPayload,
): Transition {
  const { state, unfinished, consent, ended } = restored;
  if (ended !== undefined)
    return [enter({ ...state, ending: ended }, { phase: 'COMPLETED' }), [{ type: 'end', ending: ended }]];
  const rechecked = checks.map((check, index) => ({ check, results: results[index] ?? new Map() }));
  const [first] = rechecked;
  if (first !== undefined && unfinished !== undefined) {
    const open = openAgain(state, unfinished, find);
    if (work !== undefined) return askWorkAgain(state, open, unfinished, work, rechecked);
    return isParked(unfinished)
      ? continueParked(state, open, unfinished, first, find)
      : askAgain(state, open, unfinished, first);
  }
  if (unfinished !== undefined) return interrupt(state, openAgain(state, unfinished, find), unfinished);
  const then = consent?.event === 'asked' ? ({ then: 'consent', consent } as const) : ({ then: 'idle' } as const);
  return [enter(state, { phase: 'MEMORY_COMMITTING', ...then }), [append('resumed')]];
}

/** A person was asked about the call, and has not answered. */
function isAsked({ asked, answered }: UnfinishedStep): boolean {
  return asked !== undefined && answered !== true;
}

/** The call is parked, and the results of its powers are known. */
function isParked({ parked, powers = NO_POWERS }: UnfinishedStep): boolean {
  return parked !== undefined && unanswered(powers).length === 0;
}

/**
 * Continues a parked call. Its heap repeats its open questions: recorded answers are given again, a person is asked
 * again, and reads are repeated.
 */
function continueParked(
  state: RunState,
  open: OpenStep,
  unfinished: UnfinishedStep,
  { check, results }: RecheckedCall,
  find: FindPayload,
): Transition {
  const { parked, powers = NO_POWERS, decision } = unfinished;
  const validated = checkArguments(check.bound, results.get(check.bound.capability.schemas.args) ?? { failed: 'lost' });
  const answered = answersOf(powers, find);
  // a question with an erased answer must not be put again
  const whole = answered.size === powers.answered.size;
  const grant = state.policy.grants.find(({ id }) => id === decision?.grant);
  const digest = parked && shown(parked.digest, isHash, find);
  const touched = parked && shown(parked.touched ?? [], isHashes, find);
  if (!validated.ok || grant === undefined || parked === undefined || !whole) return interrupt(state, open, unfinished);
  if (digest === undefined || touched === undefined) return interrupt(state, open, unfinished);
  const { argsText } = check;
  const call = { args: argsPayload(open, 0, argsText), argsText, constraintResults: holding(results) };
  const { image_hash, labels } = parked;
  const pendingCalls: PendingPowerCalls = {
    ...NO_POWER_CALLS,
    writes: [{ then: 'unpark', digest, image_hash, touched }],
    answered,
    labels,
    decisions: parked.powers,
    parked: true,
  };
  const charged = chargedBefore(authorizedBefore(validated.value, grant));
  const at = { phase: 'CAPABILITY_EXECUTING', open, call, charged, waiting: 'call', pendingCalls } as const;
  return [enter(state, at), [append('resumed')]];
}

function answersOf({ issued, answered }: PowerLedger, find: FindPayload): ReadonlyMap<number, PastPower> {
  const past = new Map<number, PastPower>();
  for (const { ticket, power_hash, answer } of answered.values()) {
    const text = decodeUtf8(unsalted(answer, find(answer) ?? NONE));
    if (!text) continue;
    const args_hash = issued.get(ticket)?.args.sha256 ?? '';
    past.set(ticket, { power_hash, args_hash, answer: JSON.parse(text) as PowerAnswer });
  }
  return past;
}

function append(event: 'resumed' | 'interrupted') {
  return { type: 'append', drafts: [{ kind: 'state', body: { event } }], payloads: [], durability: 'strict' } as const;
}

function askAgain(
  state: RunState,
  open: OpenStep,
  { asked, decision }: UnfinishedStep,
  { check, results }: RecheckedCall,
): Transition {
  const validated = checkArguments(check.bound, results.get(check.bound.capability.schemas.args) ?? { failed: 'lost' });
  if (!validated.ok) return commit(state, open, { refusal: validated.refusal });
  const { argsText } = check;
  const call = { args: argsPayload(open, 0, argsText), argsText, constraintResults: holding(results) };
  const question = { validated: validated.value, digest: asked?.digest ?? '', why: decision?.why ?? 'grant' };
  return [enter(state, { phase: 'AUTHORIZATION_EVALUATING', open, call, asked: question }), [append('resumed')]];
}

/** Puts the question about an operation again, with the earlier operations permitted as before. */
function askWorkAgain(
  state: RunState,
  open: OpenStep,
  unfinished: UnfinishedStep,
  begun: Work,
  rechecked: readonly RecheckedCall[],
): Transition {
  const work = planAgain(state, open, begun, unfinished, rechecked);
  const plan = work?.plans[work.permits.length];
  if (work === undefined || plan === undefined) return interrupt(state, open, unfinished);
  const { validated, call } = plan;
  const { asked, decision } = unfinished;
  const question = { validated, digest: asked?.digest ?? '', why: decision?.why ?? 'grant' };
  const at = { phase: 'AUTHORIZATION_EVALUATING', open: { ...open, work }, call, asked: question } as const;
  return [enter(state, at), [append('resumed')]];
}

/** Closes the step as `interrupted`: the receipt says that the effect is unknown. */
function interrupt(
  state: RunState,
  open: OpenStep,
  { intent, powers = NO_POWERS, parked, decision }: UnfinishedStep,
): Transition {
  const [issued] = unanswered(powers);
  const { refusal } =
    issued === undefined
      ? refuse('interrupted', {}, { step: 'execute' })
      : refuse('power_interrupted', { name: issued.power }, { step: 'execute' });
  const cut = { ...open, drafts: [{ kind: 'state', body: { event: 'interrupted' } } as const] };
  // an intent or an issued power means that the call may have started: the receipt lists a failed action
  const begun = intent ?? (powers.issued.size > 0 || parked !== undefined ? decision : undefined);
  const capability = state.facts.registry.capabilities.get(begun?.capability ?? '');
  const started = begun === undefined ? {} : { cut: true, args_hash: begun.args_hash };
  const told = parked && {
    powers: parked.powers,
    labels: parked.labels,
    kept: [{ key: parkedKey(state.facts.run_id) }],
  };
  return commit(state, cut, { refusal, strict: true, ...(capability && { capability }), ...started, ...told });
}

function openAgain(
  state: RunState,
  { proposal, verdict, decision, asked, parked }: UnfinishedStep,
  find: FindPayload,
): OpenStep {
  const { step, step_id, payload, usage, finish } = proposal;
  const bytes = find(payload) ?? NONE;
  const text = decodeUtf8(unsalted(payload, bytes)) ?? '(not UTF-8)';
  const known = { now: decision?.now ?? 0, nonce: asked?.nonce ?? parked?.nonce ?? '' };
  const salt = saltIn(payload, bytes);
  const answer = { ...(usage && { usage }), ...(finish && { finish }) };
  const place = { step, step_id, proposal: payload, answer, text, drafts: [], payloads: [] };
  const open = { ...place, ...known, ...(salt && { salt }) };
  if (verdict?.kind !== 'work') return open;
  // a message whose bytes were erased may have named content
  const message = readAgain(state, unsalted(payload, bytes));
  return message.ok && message.value.kind === 'work'
    ? lookingUp(state, open, message.value.message)
    : { ...open, labels: CONTENT_READ.manifest.labels ?? [] };
}

/** Reads a proposal through the same gates as when it came. */
function readAgain({ facts: { dialect, registry, limits } }: RunState, bytes: Uint8Array): ReturnType<typeof read> {
  return read(bytes, { dialect, registry, limits: { ...DECODE_LIMITS, bytes: limits.proposalBytes } });
}

const NONE = new Uint8Array();
