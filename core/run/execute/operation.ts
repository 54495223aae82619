import { withLabels } from '../../capability/guard.ts';
import { resultLabels } from '../../capability/hold.ts';
import { CONTENT_READ } from '../../content/built-in.ts';
import { expand } from '../../content/expand.ts';
import { movedSections, sameAsBefore } from '../../content/staged.ts';
import { resolveSymbol, type Target } from '../../content/target.ts';
import { contentHash, withLineFeeds } from '../../content/text.ts';
import { rebound, type StagedFile, stage } from '../../content/write.ts';
import { refuse } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { Draft } from '../../ledger/record.ts';
import { type Outcome, pass, type Refusal } from '../../outcome.ts';
import type { Operation } from '../../protocol/proposal.ts';
import { refuseRevoked } from '../authorize/revoke.ts';
import { commit, keep } from '../commit/commit.ts';
import { cost, type StepEnding, toldBy } from '../commit/records.ts';
import type { Payload } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import { heldWork } from '../held.ts';
import type { OpenStep, OperationResult, Permit, Work } from '../open-step.ts';
import { hidden, stepPayload } from '../payload.ts';
import { withProgress } from '../progress.ts';
import type { Executing, RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { sourceOf } from '../validate/resolution.ts';
import { outputMissing } from '../validate/work.ts';
import { launch } from './execute.ts';
import { bytesBefore, failedExpansion, spentWith, withExpansions } from './expansions.ts';
import { attempt, type OperationFacts, operationOf, outputsOf, reason, withdrawn } from './operation-result.ts';

/** Starts the next operation in order. */
export function runNext(state: RunState, open: OpenStep, work: Work): Transition {
  const index = work.done.length;
  const permit = work.permits[index];
  if (permit === undefined) return finish(state, open, work);
  const begins = permit.holds === true && open.held === undefined;
  const next = begins ? heldWork(state, open, work, index, 'outcome') : open;
  return refuseRevoked(state, { open }) ?? launch(state, next, permit);
}

/** Applies the outcome of a capability's call. */
export function executed(state: RunState, open: OpenStep, work: Work, ended: StepEnding): Transition {
  const kept = keep(open, ended);
  const { evidence, refusal, value, ended_by, powers, given = [] } = ended;
  const { result, answer, console: lines, power_calls, heap, touched } = kept.ended;
  const more = {
    ...(evidence && cost(evidence, heap)),
    ...(ended_by === undefined ? {} : { ended_by }),
    ...(lines && { console: lines }),
    ...(power_calls && { power_calls }),
    ...(answer && { answer }),
    ...toldBy(evidence),
    ...(powers?.length ? { powers } : {}),
    ...(given.length > 0 ? { expanded: given.map(({ payload }) => payload.ref) } : {}),
    ...(touched && { touched }),
  };
  const labels = [...withLabels(new Set(work.labels), ended.labels ?? [])];
  const expanded = withExpansions(work, given);
  const spent = spentWith(work.spent, given, evidence?.touched ?? []);
  const payloads = [...work.payloads, ...kept.payloads];
  const after = { ...work, labels, ...expanded, spent, payloads, kept: [...work.kept, ...(ended.kept ?? [])] };
  const isExpansion = failedExpansion(evidence?.powerCalls ?? []) !== undefined;
  if (refusal !== undefined) return failed(state, open, after, refusal, more, isExpansion);
  const yields = kept.payloads.find((payload) => payload.ref === result);
  return succeeded(state, open, after, yields, { result: value ?? null }, more);
}

/** Ends an operation that succeeded. */
function succeeded(
  state: RunState,
  open: OpenStep,
  work: Work,
  yields: Payload | undefined,
  told: JsonObject,
  ran: OperationFacts = {},
): Transition {
  const evidence = { ...ran, ...(yields && { result_hash: yields.ref.sha256 }) };
  const done = attempt(work, 'SUCCESS', yields, evidence, told);
  const payloads = yields === undefined ? work.payloads : [...work.payloads, yields];
  return next(state, open, { ...work, payloads }, done);
}

/** Ends an operation that failed. `isExpansion`: an expansion of the call failed. */
function failed(
  state: RunState,
  open: OpenStep,
  work: Work,
  refused: Refusal,
  ran: OperationFacts = {},
  isExpansion = false,
): Transition {
  const refusal = { ...refused, step: refused.step ?? 'execute', pointer: `/ops/${work.done.length}` } as const;
  const { code, message } = refusal;
  const evidence = { ...ran, reason: reason(refusal) };
  const done = attempt(work, 'FAILURE', undefined, evidence, { code, message });
  const isFatal = isExpansion || endsMessage(work, refusal);
  return next(state, open, work, { ...done, refusal }, isFatal);
}

/**
 * Whether a failure of the current operation fails its message. An exceeded budget and a failed expansion do, even if
 * the message marks the operation as not critical, and a READ is an expansion.
 *
 * @see Catalytic Chat Contract, Budget Definitions and Error Policy
 */
function endsMessage(work: Work, { class: kind }: Refusal): boolean {
  const isCritical = work.params[work.done.length]?.critical !== false;
  return isCritical || kind === 'budget' || operationOf(work).type === 'READ';
}

/** Goes to the next operation, or ends the message. An error may quote content, so its labels count too. */
function next(state: RunState, open: OpenStep, work: Work, done: OperationResult, isFatal = false): Transition {
  const labels = resultLabels(state, (work.permits[work.done.length] as Permit).charged.capability);
  const after: Work = {
    ...work,
    done: [...work.done, done],
    labels: [...withLabels(new Set(work.labels), labels)],
  };
  const opened = { ...open, work: withProgress(open, after) };
  if (done.refusal !== undefined && isFatal) return close(state, opened, { refusal: done.refusal });
  return runNext(state, opened, opened.work);
}

/**
 * Ends a message after its last operation. Writes are committed if no operation failed; after a failure they are
 * withdrawn and become failed actions. A message without a successful operation has failed.
 */
function finish(state: RunState, open: OpenStep, work: Work): Transition {
  const failure = work.done.find(({ refusal }) => refusal !== undefined)?.refusal;
  const settled = failure === undefined ? work : { ...work, done: work.done.map((done) => withdrawn(done, failure)) };
  const opened = { ...open, work: settled };
  const isLost = settled.done.some(({ refusal }, index) => refusal && work.params[index]?.critical !== false);
  if (isLost) return close(state, opened, failure === undefined ? {} : { refusal: failure });
  const outputs = outputsOf(settled);
  const missing = work.message.required_outputs.findIndex((name) => !Object.hasOwn(outputs, name));
  if (missing >= 0) return close(state, opened, outputMissing(work.message, missing, 'execute'));
  const value = resultOf(settled);
  if (failure !== undefined) {
    const isPartial = settled.done.some(({ refusal }) => refusal === undefined);
    return close(state, opened, { refusal: failure, ...(isPartial && { partial: value }) });
  }
  return commitWrites(state, opened, work, value);
}

/** The receipt of a call that may have had an effect is flushed to disk, however its message ended. */
function close(state: RunState, open: OpenStep, ended: StepEnding): Transition {
  const attempted = open.work?.permits.slice(0, open.work.done.length) ?? [];
  const strict = attempted.some(({ charged }) => charged.capability.manifest.effect !== 'pure');
  return commit(state, open, { ...ended, strict });
}

/** The reply for a message: each operation with its result. */
function resultOf({ done }: Work): JsonValue {
  return { operations: done.map(({ told }) => told) };
}

/** Commits the writes. The old text is stored beside the log with the new text: a write can be taken back. */
function commitWrites(state: RunState, open: OpenStep, { staged }: Work, value: JsonValue): Transition {
  const content = [...staged.values()];
  const texts = content.map(({ before, after }) => {
    const role = (which: string) => `${which} ${after.file_path}`;
    return [stepPayload(open, role('before'), before.text), stepPayload(open, role('after'), after.text)] as const;
  });
  const symbols = content.map((each) => hidden(open, `symbols ${each.after.file_path}`, rebound(each)));
  const { step, step_id } = open;
  const drafts = content.map((each, index): Draft => {
    const [before, after] = texts[index] as (typeof texts)[number];
    const path = each.after.file_path;
    const moved = symbols[index]?.told ?? [];
    const body = { step, step_id, path, before: before.ref, after: after.ref, symbols: moved };
    return { kind: 'content', body };
  });
  const payloads = [...texts.flat(), ...symbols.flatMap(({ payload }) => payload ?? [])];
  const after = open.work && { work: { ...open.work, payloads: [...open.work.payloads, ...payloads] } };
  const written = { ...open, ...after, drafts: [...open.drafts, ...drafts] };
  return close(state, written, { value, ...(content.length > 0 ? { content, before: state } : {}) });
}

/** The file changed while the message ran. Compare-and-set refused all of its writes. */
export function outdated(state: RunState, event: Extract<RunEvent, { type: 'outdated' }>): Transition {
  const { at } = state;
  if (at.phase !== 'MEMORY_COMMITTING' || at.rollback === undefined) return stay(state);
  const { path } = event;
  const { state: before, open } = at.rollback;
  const expected = expectedOf(open.work, path);
  const { refusal } = refuse('content_changed', { path, expected }, { step: 'record' });
  const opened = { ...open, drafts: open.drafts.filter(({ kind }) => kind !== 'content') };
  const since = {
    phasesEntered: [],
    pendingNotes: state.pendingNotes,
    ...(state.stopping && { stopping: state.stopping }),
  };
  return commit({ ...before, ...since }, opened, { refusal });
}

/** The hash that the message itself named: the model is told no hash that it did not send. */
function expectedOf(work: Work | undefined, path: string): string {
  const isWrite = ({ type }: Operation, index: number) => type === 'WRITE' && work?.targets[index]?.file_path === path;
  return work?.params[work.message.ops.findIndex(isWrite)]?.expected_hash ?? '';
}

/** Applies the loaded file. The message's own staged writes take precedence over the stored text. */
export function loaded(state: RunState, at: Executing, event: Extract<RunEvent, { type: 'loaded' }>): Transition {
  const { open } = at;
  const { work } = open;
  if (work === undefined) return stay(state);
  const { file, rows } = event;
  const path = work.targets[work.done.length]?.file_path ?? '';
  const staged = work.staged.get(path);
  const held = staged ?? (file && { before: file, after: file, was: rows, rows });
  if (held === undefined) return failed(state, open, work, refuse('content_missing', { path }).refusal);
  const { type } = operationOf(work);
  const seen =
    staged === undefined ? sourceOf(open, type, work.targets[work.done.length] as Target, held.after.text) : undefined;
  const ran = seen === undefined ? {} : { source: seen.source };
  const after = { ...work, payloads: [...work.payloads, ...(seen?.payloads ?? [])] };
  const target = targetNow(work, held);
  if (!target.ok) return failed(state, open, after, target.refusal, ran);
  const facts = { target: target.value, held, ran };
  return type === 'READ' ? read(state, open, after, facts) : write(state, open, after, facts);
}

/** The content of an operation, and the part of it that is recorded. */
interface Content {
  readonly target: Target;
  readonly held: StagedFile;
  readonly ran: OperationFacts;
}

/** The target as authorized. Only this message's own writes can have moved it since it was resolved. */
function targetNow(work: Work, held: StagedFile): Outcome<Target> {
  const target = work.targets[work.done.length] as Target;
  if (!work.staged.has(target.file_path)) return pass(target);
  const row = held.rows.find((each) => each.symbol_id === target.symbol_or_section_id);
  return row === undefined
    ? refuse('target_gone', { symbol: target.symbol_or_section_id })
    : resolveSymbol(row, held.after);
}

function read(state: RunState, open: OpenStep, work: Work, { target, held, ran }: Content): Transition {
  const { facts } = state;
  const slice = work.params[work.done.length]?.slice ?? target.default_slice_policy ?? '';
  const { spent, message } = work;
  const done = expand({ run_id: facts.run_id, target, slice, text: held.after.text, spent, budgets: message.budgets });
  if (!done.ok) return failed(state, open, work, done.refusal, ran);
  const { expansion, text, spent: after } = done.value;
  const same = sameAsBefore(expansion, work.sinceWrite, target.file_path);
  if (!same.ok) return failed(state, open, work, same.refusal, ran);
  const used = bytesBefore(state, open) + after.bytes;
  const limit = facts.limits.expandedBytes;
  if (used > limit)
    return failed(state, open, work, refuse('budget_run', { limit, used }, { step: 'charge' }).refusal, ran);
  const yields = stepPayload(open, `yields ${work.done.length}`, text);
  const told = { slice, content_hash: expansion.content_hash, text };
  const shown = withExpansions(work, [{ expansion, payload: yields }]);
  return succeeded(state, open, { ...work, ...shown, spent: after }, yields, told, ran);
}

function write(state: RunState, open: OpenStep, work: Work, { target, held, ran }: Content): Transition {
  const { content = '', expected_hash = '' } = work.params[work.done.length] ?? {};
  const done = stage(held, target, content, expected_hash);
  // the refusal reveals whether the text is the expected text, so it counts as a read
  const labels = [...withLabels(new Set(work.labels), CONTENT_READ.manifest.labels ?? [])];
  if (!done.ok) return failed(state, open, { ...work, labels }, done.refusal, ran);
  const content_hash = contentHash(withLineFeeds(content));
  const staged = new Map(work.staged).set(target.file_path, done.value);
  const moved = movedSections(held.after, done.value.after, target);
  const sections = new Set([...work.spent.sections].map((id) => moved.get(id) ?? id));
  const written = { ...work, staged, sinceWrite: [], spent: { ...work.spent, sections } };
  const yields = stepPayload(open, `yields ${work.done.length}`, content_hash);
  return succeeded(state, open, written, yields, { content_hash }, ran);
}
