import type { ConsoleLine, EndedBy, PowerCall, PowerError, SettledCall, ToldFacts } from '../capability/call.ts';
import { type IndexedFile, indexText } from '../content/build.ts';
import type { SymbolRow, Target } from '../content/target.ts';
import type { GuestError, SchemaIssue } from '../errors/details.ts';
import { isHash } from '../hash.ts';
import { isCount, isObject, type JsonValue } from '../json/value.ts';
import { arrayOf, type Form, isPayloadRef, isText, oneOf, optional, shaped } from '../ledger/form.ts';
import { isReboundList } from '../ledger/kinds/content.ts';
import type { OperationEvidence } from '../ledger/kinds/evidence.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { RunEvent } from '../run/event.ts';
import { failedExpansion } from '../run/execute/expansions.ts';
import type { Work } from '../run/open-step.ts';
import { shown } from '../run/payload.ts';
import { readResolution } from '../run/validate/resolution.ts';
import { inStep, jsonOf, storedOf, type Tape, textOf } from './tape.ts';

/**
 * The recorded inputs and results of a call: enough to answer its powers, and to tell its result without running it.
 */
export interface RecordedCall {
  /** The recorded fuel of the call. */
  readonly fuel: number;
  readonly image_hash: string;
  readonly powerCalls: readonly PowerCall[];
  readonly ended_by?: EndedBy;
  /** For an operation: the sections that its expansions touched. */
  readonly touched?: readonly string[];
  /** Of a tool. */
  readonly told?: ToldFacts;
  /** Absent if the records do not hold the result: a refused result is discarded. */
  readonly settled?: SettledCall;
  /** The result is recorded, and the file lacks its text: it was left out or erased. */
  readonly isLeftOut?: true;
}

/** The recorded call of a step, or of its current operation; otherwise the reference of the missing bytes. */
export function recordedCall(
  tape: Tape,
  from: number,
  work: Work | undefined,
): RecordedCall | { readonly missing: PayloadRef | undefined } {
  const closed = inStep(tape, from, 'receipt');
  const evidence = callEvidence(tape, from, work);
  if (evidence?.image_hash === undefined || evidence.fuel === undefined) return { missing: undefined };
  const { fuel, image_hash, ended_by } = evidence;
  const console = listed<ConsoleLine>(tape, evidence.console, isConsole);
  const powerCalls = recordedCalls(tape, evidence.power_calls);
  if (console === undefined) return { missing: evidence.console };
  if (powerCalls === undefined) return { missing: evidence.power_calls };
  const left = { fuel, console, powerCalls };
  const find = (ref: PayloadRef) => storedOf(tape, ref);
  const touched = evidence.touched && shown(evidence.touched, isTexts, find);
  const heapHash = evidence.heap_hash && shown(evidence.heap_hash, isHash, find);
  if (evidence.touched && touched === undefined) return { missing: evidence.touched as PayloadRef };
  if (evidence.heap_hash && heapHash === undefined) return { missing: evidence.heap_hash as PayloadRef };
  const { answer, repeated, answer_labels: labels } = evidence;
  const told = { ...(answer && { answer }), ...(repeated !== undefined && { repeated }), ...(labels && { labels }) };
  const call = { image_hash, fuel, powerCalls, told, ...(touched && { touched }) };
  if (ended_by !== undefined) {
    // the refusal follows from the calls of its powers
    const isKnown = isUnanswered(evidence) || (ended_by === 'power' && failedExpansion(powerCalls) !== undefined);
    const settled = failed(tape, from, ended_by, isKnown, work);
    const reply = replyIn(tape, from);
    const leftOut = isLeftOut(tape, isInReply(RECORDED_PARTS[ended_by]) ? reply : undefined);
    return { ...call, ended_by, ...leftOut, ...(settled && { settled: { ...settled, ...left } }) };
  }
  const result = closed?.receipt.actions[work?.done.length ?? 0]?.result;
  const ref = isPayloadRef(result) ? (result as PayloadRef) : undefined;
  const text = ref && textOf(tape, ref);
  const heap = heapHash === undefined ? {} : { heapHash };
  return {
    ...call,
    ...isLeftOut(tape, ref),
    ...(text === undefined ? {} : { settled: { ok: true, text, ...left, ...heap } }),
  };
}

function isLeftOut({ payloads }: Tape, ref: PayloadRef | undefined): Pick<RecordedCall, 'isLeftOut'> {
  return ref === undefined || payloads.has(ref.sha256) ? {} : { isLeftOut: true };
}

/** The receipt's evidence of the call: its own, or that of the current operation. */
export function callEvidence(tape: Tape, from: number, work: Work | undefined): Partial<OperationEvidence> | undefined {
  return work === undefined ? inStep(tape, from, 'receipt')?.evidence : evidenceOf(tape, from, work);
}

/** True if the call failed because a power in flight may have acted; its own error is then not recorded. */
function isUnanswered({ reason }: Partial<OperationEvidence>): boolean {
  return reason?.code === 'power_interrupted';
}

/** The recorded power calls of a call, by ticket. Undefined if the records do not hold them. */
export function recordedCalls(tape: Tape, ref: PayloadRef | undefined): readonly PowerCall[] | undefined {
  return listed<PowerCall>(tape, ref, isPowerCalls);
}

type Failure = Pick<Extract<SettledCall, { ok: false }>, 'ok' | 'kind' | 'error'> & {
  readonly issues?: readonly SchemaIssue[];
};

/** Parts of a failed call that the records hold, by the kind of failure. */
const RECORDED_PARTS: { readonly [K in EndedBy]: 'all' | 'error' | 'issues' | 'nothing' } = {
  // only the model's reply holds the error; a refused result is not recorded
  threw: 'error',
  power: 'error',
  worker: 'error',
  result: 'error',
  bytes_out: 'nothing',
  args: 'all',
  fuel: 'all',
  memory: 'all',
  stack: 'all',
  deadline: 'all',
  hang: 'all',
  barred: 'all',
  jobs: 'all',
  power_calls: 'all',
  bytes_in: 'all',
  console: 'all',
  aborted: 'all',
  corrupt: 'all',
  gone: 'all',
  program: 'all',
  args_refused: 'issues',
  args_transformed: 'all',
  result_refused: 'issues',
};

function failed(
  tape: Tape,
  from: number,
  kind: EndedBy,
  isKnown: boolean,
  work: Work | undefined,
): Failure | undefined {
  // the kind comes from a stranger's file, and may be unknown
  const told = Object.hasOwn(RECORDED_PARTS, kind) ? RECORDED_PARTS[kind] : undefined;
  if (told === 'all' || (told !== undefined && isKnown)) return { ok: false, kind };
  if (!isInReply(told)) return undefined;
  const ref = replyIn(tape, from);
  const reply = ref && jsonOf(tape, ref);
  const details = isObject(reply) && isObject(reply['details']) ? reply['details'] : {};
  // the refusal behind a handle has its place beside its details
  const { error, issues, pointer = isObject(reply) ? reply['pointer'] : undefined } = details;
  // the reply names only the first failed operation
  if (work !== undefined && pointer !== `/ops/${work.done.length}`) return undefined;
  if (told === 'issues') return isIssues(issues) ? ({ ok: false, kind, issues } as unknown as Failure) : undefined;
  return isError(error) ? { ok: false, kind, error: error as unknown as GuestError } : undefined;
}

/** The reply of a step; of a held step the refusal that its handle stands for. */
export function replyIn(tape: Tape, from: number): PayloadRef | undefined {
  const { held } = inStep(tape, from, 'receipt')?.evidence ?? {};
  return held?.outcome ?? inStep(tape, from, 'observation')?.payload;
}

/** True for parts that only the model's reply holds. */
function isInReply(part: (typeof RECORDED_PARTS)[EndedBy] | undefined): boolean {
  return part === 'error' || part === 'issues';
}

/** Without a reference the list is empty. Undefined where the payload is missing or is no such list. */
function listed<T>(
  tape: Tape,
  ref: PayloadRef | undefined,
  isList: (value: unknown) => boolean,
): readonly T[] | undefined {
  if (ref === undefined) return [];
  const value: JsonValue | undefined = jsonOf(tape, ref);
  return isList(value) ? (value as unknown as readonly T[]) : undefined;
}

const isTexts = arrayOf(isText);
const ERROR: Form<GuestError> = { name: isText, message: isText, line: optional(isCount), column: optional(isCount) };
const isError = shaped(ERROR);
const ISSUE: Form<SchemaIssue> = { pointer: isText, keyword: isText, message: isText };
const isIssues = arrayOf(shaped(ISSUE));
const LINE: Form<ConsoleLine> = { level: oneOf('debug', 'log', 'info', 'warn', 'error'), text: isText };
const isConsole = arrayOf(shaped(LINE));
const POWER_ERROR: Form<PowerError> = { ...ERROR, details: optional(isObject) };
const CALL: Form<PowerCall> = {
  name: isText,
  args: () => true,
  result: () => true,
  error: optional(shaped(POWER_ERROR)),
};
const isPowerCalls = arrayOf(shaped(CALL));

/** Content that a message read, restored from its records. Undefined: the content is not in the file. */

/** The targets of the message's symbols. */
export function resolvedFrom(tape: Tape, at: number, step: number): RunEvent | undefined {
  const ref = inStep(tape, at, 'verdict')?.resolved;
  const found = ref && readResolution(jsonOf(tape, ref));
  return found && { type: 'resolved', step, found };
}

/** The receipt's evidence of the current operation. */
export function evidenceOf(tape: Tape, at: number, { done }: Work): OperationEvidence | undefined {
  return inStep(tape, at, 'receipt')?.evidence.operations?.[done.length];
}

/** Limit of the placeholder lines before a target: a stranger's file may claim any number. */
const LINES_MAX = 1 << 20;

/** The content of a file as an operation found it, or its absence. */
export function loadedFrom(tape: Tape, at: number, step: number, work: Work): RunEvent | undefined {
  const { file_path: path = '' } = work.targets[work.done.length] ?? {};
  const evidence = evidenceOf(tape, at, work);
  const none = { type: 'loaded', step, rows: [] } as const;
  if (work.staged.has(path) || evidence?.reason?.code === 'content_missing') return none;
  const { line = 0, text: ref } = evidence?.source ?? {};
  const text = ref && textOf(tape, ref);
  if (text === undefined || line > LINES_MAX) return undefined;
  const file = fileOf(work, path, '\n'.repeat(line) + text);
  return file && { ...none, file, rows: rowsOf(tape, at, work, file) };
}

/** The file's text. Only a written file is divided into sections again. */
function fileOf({ message, done }: Work, path: string, text: string): IndexedFile | undefined {
  if (message.ops[done.length]?.type !== 'WRITE') return { file_path: path, content_hash: '', text, sections: [] };
  const file = indexText(path, text);
  return file.ok ? file.value : undefined;
}

/**
 * Rows of a file's symbols: the symbols that its change has moved, and the symbols that the message names. The records
 * hold no further symbols. Each row has a single target, and a moved symbol stood for a section of the file.
 */
function rowsOf(tape: Tape, at: number, { targets }: Work, { file_path, sections }: IndexedFile): readonly SymbolRow[] {
  const here = targets.flatMap((target) => (target?.file_path === file_path ? [rowOf(target)] : []));
  const named = new Map(here.map((row) => [row.symbol_id, row]));
  const ids = new Set(sections.map(({ section_id }) => section_id));
  const told = inStep(tape, at, 'content', ({ path }) => path === file_path)?.symbols ?? [];
  const moved = shown(told, isReboundList, (ref) => storedOf(tape, ref)) ?? [];
  const rows = new Map<string, SymbolRow>();
  for (const { symbol_id, from } of moved) {
    const { target_type = 'SECTION', default_slice_policy = '' } = named.get(symbol_id) ?? {};
    if (ids.has(from)) rows.set(symbol_id, { symbol_id, target_type, target_ref: from, default_slice_policy });
  }
  for (const row of here) if (!rows.has(row.symbol_id)) rows.set(row.symbol_id, row);
  return [...rows.values()];
}

function rowOf({
  symbol_or_section_id,
  target_type,
  file_path,
  sections,
  default_slice_policy = '',
}: Target): SymbolRow {
  const target_ref = target_type === 'FILE' ? file_path : (sections[0]?.section_id ?? '');
  return { symbol_id: symbol_or_section_id, target_type, target_ref, default_slice_policy };
}

/** The event of a lost race: the message ran to its end, and its writes were refused. */
export function outdatedFrom(tape: Tape, at: number): Extract<RunEvent, { type: 'outdated' }> | undefined {
  const { reason } = inStep(tape, at, 'receipt')?.evidence ?? {};
  if (reason?.code !== 'content_changed' || reason.step !== 'record') return undefined;
  const told = replyIn(tape, at);
  const reply = told && jsonOf(tape, told);
  const path = isObject(reply) && isObject(reply['details']) ? reply['details']['path'] : undefined;
  return { type: 'outdated', path: typeof path === 'string' ? path : '' };
}
