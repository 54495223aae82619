import '../parts/json-text.ts';
import { computed, type ReadonlySignal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { decode, encodeText, isObject } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { type SetupTexts, setup, setup as texts } from '../../texts/en/setup.ts';
import { shell } from '../../texts/en/shell.ts';
import { sendAsks } from '../parts/dialog-asks.ts';
import { strictestOf } from '../parts/grant-modes.ts';
import { loading } from '../parts/loading.ts';
import { bringsBack, replacedStyles, replacedText } from '../parts/replaced-text.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import { PROPOSERS, type ProposerName } from '../run/proposer.ts';
import { closestTo } from '../run/registry.ts';
import { grantsOf } from '../run/run-grants.ts';
import type { RunSession } from '../run/session.ts';
import { callerOf, type SessionCaller } from '../run/session-caller.ts';
import { goesOn, scriptIsOffTask } from '../run/tasks.ts';

/** Loaded with the first proposal of a person: a visit begins with the script. */
const TOOLS = (): TemplateResult => loading('tools', () => import('./tools.ts'));

/** Loaded with its first use: most visitors ask no model. */
const MODELS = (store: Playground): TemplateResult =>
  html`<sp-models .store=${store}>${loading('models', () => import('../models/models-view.ts'))}</sp-models>`;

/** The next proposal: the script's text to read, or a text of the person's to write. */
export class Composer extends View {
  static override get styles(): CSSResult[] {
    return [shared, replacedStyles, composerStyles];
  }

  readonly #goesOn: ReadonlySignal<boolean> = computed(() => this.store.session.value?.view.value?.mode === 'running');

  protected override view(): TemplateResult {
    const caller = callerOf(this.store.session.value?.records.value ?? []);
    if (caller !== undefined) return ofCaller(caller);
    const chosen = this.store.chosen.value;
    const { composer: texts } = setup();
    const choices = PROPOSERS.map((name) => ({ name, word: texts.proposers[name] }));
    return html`<h2 id="who">${texts.who}</h2>
      ${choice('who', choices, chosen, (name) => this.store.choose(name))}
      <p class="hint soft">${texts.hints[chosen]}</p>
      ${chosen === 'model' ? MODELS(this.store) : ''}
      ${goesOn(this.store.session.value) ? '' : this.#side(chosen)}
      ${this.#wire()}`;
  }

  #side(chosen: ProposerName): TemplateResult {
    if (chosen === 'model') return html``;
    return chosen === 'script' ? this.#script() : this.#person();
  }

  #wire(): TemplateResult {
    const { scenario, forms, mayChangeDialect } = this.store;
    const free = mayChangeDialect.value;
    const { composer: texts } = setup();
    const choices = forms.map(({ dialect }) => ({ name: dialect, word: DIALECT_WORDS[dialect], disabled: !free }));
    return html`<h2 id="wire">${texts.wire}</h2>
      ${choice('wire', choices, scenario.dialect, (dialect) => this.store.speak(dialect))}
      <p class="soft">${texts.wires[scenario.dialect]} ${free ? texts.wireFree : texts.wireFixed}</p>`;
  }

  #script(): TemplateResult {
    const { session, scenario } = this.store;
    const { proposer } = session.value ?? {};
    // a run begins with the first proposal when the kernel has started
    if (session.value === undefined) return this.#next(scenario.script[0] ?? '', 0, scenario.script.length);
    if (proposer === undefined || this.#over()) return html`<p>${setup().composer.noScript[this.#obstacle()]}</p>`;
    // a run that goes on is drawn with its records, and not again with each proposal
    const goesOn = this.#goesOn.value;
    const next = goesOn ? proposer.next.peek() : proposer.next.value;
    const position = goesOn ? proposer.position.peek() : proposer.position.value;
    if (next === undefined) return html`${this.#offTask()}<p>${setup().composer.told()}</p>`;
    return html`${this.#offTask()}${this.#next(next, position, proposer.script.length)}`;
  }

  #next(text: string, position: number, length: number): TemplateResult {
    const { composer: texts } = setup();
    return html`<h3>${texts.next(position + 1, length)}</h3>
      <sp-json .text=${text} pretty label=${texts.nextProposal}></sp-json>
      <div class="actions"><button type="button" class="plain" @click=${() => this.#takeOver(text)}>${icon('pen')}${texts.edit}</button></div>`;
  }

  /** A script answers a single task. Another task needs a person or a model that reads it. */
  #offTask(): TemplateResult | string {
    const { session, scenario, setup: chosen, mayChangeDialect, choose, arrange } = this.store;
    if (!scriptIsOffTask(session.value, scenario)) return '';
    const own = (): void => {
      const { task: _, ...rest } = chosen.peek();
      arrange(rest);
    };
    const { composer: texts } = setup();
    return html`<div class="off-task" role="note">
      <p>${texts.offTask()}</p>
      <div class="actions">
        <button type="button" id="be-you" @click=${() => choose('you')}>${icon('pen')}${texts.beYou}</button>
        <button type="button" id="be-model" @click=${() => choose('model')}>${icon('link')}${texts.askModel}</button>
        ${mayChangeDialect.value ? html`<button type="button" id="own-task" @click=${own}>${icon('reply')}${texts.ownTask}</button>` : ''}
      </div>
    </div>`;
  }

  #takeOver(text: string): void {
    this.store.draftUndo.put(text);
    this.store.choose('you');
    void this.updateComplete.then(() => this.renderRoot.querySelector('textarea')?.focus());
  }

  #person(): TemplateResult {
    const over = this.#over();
    const input = (event: InputEvent): void => {
      const field = event.target as HTMLTextAreaElement;
      this.store.draft.value = field.value;
      delete field.dataset.sent;
    };
    const { composer: texts } = setup();
    const { keys } = shell();
    const blocked = over || this.store.draft.value === '';
    const forecast = over ? undefined : forecastOf(this.store.draft.value, this.store.session.value);
    return html`<label for="draft"><h3>${texts.yourProposal}</h3></label>
      <textarea
        id="draft"
        spellcheck="false"
        autocomplete="off"
        autocapitalize="off"
        aria-describedby="forecast draft-hint"
        placeholder=${EXAMPLES[this.store.scenario.dialect]}
        .value=${this.store.draft.value}
        @input=${input}
        @keydown=${(event: KeyboardEvent) => this.#key(event, blocked)}
      ></textarea>
      ${replacedText(this.store.draftUndo, () => this.#undo())}
      <p id="forecast" class=${forecast?.good === false ? 'wait' : 'soft'}>${shown(forecast?.words ?? '')}</p>
      <div class="actions send">
        <button type="button" id="send" class="primary" aria-disabled=${blocked} @click=${() => this.#send(blocked)}>${texts.send}</button>
        <span class="soft" id="draft-hint">${over ? texts.whyNot[this.#obstacle()] : html`<span class="keyed">${texts.sends(keys.Control, keys.Enter)}</span>`}</span>
      </div>
      <sp-tools .store=${this.store} @sp-used=${() => this.renderRoot.querySelector('textarea')?.focus()}>${TOOLS()}</sp-tools>`;
  }

  /** A proposal that another view wrote waits to be sent. */
  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const send = this.renderRoot.querySelector<HTMLElement>('#send');
    if (!sendAsks.peek() || send === null) return;
    sendAsks.value = false;
    send.focus();
    send.scrollIntoView({ block: 'nearest' });
  }

  #undo(): void {
    this.store.draftUndo.undo();
    void this.updateComplete.then(() => this.renderRoot.querySelector('textarea')?.focus());
  }

  /** Why this page makes no proposal now. */
  #obstacle(): keyof SetupTexts['composer']['whyNot'] {
    const session = this.store.session.value;
    if (session === undefined) return 'starting';
    const elsewhere = session.elsewhere.value;
    if (elsewhere === undefined) return 'over';
    return elsewhere === 'free' ? 'free' : 'elsewhere';
  }

  #over(): boolean {
    const session = this.store.session.value;
    return session?.run === undefined || session.view.value?.end !== undefined;
  }

  #key(event: KeyboardEvent, blocked: boolean): void {
    if (bringsBack(event, this.store.draftUndo)) {
      event.preventDefault();
      return this.#undo();
    }
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    (event.target as HTMLElement).dataset.sent = '';
    this.#send(blocked);
  }

  /** The text is sent as it is: not trimmed, completed or repaired. */
  #send(blocked: boolean): void {
    if (blocked) return;
    this.store.draftUndo.sent();
    this.store.send(this.store.draft.value);
  }
}

/** A session has no model: its program makes each call, and this page makes none in its place. */
function ofCaller({ label }: SessionCaller): TemplateResult {
  const { composer: texts } = setup();
  return html`<h2>${texts.who}</h2>
    <p>${texts.caller(shown(label))}</p>
    <p class="soft">${texts.sessionIsRead}</p>`;
}

interface Choice<N extends string> {
  readonly name: N;
  readonly word: string;
  readonly disabled?: boolean;
}

/** A few radio buttons drawn as a single control. */
function choice<N extends string>(
  id: string,
  choices: readonly Choice<N>[],
  chosen: N,
  take: (name: N) => void,
): TemplateResult {
  return html`<fieldset aria-labelledby=${id}>
    ${choices.map(
      ({ name, word, disabled = false }) => html`<label class="choice">
        <input type="radio" name=${id} .checked=${live(name === chosen)} ?disabled=${disabled && name !== chosen} @change=${() => take(name)} />${word}
      </label>`,
    )}
  </fieldset>`;
}

const DIALECT_WORDS = { xct: 'XCT', femtoclaw: 'FemtoClaw', catalytic: 'Catalytic' } as const;

const EXAMPLES = {
  xct: '{"next_step":{"tool":"…","arguments":{},"goal":"…"}}',
  femtoclaw: '{"tool_call":{"tool":"…","args":{}}}',
  catalytic: '{"intent":"…","refs":[],"ops":[],"budgets":{},"required_outputs":[]}',
} as const;

interface Forecast {
  readonly good: boolean;
  readonly words: string;
}

/** Reading a longer text with every key would be felt. */
const UNITS_MAX = 20_000;

/**
 * Forecast for a text that is being written, without sending it: whether it is JSON, whether its names exist, and
 * whether this run's grants permit it. The gates decide; the forecast only reads.
 */
function forecastOf(text: string, session: RunSession | undefined): Forecast | undefined {
  if (text.trim() === '' || text.length > UNITS_MAX || session === undefined) return undefined;
  const read = decode(encodeText(text));
  if (!read.ok) return { good: false, words: texts().forecast.stopsAtParse(read.refusal.message) };
  const name = isObject(read.value) ? namedIn(read.value) : undefined;
  if (name === undefined) return { good: true, words: texts().forecast.isJson };
  const closest = closestTo(session, name);
  if (closest !== name) {
    const meant = closest === undefined ? '' : texts().forecast.closest(closest);
    return { good: false, words: `${texts().forecast.unknownName(name)}${meant}` };
  }
  const own = grantsOf(session).filter(({ capability }) => capability === name);
  const mode = strictestOf(own) ?? 'none';
  return { good: mode === 'ask' || mode === 'allow', words: texts().forecast.modes[mode](name) };
}

function namedIn(value: { readonly [name: string]: unknown }): string | undefined {
  const call = value['next_step'] ?? value['tool_call'];
  const name = typeof call === 'object' && call !== null && 'tool' in call ? call.tool : undefined;
  return typeof name === 'string' ? name : undefined;
}

const composerStyles: CSSResult = css`
  :host {
    --json-height: 14rem;
  }
  fieldset {
    display: flex;
    min-width: 0;
    margin: 0 0 0.5rem;
    padding: 0;
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
    overflow: hidden;
  }
  legend {
    float: left;
    padding: 0;
  }
  label.choice {
    position: relative;
    flex: 1;
    display: flex;
    align-items: center;
    justify-content: center;
    min-height: 2.5rem;
    cursor: pointer;
  }
  label.choice + label.choice {
    border-left: 1px solid var(--edge);
  }
  label.choice input {
    position: absolute;
    inset: 0;
    width: 100%;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  label.choice:has(:checked) {
    background: var(--accent);
    color: var(--on-accent);
    font-weight: 650;
  }
  label.choice:has(:focus-visible) {
    outline: 3px solid var(--focus);
    outline-offset: -3px;
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  #wire {
    margin-top: 1.5rem;
  }
  /* The field set cuts what lies outside. */
  label.choice[data-guided]:not(:focus-visible) {
    outline-offset: -4px;
  }
  label.choice:has(:disabled) {
    color: var(--soft);
    cursor: not-allowed;
  }
  .off-task {
    margin-bottom: 1rem;
    padding: 0.75rem;
    border: 1px solid var(--wait);
    border-radius: var(--radius-small);
    background: var(--wait-wash);
  }
  .hint {
    margin-bottom: 0.75rem;
  }
  textarea {
    min-height: 7.5rem;
  }
  /* In sight while the panel scrolls. */
  .actions.send {
    position: sticky;
    bottom: 0;
    z-index: 1;
    padding-block: 0.5rem;
    background: var(--panel);
  }
  #forecast {
    min-height: 1.5rem;
    overflow-wrap: anywhere;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-top: 0.5rem;
  }
  h3 {
    margin-bottom: 0.375rem;
  }
  @media (forced-colors: active) {
    label.choice:has(:checked) {
      outline: 3px solid Highlight;
      outline-offset: -3px;
    }
  }
`;

customElements.define('sp-composer', Composer);
