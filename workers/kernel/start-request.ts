import { BUDGETS, type Budgets } from '../../core/content/budget.ts';
import { utf8Length } from '../../core/json/utf8.ts';
import { RUN_LIMITS, type RunLimits, taskBytes } from '../../core/limits.ts';
import { COUNT, each, type Kind, type Kinds, OBJECT, oneOf, optionFault, POSITIVE, TEXT } from '../../core/option.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { DIALECT_VERSIONS } from '../../core/protocol/proposal.ts';
import { said } from '../async/own-properties.ts';
import { within } from '../run/ask-model.ts';
import type { StartRequest } from './api.ts';

/** A task is shown with every request of its run, and leaves room for what is answered. */
export function taskKind(limits: Partial<RunLimits>): Kind {
  const most = taskBytes(limits);
  return [`text of at most ${most} bytes`, (value) => TEXT[1](value) && utf8Length(value as string) <= most];
}

const REQUEST: Kinds = {
  dialect: oneOf(...Object.keys(DIALECT_VERSIONS)),
  task: TEXT,
  model: TEXT,
  limits: OBJECT,
  budgets: OBJECT,
};
const LIMITS: Kinds = {
  ...each(Object.keys(RUN_LIMITS), COUNT),
  ...each(['answerTokens', 'contextBytes'], POSITIVE),
  modelFailuresInRow: COUNT,
};
const COUNTERS: Kinds = each(Object.keys(BUDGETS), COUNT);

export interface Bounds {
  readonly limits: RunLimits;
  readonly budgets: Budgets;
}

/** What bounds a run that is asked for, what was left out by default; `option_invalid` where it cannot be begun. */
export function boundsOf({ dialect, task, model, limits, budgets, window }: StartRequest): Outcome<Bounds> {
  const asked = { dialect, task, model, limits, budgets };
  const fault =
    optionFault(asked, REQUEST, Object.keys(REQUEST)) ?? optionFault(limits, LIMITS) ?? optionFault(budgets, COUNTERS);
  if (fault !== undefined) return fault;
  const bounds = within({ ...RUN_LIMITS, ...said(limits) }, window);
  const long = optionFault({ task }, { task: taskKind(bounds) });
  return long ?? pass({ limits: bounds, budgets: { ...BUDGETS, ...said(budgets) } });
}
