import { type CSSResult, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { ModelKind, ReadyModel } from './model-choice.ts';
import { modelsStyles } from './models-style.ts';
import './browser-panel.ts';
import './gguf-panel.ts';
import './said.ts';
import './small-panel.ts';
import './task-form.ts';

interface Offer {
  readonly word: string;
  readonly hint: string;
  /** Whether this browser has it. */
  readonly here: boolean;
}

const OFFERS: { readonly [K in ModelKind]: Offer } = {
  small: {
    word: 'A small model, in this page',
    hint: 'Ours: a third of a megabyte, and it knows a dozen tools.',
    here: true,
  },
  gguf: { word: 'A GGUF file on this device', hint: 'A model of your own, by llama.cpp in WebAssembly.', here: true },
  browser: { word: 'The browser’s model', hint: 'The browser keeps it.', here: 'LanguageModel' in globalThis },
  server: { word: 'A model server', hint: 'On this device or elsewhere, in the form of OpenAI.', here: true },
};

/** The third proposer: which model, its task, its words, and how it is had. */
export class Models extends View {
  static override styles: CSSResult[] = [shared, modelsStyles];

  protected override view(): TemplateResult {
    const { kind, ready } = this.store.models;
    return html`<fieldset>
        <legend>Which model</legend>
        ${(Object.keys(OFFERS) as ModelKind[]).filter((each) => OFFERS[each].here).map((each) => this.#offer(each, kind.value))}
      </fieldset>
      ${ready.value === undefined ? '' : this.#ready(ready.value)}
      <section aria-label=${OFFERS[kind.value].word}>${this.#panel(kind.value)}</section>`;
  }

  #offer(kind: ModelKind, chosen: ModelKind): TemplateResult {
    const { word, hint } = OFFERS[kind];
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
      return html`<button type="button" id="connect" @click=${ask}>${icon('link')}Change the server</button>`;
    return html`<p>Any server that speaks the OpenAI form will do: Ollama, llama.cpp, LM Studio, vLLM.</p>
      <div class="actions"><button type="button" id="connect" @click=${ask}>${icon('link')}Connect a model</button></div>`;
  }

  #ready(ready: ReadyModel): TemplateResult {
    return html`<p class="which"><span><span class="mono">${shown(ready.name)}</span> <span class="soft">${ready.place}${this.#counted(ready)}</span></span></p>
      ${this.#mayAsk() ? html`<sp-task .store=${this.store}></sp-task>` : html`<p class="wait">It knows the wire forms XCT and FemtoClaw. Choose one of them below.</p>`}
      ${this.#begun(ready)}`;
  }

  /** The small model was trained on two of the wire forms. */
  #mayAsk(): boolean {
    const { models, scenario } = this.store;
    return models.kind.value !== 'small' || scenario.dialect !== 'catalytic';
  }

  /** The tokens of this run, as the model counts them, and the speed of its last answer. */
  #counted({ speed }: ReadyModel): string {
    const { tokens } = this.store.session.value?.view.value ?? {};
    const used = tokens && ` · ${count(tokens.input, 'token')} read, ${count(tokens.output, 'token')} written`;
    const rate = speed?.value?.toLocaleString(undefined, { maximumFractionDigits: 1 });
    return `${used ?? ''}${rate === undefined ? '' : `, ${rate} tokens a second`}`;
  }

  #begun({ model }: ReadyModel): TemplateResult {
    const session = this.store.session.value;
    if (session?.proposer?.elsewhere === model) return html`<sp-said .store=${this.store}></sp-said>`;
    if (session?.run === undefined || session.view.value?.end !== undefined) return html``;
    return html`<p>A run names its model in its first record, and this one began without it.</p>
      <div class="actions"><button type="button" id="begin" @click=${() => this.store.startRun()}>${icon('plus')}New run with this model</button></div>`;
  }
}

customElements.define('sp-models', Models);
