import '../parts/code-field.ts';
import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { BUILT_IN_POWERS, CALL_LIMITS, type CallLimits, type Effect } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import type { EditorMark } from '../parts/code-editor.ts';
import type { CodeField } from '../parts/code-field.ts';
import { shown } from '../parts/text.ts';
import type { CapabilityDraft, DraftField, Problem } from './draft.ts';
import { WorkshopPart } from './workshop-part.ts';

type TextField = 'source' | 'args' | 'result';

/** The draft: every member of a definition, with its fault beside it. */
export class DraftView extends WorkshopPart {
  static override get styles(): CSSResult[] {
    return [shared, draftStyles];
  }

  protected override view(): TemplateResult {
    const { fields } = texts();
    const { problems } = this.workshop;
    return html`<div class="fields">
        ${this.#text('name', 'mono')} ${this.#text('version', 'mono')} ${this.#effect()}
        ${this.#text('description', 'wide')}
      </div>
      ${problems.value.length === 0 ? '' : html`<ul class="problems" aria-label=${fields.problems}>${problems.value.map((each) => this.#problem(each))}</ul>`}
      ${this.#code('source', 'javascript', fields.sourceIs)}
      <div class="schemas">
        ${this.#code('args', 'json', fields.argsAre)}
        ${this.#code('result', 'json', fields.resultIs)}
      </div>
      ${this.#powers()} ${this.#limits()}`;
  }

  #text(field: 'name' | 'version' | 'description', kind: string): TemplateResult {
    const wrong = this.#wrong(field);
    const type = (event: Event): void => this.workshop.edit({ [field]: (event.target as HTMLInputElement).value });
    return html`<label class=${kind}>${texts().fields[field]}
      <input id=${field} spellcheck=${field === 'description'} autocomplete="off" aria-invalid=${wrong ? 'true' : 'false'} .value=${live(this.workshop.draft.value[field])} @input=${type} />
    </label>`;
  }

  #effect(): TemplateResult {
    const { fields } = texts();
    const effects: { readonly [E in Effect]: string } = fields.effects;
    const { effect } = this.workshop.draft.value;
    const choose = (event: Event): void =>
      this.workshop.edit({ effect: (event.target as HTMLSelectElement).value as Effect });
    return html`<label>${fields.effect}
      <select id="effect" @change=${choose}>${Object.keys(effects).map((name) => html`<option value=${name} ?selected=${name === effect}>${name}</option>`)}</select>
      <small>${effects[effect]}</small>
    </label>`;
  }

  #code(field: TextField, language: 'javascript' | 'json', hint: string): TemplateResult {
    const word = texts().fields[field];
    const write = (event: CustomEvent<string>): void => this.workshop.edit({ [field]: event.detail });
    return html`<section class=${field}>
      <h2>${word} <span class="soft">· ${hint}</span></h2>
      <sp-code id=${field} language=${language} label=${word} .text=${this.workshop.draft.value[field]} .marks=${this.#marks(field)} @sp-text=${write}></sp-code>
    </section>`;
  }

  #problem({ field, message, lang, line, column }: Problem): TemplateResult {
    const place = line === undefined ? field : texts().fields.place(field, line, column ?? 1);
    const go = (): void => {
      const found = this.renderRoot.querySelector<HTMLElement>(`#${field}`);
      if (found?.localName === 'sp-code') (found as CodeField).goTo(line ?? 1, column ?? 1);
      else found?.focus();
    };
    return html`<li><button type="button" class="plain" @click=${go}><span class="bad">${icon('cross')}</span><span><strong>${place}</strong> <span lang=${lang ?? nothing}>${shown(message)}</span></span></button></li>`;
  }

  #powers(): TemplateResult {
    const { fields } = texts();
    const { powers } = this.workshop.draft.value;
    const turn = (name: string) => (event: Event) => {
      const others = powers.filter((each) => each !== name);
      const on = (event.target as HTMLInputElement).checked;
      this.workshop.edit({ powers: on ? [...others, name].sort() : others });
    };
    return html`<details id="powers" ?open=${powers.length > 0}>
      <summary>${fields.powers} <span class="soft">${powers.length === 0 ? fields.noPowers : powers.join(', ')}</span></summary>
      <div class="powers">${[...new Set([...BUILT_IN_POWERS, ...powers])].map((name) => html`<label class="check"><input type="checkbox" .checked=${powers.includes(name)} @change=${turn(name)} /><span class="mono">${shown(name)}</span></label>`)}</div>
    </details>`;
  }

  #limits(): TemplateResult {
    const { fields } = texts();
    const names: { readonly [L in keyof CallLimits]: string } = fields.limitNames;
    const { limits } = this.workshop.draft.value;
    const own = Object.keys(limits).length;
    return html`<details id="limits" ?open=${this.#wrong('limits')}>
      <summary>${fields.limits} <span class="soft">${own === 0 ? fields.defaults : fields.ownLimits(own)}</span></summary>
      <div class="limits">${Object.entries(names).map(([name, word]) => this.#limit(name as keyof CallLimits, word, limits))}</div>
    </details>`;
  }

  #limit(name: keyof CallLimits, word: string, limits: CapabilityDraft['limits']): TemplateResult {
    const type = (event: Event): void => {
      const { value } = event.target as HTMLInputElement;
      const { [name]: _, ...others } = limits;
      this.workshop.edit({ limits: value === '' ? others : { ...others, [name]: Number(value) } });
    };
    return html`<label>${word}
      <input type="number" min="0" placeholder=${CALL_LIMITS[name]} .value=${live(limits[name] === undefined ? '' : String(limits[name]))} @input=${type} />
    </label>`;
  }

  #wrong(field: DraftField): boolean {
    return this.workshop.problems.value.some((each) => each.field === field);
  }

  #marks(field: TextField): readonly EditorMark[] {
    const { problems, fault } = this.workshop;
    const thrown = field === 'source' && fault.value !== undefined ? [fault.value] : [];
    return [...problems.value.filter((each) => each.field === field), ...thrown];
  }

  /** Shows a place of the source. */
  goTo(line: number, column: number): void {
    this.renderRoot.querySelector<CodeField>('sp-code#source')?.goTo(line, column);
  }
}

const draftStyles: CSSResult = css`
  :host {
    container-type: inline-size;
  }
  .fields,
  .limits {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr));
    gap: 0.75rem;
  }
  .fields {
    grid-template-columns: minmax(0, 2fr) minmax(6rem, 1fr) minmax(0, 2fr);
  }
  .wide {
    grid-column: 1 / -1;
  }
  label {
    display: block;
    color: var(--soft);
  }
  small {
    font-size: 1rem;
  }
  .fields {
    align-items: start;
  }
  label > :is(input, select) {
    margin-top: 0.25rem;
    color: var(--ink);
  }
  label.mono {
    font-family: inherit;
  }
  label.mono input {
    font-family: var(--mono);
  }
  input[aria-invalid='true'] {
    border-color: var(--bad);
    box-shadow: 0 0 0 1px var(--bad);
  }
  section,
  details {
    margin-top: 1.25rem;
  }
  details + details {
    margin-top: 0.5rem;
  }
  h2 .soft {
    font-weight: 400;
  }
  .source {
    --code-height: 17rem;
  }
  .schemas {
    --code-height: 14rem;
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0 1rem;
  }
  .problems {
    display: grid;
    gap: 0.25rem;
    margin-top: 1rem;
    padding: 0.375rem;
    border: 1px solid var(--bad);
    border-radius: var(--radius-small);
    background: var(--bad-wash);
  }
  .problems button {
    justify-content: start;
    align-items: start;
    width: 100%;
    text-align: left;
    white-space: normal;
  }
  .problems span {
    overflow-wrap: anywhere;
  }
  .powers {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
  }
  .check {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2rem;
    color: var(--ink);
  }
  .check input {
    width: 1.25rem;
    min-height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  @container (max-width: 40rem) {
    .fields {
      grid-template-columns: minmax(0, 1fr);
    }
    .schemas {
      display: block;
    }
  }
`;

customElements.define('sp-draft', DraftView);
