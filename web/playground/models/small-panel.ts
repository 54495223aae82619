import { type CSSResult, html, type TemplateResult } from 'lit';
import { SMALL_MODEL_LIMITS } from '../../models.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { models } from '../../texts/en/models.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { deviceModelsOf } from './device-models.ts';
import { modelsStyles } from './models-style.ts';
import type { SmallModelState } from './small-model.ts';

/** The small model: its limits, and the switch of its constraint. It is opened when it is chosen. */
export class SmallPanel extends View {
  static override styles: CSSResult[] = [shared, modelsStyles];

  get #state(): SmallModelState {
    return deviceModelsOf(this.store).small;
  }

  protected override view(): TemplateResult {
    const { constrained, trouble } = this.#state;
    return html`<p class="soft">${models().small.limits(SMALL_MODEL_LIMITS)}</p>
      <label class="switch"><input id="constrained" type="checkbox" role="switch" .checked=${constrained.value} @change=${(event: Event) => this.#hold(event)} /><span>${models().small.constrain()}</span></label>
      <p role="status" class="bad">${trouble.value === undefined ? '' : html`${icon('cross')}<span>${shown(trouble.value)}</span>`}</p>`;
  }

  #hold(event: Event): void {
    this.#state.constrained.value = (event.target as HTMLInputElement).checked;
    void this.#state.open();
  }

  protected override firstUpdated(): void {
    void this.#state.open();
  }
}

customElements.define('sp-small', SmallPanel);
