import { checkStanding } from '../capability/terms.ts';
import { refuse } from '../errors/option.ts';
import { isObject } from '../json/value.ts';
import { OBJECT, TEXT } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { Answer, AnsweredVia, StandingYes } from './event.ts';

/**
 * What somebody answers for a person, exactly: `true` is a yes and nothing that merely counts as true. `option_invalid`
 * where it is neither a yes nor a no, or the yes goes as far as nobody can say. Who does not say that a person's gesture
 * was seen is a program.
 */
export function answerOf(said: unknown): Outcome<Answer> {
  if (!isObject(said)) return refuse('option_invalid', { name: 'answer', wants: OBJECT[0] });
  // Its own members only: what a polluted prototype lends to every object is nobody's answer.
  const { approved, standing, reason = '', via = 'program' } = Object.assign(Object.create(null) as typeof said, said);
  if (!isVia(via)) return refuse('option_invalid', { name: 'via', wants: 'gesture or program' });
  if (approved === false && isText(reason)) return pass({ approved, reason, via });
  if (approved === false) return refuse('option_invalid', { name: 'reason', wants: TEXT[0] });
  if (approved !== true) return refuse('option_invalid', { name: 'approved', wants: 'true or false' });
  if (standing === undefined) return pass({ approved, via });
  const checked = checkStanding(standing);
  return checked.ok ? pass({ approved, standing: standing as unknown as StandingYes, via }) : checked;
}

function isText(value: unknown): value is string {
  return TEXT[1](value);
}

function isVia(value: unknown): value is AnsweredVia {
  return value === 'gesture' || value === 'program' || value === 'authorizer';
}
