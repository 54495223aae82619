import { checkStanding } from '../../capability/terms.ts';
import { refuse } from '../../errors/option.ts';
import { isObject } from '../../json/value.ts';
import type { AnsweredVia } from '../../ledger/record.ts';
import { FLAG, type Kinds, OBJECT, oneOf, optionFault, TEXT } from '../../option.ts';
import { type Outcome, pass } from '../../outcome.ts';
import type { Answer, StandingYes } from '../event.ts';

const ANSWER: Kinds = {
  approved: FLAG,
  standing: OBJECT,
  reason: TEXT,
  via: oneOf('gesture', 'program', 'authorizer'),
};
interface Said {
  readonly approved: boolean;
  readonly standing?: object;
  readonly reason?: string;
  readonly via?: AnsweredVia;
}

/**
 * What somebody answers for a person, exactly: `true` is a yes and nothing that merely counts as true. `option_invalid`
 * where it is neither a yes nor a no, or the yes goes as far as nobody can say. Who does not say that a person's gesture
 * was seen is a program.
 */
export function answerOf(said: unknown): Outcome<Answer> {
  if (!isObject(said)) return refuse('option_invalid', { name: 'answer', wants: OBJECT[0] });
  const fault = optionFault(said, ANSWER, ['approved']);
  if (fault !== undefined) return fault;
  // Its own members only: what a polluted prototype lends to every object is nobody's answer.
  const { approved, standing, reason = '', via = 'program' } = Object.assign(Object.create(null), said) as Said;
  if (!approved) return pass({ approved, reason, via });
  if (standing === undefined) return pass({ approved, via });
  const checked = checkStanding(standing);
  return checked.ok ? pass({ approved, standing: standing as unknown as StandingYes, via }) : checked;
}
