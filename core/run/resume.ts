import type { Checked } from '../capability/check.ts';
import { checkArguments, holding } from '../capability/check.ts';
import type { Bound } from '../capability/registry.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { DECODE_LIMITS } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import { read } from '../protocol/read.ts';
import { commit } from './commit.ts';
import type { FindPayload } from './facts.ts';
import { textPayload } from './payload.ts';
import { schemasFor } from './propose.ts';
import type { Restored, Unfinished } from './restore.ts';
import type { OpenStep, RunState } from './state.ts';
import { enter, type Transition } from './step.ts';

/** What has to be checked again before a call that a person was asked about may be put to them once more. */
export interface Recheck {
  readonly bound: Bound;
  readonly argsText: string;
  readonly schemas: readonly string[];
}

/** Reads the proposal again through the same gates; nothing of the old process is trusted to have validated it. */
export function recheck({ state, unfinished }: Restored, find: FindPayload): Outcome<Recheck | undefined> {
  if (unfinished?.asked === undefined || unfinished.answered === true) return pass(undefined);
  const bytes = find(unfinished.proposal.payload);
  if (bytes === undefined) return refuse('payload_missing', { sha256: unfinished.proposal.payload.sha256 });
  const { dialect, registry, limits } = state.facts;
  const outcome = read(bytes, { dialect, registry, limits: { ...DECODE_LIMITS, bytes: limits.proposalBytes } });
  if (!outcome.ok) return outcome;
  if (!('call' in outcome.value)) return refuse('facts_altered', { what: 'proposal' });
  const bound = outcome.value.call;
  return pass({ bound, argsText: canonicalText(bound.call.args), schemas: schemasFor(state, bound) });
}

/**
 * Takes a run up again. An unanswered question is put once more; a step that was cut off is closed as `interrupted` and
 * never run again; between steps the run rests, paused. Each begins with a record that says so.
 */
export function resume(
  restored: Restored,
  check: Recheck | undefined,
  results: ReadonlyMap<string, Checked>,
  find: FindPayload,
): Transition {
  const { state, unfinished, consent } = restored;
  if (check !== undefined && unfinished !== undefined)
    return askAgain(state, openAgain(unfinished, find), unfinished, check, results);
  if (unfinished !== undefined) return interrupt(state, openAgain(unfinished, find), unfinished);
  const then = consent?.event === 'asked' ? { consent } : 'idle';
  return [enter(state, { phase: 'MEMORY_COMMITTING', then }), [append('resumed')]];
}

function append(event: 'resumed' | 'interrupted') {
  return { type: 'append', drafts: [{ kind: 'state', body: { event } }], payloads: [], durability: 'strict' } as const;
}

function askAgain(
  state: RunState,
  open: OpenStep,
  { asked, decision }: Unfinished,
  check: Recheck,
  results: ReadonlyMap<string, Checked>,
): Transition {
  const validated = checkArguments(check.bound, results.get(check.bound.capability.schemas.args) ?? { failed: 'lost' });
  if (!validated.ok) return commit(state, open, { refusal: validated.refusal });
  const call = { args: textPayload(check.argsText), argsText: check.argsText, holds: holding(results) };
  const question = { validated: validated.value, digest: asked?.digest ?? '', why: decision?.why ?? 'grant' };
  return [enter(state, { phase: 'AUTHORIZATION_EVALUATING', open, call, asked: question }), [append('resumed')]];
}

/** Whether it took effect is unknown, and the receipt says so. */
function interrupt(state: RunState, open: OpenStep, { intent }: Unfinished): Transition {
  const { refusal } = refuse('interrupted', {}, { step: 'execute' });
  const cut = { ...open, drafts: [{ kind: 'state', body: { event: 'interrupted' } } as const] };
  const capability = state.facts.registry.capabilities.get(intent?.capability ?? '');
  // with an intent it was started, or about to be: an action that failed, as far as anybody knows
  const started = intent === undefined ? {} : { cut: true, args_hash: intent.args_hash };
  return commit(state, cut, { refusal, strict: true, ...(capability && { capability }), ...started });
}

function openAgain({ proposal, decision, asked }: Unfinished, find: FindPayload): OpenStep {
  const { step, step_id, payload } = proposal;
  const text = decodeUtf8(find(payload) ?? new Uint8Array()) ?? '(not UTF-8)';
  const known = { now: decision?.now ?? 0, nonce: asked?.nonce ?? '' };
  return { step, step_id, proposal: payload, text, drafts: [], payloads: [], ...known };
}
