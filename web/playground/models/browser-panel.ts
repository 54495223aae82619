import { type CSSResult, html, type TemplateResult } from 'lit';
import type { PromptAvailability } from '../../models.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { BrowserModelState } from './browser-model.ts';
import { deviceModelsOf } from './device-models.ts';
import { modelsStyles } from './models-style.ts';

/** The browser's own model: a person sees whether it is there, and has it downloaded. */
export class BrowserPanel extends View {
  static override styles: CSSResult[] = [shared, modelsStyles];

  get #state(): BrowserModelState {
    return deviceModelsOf(this.store).browser;
  }

  protected override view(): TemplateResult {
    const { availability, share, trouble } = this.#state;
    return html`<p>${availability.value === undefined ? 'Asking the browser…' : STATES[availability.value]}</p>
      ${share.value === undefined ? this.#action(availability.value) : this.#under(share.value)}
      <p role="status" class="bad">${trouble.value === undefined ? '' : html`${icon('cross')}<span>${shown(trouble.value)}</span>`}</p>
      <p class="soft">The page sees its words only. Its maker decides what it does behind its interface: the browser may check its answers, and its vendor says what leaves the device.</p>`;
  }

  #action(availability: PromptAvailability | undefined): TemplateResult | string {
    const isReady = this.store.models.opened.value.browser !== undefined;
    if (availability === undefined || availability === 'unavailable' || isReady) return '';
    const word = availability === 'available' ? 'Use it' : 'Download it';
    return html`<div class="actions"><button type="button" id="prepare" @click=${() => void this.#state.prepare()}>${icon('download')}${word}</button></div>`;
  }

  #under(share: number): TemplateResult {
    return html`<div class="under">
      <span>Making it ready…</span>
      <progress aria-label="Download of the browser’s model" max="1" .value=${share}></progress>
      <button type="button" class="small" id="stop" @click=${() => this.#state.cancel()}>${icon('stop')}Cancel</button>
    </div>`;
  }

  protected override firstUpdated(): void {
    void this.#state.look();
  }
}

const STATES: { readonly [A in PromptAvailability]: string } = {
  unavailable: 'This browser has the interface, and no model for this device.',
  downloadable: 'The browser can download its model. It keeps it for every page.',
  downloading: 'The browser is downloading its model.',
  available: 'The browser has its model on this device.',
};

customElements.define('sp-browser-model', BrowserPanel);
