import { structureHash } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import * as draft from '../commit/records.ts';
import type { Consent } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import type { RunState } from '../state.ts';
import { enter, stay, type Transition } from '../step.ts';

/** A remote model is an exit for private content: content goes there only after a person's recorded yes. */
export function needsConsent(state: RunState): boolean {
  return state.facts.remote !== undefined && state.labels.has('private') && !state.consented;
}

/** Writes the question, with the destination and the size of the content. */
export function askConsent(state: RunState): Transition {
  const { run_id, remote: origin = '', limits } = state.facts;
  const terms = { origin, bytes: state.context?.bytes ?? 0, bytes_max: limits.contextBytes };
  const digest = structureHash('approval', canonicalText({ ...terms, run_id, step: state.steps + 1 }));
  const consent: Consent = { ...terms, digest };
  const committing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'consent', consent });
  const drafts = [{ kind: 'consent', body: { event: 'asked', ...consent } }] as const;
  return [committing, [{ type: 'append', drafts, payloads: [], durability: 'strict' }]];
}

/** Puts the question to a person. The question is durable. */
export function putConsent(state: RunState, consent: Consent): Transition {
  const question = { run_id: state.facts.run_id, ...consent };
  return [enter(state, { phase: 'AWAITING_APPROVAL', about: 'consent', consent }), [{ type: 'ask_consent', question }]];
}

/** A yes lets this run's context go to this origin. A no ends the run, because its model cannot be told the context. */
export function answerConsent(
  state: RunState,
  consent: Consent,
  event: Extract<RunEvent, { type: 'answered' }>,
): Transition {
  if (event.digest !== consent.digest) return stay(state);
  const { approved, via } = event.answer;
  const record = { kind: 'consent', body: { event: 'answered', ...consent, approved, ...(via && { via }) } } as const;
  const write = { type: 'append', drafts: [record], payloads: [], durability: 'strict' } as const;
  if (!approved) {
    const ending = { state: 'failed', code: 'consent_denied' } as const;
    const last = draft.seal(ending, state.steps);
    const sealing = enter(state, { phase: 'MEMORY_COMMITTING', then: 'sealed' }, [], { ending });
    return [sealing, [{ ...write, drafts: [record, last.draft] }]];
  }
  return [enter(state, { phase: 'MEMORY_COMMITTING', then: 'propose' }, [], { consented: true }), [write]];
}
