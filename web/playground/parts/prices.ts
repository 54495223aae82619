import { type Signal, signal } from '@preact/signals-core';
import { CURRENCIES, type Currency, costOf, type TokenCounts, type TokenPrice } from '../../records/tokens.ts';
import { money } from '../../texts/amounts.ts';
import { prices as texts } from '../../texts/en/prices.ts';
import { readSetting, writeSetting } from './local-storage.ts';

type Prices = { readonly [model: string]: TokenPrice };

const KEY = 'sallyport.prices';
const MODELS_MAX = 50;

const prices: Signal<Prices> = signal(readPrices());

/** A price that another tab sets or removes holds here too. The event of a cleared storage has no key. */
globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === KEY || key === null) prices.value = readPrices();
});

/** The price that a person has set for a model, by the name that records give it; it stays on this device. */
export function priceOf(model: string): TokenPrice | undefined {
  return Object.hasOwn(prices.value, model) ? prices.value[model] : undefined;
}

/** Both amounts at zero remove the price. */
export function setPrice(model: string, price: TokenPrice): void {
  const rest = Object.entries(prices.peek()).filter(([other]) => other !== model);
  const isSet = price.input > 0 || price.output > 0;
  prices.value = Object.fromEntries([...(isSet ? [[model, price] as const] : []), ...rest].slice(0, MODELS_MAX));
  writeSetting(KEY, JSON.stringify(prices.peek()));
}

/** The currency of the price that was set last. */
export function usualCurrency(): Currency {
  return Object.values(prices.value)[0]?.currency ?? CURRENCIES[0];
}

/** Tokens, and their cost where the model has a price. */
export function spentText(tokens: TokenCounts, model: string | undefined): string {
  const counted = texts().tokens(tokens.input, tokens.output);
  const price = model === undefined ? undefined : priceOf(model);
  return price === undefined ? counted : `${counted}, ${money(costOf(tokens, price), price.currency)}`;
}

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Stored settings may be of another version or broken. */
function readPrices(): Prices {
  try {
    const read: unknown = JSON.parse(readSetting(KEY) ?? '{}');
    return Object.fromEntries(
      Object.entries(Object(read) as object).flatMap(([model, price]) => readPrice(model, price)),
    );
  } catch {
    return {};
  }
}

function readPrice(model: string, price: unknown): readonly (readonly [string, TokenPrice])[] {
  const { input, output, currency } = Object(price) as { readonly [member: string]: unknown };
  const known = CURRENCIES.find((each) => each === currency) ?? CURRENCIES[0];
  return isAmount(input) && isAmount(output) ? [[model, { input, output, currency: known }]] : [];
}
