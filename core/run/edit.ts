import { checkArguments, holding, refusedIn, type SchemaVerdict } from '../capability/check.ts';
import { ownArgs } from '../capability/hold.ts';
import { type ChangedPlace, changesBetween } from '../json/difference.ts';
import { parseJson } from '../ledger/line.ts';
import { type Outcome, pass } from '../outcome.ts';
import { placedInArguments } from '../protocol/call-text.ts';
import { decideEdited } from './authorize/decide.ts';
import { type EditedCall, editedCall } from './authorize/instead.ts';
import type { Question } from './effect.ts';
import type { RunState } from './state.ts';
import type { SchemaChecks } from './validate/check-here.ts';
import { checkCall } from './validate/propose.ts';

/** A question as it would stand with edited arguments, and what differs. A yes names both digests. */
export interface JudgedEdit extends Question {
  readonly changed: readonly ChangedPlace[];
}

/** An edit that waits for its schemas. */
export interface BegunEdit extends SchemaChecks {
  readonly edited: EditedCall;
}

/**
 * Begins an edit of the call that this question is about: of a copy, so that nothing is written, charged or run. The caller
 * has the schemas of `outside` check the text, and goes on with `judgeEdit`. Refuses as `editedCall` does.
 */
export function beginEdit(state: RunState, digest: string, args: string, now: number): Outcome<BegunEdit> {
  const edited = editedCall(state, digest, args, now);
  if (!edited.ok) return edited;
  const { here, outside } = checkCall(state, edited.value.bound);
  return pass({ edited: edited.value, here, outside });
}

/**
 * The edited call as a person is asked about it, with the digest that a yes is of. Refuses as the schemas and the policy do:
 * a denial, a term that the arguments are outside of, used-up uses. What a yes would permit is no reason to refuse.
 */
export function judgeEdit(
  state: RunState,
  { edited, here }: BegunEdit,
  outside: ReadonlyMap<string, SchemaVerdict>,
  question: Question,
): Outcome<JudgedEdit> {
  const { bound, open, call, digest, at } = edited;
  const results = new Map([...here, ...outside]);
  const own = results.get(ownArgs(state.facts, bound.capability).hash) ?? { failed: 'lost' };
  const checked = checkArguments(bound, refusedIn(results) ?? own);
  if (!checked.ok) return { ok: false, refusal: placedInArguments('femtoclaw', checked.refusal) };
  // held as the call that it replaces: the guard judges the places of its handles
  const step = at.open.held === undefined ? open : { ...open, held: at.open.held };
  const decided = decideEdited(state, {
    open: step,
    validated: checked.value,
    call: { ...call, constraintResults: holding(results) },
  });
  if ('refused' in decided) return decided.refused;
  const changed = changesBetween(parseJson(question.args) ?? {}, parseJson(call.argsText) ?? {});
  const { editable: _, ...asked } = question;
  return pass({ ...asked, step_id: open.step_id, args: call.argsText, digest, changed });
}
