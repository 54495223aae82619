import type { CallSettled } from '../../core/capability/call.ts';
import type { SchemaVerdict } from '../../core/capability/check.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { OutsideAnswer, OutsideRequest } from '../../core/replay/move.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import type { OpenSandboxes } from '../ports.ts';
import { prepareFacts } from '../sandbox/prepare-schemas.ts';
import { fromRecord } from './recorded-powers.ts';

export type AnswerRequest = (ask: OutsideRequest) => Promise<OutsideAnswer>;

/** Limits of a verification: ms for the file, ms for a call, bytes of memory for a guest. */
export interface VerifierLimits {
  readonly deadlineMs: number;
  readonly callMs: number;
  readonly memoryBytes: number;
}

/** Default limits: a call of an honest run seldom needs a second, and a whole run seldom ten. */
export const VERIFIER_LIMITS: VerifierLimits = { deadlineMs: 60_000, callMs: 10_000, memoryBytes: 256 << 20 };

/**
 * Carries out the effects of a replay; the sandbox starts with the first effect. The limits in a file are chosen by its
 * author. So a call gets the fuel of its record, and at most the time and memory of `given`.
 */
export function makeReplayExecutor(
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

  async function within(answer: Promise<OutsideAnswer>): Promise<OutsideAnswer> {
    let watch: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<OutsideAnswer>((resolve) => {
      watch = setTimeout(resolve, left() + GRACE_MS, TOO_LONG);
    });
    // a late answer is dropped
    answer.catch(() => undefined);
    return Promise.race([answer, late]).finally(() => clearTimeout(watch));
  }

  return {
    answer: async (ask) => {
      const isOver = left() === 0;
      const event = isOver ? TOO_LONG : await within(ask.type === 'check' ? check(ask) : execute(ask));
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
