import { checkStanding } from '../capability/terms.ts';
import { refuse } from '../errors/option.ts';
import { isObject } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { Answer, StandingYes } from './event.ts';

/**
 * What somebody answers for a person, exactly: `true` is a yes and nothing that merely counts as true. `option_invalid`
 * where it is neither a yes nor a no, or the yes goes as far as nobody can say.
 */
export function answerOf(said: unknown): Outcome<Answer> {
  if (!isObject(said)) return refuse('option_invalid', { name: 'answer' });
  const { approved, standing, reason = '' } = said;
  if (approved === false && typeof reason === 'string') return pass({ approved, reason });
  if (approved !== true) return refuse('option_invalid', { name: approved === false ? 'reason' : 'approved' });
  if (standing === undefined) return pass({ approved });
  const checked = checkStanding(standing);
  return checked.ok ? pass({ approved, standing: standing as unknown as StandingYes }) : checked;
}
