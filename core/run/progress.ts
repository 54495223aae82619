// Records of what a step has done before its receipt, and a message made from them again after a crash.
import type { Capability } from '../capability/capability.ts';
import { indexText } from '../content/build.ts';
import type { Expansion } from '../content/expand.ts';
import type { StagedFiles } from '../content/staged.ts';
import type { SymbolRow } from '../content/target.ts';
import { contentHash } from '../content/text.ts';
import type { StagedFile } from '../content/write.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { isPayloadRef } from '../ledger/form.ts';
import type { Evidence } from '../ledger/kinds/evidence.ts';
import type { ProgressBody } from '../ledger/kinds/progress.ts';
import { parseJson } from '../ledger/line.ts';
import { type PayloadRef, unsalted } from '../ledger/payload-ref.ts';
import type { Draft } from '../ledger/record.ts';
import type { Refusal } from '../outcome.ts';
import type { Payload } from './effect.ts';
import type { StoredRow } from './event.ts';
import { isHarmless, isRecorded } from './execute/execute.ts';
import { type ExpandedContent, givenTo, inReceipt, spentWith } from './execute/expansions.ts';
import { operationOf } from './execute/operation-result.ts';
import { NO_PROGRESS, type OpenStep, type OperationResult, type Permit, type Work } from './open-step.ts';
import { readsRole, stepPayload } from './payload.ts';
import type { PendingPowerCalls } from './pending-power-calls.ts';
import type { Executing, RunState } from './state.ts';

type OperationProgress = Extract<ProgressBody, { event: 'operation' }>;

/** Facts that a message needs to be continued behind an operation, beside the operation's record. */
interface KeptState {
  /** Ids of all sections that the message has touched. */
  readonly sections: readonly string[];
  readonly sinceWrite: readonly Expansion[];
  /** Rows that the operation has put. */
  readonly kept: readonly StoredRow[];
  readonly refusal?: Refusal;
}

/** The message with the record of its newest operation, which has just settled. */
export function withProgress(open: OpenStep, work: Work): Work {
  const operation = work.done.length - 1;
  const done = work.done[operation] as OperationResult;
  const { told } = work.progress;
  const state: KeptState = {
    sections: [...work.spent.sections],
    sinceWrite: work.sinceWrite,
    kept: work.kept.slice(told.kept),
    ...(done.refusal && { refusal: done.refusal }),
  };
  const json = (role: string, value: unknown) =>
    stepPayload(open, `${role} ${operation}`, canonicalText(value as JsonValue));
  const facts = json('progress', state);
  const file = done.action.type === 'WRITE' && done.refusal === undefined ? stagedBy(work, operation) : undefined;
  const staged = file && json('staged', { ...file, before: file.before.text, after: file.after.text });
  const body: OperationProgress = {
    event: 'operation',
    step: open.step,
    step_id: open.step_id,
    operation,
    action: done.action,
    evidence: done.evidence,
    expanded: work.expanded.slice(told.expanded),
    labels: [...work.labels].sort(),
    spent: spentOf(work.spent),
    state: facts.ref,
    ...(staged && { staged: staged.ref }),
  };
  const own = [...work.payloads.slice(told.payloads), facts, ...(staged ? [staged] : [])];
  const { capability } = (work.permits[operation] as Permit).charged;
  return {
    ...work,
    progress: {
      ...work.progress,
      drafts: [...work.progress.drafts, { kind: 'progress', body }],
      payloads: [...work.progress.payloads, ...own],
      told: { payloads: work.payloads.length, expanded: work.expanded.length, kept: work.kept.length },
      ...(done.action.type === 'EXECUTE' && isRecorded(capability) && { due: dueOf(work, capability) }),
    },
  };
}

function dueOf({ progress }: Work, capability: Capability): 'strict' | 'relaxed' {
  return progress.due === 'strict' || !isHarmless(capability) ? 'strict' : 'relaxed';
}

function stagedBy(work: Work, operation: number): StagedFile | undefined {
  return work.staged.get(work.targets[operation]?.file_path ?? '');
}

function spentOf({ symbols, sections, bytes, expands }: Work['spent']): NonNullable<Evidence['spent']> {
  return { symbols: symbols.size, sections: sections.size, bytes, expands };
}

/** The record of a running call's reads that no record tells yet, and the call without them. */
export function tellReads(
  { facts, labels }: RunState,
  at: Executing,
): { readonly at: Executing; readonly drafts: readonly Draft[]; readonly payloads: readonly Payload[] } {
  const { open, pendingCalls } = at;
  const { reads, decisions } = pendingCalls;
  const calls = reads.calls.toSorted((one, other) => one.ticket - other.ticket);
  const powers = decisions.slice(reads.decisions).filter((decided) => !isIssued(pendingCalls, decided.ticket));
  const told = { ...reads, calls: [], decisions: decisions.length };
  const after = { ...at, pendingCalls: { ...pendingCalls, reads: told } };
  if (calls.length === 0 && powers.length === 0) return { at: after, drafts: [], payloads: [] };
  const given = calls.flatMap(({ ticket, call }) => givenTo(facts.run_id, open, [call], ticket - 1));
  const list = canonicalText(calls.map(({ call }) => call) as unknown as JsonValue);
  const payload = stepPayload(open, readsRole(open, calls[0]?.ticket), list);
  const spent = open.work && spentWith(reads.spent ?? open.work.spent, given, reads.touched);
  const shown = new Set([...labels, ...(open.labels ?? []), ...(open.work?.labels ?? []), ...pendingCalls.labels]);
  const body: ProgressBody = {
    event: 'reads',
    step: open.step,
    step_id: open.step_id,
    tickets: calls.map(({ ticket }) => ticket),
    calls: payload.ref,
    powers,
    expanded: given.map(inReceipt),
    given: given.map(({ payload: { ref } }) => ref),
    labels: [...shown].sort(),
    ...(spent && { spent: spentOf(spent) }),
  };
  return {
    at: { ...after, pendingCalls: { ...pendingCalls, reads: { ...told, ...(spent && { spent }) } } },
    drafts: [{ kind: 'progress', body }],
    payloads: [payload, ...given.map((each: ExpandedContent) => each.payload)],
  };
}

/** A permitted power with a record of its own. */
function isIssued({ open }: PendingPowerCalls, ticket: number): boolean {
  return open.get(ticket)?.recorded === true;
}

type Find = (ref: PayloadRef) => Uint8Array | undefined;

/**
 * The message with the operations that these records tell. Undefined where a payload is missing or malformed, or a
 * record is not of this message.
 */
export function workFrom(begun: Work, records: readonly ProgressBody[], find: Find): Work | undefined {
  let work: Work | undefined = begun;
  for (const body of records) if (body.event === 'operation') work = work && withOperation(work, body, find);
  return work;
}

function withOperation(work: Work, body: OperationProgress, find: Find): Work | undefined {
  const { action, evidence, operation } = body;
  const { type, target } = work.message.ops[operation] ?? {};
  const state = stateIn(textOf(body.state, find));
  if (operation !== work.done.length || type !== action.type || target !== action.target || state === undefined)
    return undefined;
  const ref = isPayloadRef(action.result) ? (action.result as PayloadRef) : undefined;
  const text = ref && textOf(ref, find);
  if (ref !== undefined && text === undefined) return undefined;
  const yields = ref && { yields: { ref, bytes: find(ref) ?? new Uint8Array() } };
  const { refusal } = state;
  const told = refusal === undefined ? toldOf(work, text ?? 'null') : { code: refusal.code, message: refusal.message };
  const staged = body.staged === undefined ? work.staged : stagedFrom(work, textOf(body.staged, find));
  if (staged === undefined) return undefined;
  const done: OperationResult = {
    action,
    evidence,
    told: { type, target, status: action.status, ...told },
    ...yields,
    ...(refusal && { refusal }),
  };
  const expanded = [...work.expanded, ...body.expanded];
  const kept = [...work.kept, ...state.kept];
  const symbols = body.expanded.flatMap(({ symbol_or_section_id: id }) => (id.startsWith('@') ? [id] : []));
  return {
    ...work,
    done: [...work.done, done],
    expanded,
    sinceWrite: state.sinceWrite,
    staged,
    kept,
    labels: body.labels,
    spent: {
      symbols: new Set([...work.spent.symbols, ...symbols]),
      sections: new Set(state.sections),
      bytes: body.spent?.bytes ?? 0,
      expands: body.spent?.expands ?? 0,
    },
    progress: { ...NO_PROGRESS, told: { payloads: 0, expanded: expanded.length, kept: kept.length } },
  };
}

/** The part of an operation's result that the model is told, made from the stored result. */
function toldOf(work: Work, text: string): JsonObject {
  const { type } = operationOf(work);
  if (type === 'WRITE') return { content_hash: text };
  if (type === 'EXECUTE') return { result: parseJson(text) ?? null };
  const { slice = work.targets[work.done.length]?.default_slice_policy ?? '' } = work.params[work.done.length] ?? {};
  return { slice, content_hash: contentHash(text), text };
}

function textOf(ref: PayloadRef, find: Find): string | undefined {
  const bytes = find(ref);
  return bytes && decodeUtf8(unsalted(ref, bytes));
}

/** The state was written by this runtime: its parts are not checked one by one. */
function stateIn(text: string | undefined): KeptState | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  const isState = isObject(value) && ['sections', 'sinceWrite', 'kept'].every((name) => Array.isArray(value[name]));
  return isState ? (value as unknown as KeptState) : undefined;
}

function stagedFrom(work: Work, text: string | undefined): StagedFiles | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  const path = work.targets[work.done.length]?.file_path;
  if (!isObject(value) || path === undefined) return undefined;
  const { before, after, was, rows } = value;
  if (typeof before !== 'string' || typeof after !== 'string' || !Array.isArray(was) || !Array.isArray(rows))
    return undefined;
  const [first, last] = [indexText(path, before), indexText(path, after)];
  if (!first.ok || !last.ok) return undefined;
  const symbols = { was: was as unknown as readonly SymbolRow[], rows: rows as unknown as readonly SymbolRow[] };
  return new Map(work.staged).set(path, { before: first.value, after: last.value, ...symbols });
}
