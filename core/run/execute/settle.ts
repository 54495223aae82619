import type { EndedBy, SettledCall } from '../../capability/call.ts';
import type { CapabilityManifest } from '../../capability/capability.ts';
import type { SchemaVerdict } from '../../capability/check.ts';
import type { GuestError, SchemaIssue } from '../../errors/details.ts';
import { CODES, refuse } from '../../errors.ts';
import { canonicalText } from '../../json/canonical.ts';
import { decode } from '../../json/decode.ts';
import { encodeText } from '../../json/utf8.ts';
import { isObject } from '../../json/value.ts';
import { DECODE_LIMITS } from '../../limits.ts';
import type { Refusal, Refused } from '../../outcome.ts';
import { commit } from '../commit/commit.ts';
import type { StepEnding } from '../commit/records.ts';
import { rowsOfPuts } from '../commit/storage.ts';
import type { RunEvent } from '../event.ts';
import type { OpenStep } from '../open-step.ts';
import { place, powerEvidence, readBy, shown, unanswered } from '../powers/power-calls.ts';
import type { CallEvidence, Executing, ResultInHand, RunState } from '../state.ts';
import { enter, type Transition } from '../step.ts';
import { failedExpansion, givenTo, labelsOf } from './expansions.ts';
import { executed } from './operation.ts';

/** Applies the sandbox's answer. The result is a stranger's text and is decoded like a proposal. */
export function settle(state: RunState, before: Executing, event: Extract<RunEvent, { type: 'settled' }>): Transition {
  const { pendingCalls } = before;
  // a write of the call is in flight: its end is recorded after that write
  if (pendingCalls.writes.length > 0)
    return [place(state, { ...before, pendingCalls: { ...pendingCalls, settled: event } }), []];
  const at = shown(before, [
    ...(event.labels ?? []),
    ...(event.told?.labels ?? []),
    ...labelsOf(event.settled.powerCalls),
  ]);
  const { settled } = event;
  const evidence = {
    fuel: settled.fuel,
    image_hash: event.image_hash,
    ...(settled.ok && settled.heapHash !== undefined && { heap_hash: settled.heapHash }),
    console: settled.console,
    powerCalls: settled.powerCalls,
    ...(event.touched && { touched: event.touched }),
    ...(event.told && { told: event.told }),
  };
  const lost = settled.ok ? undefined : unanswered(pendingCalls);
  // the unknown outcome is the reason; the receipt also names the end that caused it, which a replay needs
  if (!settled.ok && lost !== undefined) return fail(state, at, evidence, lost, settled.kind);
  const broken = failedExpansion(settled.powerCalls);
  if (broken !== undefined) return fail(state, at, evidence, broken, 'power');
  const { manifest } = at.charged.capability;
  const { limits } = manifest;
  if (!settled.ok) return fail(state, at, evidence, failure(settled, manifest), settled.kind);
  const value = decode(encodeText(settled.text), { ...DECODE_LIMITS, bytes: limits.bytesOut });
  if (!value.ok && value.refusal.code === 'limit_size') {
    const used = encodeText(settled.text).byteLength;
    return fail(
      state,
      at,
      evidence,
      refuse('bytes_out_exceeded', { limit: limits.bytesOut, used }, EXECUTE),
      'bytes_out',
    );
  }
  if (!value.ok) return fail(state, at, evidence, notJson(value.refusal), 'result');
  return askSchema(state, at, { value: value.value, text: canonicalText(value.value), evidence });
}

function askSchema(state: RunState, at: Executing, result: ResultInHand): Transition {
  const schema = at.charged.capability.schemas.result;
  if (schema === undefined) return succeed(state, at, result);
  const check = state.facts.precompiled.get(schema);
  if (check !== undefined) return judgeResult(state, at, result, { issues: check(result.value) });
  const waiting = enter(state, { ...at, waiting: 'result', result });
  return [waiting, [{ type: 'check', step: at.open.step, schemas: [schema], text: result.text }]];
}

/**
 * Judges a result by its schema. A result that violates the schema is discarded: the model is told the reason, and
 * never sees the result.
 */
export function judgeResult(state: RunState, at: Executing, result: ResultInHand, checked: SchemaVerdict): Transition {
  if (!('issues' in checked))
    return fail(state, at, result.evidence, refuse('validator_lost', {}, { step: 'execute' }), 'result');
  const [issue] = checked.issues;
  if (issue === undefined) return succeed(state, at, result);
  const refused = refuse('result_schema', { issues: checked.issues }, { step: 'execute', pointer: issue.pointer });
  return fail(state, at, result.evidence, refused, 'result');
}

function succeed(state: RunState, at: Executing, { value, text, evidence }: ResultInHand): Transition {
  const end = { ...ended(state, at, evidence), value, resultText: text };
  const kept = rowsOfPuts(state, at, evidence.powerCalls, readBy(state, at));
  return conclude(state, at.open, { ...end, kept: [...(end.kept ?? []), ...kept] });
}

function fail(state: RunState, at: Executing, evidence: CallEvidence, refused: Refused, ended_by: EndedBy): Transition {
  const { refusal } = hasAnswered(at, ended_by, refused) ? effectDone(at, refused) : refused;
  return conclude(state, at.open, { ...ended(state, at, evidence), refusal, ended_by });
}

/** Name of the error of a tool whose server has answered with success, in a form that the tool does not take. */
const ANSWER_REFUSED = 'answer_refused';

/** Ends of a call whose tool has answered: the answer is what is refused. */
const ANSWERED: ReadonlySet<EndedBy> = new Set(['result', 'bytes_out', 'result_refused']);

/**
 * True where a tool that changes something has done it and only its answer is refused: whoever reads that the arguments
 * or the capability should be changed would do it twice.
 */
function hasAnswered({ charged }: Executing, ended_by: EndedBy, { refusal }: Refused): boolean {
  const { host, effect } = charged.capability.manifest;
  return host !== undefined && CHANGES.has(effect) && (ANSWERED.has(ended_by) || isAnswerRefused(refusal));
}

const CHANGES: ReadonlySet<string> = new Set(['write', 'egress']);

/** The error of a tool that a server has answered with success, in a form that the tool does not take. */
function isAnswerRefused({ code, details }: Refusal): boolean {
  const error = code === 'capability_threw' ? details['error'] : undefined;
  return isObject(error) && error['name'] === ANSWER_REFUSED;
}

function effectDone({ charged }: Executing, { refusal }: Refused): Refused {
  const { code, details } = refusal;
  const what = CODES[code].what as (given: Refusal['details']) => string;
  const { issues, error } = details as { readonly issues?: readonly SchemaIssue[]; readonly error?: GuestError };
  const told = { ...(issues && { issues }), ...(error && { error }) };
  const { name } = charged.capability.manifest;
  return refuse('effect_done', { name, because: code, reason: what(details), ...told }, EXECUTE);
}

/** Ends the call; in a message the next operation follows. */
function conclude(state: RunState, open: OpenStep, ended: StepEnding): Transition {
  return open.work === undefined ? commit(state, open, ended) : executed(state, open, open.work, ended);
}

function ended(state: RunState, at: Executing, evidence: CallEvidence): StepEnding {
  const { capability } = at.charged;
  const { effect } = capability.manifest;
  return {
    capability,
    args_hash: at.call.args.ref.sha256,
    evidence,
    given: givenTo(state.facts.run_id, at.open, evidence.powerCalls),
    strict: effect === 'write' || effect === 'egress',
    ...powerEvidence(state, at),
  };
}

const UNNAMED: GuestError = { name: 'Error', message: 'no message' };
const EXECUTE = { step: 'execute' } as const;

/** The guest's error without extra members, in text that can be recorded. */
function spoken({ name, message, line, column }: GuestError = UNNAMED): GuestError {
  const at = line === undefined || column === undefined ? {} : { line, column };
  return { name: name.toWellFormed(), message: message.toWellFormed(), ...at };
}

/** The result is text, but not valid JSON by the rules for proposals. */
function notJson({ code: rule, pointer }: Refusal): Refused {
  return refuse('result_not_json', { rule }, pointer === undefined ? EXECUTE : { ...EXECUTE, pointer });
}

/** The engine's error messages for values that it cannot write. The engine is the same in every realm. */
const RULES: readonly (readonly [rule: string, said: string])[] = [
  ['undefined', 'the result is undefined, which is not JSON'],
  ['function', 'the result is function, which is not JSON'],
  ['symbol', 'the result is symbol, which is not JSON'],
  ['unsettled', 'the promise never settles'],
  ['cyclic', 'circular reference'],
  ['bigint', 'Do not know how to serialize a BigInt'],
];

/**
 * The rule that the value broke. `thrown`: a `toJSON` or a getter of the guest threw. A guest that throws exactly these
 * messages misleads only its own author.
 */
function ruleOf({ message }: GuestError): string {
  return RULES.find(([, said]) => said === message)?.[0] ?? 'thrown';
}

/** The refusal for each way in which a call can fail. The numbers are the capability's own limits. */
function failure(
  settled: Extract<SettledCall, { ok: false }>,
  { name, limits, host }: Pick<CapabilityManifest, 'name' | 'limits' | 'host'>,
): Refused {
  const { fuel } = settled;
  const error = spoken(settled.error);
  const over = (limit: number, used = limit + 1) => ({ limit, used });
  switch (settled.kind) {
    case 'threw':
      return refuse('capability_threw', { error }, EXECUTE);
    case 'fuel':
      return refuse('fuel_exhausted', over(limits.fuel, fuel), EXECUTE);
    case 'gone':
      return refuse('tool_gone', { name }, EXECUTE);
    case 'program':
      return refuse('host_failed', { name }, EXECUTE);
    case 'args_refused':
      return refuse('args_refused', { name, issues: settled.issues ?? [] }, EXECUTE);
    case 'args_transformed':
      return refuse('args_transformed', { name }, EXECUTE);
    case 'result_refused':
      return refuse('result_schema', { issues: settled.issues ?? [] }, EXECUTE);
    case 'memory':
      return refuse('memory_exceeded', { limit: limits.memoryBytes }, EXECUTE);
    case 'stack':
      return refuse('stack_exceeded', { limit: limits.stackBytes }, EXECUTE);
    case 'deadline':
      return refuse('deadline_exceeded', { limit: limits.deadlineMs }, EXECUTE);
    case 'hang':
      return refuse('hang_killed', { limit: limits.deadlineMs }, EXECUTE);
    case 'barred':
      return refuse('hung_before', { name }, EXECUTE);
    case 'jobs':
      return refuse('jobs_exceeded', over(limits.jobs), EXECUTE);
    case 'power':
      return refuse('power_failed', { error }, EXECUTE);
    case 'power_calls':
      return refuse('power_calls_exceeded', over(limits.powerCalls), EXECUTE);
    case 'bytes_in':
      return refuse('bytes_in_exceeded', over(limits.bytesIn), EXECUTE);
    case 'bytes_out':
      return refuse('bytes_out_exceeded', over(limits.bytesOut), EXECUTE);
    case 'console':
      return refuse('console_exceeded', over(limits.consoleBytes), EXECUTE);
    case 'args':
    case 'result':
      return refuse('result_not_json', { rule: host === undefined ? ruleOf(error) : error.name, error }, EXECUTE);
    case 'aborted':
      return refuse('call_aborted', {}, EXECUTE);
    case 'corrupt':
      return refuse('heap_corrupt', {}, EXECUTE);
    case 'worker':
      return refuse('worker_lost', { error }, EXECUTE);
  }
}
