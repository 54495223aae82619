import { type CSSResult, html, type TemplateResult } from 'lit';
import type { PromptAvailability } from '../../models.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { models } from '../../texts/en/models.ts';
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
    const { browser: texts } = models();
    return html`<p>${availability.value === undefined ? texts.asking : texts.states[availability.value]}</p>
      ${share.value === undefined ? this.#action(availability.value) : this.#under(share.value)}
      <p role="status" class="bad">${trouble.value === undefined ? '' : html`${icon('cross')}<span>${shown(trouble.value)}</span>`}</p>
      <p class="soft">${texts.explained}</p>`;
  }

  #action(availability: PromptAvailability | undefined): TemplateResult | string {
    const isReady = this.store.models.opened.value.browser !== undefined;
    if (availability === undefined || availability === 'unavailable' || isReady) return '';
    const word = availability === 'available' ? models().browser.use : models().browser.download;
    return html`<div class="actions"><button type="button" id="prepare" @click=${() => void this.#state.prepare()}>${icon('download')}${word}</button></div>`;
  }

  #under(share: number): TemplateResult {
    const { browser: texts } = models();
    return html`<div class="under">
      <span>${texts.preparing}</span>
      <progress aria-label=${texts.progress} max="1" .value=${share}></progress>
      <button type="button" class="small" id="stop" @click=${() => this.#state.cancel()}>${icon('stop')}${models().cancel}</button>
    </div>`;
  }

  protected override firstUpdated(): void {
    void this.#state.look();
  }
}

customElements.define('sp-browser-model', BrowserPanel);
