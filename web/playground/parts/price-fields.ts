import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { TokenPrice } from '../../records/tokens.ts';
import { shared } from '../../style/shared.ts';
import { readSetting, writeSetting } from './local-storage.ts';
import { View } from './view.ts';

type Prices = { readonly [model: string]: TokenPrice };

const KEY = 'sallyport.prices';
const MODELS_MAX = 50;

const prices: Signal<Prices> = signal(readPrices());

/** The price that a person has set for a model; it stays on this device. */
export function priceOf(model: string): TokenPrice | undefined {
  return Object.hasOwn(prices.value, model) ? prices.value[model] : undefined;
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
  const { input, output } = Object(price) as { readonly input?: unknown; readonly output?: unknown };
  return isPrice(input) && isPrice(output) ? [[model, { input, output }]] : [];
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Both fields at zero remove the price. */
function setPrice(model: string, price: TokenPrice): void {
  const rest = Object.entries(prices.peek()).filter(([other]) => other !== model);
  const isSet = price.input > 0 || price.output > 0;
  prices.value = Object.fromEntries([...(isSet ? [[model, price] as const] : []), ...rest].slice(0, MODELS_MAX));
  writeSetting(KEY, JSON.stringify(prices.peek()));
}

const SIDES = [
  ['input', 'What it reads'],
  ['output', 'What it writes'],
] as const;

/** The price of a model's tokens, for the costs of a run. */
export class PriceFields extends View {
  static override properties: PropertyDeclarations = { model: {} };
  static override styles: CSSResult[] = [
    shared,
    css`
      fieldset {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        margin: 0;
        padding: 0;
        border: 0;
      }
      legend {
        padding: 0 0 0.25rem;
      }
      label {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      input {
        width: 6rem;
        min-height: 2rem;
      }
    `,
  ];
  declare model: string;

  protected override view(): TemplateResult {
    const price = priceOf(this.model);
    const set = (side: keyof TokenPrice) => (event: Event) => {
      const amount = Number((event.target as HTMLInputElement).value);
      if (isPrice(amount)) setPrice(this.model, { input: 0, output: 0, ...priceOf(this.model), [side]: amount });
    };
    return html`<fieldset>
      <legend>Price of a million tokens, in dollars</legend>
      ${SIDES.map(([side, word]) => html`<label>${word}<input id=${side} type="number" min="0" step="any" inputmode="decimal" autocomplete="off" placeholder="not set" .value=${String(price?.[side] ?? '')} @change=${set(side)} /></label>`)}
    </fieldset>`;
  }
}

customElements.define('sp-price', PriceFields);
