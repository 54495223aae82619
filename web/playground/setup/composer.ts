import { type CSSResult, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import type { Playground } from '../playground.ts';
import type { ProposerName } from '../run/proposer.ts';
import { callerOf, type SessionCaller } from '../run/session-caller.ts';
import { scriptIsOffTask } from '../run/tasks.ts';
import { composerStyles } from './composer-style.ts';
import { forecastOf } from './forecast.ts';
import '../parts/json-text.ts';
import { loading } from '../parts/loading.ts';
import { shown } from '../parts/text.ts';
import './tools.ts';
import { View } from '../parts/view.ts';

/** Loaded with its first use: most visitors ask no model. */
const MODELS = (store: Playground): TemplateResult =>
  html`<sp-models .store=${store}>${loading('models', () => import('../models/models-view.ts'))}</sp-models>`;

const CHOICES: readonly { readonly name: ProposerName; readonly word: string; readonly hint: string }[] = [
  { name: 'script', word: 'Script', hint: 'A prepared model: the same texts every time.' },
  { name: 'you', word: 'You', hint: 'You are the model. Type exactly what it would send.' },
  { name: 'model', word: 'Model', hint: 'A model in this page, on this device, or behind a server.' },
];

/** The next proposal: the script's text to read, or a text of the person's to write. */
export class Composer extends View {
  static override styles: CSSResult[] = [shared, composerStyles];

  protected override view(): TemplateResult {
    const caller = callerOf(this.store.session.value?.records.value ?? []);
    if (caller !== undefined) return ofCaller(caller);
    const chosen = this.store.chosen.value;
    return html`<h2 id="who">Who proposes</h2>
      ${choice('who', CHOICES, chosen, (name) => this.store.choose(name))}
      <p class="hint soft">${CHOICES.find(({ name }) => name === chosen)?.hint}</p>
      ${chosen === 'model' ? MODELS(this.store) : ''}
      ${this.#completed() ? this.#goOn() : this.#side(chosen)}
      ${this.#wire()}`;
  }

  #side(chosen: ProposerName): TemplateResult {
    if (chosen === 'model') return html``;
    return chosen === 'script' ? this.#script() : this.#person();
  }

  #wire(): TemplateResult {
    const { scenario, scenarios, mayChangeDialect } = this.store;
    const free = mayChangeDialect.value;
    const choices = scenarios.map(({ dialect }) => ({ name: dialect, word: DIALECT_WORDS[dialect], disabled: !free }));
    return html`<h2 id="wire">Wire form</h2>
      ${choice('wire', choices, scenario.dialect, (dialect) => this.store.speak(dialect))}
      <p class="soft">${WIRE_WORDS[scenario.dialect]} ${free ? 'Choosing starts a new run.' : 'Cannot be changed during a run.'}</p>`;
  }

  /**
   * True for a run whose model has ended the conversation. The tab that holds it can continue it in the same ledger.
   */
  #completed(): boolean {
    const session = this.store.session.value;
    const last = session?.records.value.at(-1);
    return session?.text === undefined && last?.kind === 'seal' && last.body.state === 'completed';
  }

  #goOn(): TemplateResult {
    const go = (event: Event): void => {
      event.preventDefault();
      const text = this.renderRoot.querySelector<HTMLTextAreaElement>('#say')?.value ?? '';
      if (text.trim() !== '') this.store.say(text);
    };
    return html`<form @submit=${go}>
      <label for="say"><h3>Go on with another task</h3></label>
      <textarea id="say" rows="3" placeholder="And what do we owe the dairy?"></textarea>
      <div class="actions"><button type="submit">${icon('reply')}Go on</button><span class="soft">The same run, the same ledger.</span></div>
    </form>`;
  }

  #script(): TemplateResult {
    const { session, scenario } = this.store;
    const { proposer } = session.value ?? {};
    // a run begins with the first proposal when the kernel has started
    if (session.value === undefined) return this.#next(scenario.script[0] ?? '', 0, scenario.script.length);
    if (proposer === undefined || this.#over()) return html`<p>${this.#whyNot()} to propose again.</p>`;
    const next = proposer.next.value;
    if (next === undefined)
      return html`${this.#offTask()}<p>The script is told. <strong>You</strong> can take over, or start a new run.</p>`;
    return html`${this.#offTask()}${this.#next(next, proposer.position.value, proposer.length)}`;
  }

  #next(text: string, position: number, length: number): TemplateResult {
    return html`<h3>Next: ${position + 1} of ${length}</h3>
      <sp-json .text=${text} pretty label="The script's next proposal"></sp-json>
      <div class="actions"><button type="button" class="plain" @click=${() => this.#takeOver(text)}>${icon('pen')}Edit and send it yourself</button></div>`;
  }

  /** A script answers a single task. Another task needs a person or a model that reads it. */
  #offTask(): TemplateResult | string {
    const { session, scenario, setup, mayChangeDialect, choose, arrange } = this.store;
    if (!scriptIsOffTask(session.value, scenario)) return '';
    const own = (): void => {
      const { task: _, ...rest } = setup.peek();
      arrange(rest);
    };
    return html`<div class="off-task" role="note">
      <p><strong>The script does not answer this task.</strong> Its proposals were written for the bakery’s own task, and it makes the same proposals for every task.</p>
      <div class="actions">
        <button type="button" id="be-you" @click=${() => choose('you')}>${icon('pen')}Propose yourself</button>
        <button type="button" id="be-model" @click=${() => choose('model')}>${icon('link')}Ask a model</button>
        ${mayChangeDialect.value ? html`<button type="button" id="own-task" @click=${own}>${icon('reply')}The script’s own task</button>` : ''}
      </div>
    </div>`;
  }

  #takeOver(text: string): void {
    this.store.draft.value = text;
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
    const blocked = over || this.store.draft.value === '';
    const forecast = over ? undefined : forecastOf(this.store.draft.value, this.store.session.value);
    return html`<label for="draft"><h3>Your proposal</h3></label>
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
      <sp-tools .store=${this.store} @sp-used=${() => this.renderRoot.querySelector('textarea')?.focus()}></sp-tools>
      <p id="forecast" class=${forecast?.good === false ? 'wait' : 'soft'}>${shown(forecast?.words ?? '')}</p>
      <div class="actions">
        <button type="button" class="primary" aria-disabled=${blocked} @click=${() => this.#send(blocked)}>Send</button>
        <span class="soft" id="draft-hint">${over ? `${this.#whyNot()}.` : html`<span class="keyed"><kbd>Ctrl</kbd> <kbd>Enter</kbd> sends</span>`}</span>
      </div>`;
  }

  #whyNot(): string {
    const session = this.store.session.value;
    if (session === undefined) return 'Wait until the kernel has started';
    const elsewhere = session.elsewhere.value;
    if (elsewhere === undefined) return 'This run is over. Start a new one';
    return elsewhere === 'free' ? 'No tab has this run. Continue it' : 'Another tab has this run. Take it over';
  }

  #over(): boolean {
    const session = this.store.session.value;
    return session?.run === undefined || session.view.value?.end !== undefined;
  }

  #key(event: KeyboardEvent, blocked: boolean): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    (event.target as HTMLElement).dataset.sent = '';
    this.#send(blocked);
  }

  /** The text is sent as it is: not trimmed, completed or repaired. */
  #send(blocked: boolean): void {
    if (blocked) return;
    this.store.send(this.store.draft.value);
  }
}

/** A session has no model: its program makes each call, and this page makes none in its place. */
function ofCaller({ label }: SessionCaller): TemplateResult {
  return html`<h2>Who proposes</h2>
    <p><strong class="mono">${shown(label)}</strong>, the caller of this session. Each of its calls is a proposal that passes every gate.</p>
    <p class="soft">A session is read here, verified and exported. A new run takes your proposals.</p>`;
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

const WIRE_WORDS = {
  xct: 'One next step, or done.',
  femtoclaw: 'The same steps as a tool call, or a message.',
  catalytic: 'Work orders: windows of named papers, under budgets. The papers are in Corpus.',
} as const;

const EXAMPLES = {
  xct: '{"next_step":{"tool":"…","arguments":{},"goal":"…"}}',
  femtoclaw: '{"tool_call":{"tool":"…","args":{}}}',
  catalytic: '{"intent":"…","refs":[],"ops":[],"budgets":{},"required_outputs":[]}',
} as const;

customElements.define('sp-composer', Composer);
