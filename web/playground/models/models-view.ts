import { type CSSResult, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { models } from '../../texts/en/models.ts';
import { spentText } from '../parts/prices.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { MODEL_KINDS, type ModelKind, type ReadyModel } from './model-choice.ts';
import { modelsStyles } from './models-style.ts';
import './browser-panel.ts';
import './gguf-panel.ts';
import './said.ts';
import './small-panel.ts';
import './task-form.ts';

/** The models to choose from; not every browser has one of its own. */
const OFFERS = MODEL_KINDS.filter((kind) => kind !== 'browser' || 'LanguageModel' in globalThis);

/** The third proposer: which model, its task, its words, and how it is had. */
export class Models extends View {
  static override styles: CSSResult[] = [shared, modelsStyles];

  protected override view(): TemplateResult {
    const { kind, ready } = this.store.models;
    return html`<fieldset>
        <legend>${models().which}</legend>
        ${OFFERS.map((each) => this.#offer(each, kind.value))}
      </fieldset>
      ${ready.value === undefined ? '' : this.#ready(ready.value)}
      <section aria-label=${models().offers[kind.value].word}>${this.#panel(kind.value)}</section>`;
  }

  #offer(kind: ModelKind, chosen: ModelKind): TemplateResult {
    const { word, hint } = models().offers[kind];
    const take = (): void => {
      this.store.models.kind.value = kind;
      this.store.choose('model');
    };
    return html`<label class="kind"><input type="radio" name="kind" .checked=${live(kind === chosen)} @change=${take} /><span>${word}${kind === chosen ? html`<span class="soft">${hint}</span>` : ''}</span></label>`;
  }

  #panel(kind: ModelKind): TemplateResult {
    if (kind === 'small') return html`<sp-small .store=${this.store}></sp-small>`;
    if (kind === 'gguf') return html`<sp-gguf .store=${this.store}></sp-gguf>`;
    if (kind === 'browser') return html`<sp-browser-model .store=${this.store}></sp-browser-model>`;
    if (kind === 'server') return this.#server();
    return html``;
  }

  #server(): TemplateResult {
    const { connected, asks } = this.store.endpoint;
    const ask = (): void => {
      asks.value = true;
    };
    if (connected.value !== undefined)
      return html`<button type="button" id="connect" @click=${ask}>${icon('link')}${models().changeServer}</button>`;
    return html`<p>${models().anyServer}</p>
      <div class="actions"><button type="button" id="connect" @click=${ask}>${icon('link')}${models().connect}</button></div>`;
  }

  #ready(ready: ReadyModel): TemplateResult {
    return html`<p class="which"><span><span class="mono">${shown(ready.name)}</span> <span class="soft">${ready.place}${this.#counted(ready)}</span></span></p>
      ${this.#mayAsk() ? html`<sp-task .store=${this.store}></sp-task>` : html`<p class="wait">${models().knowsForms}</p>`}
      ${this.#begun(ready)}`;
  }

  /** The small model was trained on two of the wire forms. */
  #mayAsk(): boolean {
    const { models: choice, scenario } = this.store;
    return choice.kind.value !== 'small' || scenario.dialect !== 'catalytic';
  }

  /** The tokens of this run, as the model counts them, their cost where they have a price, and the speed of its last answer. */
  #counted({ speed, model }: ReadyModel): string {
    const { tokens } = this.store.session.value?.view.value ?? {};
    const used = tokens && ` · ${spentText(tokens, model.id)}`;
    const rate = speed?.value;
    return `${used ?? ''}${rate === undefined ? '' : models().rate(rate)}`;
  }

  #begun({ model }: ReadyModel): TemplateResult {
    const session = this.store.session.value;
    if (session?.proposer?.elsewhere === model) return html`<sp-said .store=${this.store}></sp-said>`;
    if (session?.run === undefined || session.view.value?.end !== undefined) return html``;
    return html`<p>${models().begunWithout}</p>
      <div class="actions"><button type="button" id="begin" @click=${() => this.store.startRun()}>${icon('plus')}${models().newRun}</button></div>`;
  }
}

customElements.define('sp-models', Models);
