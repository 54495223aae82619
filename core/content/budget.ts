import { refuse } from '../errors.ts';
import { type Outcome, pass } from '../outcome.ts';

/** Catalytic Chat Contract, Budget Definitions: spending limits of a message. Inclusive: with 0 no use is allowed. */
export interface Budgets {
  readonly max_symbols: number;
  readonly max_sections: number;
  readonly max_bytes_expanded: number;
  readonly max_expands_per_step: number;
}

/** The contract's example numbers. A run may set different budgets; a message may only lower them. */
export const BUDGETS: Budgets = {
  max_symbols: 10,
  max_sections: 5,
  max_bytes_expanded: 10_000,
  max_expands_per_step: 3,
};

/** Spending of a step so far. Symbols and sections count once each; bytes and expansions every time. */
export interface Spending {
  readonly symbols: ReadonlySet<string>;
  readonly sections: ReadonlySet<string>;
  readonly bytes: number;
  readonly expands: number;
}

export const NOTHING_SPENT: Spending = { symbols: new Set(), sections: new Set(), bytes: 0, expands: 0 };

/** Cost of a delivery or a resolution. */
export interface Cost {
  readonly symbols?: readonly string[];
  /** Ids of the leaf sections it touches. */
  readonly sections?: readonly string[];
  /** UTF-8 bytes of the text; text that was delivered before counts again. */
  readonly bytes?: number;
  readonly expands?: number;
}

/**
 * Charges a cost before its content is delivered. Over budget, no part is charged, and the refusal is the first in the
 * contract's order; `details.breaches` names every budget that does not suffice.
 *
 * @see Catalytic Chat Contract, Budget Definitions
 */
export function spend(spent: Spending, cost: Cost, budgets: Budgets): Outcome<Spending> {
  const after: Spending = {
    symbols: new Set([...spent.symbols, ...(cost.symbols ?? [])]),
    sections: new Set([...spent.sections, ...(cost.sections ?? [])]),
    bytes: spent.bytes + (cost.bytes ?? 0),
    expands: spent.expands + (cost.expands ?? 0),
  };
  const used = usedOf(after);
  const breaches = ORDER.filter(([code, name]) => used[code] > budgets[name]).map(([code, name]) => ({
    code,
    limit: budgets[name],
    used: used[code],
  }));
  const [first] = breaches;
  if (first === undefined) return pass(after);
  return refuse(first.code, { limit: first.limit, used: first.used, breaches }, { step: 'charge' });
}

type BudgetCode = 'budget_symbols' | 'budget_sections' | 'budget_bytes' | 'budget_expands';

/** The contract's order. It decides which code names a breach of several budgets. */
const ORDER: readonly (readonly [BudgetCode, keyof Budgets])[] = [
  ['budget_symbols', 'max_symbols'],
  ['budget_sections', 'max_sections'],
  ['budget_bytes', 'max_bytes_expanded'],
  ['budget_expands', 'max_expands_per_step'],
];

export function isBudgetCode(code: string): code is BudgetCode {
  return ORDER.some(([each]) => each === code);
}

function usedOf({ symbols, sections, bytes, expands }: Spending): { readonly [C in BudgetCode]: number } {
  return {
    budget_symbols: symbols.size,
    budget_sections: sections.size,
    budget_bytes: bytes,
    budget_expands: expands,
  };
}

/** The budgets of a message: those of its run, or lower. A higher budget is refused, not lowered. */
export function checkBudgets(asked: Budgets, run: Budgets): Outcome<Budgets> {
  const raised = ORDER.find(([, name]) => asked[name] > run[name]);
  if (raised === undefined) return pass(asked);
  const [, name] = raised;
  const place = { step: 'form', pointer: `/budgets/${name}` } as const;
  return refuse('budget_raised', { name, limit: run[name], asked: asked[name] }, place);
}
