import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { CURRENCIES, type Currency, type TokenPrice } from '../../records/tokens.ts';
import { shared } from '../../style/shared.ts';
import { prices } from '../../texts/en/prices.ts';
import { isAmount, priceOf, setPrice, usualCurrency } from './prices.ts';
import { SignalView } from './signal-view.ts';

/** The price of a model's tokens, for the costs of a run. Without a `model` it cannot be entered. */
class PriceFields extends SignalView {
  static override properties: PropertyDeclarations = { model: {} };
  static override styles: CSSResult[] = [
    shared,
    css`
      fieldset {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
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
      select {
        min-height: 2rem;
      }
      p {
        flex-basis: 100%;
      }
    `,
  ];
  declare model: string | undefined;
  /** A currency that was chosen before an amount. */
  readonly #currency: Signal<Currency | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const texts = prices();
    const { model } = this;
    const price = model === undefined ? undefined : priceOf(model);
    const currency = price?.currency ?? this.#currency.value ?? usualCurrency();
    const set = (change: Partial<TokenPrice>): void => {
      if (model !== undefined) setPrice(model, { input: 0, output: 0, currency, ...price, ...change });
    };
    const amount = (side: 'input' | 'output') => (event: Event) => {
      const entered = Number((event.target as HTMLInputElement).value);
      if (isAmount(entered)) set({ [side]: entered });
    };
    const choose = (event: Event): void => {
      const { value } = event.target as HTMLSelectElement;
      this.#currency.value = CURRENCIES.find((each) => each === value);
      if (price !== undefined) set({ currency: this.#currency.peek() ?? currency });
    };
    return html`<fieldset ?disabled=${model === undefined}>
      <legend>${texts.legend}</legend>
      ${(['input', 'output'] as const).map((side) => html`<label>${texts[side]}<input id=${side} type="number" min="0" step="any" inputmode="decimal" autocomplete="off" placeholder=${texts.none} .value=${live(String(price?.[side] ?? ''))} @change=${amount(side)} /></label>`)}
      <label>${texts.currency}<select id="currency" @change=${choose}>${CURRENCIES.map((each) => html`<option .selected=${live(each === currency)}>${each}</option>`)}</select></label>
      <p class="soft">${model === undefined ? texts.unnamed : texts.local}</p>
    </fieldset>`;
  }
}

customElements.define('sp-price', PriceFields);
