import { allNamed, limitsFor } from '../limits.ts';
import type { RunEvent } from './event.ts';
import { seal } from './lifecycle.ts';
import { textPayload } from './payload.ts';
import type { RunState } from './state.ts';
import { enter, type Transition } from './step.ts';

/** ms before the next attempt if the model's server gives no time: doubled with each failure in a row. */
const AFTER_MS = { first: 1000, most: 30_000 } as const;

/**
 * Handles a model that gave no answer. A failure that may pass is recorded, and the run waits, paused, for its program.
 * With `modelFailuresInRow` set, the run asks again by itself, up to that number of failures in a row. Every other
 * failure, and the first beyond that number, ends the run.
 */
export function failModel(state: RunState, event: Extract<RunEvent, { type: 'model_failed' }>): Transition {
  const { code, error, retryable, after_ms } = event;
  const { modelFailuresInRow: most, ...others } = limitsFor(state.facts.limits, 'retry');
  allNamed(others);
  const failures = state.failures + 1;
  if (retryable !== true || (most !== undefined && failures > most))
    return seal(state, { state: 'failed', code, message: error.message });
  const reason = textPayload(error.message);
  const after = after_ms === undefined ? {} : { after_ms };
  const body = { event: 'model_failed', reason: reason.ref, ...after } as const;
  const next = most === undefined ? RESTING : retrying(state, failures, after_ms);
  const waiting = { message: error.message, ...after };
  const at = { phase: 'MEMORY_COMMITTING', then: 'idle' } as const;
  const drafts = [{ kind: 'state', body }] as const;
  return [
    enter(state, at, [], { ...next, waiting, failures }),
    [{ type: 'append', drafts, payloads: [reason], durability: 'strict' }],
  ];
}

const RESTING: Partial<RunState> = { mode: 'paused', stepRequested: false };

function retrying(
  { mode, stepRequested }: RunState,
  failures: number,
  after_ms: number | undefined,
): Partial<RunState> {
  const backoff = Math.min(AFTER_MS.first * 2 ** (failures - 1), AFTER_MS.most);
  return { stepRequested: stepRequested || mode === 'stepping', retryMs: after_ms ?? backoff };
}
