import type { CallSettled, PowerCall } from '../../core/capability/call.ts';
import type { SchemaVerdict } from '../../core/capability/check.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { decode } from '../../core/json/decode-within.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { ANCHOR, type Findings, isWhole, type Report, STORED, withCheck } from '../../core/ledger/checks.ts';
import { type ExportFile, finding, parseExport } from '../../core/ledger/export.ts';
import { type VerifyOptions, verifyFile } from '../../core/ledger/verify.ts';
import { assertKinds, CALLBACK, COUNT, FLAG, type OptionTypes, optionsOf, SIGNAL, TEXT } from '../../core/option.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { OutsideAnswer, OutsideRequest, SignatureRequest } from '../../core/replay/move.ts';
import { replay } from '../../core/replay/replay.ts';
import { tapeOf } from '../../core/replay/tape.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import { LATE, within } from '../async.ts';
import type { OpenSandboxes } from '../ports.ts';
import type { CallRequest, CarryOut, SandboxPort } from '../sandbox/port.ts';
import { PowerRefusal } from '../sandbox/power-refusal.ts';
import { prepareFacts } from '../sandbox/prepare-schemas.ts';
import { checkSignature } from './assertion.ts';
import { signatureFault } from './checkpoint.ts';

export interface CheckOptions extends VerifyOptions {
  /** Public key of the signer of the checkpoint in `anchor`. */
  readonly key?: string;
  /** Also replay the run. */
  readonly replay?: boolean;
  /** Time in ms for all calls of this file; a minute by default. Beyond it, calls are taken as recorded. */
  readonly deadlineMs?: number;
  /** Ends the check between two calls: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Receives the share of the decisions, and of the calls, that is made: from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

const GIVEN: OptionTypes = { text: ['the text of an export, not its bytes', (value) => typeof value === 'string'] };
const CHECK: OptionTypes = {
  anchor: ANCHOR,
  stored: STORED,
  key: TEXT,
  replay: FLAG,
  deadlineMs: COUNT,
  signal: SIGNAL,
  onProgress: CALLBACK,
};

/**
 * All six checks of an export. Decisions are evaluated again only for sound records, and calls only after sound
 * decisions, so that each fault is found by the check it belongs to. Rejects only for a missing text or a wrong option
 * (`option_invalid`), never for the content of the text. The limits in a file are not trusted: calls beyond the time or
 * memory of the verifier are taken as recorded, and listed.
 */
export async function checkExport(text: string, given: CheckOptions, open: OpenSandboxes): Promise<Report> {
  assertKinds({ text }, GIVEN, ['text']);
  const options = optionsOf(given, CHECK);
  const { anchor, stored } = options;
  const file = parseExport(text);
  const report = await signedBy(
    verifyFile(file, { ...(anchor !== undefined && { anchor }), ...(stored && { stored }) }),
    options,
  );
  if (!isWhole(report)) return report;
  options.signal?.throwIfAborted();
  const { deadlineMs = VERIFIER_LIMITS.deadlineMs, signal, onProgress = () => undefined } = options;
  const parts = options.replay === true ? 2 : 1;
  const executor = makeReplayExecutor(open, { ...VERIFIER_LIMITS, deadlineMs }, signal);
  try {
    const decisions = await rerun(file, 'decisions', executor.answer, (share) => onProgress(share / parts));
    const decided = withCheck(report, 'decisions', decisions);
    if (options.replay !== true || (decisions?.wrong.length ?? 0) > 0) return decided;
    const again = await rerun(file, 'replay', executor.answer, (share) => onProgress((1 + share) / parts));
    return withCheck(decided, 'replay', again);
  } finally {
    await executor.close();
  }
}

async function signedBy(report: Report, { anchor, key }: CheckOptions): Promise<Report> {
  const what = key === undefined ? undefined : await signatureFault(anchor, key);
  if (what === undefined) return report;
  return withCheck(report, 'anchor', { count: 1, wrong: [finding(report.records, 'anchor_disagrees', { what })] });
}

async function rerun(
  file: ExportFile,
  way: 'decisions' | 'replay',
  answer: AnswerRequest,
  tell: (share: number) => void,
): Promise<Findings | undefined> {
  const running = replay(tapeOf(file), way, VALIDATORS);
  const steps = stepsIn(file);
  let next = running.next();
  while (next.done !== true) {
    const ask = next.value;
    if (ask.type !== 'signature') tell(Math.min((ask.type === 'check' ? ask.step : ask.effect.step) / steps, 1));
    next = running.next(ask.type === 'signature' ? await signature(ask) : await answer(ask));
  }
  return next.value;
}

/** Number of the last step. */
function stepsIn({ records }: ExportFile): number {
  const last = records.findLast((line) => line?.record.kind === 'receipt')?.record;
  return last?.kind === 'receipt' ? Math.max(last.body.evidence.step, 1) : 1;
}

async function signature({ assertion }: SignatureRequest): Promise<OutsideAnswer> {
  const checked = await checkSignature(assertion);
  if (checked === 'unsupported') return { type: 'unmade', why: 'this device cannot check a signature of this kind' };
  return { type: 'signature', isRight: checked === 'right' };
}

type AnswerRequest = (ask: OutsideRequest) => Promise<OutsideAnswer>;

/** Limits of a verification: ms for the file, ms for a call, bytes of memory for a guest. */
interface VerifierLimits {
  readonly deadlineMs: number;
  readonly callMs: number;
  readonly memoryBytes: number;
}

/** Default limits: a call of an honest run seldom needs a second, and a whole run seldom ten. */
const VERIFIER_LIMITS: VerifierLimits = { deadlineMs: 60_000, callMs: 10_000, memoryBytes: 256 << 20 };

/**
 * Carries out the effects of a replay; the sandbox starts with the first effect. The limits in a file are chosen by its
 * author. So a call gets the fuel of its record, and at most the time and memory of `given`.
 */
function makeReplayExecutor(
  open: OpenSandboxes,
  given: VerifierLimits,
  signal: AbortSignal | undefined,
): { readonly answer: AnswerRequest; close(): Promise<void> } {
  let opened: ReturnType<OpenSandboxes> | undefined;
  let prepared: Promise<Outcome<void>> | undefined;
  const end = performance.now() + given.deadlineMs;
  const left = (): number => Math.max(end - performance.now(), 0);

  async function check({
    facts,
    step,
    schemas,
    text,
    later,
  }: Extract<OutsideRequest, { type: 'check' }>): Promise<OutsideAnswer> {
    const { schemas: port } = await (opened ??= open());
    const ready = await (prepared ??= prepareFacts(port, facts));
    if (isUncompiled(ready)) return NO_VALIDATOR;
    const results = await port.check(schemas, text, later);
    // A validator that was lost here proves no fault of the file.
    return ready.ok && [...results.values()].some(isLost) ? NO_VALIDATOR : { type: 'checked', step, results };
  }

  async function execute({
    effect,
    recorded,
    labels,
  }: Extract<OutsideRequest, { type: 'execute' }>): Promise<OutsideAnswer> {
    const { sandbox } = await (opened ??= open());
    const { step, call, args, seed, now, heapHash = false } = effect;
    const { hash, manifest } = call.capability;
    const limits = { ...manifest.limits, memoryBytes: Math.min(manifest.limits.memoryBytes, given.memoryBytes) };
    const isLess = limits.memoryBytes < manifest.limits.memoryBytes;
    const loaded = await sandbox.load({ hash, ...manifest, limits }).catch(unloadable);
    if (loaded === 'hang') return TOO_LONG;
    if (loaded === 'no worker') return NO_WORKER;
    if (loaded === 'refused' && isLess) return TOO_LARGE;
    if (loaded === 'refused') return { type: 'settled', step, settled: UNLOADABLE, image_hash: recorded.image_hash };
    const { carryOut } = fromRecord(recorded.powerCalls);
    const running = sandbox.call(
      { hash, args, seed, now, heapHash, fuelMax: Math.max(recorded.fuel + 1, FUEL_LEAST), scope: 'replay' },
      carryOut,
    );
    let isLate = false;
    const late = (): void => {
      isLate = true;
      running.abort();
    };
    const watch = setTimeout(late, Math.min(given.callMs, left()));
    signal?.addEventListener('abort', running.abort, { once: true });
    const settled = await running.settled;
    signal?.removeEventListener('abort', running.abort);
    clearTimeout(watch);
    if (!settled.ok && isLate && ENDED_BY_US.has(settled.kind)) return TOO_LONG;
    if (!settled.ok && settled.kind === 'barred') return TOO_LONG;
    if (!settled.ok && settled.kind === 'worker') return NO_WORKER;
    // a call with more fuel than its record differs in any case
    const isWithin = settled.fuel <= recorded.fuel;
    if (!settled.ok && isLess && isWithin && settled.kind === 'memory') return TOO_LARGE;
    const touched = recorded.touched && { touched: recorded.touched };
    return { type: 'settled', step, settled, image_hash: loaded.imageHash, labels, ...touched };
  }

  async function inTime(answer: Promise<OutsideAnswer>): Promise<OutsideAnswer> {
    // a late answer is dropped
    answer.catch(() => undefined);
    const answered = await within(answer, left() + GRACE_MS);
    return answered === LATE ? TOO_LONG : answered;
  }

  return {
    answer: async (ask) => {
      const isOver = left() === 0;
      const event = isOver ? TOO_LONG : await inTime(ask.type === 'check' ? check(ask) : execute(ask));
      signal?.throwIfAborted();
      return event;
    },
    close: async () => (await opened)?.sandbox.close(),
  };
}

/** Least fuel of a repeated call. Calls below it take no noticeable time, so their cost is compared, not cut short. */
const FUEL_LEAST = 10_000_000;

/** A late call is killed with its worker, which takes a moment. */
const GRACE_MS = 500;

const TOO_LONG: OutsideAnswer = { type: 'unmade', why: 'it takes more time than the verifier spends on this file' };
const NO_VALIDATOR: OutsideAnswer = { type: 'unmade', why: 'a schema could not be checked in this verification' };
const TOO_LARGE: OutsideAnswer = { type: 'unmade', why: 'a call that takes more memory than the verifier gives it' };
const NO_WORKER: OutsideAnswer = { type: 'unmade', why: 'the sandbox of this device has no worker for it' };
const ENDED_BY_US: ReadonlySet<string> = new Set(['aborted', 'hang', 'deadline']);

/** Result of a source that does not load. It cannot have been called, so its record differs. */
const UNLOADABLE: CallSettled = { ok: false, kind: 'corrupt', fuel: 0, console: [], powerCalls: [] };

/** A load that hangs may be due to a busy machine, so it proves no fault of the file. */
function unloadable(error: unknown): 'hang' | 'no worker' | 'refused' {
  if (!(error instanceof SallyportError)) throw error;
  if (error.code === 'worker_failed' || error.code === 'build_mismatch') return 'no worker';
  return error.code === 'source_limit' && error.details['limit'] === 'hang' ? 'hang' : 'refused';
}

/** True if a schema passed all rules and could not be compiled: its realm was stopped or lost. */
function isUncompiled(ready: Outcome<void>): boolean {
  return !ready.ok && ready.refusal.code === 'schema_refused' && ready.refusal.details['rule'] === 'compile';
}

function isLost(verdict: SchemaVerdict): boolean {
  return 'failed' in verdict && verdict.failed === 'lost';
}

/** First difference between two calls, in this order: power requests, outcome, cost, remaining state. */
export type PowerDifference = 'power' | 'outcome' | 'text' | 'fuel' | 'console' | 'heap';

type ReplayResult =
  | { readonly status: 'same'; readonly settled: CallSettled }
  | { readonly status: 'differs'; readonly what: PowerDifference; readonly settled: CallSettled }
  /** The record holds no wall clock and no persons, so an end by either of them is accepted as recorded. */
  | { readonly status: 'as_recorded'; readonly settled: CallSettled };

/**
 * Repeats a recorded call with its powers answered from the record, and compares all results that are equal in every
 * engine. The capability is loaded, from the same source under the same hash.
 */
export async function replayRecorded(
  port: SandboxPort,
  request: CallRequest,
  recorded: CallSettled,
): Promise<ReplayResult> {
  if (!recorded.ok && ['deadline', 'hang', 'barred', 'aborted', 'worker'].includes(recorded.kind)) {
    return { status: 'as_recorded', settled: recorded };
  }
  const answers = fromRecord(recorded.powerCalls);
  const hashed = recorded.ok && recorded.heapHash !== undefined;
  const settled = await port.call({ ...request, heapHash: hashed }, answers.carryOut).settled;
  const what = answers.differs() ? 'power' : differenceOf(recorded, settled);
  return what === undefined ? { status: 'same', settled } : { status: 'differs', what, settled };
}

/** The powers of a recorded call, answered from its record. A request that is not in the record throws. */
interface RecordedPowers {
  readonly carryOut: CarryOut;
  /** True when the requests of the guest differ from the record. */
  differs(): boolean;
}

/** Answers powers from a record. Requests come in the order of their tickets, which is the order of the record. */
function fromRecord(calls: readonly PowerCall[]): RecordedPowers {
  let next = 0;
  let strayed = false;
  return {
    carryOut: async (name, args) => {
      const call = calls[next++];
      if (call === undefined || call.name !== name || written(call.args) !== canonical(args)) {
        strayed = true;
        throw new Error('not in the record');
      }
      if (call.error === undefined) return written(call.result) ?? 'null';
      const { name: code, message, details } = call.error;
      if (details !== undefined) throw new PowerRefusal({ code, message, details });
      throw Object.assign(new Error(message), { name: code });
    },
    differs: () => strayed || next !== calls.length,
  };
}

function canonical(text: string): string | undefined {
  const value = decode(encodeText(text));
  return value.ok ? written(value.value) : undefined;
}

function written(value: unknown): string | undefined {
  const text = canonicalize(value);
  return text.ok ? text.value : undefined;
}

function differenceOf(recorded: CallSettled, again: CallSettled): PowerDifference | undefined {
  if (recorded.ok !== again.ok) return 'outcome';
  if (!recorded.ok && !again.ok && !same([recorded.kind, recorded.error], [again.kind, again.error])) return 'outcome';
  if (recorded.ok && again.ok && recorded.text !== again.text) return 'text';
  if (recorded.fuel !== again.fuel) return 'fuel';
  if (!same(recorded.console, again.console)) return 'console';
  if (recorded.ok && again.ok && recorded.heapHash !== again.heapHash) return 'heap';
  return undefined;
}

/** Compares two values; `undefined` members and absent members are equal. */
function same(a: unknown, b: unknown): boolean {
  return written(JSON.parse(JSON.stringify(a))) === written(JSON.parse(JSON.stringify(b)));
}
