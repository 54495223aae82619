import './gguf-panel.ts';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { type PromptAvailability, SMALL_MODEL_LIMITS } from '../../models.ts';
import type { StepGroup } from '../../records/steps.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { models } from '../../texts/en/models.ts';
import '../parts/elapsed.ts';
import { spentText } from '../parts/prices.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { receiptValues } from '../run/receipt-values.ts';
import { find, replyOf, textOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import { type BrowserModelState, deviceModelsOf, type SmallModelState } from './device-models.ts';
import { MODEL_KINDS, type ModelKind, type ReadyModel } from './model-choice.ts';
import { modelsStyles } from './models-style.ts';

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
      ${this.#speaksForm() ? '' : html`<p class="wait">${models().knowsForms}</p>`}
      ${this.#begun(ready)}`;
  }

  /** The small model was trained on two of the wire forms. */
  #speaksForm(): boolean {
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

/** As much of an answer as is shown here; the record has all of it. */
const SHOWN_MAX = 4000;
/** Earlier steps are in the ledger. */
const STEPS_MAX = 8;
const TEXT_MAX = 600;

/** A model's proposals of this run: each text with its outcome, and at the end the words beside the receipts' values. */
export class Said extends View {
  static override styles: CSSResult[] = [shared, quoted, modelsStyles];

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    if (session === undefined) return html``;
    const steps = session.steps.value.filter(({ step }) => step !== undefined);
    return html`${steps.length === 0 ? '' : html`<h3>${models().said.title}</h3><ol class="said">${steps.slice(-STEPS_MAX).map((group) => this.#step(session, group))}</ol>`}
      ${this.#saying(session)} ${this.#answer(session)}`;
  }

  #step(session: RunSession, group: StepGroup): TemplateResult {
    const text = textOf(session, find(group, 'proposal')?.body.payload);
    return html`<li>
      <p class="soft">${models().said.step(group.step ?? 0)}</p>
      <pre>${shown(cut(text ?? '…', TEXT_MAX))}</pre>
      ${this.#outcome(session, group)}
    </li>`;
  }

  #outcome(session: RunSession, group: StepGroup): TemplateResult {
    const reply = replyOf(session, group);
    const code = find(group, 'verdict')?.body.refusal?.code ?? (reply?.status === 'error' ? reply.code : undefined);
    if (code !== undefined) return html`<p class="bad">${icon('cross')}<span>${this.#refusal(group, code)}</span></p>`;
    if (!group.named || reply?.status !== 'success') return html``;
    return html`<p class="good">${icon('check')}<span>${models().said.ran(html`<span class="mono">${group.title}</span>`)}</span></p>`;
  }

  #refusal({ stopped }: StepGroup, code: string): TemplateResult {
    const { said: texts } = models();
    const named = html`<span class="mono">${code}</span>`;
    return stopped === 'execute' ? texts.failed(named) : texts.refused(stopped ?? texts.aGate, named);
  }

  #saying(session: RunSession): TemplateResult {
    const text = session.proposer?.saying.value;
    if (text === undefined) return html``;
    return html`<p class="soft">${text === '' ? models().said.noWord : models().said.characters(text.length)} <sp-elapsed .of=${String(session.view.value?.steps)}></sp-elapsed></p>
      <pre id="saying" tabindex="0" role="region" aria-label=${models().said.saying}>${shown(text.slice(-SHOWN_MAX))}</pre>`;
  }

  /** The words of a model beside the values that capabilities returned. */
  #answer(session: RunSession): TemplateResult {
    const message = session.view.value?.end?.message;
    if (message === undefined) return html``;
    return html`<div class="beside">
        <div><h3>${models().said.words}</h3><p id="words">${shown(message)}</p></div>
        ${receiptValues(session)}
      </div>
      <p class="soft">${models().said.explained}</p>`;
  }

  /** The newest words stay in sight. */
  protected override updated(changed: Map<PropertyKey, unknown>): void {
    super.updated(changed);
    const said = this.renderRoot.querySelector('#saying');
    said?.scrollTo(0, said.scrollHeight);
  }
}

/** A long text is cut; its record has all of it. */
function cut(text: string, unitsMax: number): string {
  return text.length > unitsMax ? `${text.slice(0, unitsMax)}…` : text;
}

/** The small model: its limits, and the switch of its constraint. It is opened when it is chosen. */
class SmallPanel extends View {
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

/** The browser's own model: a person sees whether it is there, and has it downloaded. */
class BrowserPanel extends View {
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

customElements.define('sp-said', Said);
customElements.define('sp-small', SmallPanel);
customElements.define('sp-browser-model', BrowserPanel);
customElements.define('sp-models', Models);
