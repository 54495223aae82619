import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { CapabilityRow } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { setup } from '../../texts/en/setup.ts';
import { operationText } from '../run/proposal.ts';
import { grantsOf } from '../run/run-grants.ts';
import '../parts/json-text.ts';
import '../propose-form/propose-form.ts';
import { MODES, strictestOf } from '../parts/grant-modes.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** The capabilities that a proposal can call, each with a form for its arguments. */
export class Tools extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        --json-height: 12rem;
      }
      li {
        padding: 0.5rem 0;
        border-top: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      .head {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      .head strong {
        flex: 1;
      }
    `,
  ];
  /** Hash of the capability whose form is open. */
  readonly #picked: Signal<string | undefined> = signal<string | undefined>(undefined);

  protected override view(): TemplateResult {
    const rows = this.#rows();
    const picked = rows.find(({ hash }) => hash === this.#picked.value);
    return html`<details id="tools" @toggle=${(event: Event) => this.#look(event)}>
      <summary>${setup().tools.title(rows.length)}</summary>
      ${
        picked === undefined
          ? html`<ul>${rows.map((row) => this.#row(row))}</ul>`
          : html`<p class="soft">${this.#standing(picked)}</p><sp-propose-form .store=${this.store} .capability=${picked} @sp-back=${() => this.#back()}></sp-propose-form>`
      }
    </details>`;
  }

  /** READ and WRITE are operations of a message, and no calls. */
  #rows(): readonly CapabilityRow[] {
    const { catalogue, scenario } = this.store;
    const offered = this.store.offer();
    const all = catalogue.rows.value ?? [];
    const rows = offered === undefined ? all : all.filter(({ name }) => offered.includes(name));
    return scenario.dialect === 'catalytic' ? rows : rows.filter(({ name }) => operationText(name) === undefined);
  }

  /** A program may have provided tools, or removed tools, since. */
  #look(event: Event): void {
    if ((event.target as HTMLDetailsElement).open) void this.store.catalogue.refresh().catch(reportError);
  }

  #row(row: CapabilityRow): TemplateResult {
    const { name, description, args } = row;
    const { tools: texts } = setup();
    return html`<li>
      <div class="head"><strong class="mono">${shown(name)}</strong><span class="soft">${this.#standing(row)}</span>
        <button type="button" aria-label=${texts.useNamed(name)} @click=${() => this.#use(row)}>${icon('pen')}${texts.use}</button></div>
      <p>${shown(description)}</p>
      <details><summary class="soft">${texts.arguments}</summary><sp-json .text=${JSON.stringify(args)} pretty label=${texts.schema(name)}></sp-json></details>
    </li>`;
  }

  /** Its effect, and the answer of this run's grants to a call. */
  #standing({ name, effect, enabled }: CapabilityRow): string {
    const own = grantsOf(this.store.session.value).filter(({ capability }) => capability === name);
    const mode = strictestOf(own);
    const { tools: texts } = setup();
    if (!enabled) return `${effect}, ${texts.disabled}`;
    return `${effect}, ${mode === undefined ? texts.noGrant : MODES[mode].word}`;
  }

  /** A call has a form; an operation is put into the draft, to be changed there. */
  #use({ hash, name }: CapabilityRow): void {
    const operation = operationText(name);
    if (operation === undefined) {
      this.#picked.value = hash;
      return;
    }
    this.store.draftUndo.put(operation);
    this.dispatchEvent(new Event('sp-used', { bubbles: true, composed: true }));
  }

  #back(): void {
    this.#picked.value = undefined;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('summary')?.focus());
  }
}

customElements.define('sp-tools', Tools);
