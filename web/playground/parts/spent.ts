import { type CSSResult, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { TokenCounts } from '../../records/tokens.ts';
import { shared } from '../../style/shared.ts';
import { prices } from '../../texts/en/prices.ts';
import { spentText } from './prices.ts';
import { SignalView } from './signal-view.ts';

/** The tokens of a run, and their cost where its model has a price. */
export class Spent extends SignalView {
  static override properties: PropertyDeclarations = { tokens: {}, model: {} };
  static override styles: CSSResult[] = [shared];
  declare tokens: TokenCounts;
  declare model: string;

  protected override view(): TemplateResult {
    return html`<p class="soft">${prices().spent(spentText(this.tokens, this.model))}</p>`;
  }
}

customElements.define('sp-spent', Spent);
