import type { Breach, Exceeded } from './details.ts';
import { over } from './refuse.ts';

/** Codes for spending over a budget. */
export const BUDGET_CODES = {
  budget_symbols: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'symbols', d),
    todo: 'Refer to fewer symbols.',
  },
  budget_sections: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'sections', d),
    todo: 'Touch fewer sections.',
  },
  budget_bytes: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'bytes', d),
    todo: 'Ask for a smaller slice.',
  },
  budget_expands: {
    class: 'budget',
    what: (d: Breach): string => over('Over budget', 'expansions', d),
    todo: 'Expand less in one step.',
  },
  budget_run: {
    class: 'budget',
    what: (d: Exceeded): string => over('The run has read enough', 'bytes', d),
    todo: 'Finish with what you have.',
  },
  budget_raised: {
    class: 'budget',
    what: (d: { readonly name: string; readonly limit: number; readonly asked: number }): string =>
      `The run allows ${d.limit} as ${d.name}, not ${d.asked}`,
    todo: 'A message may lower the budgets of its run, never raise them.',
  },
} as const;
