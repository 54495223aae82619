import '../parts/json-text.ts';
import './keys.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { Grant } from '../../../core/index.ts';
import type { CapabilityRow, GrantOption } from '../../../workers/api.ts';
import { inFocus } from '../../shared/typing.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { roughly } from '../../texts/amounts.ts';
import { capabilities } from '../../texts/en/capabilities.ts';
import { rules } from '../../texts/en/rules.ts';
import { ruleAsks } from '../parts/dialog-asks.ts';
import { MODES } from '../parts/grant-modes.ts';
import { readTerms, termFields, termsOf, termWords } from '../parts/grant-terms.ts';
import { whyText } from '../parts/page-error.ts';
import { View } from '../parts/view.ts';

type Mode = Grant['mode'];

const MINUTE_MS = 60_000;
/** Minutes that a watch may last; a day is the limit of the kernel. */
const LENGTHS = [15, 60, 120, 480, 1440] as const;

/** The result of an action, in the language of the interface at the moment. */
interface ActionResult {
  readonly bad: boolean;
  readonly text: () => unknown;
}

/** The grants of a capability, and a form to add a grant, for the runs that start from then on. */
export class Grants extends View {
  static override properties: PropertyDeclarations = { capability: { attribute: false } };
  static override get styles(): CSSResult[] {
    return [shared, grantsStyles];
  }
  declare capability: CapabilityRow;
  readonly #mode: Signal<Mode> = signal<Mode>('ask');
  readonly #said: Signal<ActionResult | undefined> = signal(undefined);
  /** The grant that was revoked last, until the next action here. */
  readonly #revoked: Signal<Grant | undefined> = signal(undefined);

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('capability') !== undefined && changed.get('capability')?.hash !== this.capability.hash)
      this.#said.value = this.#revoked.value = undefined;
  }

  protected override view(): TemplateResult {
    const { name, hash } = this.capability;
    const { grants: texts } = capabilities();
    const { catalogue } = this.store;
    const own = [...catalogue.grants.value, ...catalogue.standing.value].filter(
      ({ capability_hash }) => capability_hash === hash,
    );
    return html`<h2>${texts.title()}</h2>
      ${own.length === 0 ? html`<p class="none">${icon('barrier')}<span>${texts.none(name)}</span></p>` : html`<ul>${own.map((grant, nth) => this.#grant(grant, nth))}</ul>`}
      ${this.#proposing()}
      ${own.some(({ watch }) => watch !== undefined) ? '' : this.#watching()}
      <details id="give" ?open=${own.length === 0}><summary>${own.length === 0 ? texts.first : texts.another}</summary>${this.#form()}</details>
      <details id="keys"><summary>${texts.keys.title}</summary><sp-keys .store=${this.store}></sp-keys></details>
      <p class="said ${this.#said.value?.bad === true ? 'bad' : 'good'}" role="status">${this.#said.value?.text() ?? (catalogue.first.value === hash && own.length > 0 ? texts.addedAndGranted : '')}</p>
      ${this.#revoked.value === undefined ? '' : this.#undo(this.#revoked.value)}`;
  }

  #proposing(): TemplateResult {
    const { name, hash } = this.capability;
    const count = this.store.recent.counts.value.get(hash) ?? 0;
    const ask = (): void => {
      ruleAsks.value = name;
    };
    const texts = rules();
    return html`<p class="propose">${count === 0 ? '' : html`<span class="soft">${texts.recent(count)}:</span>`}
      <button type="button" id="rule" @click=${ask}>${icon('key')}${texts.propose}…</button></p>`;
  }

  #watching(): TemplateResult {
    const { name, effect } = this.capability;
    const begin = (event: SubmitEvent): void => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      const until = Date.now() + Number(form.get('length')) * MINUTE_MS;
      void this.#do(
        () => rules().watch.begun(until),
        () => this.store.catalogue.watch(name, until, form.get('egress') !== null),
      );
    };
    const { watch: texts } = rules();
    return html`<details id="watch"><summary>${texts.title}</summary>
      <p class="soft">${texts.what}</p>
      <form @submit=${begin}>
        <label>${texts.length}<select name="length">${LENGTHS.map((minutes) => html`<option value=${minutes} ?selected=${minutes === 60}>${roughly(minutes * MINUTE_MS)}</option>`)}</select></label>
        ${effect === 'egress' ? html`<label class="mode"><input type="checkbox" name="egress" />${texts.egress}</label>` : ''}
        <button type="submit">${icon('eye')}${texts.begin}</button>
      </form>
    </details>`;
  }

  #grant(grant: Grant, nth: number): TemplateResult {
    const { mode, where, run, args_hash, watch } = grant;
    const { grants: texts } = capabilities();
    const terms = [
      ...termWords(grant),
      ...(watch === undefined ? [] : [texts.watched]),
      ...(args_hash === undefined ? [] : [texts.exactly]),
      ...(run === undefined ? [] : [texts.answered(run)]),
    ];
    return html`<li>
      <span class="what"><span class=${MODES[mode].tone}>${icon(MODES[mode].icon)}</span>
        <span><strong>${MODES[mode].word}</strong>${terms.map((term) => html` <span class="soft">· ${term}</span>`)}</span></span>
      <button type="button" class="plain revoke" @click=${() => void this.#revoke(grant, nth)}>${texts.revoke}</button>
      ${where === undefined ? '' : html`<sp-json .text=${JSON.stringify(where)} label=${texts.whereSchema}></sp-json>`}
    </li>`;
  }

  async #revoke(grant: Grant, nth: number): Promise<void> {
    const isGone = await this.#do(
      () => capabilities().grants.gone,
      () => this.store.catalogue.revoke(grant.id),
    );
    if (!isGone) return;
    // A standing answer is a person's answer in its run: it is not given again for new runs.
    // A watch that goes on would have another end.
    this.#revoked.value = grant.parent === undefined && grant.watch === undefined ? grant : undefined;
    await this.#refocus(nth);
  }

  /** The pressed button has gone. The focus goes to the button at its place, or the last one, or the form's. */
  async #refocus(nth: number): Promise<void> {
    await this.updateComplete;
    if (inFocus() !== document.body) return;
    const left = this.renderRoot.querySelectorAll<HTMLElement>('.revoke');
    const next = left[Math.min(nth, left.length - 1)] ?? this.renderRoot.querySelector<HTMLElement>('#grant');
    next?.focus();
  }

  /** Calls that were refused meanwhile stay refused: the same terms, as a new grant. */
  #undo(grant: Grant): TemplateResult {
    const option = { capability: this.capability.name, ...termsOf(grant) };
    const again = async (): Promise<void> => {
      const isGiven = await this.#do(
        () => capabilities().grants.givenAgain,
        () => this.store.catalogue.grant(option),
      );
      if (isGiven) await this.#refocus(Number.POSITIVE_INFINITY);
    };
    return html`<p><button type="button" id="undo" @click=${() => void again()}>${icon('reply')}${capabilities().grants.again}</button></p>`;
  }

  #form(): TemplateResult {
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      this.#give(new FormData(event.target as HTMLFormElement));
    };
    const { grants: texts } = capabilities();
    return html`<form @submit=${submit}>
      <fieldset><legend>${texts.when}</legend>
        ${(Object.keys(MODES) as Mode[]).map((mode) => this.#choice(mode))}
      </fieldset>
      ${termFields()}
      <button type="submit" id="grant" class="primary">${icon('key')}${texts.grant}</button>
    </form>`;
  }

  #choice(mode: Mode): TemplateResult {
    const take = (): void => {
      this.#mode.value = mode;
    };
    return html`<label class="mode"><input type="radio" name="mode" value=${mode} .checked=${this.#mode.value === mode} @change=${take} />${capabilities().grants.modes[mode]}</label>`;
  }

  #give(form: FormData): void {
    void this.#do(
      () => capabilities().grants.given,
      async () => this.store.catalogue.grant(this.#option(form)),
    );
  }

  #option(form: FormData): GrantOption & { capability: string } {
    return { capability: this.capability.name, mode: this.#mode.peek(), ...readTerms(form) };
  }

  async #do(done: () => string, act: () => Promise<void>): Promise<boolean> {
    this.#revoked.value = undefined;
    try {
      await act();
      this.#said.value = { bad: false, text: done };
      return true;
    } catch (error) {
      this.#said.value = { bad: true, text: () => html`${capabilities().grants.notGiven}${whyText(error)}` };
      return false;
    }
  }
}

const grantsStyles: CSSResult = css`
  :host {
    container-type: inline-size;
    padding: 1rem 1.25rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--sunk);
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  h2 .soft {
    font-weight: 400;
  }
  .none {
    display: flex;
    gap: 0.5rem;
    color: var(--soft);
  }
  .none svg {
    margin-top: 0.125rem;
  }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 0.75rem;
    padding: 0.25rem 0;
  }
  li + li {
    border-top: 1px solid var(--line);
  }
  .what {
    display: flex;
    flex: 1 1 14rem;
    align-items: center;
    gap: 0.5rem;
  }
  .what span:first-child {
    display: inline-flex;
  }
  li sp-json {
    flex: 1 0 100%;
    margin-bottom: 0.5rem;
  }
  details,
  .propose {
    margin-top: 0.375rem;
  }
  form {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0.75rem 1.25rem;
    align-items: start;
    padding-top: 0.5rem;
  }
  fieldset {
    display: grid;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    color: var(--soft);
  }
  .mode {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2.25rem;
    cursor: pointer;
  }
  .mode input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  form > label,
  fieldset > label:not(.mode) {
    color: var(--soft);
  }
  fieldset > label:not(.mode) {
    max-width: 24rem;
  }
  label > :is(textarea, input[type='number'], input[type='datetime-local']) {
    margin-top: 0.25rem;
    color: var(--ink);
  }
  .wide {
    grid-column: 1 / -1;
  }
  form button {
    justify-self: start;
  }
  .said:not(:empty) {
    margin-top: 0.5rem;
    overflow-wrap: anywhere;
  }
  @container (max-width: 32rem) {
    form {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;

customElements.define('sp-grants', Grants);
