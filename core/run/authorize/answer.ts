import { checkStanding } from '../../capability/grant-terms.ts';
import { refuse } from '../../errors/option.ts';
import { isObject } from '../../json/value.ts';
import type { AnsweredVia } from '../../ledger/kinds/parts.ts';
import { FLAG, OBJECT, type OptionTypes, oneOf, optionFault, TEXT } from '../../option.ts';
import { type Outcome, pass } from '../../outcome.ts';
import type { QuestionAnswer, StandingYes } from '../event.ts';

const ANSWER: OptionTypes = {
  approved: FLAG,
  standing: OBJECT,
  reason: TEXT,
  via: oneOf('gesture', 'program', 'authorizer', 'nobody', 'later', 'failed'),
};
interface AnswerMembers {
  readonly approved: boolean;
  readonly standing?: object;
  readonly reason?: string;
  readonly via?: AnsweredVia;
}

/**
 * Parses an answer of an approver. Only `true` is a yes; a truthy value is not. Refuses with `option_invalid` an answer
 * that is neither yes nor no, or a yes with invalid `standing` or of nobody. Without `via` the answer counts as given by a program,
 * not by a person's gesture.
 */
export function answerOf(said: unknown): Outcome<QuestionAnswer> {
  if (!isObject(said)) return refuse('option_invalid', { name: 'answer', wants: OBJECT[0] });
  const fault = optionFault(said, ANSWER, ['approved']);
  if (fault !== undefined) return fault;
  // Own members only: a polluted prototype must not supply an answer.
  const {
    approved,
    standing,
    reason = '',
    via = 'program',
  } = Object.assign(Object.create(null), said) as AnswerMembers;
  if (!approved) return pass({ approved, reason, via });
  if (via === 'nobody' || via === 'later' || via === 'failed')
    return refuse('option_invalid', { name: 'via', wants: 'an origin that can say yes' });
  if (standing === undefined) return pass({ approved, via });
  const checked = checkStanding(standing);
  return checked.ok ? pass({ approved, standing: standing as unknown as StandingYes, via }) : checked;
}
