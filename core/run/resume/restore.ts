import { unreachable } from '../../assert.ts';
import { handlesIn, type PlacedHandle, withValues } from '../../capability/hold.ts';
import { revoke } from '../../capability/policy.ts';
import { type ReleasedCall, releaseBy } from '../../capability/release.ts';
import { refuse } from '../../errors.ts';
import { sha256Hex } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import { isObject } from '../../json/value.ts';
import { otherBehaviour } from '../../ledger/behaviour.ts';
import type { PowerBody, PowerDecision } from '../../ledger/kinds/power.ts';
import { parseJson } from '../../ledger/line.ts';
import { lengthOf, type PayloadRef, saltIn, unsalted } from '../../ledger/payload-ref.ts';
import type { Bodies, LedgerRecord } from '../../ledger/record.ts';
import { type Outcome, pass } from '../../outcome.ts';
import { callIn } from '../../protocol/call-text.ts';
import { withGrant } from '../authorize/approval.ts';
import { proposalInstead } from '../authorize/instead.ts';
import { revocationOf } from '../authorize/revoke.ts';
import { withAnswer, withQuestion } from '../authorize/signature.ts';
import { callOf, remember } from '../context.ts';
import type { Consent } from '../effect.ts';
import type { Ending } from '../event.ts';
import { afterHeld, withBits } from '../held.ts';
import type { Replacement } from '../open-step.ts';
import {
  counted,
  type DecidedUse,
  NO_POWERS,
  type PowerLedger,
  withDecision,
  withPower,
} from '../powers/power-ledger.ts';
import { initialState, type RunFacts, type RunState } from '../state.ts';
import { countTokens } from '../step.ts';
import { recalled } from '../validate/propose.ts';
import { type FindPayload, restoreFacts } from './facts.ts';

/**
 * Restores the state of a run from its records: the context, counts, labels and permissions at the time of the last
 * record. Refuses with `payload_missing` if needed bytes are missing, and with `behaviour_other` if the run was decided
 * by the rules of another build: this build would continue it by rules that the verifier of that build does not know.
 */
export function restore(
  records: readonly LedgerRecord[],
  find: FindPayload,
  precompiled: RunFacts['precompiled'],
): Outcome<RestoredRun> {
  const [first] = records;
  if (first?.kind !== 'configuration') return refuse('facts_altered', { what: 'first record' });
  const other = otherBehaviour(first);
  if (other !== undefined) return other;
  const facts = restoreFacts(first.run_id, first.body, find, precompiled);
  if (!facts.ok) return facts;
  let run: RestoredRun = { state: initialState(facts.value) };
  for (const record of records) {
    const next = fold(run, record, find);
    if (!next.ok) return next;
    run = next.value;
  }
  return pass({ ...run, state: { ...run.state, at: { phase: 'IDLE' }, phasesEntered: [] } });
}

export function fold(run: RestoredRun, record: LedgerRecord, find: FindPayload): Outcome<RestoredRun> {
  const { state, unfinished } = run;
  switch (record.kind) {
    case 'task':
      return appendMessage(begunAnew(run), 'task', record.body.text, find);
    case 'proposal':
      return pass(proposed(state, record.body));
    case 'state':
      return pass(record.body.event === 'model_failed' ? failed(run, record.body, find) : run);
    case 'verdict':
      return pass({ ...run, ...moreOf(unfinished, { verdict: record.body }) });
    case 'decision': {
      const isFirst = unfinished?.decision === undefined;
      const charged = isFirst ? withBits(state, releaseOf(state, record.body), record.body.charges) : state;
      return pass({
        ...run,
        // a call with handles is charged by its receipt
        state:
          record.body.held === 'decision'
            ? charged
            : { ...charged, used: counted(state.used, record.body, state.parents) },
        ...moreOf(unfinished, decided(unfinished, record.body)),
      });
    }
    case 'approval':
      return pass(approval(run, record.body, find));
    case 'intent':
      return pass({ ...run, ...moreOf(unfinished, { intent: record.body }) });
    case 'power':
      return pass(recordPower(run, record.body));
    case 'parked':
      return pass(recordParked(run, record.body));
    case 'progress':
      return pass(recordProgress(run, record.body));
    case 'consent':
      return pass(
        record.body.event === 'asked'
          ? { ...run, consent: consentOf(record.body) }
          : { state: { ...state, consented: record.body.approved === true } },
      );
    case 'revocation':
      return pass({ ...run, state: { ...state, policy: revoke(state.policy, revocationOf(record.body)) } });
    case 'observation':
      return observed(run, record.body, find);
    case 'receipt':
      return closed(run, record.body, find);
    case 'seal':
      return pass({ ...run, ended: endingOf(record.body, find) });
    // these kinds do not change the state; the configuration was restored as the facts
    case 'configuration':
    case 'content':
    case 'rejection':
    case 'log':
      return pass(run);
    default:
      return unreachable(record);
  }
}

/** The release of a call, as its decision tells it. */
export function releaseOf(
  { facts }: Pick<RunState, 'facts'>,
  { capability, held, charges }: Bodies['decision'],
): ReleasedCall | undefined {
  if (held !== 'decision' || charges === undefined) return undefined;
  const before = new Map(charges.grants.map((each) => [each.grant, each.before] as const));
  // a grant that was revoked since then was charged, too
  const asked = facts.policy.grants.filter(({ id }) => before.has(id));
  const hash = facts.registry.capabilities.get(capability)?.hash;
  return releaseBy(
    asked.filter((grant) => grant.capability_hash === hash),
    charges.bits,
    before,
  );
}

function proposed({ waiting: _, replacement, ...state }: RunState, body: Bodies['proposal']): RestoredRun {
  const replaces = body.by === undefined ? undefined : replacement;
  return {
    state: { ...state, steps: body.step, failures: 0, ...countTokens(state, body) },
    unfinished: { proposal: body, ...(replaces && { replaces }) },
  };
}

/** A request that the model did not answer leaves no step; the reason is shown to the program that resumes the run. */
function failed(run: RestoredRun, { reason, after_ms }: Bodies['state'], find: FindPayload): RestoredRun {
  const message = decodeUtf8((reason && find(reason)) ?? new Uint8Array()) ?? '';
  const waiting = { message, ...(after_ms === undefined ? {} : { after_ms }) };
  return { ...run, state: { ...run.state, failures: run.state.failures + 1, waiting } };
}

function decided(unfinished: UnfinishedStep | undefined, decision: Bodies['decision']): Partial<UnfinishedStep> {
  if (decision.decision !== 'AUTHORIZED') return { decision };
  return { decision, permitted: [...(unfinished?.permitted ?? []), decision] };
}

function approval(run: RestoredRun, body: Bodies['approval'], find: FindPayload): RestoredRun {
  const { unfinished, state } = run;
  if (body.event === 'part') return { ...run, state: withAnswer(state, body.digest, body.signed) };
  if (body.event === 'asked') {
    const next = { ...run, state: withQuestion(state, body.digest) };
    const questions = new Map(unfinished?.questions).set(body.digest, body.args);
    if (body.ticket !== undefined) return { ...next, ...moreOf(unfinished, { questions, isCalling: true }) };
    return { ...next, ...moreOf(unanswered(unfinished), { asked: body, questions }) };
  }
  const ref = unfinished?.questions?.get(body.digest);
  const args = ref?.salt === undefined ? undefined : { ref, bytes: find(ref) };
  const { instead } = body;
  const heard =
    body.ticket === undefined ? moreOf(unfinished, { answered: true, ...(instead && { instead: body }) }) : {};
  return { ...run, state: withGrant(withAnswer(state, body.digest), body.grant, args), ...heard };
}

/** The next operation of a message may put a question of its own. */
function unanswered(unfinished: UnfinishedStep | undefined): UnfinishedStep | undefined {
  if (unfinished === undefined) return undefined;
  const { answered: _, ...rest } = unfinished;
  return rest;
}

/** Adds the proposal to the context, and then its reply. */
function observed(run: RestoredRun, { payload }: Bodies['observation'], find: FindPayload): Outcome<RestoredRun> {
  const said = remembered(run, find);
  return said.ok ? appendMessage(said.value, 'observation', payload, find) : said;
}

function remembered(run: RestoredRun, find: FindPayload): Outcome<RestoredRun> {
  const { unfinished } = run;
  if (unfinished === undefined || unfinished.observed) return pass(run);
  const { payload, provider_data: data, by } = unfinished.proposal;
  // what a person has put in the place of a call is told in the reply to that call
  if (by !== undefined) return pass({ ...run, ...moreOf(unfinished, { observed: true }) });
  return appendMessage({ ...run, ...moreOf(unfinished, { observed: true }) }, 'proposal', payload, find, data);
}

/** A `say` proposal gets no observation, so its text joins the context here. */
function closed(run: RestoredRun, body: Bodies['receipt'], find: FindPayload): Outcome<RestoredRun> {
  const said = remembered(run, find);
  if (!said.ok) return said;
  const { state: counted } = countReceipt(said.value, body.evidence);
  const { held, step, labels, reason } = body.evidence;
  const replacement = reason?.code === 'replaced' ? replacementIn(run, find) : undefined;
  const state = { ...counted, ...(replacement && { replacement }) };
  if (held === undefined) return pass({ state: { ...state, ...after(said.value.state, body) } });
  // a step that was stopped before its decision
  const charged = run.unfinished?.decision === undefined ? withBits(state, held.release, body.evidence.charges) : state;
  const judged = run.unfinished?.verdict?.operations?.map(({ capability_hash }) => capability_hash);
  const end = {
    step,
    evidence: held,
    isGood: body.receipt.status !== 'FAILURE',
    bytes: expandedIn(body),
    ...(judged && { operations: judged.slice(held.operation) }),
  };
  // nothing of a replaced call was executed
  const used = reason?.code === 'replaced' ? { used: state.used } : {};
  return pass({ state: { ...charged, ...afterHeld(state, end), ...used, labels: new Set(labels) } });
}

/** The call that a person has put in the place of the one that ends here; undefined where its texts are missing. */
function replacementIn({ state, unfinished }: RestoredRun, find: FindPayload): Replacement | undefined {
  const { proposal, asked, instead: answer } = unfinished ?? {};
  const instead = answer?.instead;
  if (proposal === undefined || asked === undefined || instead === undefined) return undefined;
  const [said, edited] = [textIn(proposal.payload, find), textIn(instead.args, find)];
  if (said === undefined || edited === undefined) return undefined;
  const argsText = textIn(asked.args, find) ?? argsAgain(state, said, find);
  if (argsText === undefined) return undefined;
  const salt = saltIn(proposal.payload, find(proposal.payload));
  const { step, nonce, capability } = asked;
  const replaced = { step, nonce, ...(salt && { salt }), capability, proposal: said, argsText };
  const { now, digest } = instead;
  const signed = answer?.signed && { signed: answer.signed };
  return { ...proposalInstead(state.facts, replaced, edited), now, digest, ...signed };
}

/** The text of a payload; undefined where its bytes are not the ones that the record names. */
function textIn(ref: PayloadRef, find: FindPayload): string | undefined {
  const bytes = find(ref);
  return bytes !== undefined && sha256Hex(bytes) === ref.sha256 ? decodeUtf8(unsalted(ref, bytes)) : undefined;
}

/** The arguments of a call with handles as a person was shown them: no payload has them before the call runs. */
function argsAgain(state: RunState, proposal: string, find: FindPayload): string | undefined {
  const written = parseJson(callIn(state.facts.dialect, proposal)?.args ?? '');
  const handles = isObject(written) ? handlesIn(written) : pass([]);
  if (!isObject(written) || !handles.ok || handles.value.length === 0) return undefined;
  const values = recalled(state, handles.value, storedBehind(state, handles.value, find));
  const args = withValues(written, handles.value, (handle) => values.get(handle), Number.MAX_SAFE_INTEGER);
  return args.ok ? canonicalText(args.value) : undefined;
}

/** The stored bytes behind these handles, by their hashes; those that are gone are absent. */
export function storedBehind(
  { held }: Pick<RunState, 'held'>,
  handles: readonly PlacedHandle[],
  find: FindPayload,
): ReadonlyMap<string, Uint8Array> {
  const refs = handles.flatMap(({ handle }) => held.get(handle)?.ref ?? []);
  const stored = refs.flatMap((ref) => {
    const bytes = find(ref);
    return bytes === undefined ? [] : [[ref.sha256, bytes] as const];
  });
  return new Map(stored);
}

function endingOf({ state, code, message }: Bodies['seal'], find: FindPayload): Ending {
  const text = message && decodeUtf8(find(message) ?? new Uint8Array());
  return { state, ...(code && { code }), ...(text && { message: text }) };
}

function begunAnew({ ended: _, ...run }: RestoredRun): RestoredRun {
  return run;
}

function appendMessage(
  run: RestoredRun,
  kind: 'task' | 'proposal' | 'observation',
  ref: PayloadRef,
  find: FindPayload,
  data?: PayloadRef,
): Outcome<RestoredRun> {
  if (run.state.facts.caller) return pass(run);
  const bytes = find(ref);
  if (bytes === undefined) return refuse('payload_missing', { sha256: ref.sha256 });
  const text = decodeUtf8(unsalted(ref, bytes)) ?? '(not UTF-8)';
  const { facts, steps } = run.state;
  const { contextBytes } = facts.limits;
  const call = kind === 'proposal' ? callOf(steps, callIn(facts.dialect, text), dataIn(data, find)) : undefined;
  const context = remember(run.state.context, kind, text, contextBytes, call);
  return pass({ ...run, state: { ...run.state, context } });
}

/** What a server demands back with a call; undefined where it is absent or was erased: the adapter goes on without. */
export function dataIn(ref: PayloadRef | undefined, find: FindPayload): string | undefined {
  const bytes = ref && find(ref);
  return bytes && decodeUtf8(unsalted(ref, bytes));
}

function after(
  state: RunState,
  { evidence }: Bodies['receipt'],
): Pick<RunState, 'refusalsInRow' | 'labels' | 'expandedBytes'> {
  return {
    refusalsInRow: refusalsBehind(state, evidence.reason?.code),
    labels: new Set(evidence.labels),
    expandedBytes: state.expandedBytes + expandedIn({ evidence }),
  };
}

/** A call that a person has replaced counts as what came of the person's. */
function refusalsBehind({ refusalsInRow }: RunState, code: string | undefined): number {
  if (code === 'replaced') return refusalsInRow;
  return code === undefined ? 0 : refusalsInRow + 1;
}

function expandedIn({ evidence }: Pick<Bodies['receipt'], 'evidence'>): number {
  return evidence.spent?.bytes ?? (evidence.expanded ?? []).reduce((sum, ref) => sum + lengthOf(ref), 0);
}

/** The accounts of the unfinished step's powers. */
export function ledgerOf({ unfinished }: RestoredRun): PowerLedger {
  return unfinished?.powers ?? NO_POWERS;
}

/** Adds the record of a power, and counts the use of a power that was issued. */
function recordPower(run: RestoredRun, body: PowerBody): RestoredRun {
  const next = { ...run, ...moreOf(run.unfinished, { powers: withPower(ledgerOf(run), body) }) };
  if (body.event === 'answered') return next;
  const { ticket, grant, now } = body;
  return countUse(next, { ticket, decision: 'AUTHORIZED', grant, now });
}

/** Adds the record of a parked call, and counts the uses that it names. */
function recordParked(run: RestoredRun, body: Bodies['parked']): RestoredRun {
  const next = countUses(run, body.powers);
  return { ...next, ...moreOf(next.unfinished, { parked: body }) };
}

/**
 * Adds the record of a settled operation, or of reads, and counts the uses that it names. Each operation numbers the
 * tickets of its powers anew.
 */
function recordProgress(run: RestoredRun, body: Bodies['progress']): RestoredRun {
  const decisions = body.event === 'reads' ? body.powers : (body.evidence.powers ?? []);
  const next = countUses(run, decisions);
  if (next.unfinished === undefined) return next;
  const progress = [...(next.unfinished.progress ?? []), body];
  if (body.event === 'reads') return { ...next, unfinished: { ...next.unfinished, progress } };
  const { intent: _, parked: __, ...rest } = next.unfinished;
  const powers = { ...NO_POWERS, used: ledgerOf(next).used };
  return { ...next, unfinished: { ...rest, progress, powers } };
}

/** Counts the uses that no record has named before the receipt: of its call, or of the operations of its message. */
function countReceipt(run: RestoredRun, { powers = [], operations = [] }: Bodies['receipt']['evidence']): RestoredRun {
  const next = countUses(run, powers);
  const known = new Map([...ledgerOf(next).used].map(([grant, { count }]) => [grant, count]));
  const uses = operations.flatMap((operation) => operation.powers ?? []);
  const used = uses.reduce((before, use) => {
    const left = known.get(use.grant ?? '') ?? 0;
    if (left === 0) return counted(before, use, next.state.parents);
    known.set(use.grant ?? '', left - 1);
    return before;
  }, next.state.used);
  return { ...next, state: { ...next.state, used } };
}

/** Counts uses that have no record of their own. */
export function countUses(run: RestoredRun, decisions: readonly PowerDecision[]): RestoredRun {
  return decisions.reduce(countUse, run);
}

/** Counts a use once, even if several records name it. */
function countUse(run: RestoredRun, decided: DecidedUse): RestoredRun {
  const before = ledgerOf(run);
  const powers = withDecision(before, decided);
  if (powers === before) return run;
  const state = { ...run.state, used: counted(run.state.used, decided, run.state.parents) };
  return { ...run, state, ...moreOf(run.unfinished, { powers }) };
}

/** A step without a receipt, and its records so far. */
export interface UnfinishedStep {
  readonly proposal: Bodies['proposal'];
  readonly verdict?: Bodies['verdict'];
  /** Decisions to authorize, in order: in a message a decision for each operation so far. */
  readonly permitted?: readonly Bodies['decision'][];
  readonly decision?: Bodies['decision'];
  readonly asked?: Extract<Bodies['approval'], { event: 'asked' }>;
  /** Arguments of every question of the step, by the question's digest. */
  readonly questions?: ReadonlyMap<string, PayloadRef>;
  readonly answered?: true;
  /** The yes to an edited call. */
  readonly instead?: Extract<Bodies['approval'], { event: 'answered' }>;
  /** The proposal is a person's, in the place of the call before. */
  readonly replaces?: Replacement;
  /** Its call has asked a person about a power. */
  readonly isCalling?: true;
  readonly intent?: Bodies['intent'];
  /** Settled operations and reads, in order. */
  readonly progress?: readonly Bodies['progress'][];
  readonly powers?: PowerLedger;
  readonly parked?: Bodies['parked'];
  /** The context holds the proposal and its reply. */
  readonly observed?: true;
}

/** The question of this record: the words of the record about itself are not part of it. */
function consentOf({ origin, bytes, bytes_max, digest }: Bodies['consent']): Consent {
  return { origin, bytes, bytes_max, digest };
}

/** A run as restored from its records: at rest between two steps, or with an unfinished step. */
export interface RestoredRun {
  readonly state: RunState;
  readonly unfinished?: UnfinishedStep;
  /** An unanswered question about a remote model. */
  readonly consent?: Consent;
  /** The end of its last turn, if no task followed. */
  readonly ended?: Ending;
}

/** The unfinished step with more of its records, if there is one. */
export function moreOf(
  unfinished: UnfinishedStep | undefined,
  more: Partial<UnfinishedStep>,
): { readonly unfinished?: UnfinishedStep } {
  return unfinished === undefined ? {} : { unfinished: { ...unfinished, ...more } };
}
