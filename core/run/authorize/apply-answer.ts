import { unreachable } from '../../assert.ts';
import type { RunEvent } from '../event.ts';
import { answerPower } from '../powers/power-question.ts';
import type { RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { answerConsent } from './consent.ts';
import { answerCall } from './decide.ts';

/**
 * Applies an answer. An answer to another question is ignored, and so is an authorizer's answer if the policy names no
 * authorizer or the question is about consent.
 */
export function applyAnswer(state: RunState, event: Extract<RunEvent, { type: 'answered' }>): Transition {
  const { at, policy } = state;
  if (at.phase !== 'AWAITING_APPROVAL') return stay(state);
  const isOfRules = event.answer.via === 'authorizer';
  if (isOfRules && (at.about === 'consent' || policy.authorizer === undefined)) return stay(state);
  switch (at.about) {
    case 'call':
      return answerCall(state, at, event);
    case 'power':
      return answerPower(state, at.during, event);
    case 'consent':
      return answerConsent(state, at.consent, event);
    default:
      return unreachable(at);
  }
}
