import { BUDGETS, type Budgets } from '../../core/content/budget.ts';
import { utf8Length } from '../../core/json/utf8.ts';
import { RUN_LIMIT_ROWS, RUN_LIMITS, type RunLimits, SESSION_LIMITS, taskBytes } from '../../core/limits.ts';
import { COUNT, each, OBJECT, type OptionType, type OptionTypes, oneOf, optionFault, TEXT } from '../../core/option.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { DIALECT_VERSIONS } from '../../core/protocol/dialect.ts';
import { definedProperties } from '../own-properties.ts';
import type { StartRequest } from './api.ts';
import { within } from './run/run-model.ts';

/** Kind of a task. Each request of a run repeats its task, so that the task must leave room for the answers. */
export function taskKind(limits: Partial<RunLimits>): OptionType {
  const [most, { contextBytes = RUN_LIMITS.contextBytes }] = [taskBytes(limits), limits];
  const sizes = `text of at most ${most} bytes, which leaves room for a reply in a history of ${contextBytes} bytes`;
  return [sizes, (value) => TEXT[1](value) && utf8Length(value as string) <= most];
}

const REQUEST: OptionTypes = {
  dialect: oneOf(...Object.keys(DIALECT_VERSIONS)),
  task: TEXT,
  model: TEXT,
  limits: OBJECT,
  budgets: OBJECT,
};
const LIMITS: OptionTypes = Object.fromEntries(
  Object.entries(RUN_LIMIT_ROWS).map(([name, { least }]) => [name, least === 0 ? COUNT : numberFrom(least)]),
);

function numberFrom(least: number): OptionType {
  return [`a whole number, ${least} or more`, (value) => COUNT[1](value) && (value as number) >= least];
}

const COUNTERS: OptionTypes = each(Object.keys(BUDGETS), COUNT);

export interface Bounds {
  readonly limits: RunLimits;
  readonly budgets: Budgets;
}

/**
 * Limits and budgets of a start request, with defaults filled in. `option_invalid` for a request that cannot start a
 * run.
 */
export function boundsOf({ dialect, task, model, limits, budgets, window, caller }: StartRequest): Outcome<Bounds> {
  const asked = { dialect, task, model, limits, budgets };
  const fault =
    optionFault(asked, REQUEST, Object.keys(REQUEST)) ?? optionFault(limits, LIMITS) ?? optionFault(budgets, COUNTERS);
  if (fault !== undefined) return fault;
  const { contextBytes, ...own } = within(
    { ...(caller ? SESSION_LIMITS : RUN_LIMITS), ...definedProperties(limits) },
    window,
  );
  // a model with a larger window may go on with the run: each request has the window of its own model
  const bounds = { ...own, contextBytes: Math.max(contextBytes, RUN_LIMIT_ROWS.contextBytes.least) };
  const long = optionFault({ task }, { task: taskKind(bounds) });
  return long ?? pass({ limits: bounds, budgets: { ...BUDGETS, ...definedProperties(budgets) } });
}
