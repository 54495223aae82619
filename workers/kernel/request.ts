import {
  BUDGETS,
  type Budgets,
  COUNT,
  DIALECT_VERSIONS,
  each,
  type Kind,
  type Kinds,
  OBJECT,
  type Outcome,
  oneOf,
  optionFault,
  pass,
  RUN_LIMITS,
  type RunLimits,
  TASK_BYTES,
  TEXT,
  utf8Length,
} from '../../core/inner.ts';
import { said } from '../own.ts';
import type { StartRequest } from './api.ts';

export const TASK: Kind = [
  `text of at most ${TASK_BYTES} bytes`,
  (value) => TEXT[1](value) && utf8Length(value as string) <= TASK_BYTES,
];
const REQUEST: Kinds = {
  dialect: oneOf(...Object.keys(DIALECT_VERSIONS)),
  task: TASK,
  model: TEXT,
  limits: OBJECT,
  budgets: OBJECT,
};
const LIMITS: Kinds = each(Object.keys(RUN_LIMITS), COUNT);
const COUNTERS: Kinds = each(Object.keys(BUDGETS), COUNT);

export interface Bounds {
  readonly limits: RunLimits;
  readonly budgets: Budgets;
}

/** What bounds a run that is asked for, what was left out by default; `option_invalid` where it cannot be begun. */
export function boundsOf({ dialect, task, model, limits, budgets }: StartRequest): Outcome<Bounds> {
  const asked = { dialect, task, model, limits, budgets };
  const fault =
    optionFault(asked, REQUEST, Object.keys(REQUEST)) ?? optionFault(limits, LIMITS) ?? optionFault(budgets, COUNTERS);
  return fault ?? pass({ limits: { ...RUN_LIMITS, ...said(limits) }, budgets: { ...BUDGETS, ...said(budgets) } });
}
