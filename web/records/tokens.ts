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

/** Price of a million tokens, in US dollars. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

export function costOf({ input, output }: TokenCounts, price: TokenPrice): number {
  return (input * price.input + output * price.output) / 1e6;
}

/** An amount of dollars with three digits that count: `$0.00123`, `$12.30`. */
export function costText(dollars: number): string {
  const digits = dollars > 0 && dollars < 1 ? { maximumSignificantDigits: 3 } : {};
  return dollars.toLocaleString(undefined, { style: 'currency', currency: 'USD', ...digits });
}
