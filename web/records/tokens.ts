import type { LedgerRecord } from '../../core/index.ts';

/** Tokens that a model's server has counted. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
}

/** Tokens of these records; undefined where no server has counted. */
export function tokensOf(records: readonly LedgerRecord[]): TokenCounts | undefined {
  const counted = records.flatMap(({ kind, body }) => (kind === 'proposal' ? (body.usage ?? []) : []));
  if (counted.length === 0) return undefined;
  return counted.reduce((sum, { input, output }) => ({ input: sum.input + input, output: sum.output + output }));
}

/** Currencies in which servers of models are paid, by their codes in ISO 4217. */
export const CURRENCIES = ['USD', 'EUR', 'GBP', 'CHF', 'JPY', 'CNY', 'INR', 'KRW', 'CAD', 'AUD', 'BRL', 'SEK'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Price of a million tokens, in units of the currency. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly currency: Currency;
}

/** Cost of these tokens, in units of the currency of the price. */
export function costOf({ input, output }: TokenCounts, price: TokenPrice): number {
  return (input * price.input + output * price.output) / 1e6;
}
