import { approvalDigest } from '../capability/approval.ts';
import { guarded } from '../capability/authorize.ts';
import type { PowerCall } from '../capability/call.ts';
import type { Grant } from '../capability/grant.ts';
import type { Label } from '../capability/guard.ts';
import { revoke } from '../capability/policy.ts';
import type { PowerAnswer } from '../capability/power.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { found } from '../ledger/export.ts';
import type { Bodies, LedgerRecord, PowerDecision } from '../ledger/record.ts';
import { EMPTY_DESK } from '../run/desk.ts';
import { powerOf } from '../run/power-text.ts';
import { chargedPowers, fold, type Restored } from '../run/restore.ts';
import { revocationOf } from '../run/revoke.ts';
import type { Executing, RunState } from '../run/state.ts';
import { isTakenUp } from './inputs.ts';
import { compare, type Player, stray } from './player.ts';
import { recordedCalls } from './recorded.ts';
import { bytesOrPlaceholder, inStep, jsonOf, type Tape } from './tape.ts';

/**
 * Takes what the page did for a call from the records: its powers' answers, and when they came, are inputs like the
 * model's bytes. They must fit the run's facts and each other: the powers that the page provides and the capability
 * declares, grants that are theirs, questions bound to this very use, answers that the guest was given. The call goes on
 * with what they leave.
 */
export function hearPage(player: Player, at: Executing): void {
  const { tape } = player;
  const { powers: decisions = [] } = inStep(tape, player.at, 'receipt')?.evidence ?? {};
  const records = pageRecords(tape, player.at + at.open.drafts.length);
  if (records.length === 0 && decisions.length === 0) return;
  // what the step had not written yet was written before the first of them
  if (records.length > 0) compare(player, at.open.drafts, at.open.payloads);
  if (player.wrong !== undefined) return;
  player.skipped.push(found(player.at, refuse('not_replayed', { what: 'what the page did for a call' })));
  let run = soFar(player);
  for (const record of records) {
    const fault = unfit(tape, run.state, at, record);
    if (fault !== undefined) return stray(player, `the ${record.kind} of a power: ${fault}`);
    const next = fold(run, record, bytesOrPlaceholder(tape));
    if (next.ok) run = next.value;
    player.at += 1;
  }
  // the receipt is that of the call as it was gone on with
  if (player.at >= tape.records.length || isTakenUp(tape, player.at)) return;
  // what is no longer permitted may have been when the call asked for it
  const grants = [...player.state.policy.grants, ...run.state.policy.grants];
  const wrong = decisions.find((decided) => !isPermitted(player, { ...run.state, grants }, at, decided));
  if (wrong !== undefined) return stray(player, `what was decided about the power ${wrong.power}`);
  const { state } = chargedPowers(run, decisions);
  const written = records.length === 0 ? {} : { open: { ...at.open, drafts: [], payloads: [] } };
  const parked = at.desk?.parked === true || records.some(({ kind }) => kind === 'parked');
  const desk = { ...EMPTY_DESK, decisions, labels: shownTo(player, state, at, decisions), parked };
  player.state = { ...state, at: { ...at, ...written, desk } };
}

/** What a person revoked meanwhile stands among them. */
type PageRecord = Extract<LedgerRecord, { kind: 'power' | 'parked' | 'approval' | 'revocation' }>;

function pageRecords({ records }: Tape, from: number): readonly PageRecord[] {
  const end = records.findIndex((record, at) => at >= from && !isOfPage(record));
  return records.slice(from, end < 0 ? undefined : end).filter(isOfPage);
}

function isOfPage(record: LedgerRecord): record is PageRecord {
  if (record.kind === 'approval') return record.body.ticket !== undefined;
  return record.kind === 'power' || record.kind === 'parked' || record.kind === 'revocation';
}

/** The run as it stands, and which uses of this step have been counted in it. */
function soFar({ tape, at, state }: Player): Restored {
  const from = tape.records.findLastIndex((record, i) => i < at && record.kind === 'proposal');
  const before = tape.records.slice(Math.max(from, 0), at);
  const find = bytesOrPlaceholder(tape);
  const counted = before.reduce<Restored>(
    (run, record) => {
      const next = fold(run, record, find);
      return next.ok ? next.value : run;
    },
    { state },
  );
  return { state, ...(counted.unfinished && { unfinished: counted.unfinished }) };
}

/** Why a record cannot be what this run wrote of its call; undefined when it can. */
function unfit(tape: Tape, state: RunState, at: Executing, { kind, body }: PageRecord): string | undefined {
  if (kind === 'revocation') return revocationFault(state, body);
  if (body.step !== at.open.step || body.step_id !== at.open.step_id) return 'it is of another step';
  if (kind === 'parked') return undefined;
  const [name, hash] = kind === 'power' ? [body.power, body.power_hash] : [body.capability, body.capability_hash];
  const power = powerOf(state, at, name);
  if (power?.hash !== hash) return 'it is not one that the capability may ask for';
  if (kind === 'approval') return questionFault(state, at, body, power.manifest.effect);
  if (body.event === 'answered') return answerFault(tape, body);
  const { policy, labels } = state;
  if (body.effect !== power.manifest.effect) return 'its effect is another';
  if (body.policy_hash !== policy.hash || canonicalText([...labels]) !== canonicalText([...body.labels]))
    return 'it was issued under another policy';
  const grant = policy.grants.find(({ id }) => id === body.grant);
  if (grant?.capability_hash !== hash || grant.mode === 'deny') return 'the grant is not one for it';
  return grant.expires !== undefined && grant.expires <= body.now ? 'the grant had expired' : undefined;
}

/** It takes away what was there, and leaves what it says. */
function revocationFault({ policy }: RunState, body: Bodies['revocation']): string | undefined {
  const { hash } = revoke(policy, revocationOf(body));
  return hash === body.policy_hash && hash !== policy.hash ? undefined : 'it leaves another policy';
}

/** A question is bound to the power, its argument, the run, the step and its nonce. */
function questionFault(
  state: RunState,
  { open }: Executing,
  body: Bodies['approval'],
  effect: string,
): string | undefined {
  if (body.event === 'answered') return undefined;
  const { capability_hash, nonce, args } = body;
  const bound = { capability_hash, args_hash: args.sha256, run_id: state.facts.run_id, step_id: open.step_id, nonce };
  return body.effect === effect && approvalDigest(bound) === body.digest ? undefined : 'the question is another';
}

/** The guest was given what the ledger says that the page had answered. */
function answerFault(tape: Tape, body: Extract<Bodies['power'], { event: 'answered' }>): string | undefined {
  const at = tape.records.findIndex(({ body: other }) => other === body);
  const heard = recordedCalls(tape, inStep(tape, at, 'receipt')?.evidence.power_calls)?.[body.ticket - 1];
  const answer = jsonOf(tape, body.answer) as unknown as PowerAnswer | undefined;
  if (answer === undefined) return undefined;
  if ((body.status === 'success') !== answer.ok) return 'its status is another';
  return heard === undefined || sameAnswer(heard, answer) ? undefined : 'the guest heard another answer';
}

function sameAnswer({ result, error }: PowerCall, answer: PowerAnswer): boolean {
  if (!answer.ok) return canonicalText((error ?? null) as JsonValue) === canonicalText(answer.error);
  return error === undefined && canonicalText(result) === answer.text;
}

/**
 * A use that was permitted had a grant that is the power's own, and a person's yes where that says so or the guard does;
 * one that can change something was written down before.
 */
function isPermitted(
  { tape, at: end }: Player,
  { grants, ...state }: RunState & { readonly grants: readonly Grant[] },
  at: Executing,
  decided: PowerDecision,
): boolean {
  const power = powerOf(state, at, decided.power);
  if (power?.hash !== decided.power_hash) return false;
  if (decided.decision !== 'AUTHORIZED') return true;
  const grant = grants.find(({ id }) => id === decided.grant);
  if (grant?.capability_hash !== power.hash || grant.mode === 'deny') return false;
  const { effect } = power.manifest;
  const told = tape.records.slice(0, end).filter(isOfPage);
  const own = told.filter(
    ({ body }) => 'step' in body && body.step === at.open.step && 'ticket' in body && body.ticket === decided.ticket,
  );
  const isIssued = own.some(({ kind, body }) => kind === 'power' && body.event === 'issued');
  const approved = own.some(({ kind, body }) => kind === 'approval' && body.event === 'answered' && body.approved);
  if (!isIssued && (effect === 'write' || effect === 'egress')) return false;
  if (grant.mode === 'ask' && !approved) return false;
  // what its other powers have shown it by then can only have asked for more
  return guarded(effect, { ...state, approved }, grant) === undefined;
}

/** Labels of what the powers have answered. Of one that was under way at the end nobody knows but the receipt. */
function shownTo(
  { tape, at: from }: Player,
  state: RunState,
  at: Executing,
  decisions: readonly PowerDecision[],
): readonly Label[] {
  const { power_calls, labels = [] } = inStep(tape, from, 'receipt')?.evidence ?? {};
  const heard = recordedCalls(tape, power_calls)?.length ?? 0;
  const permitted = decisions.filter(({ decision }) => decision === 'AUTHORIZED');
  const shown = permitted.flatMap(({ power, ticket }) => {
    const all = powerOf(state, at, power)?.manifest.labels ?? [];
    return ticket <= heard ? all : all.filter((label) => labels.includes(label));
  });
  return [...new Set(shown)].sort();
}
