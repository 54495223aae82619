import type { PriceTexts } from '../en/prices.ts';
import { number, plural } from '../intl.ts';

export const prices: PriceTexts = {
  legend: 'Preis für eine Million Tokens',
  input: 'Was es liest',
  output: 'Was es schreibt',
  currency: 'Währung',
  none: 'nicht gesetzt',
  local: 'Er bleibt auf diesem Gerät. Ohne Preis werden nur Tokens gezählt.',
  summary: 'Preis seiner Tokens',
  unnamed: 'Geben Sie zuerst den Server und das Modell an.',
  tokens: (input, output) => `${plural(input, { one: '# Token', other: '# Tokens' })} hinein, ${number(output)} heraus`,
  spent: (all) => `Das Modell verbrauchte ${all}.`,
};
