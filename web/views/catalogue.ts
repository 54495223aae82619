import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { CapabilityDefinition } from '../../core/index.ts';
import type { CapabilityRow } from '../../workers/api.ts';
import { icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import { browseStyles } from './browse-style.ts';
import './json.ts';
import { shown } from './text.ts';
import { View } from './view.ts';

const MODES = { allow: 'allowed', ask: 'asks you each time', deny: 'denied' } as const;

/** The catalogue: what a proposal may name, what it takes and gives, who permits it, and its whole source. */
export class Catalogue extends View {
  static override styles: CSSResult[] = [shared, browseStyles, css``];
  readonly #rows: Signal<readonly CapabilityRow[] | undefined> = signal(undefined);
  readonly #open: Signal<string | undefined> = signal(undefined);

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#list();
  }

  async #list(): Promise<void> {
    this.#rows.value = await this.store.runtime.capabilities.list();
  }

  protected override view(): TemplateResult {
    const rows = this.#rows.value;
    if (rows === undefined) return html`<p class="empty soft">Asking the kernel…</p>`;
    if (rows.length === 0) return html`<p class="empty">No capability is registered. Every call is refused.</p>`;
    const open = rows.find(({ name }) => name === this.#open.value) ?? rows[0];
    return html`<div class="browse">
      <nav aria-label="Capabilities"><ul>${rows.map((row) => this.#item(row, row === open))}</ul></nav>
      ${open === undefined ? '' : this.#detail(open)}
    </div>`;
  }

  #item(row: CapabilityRow, open: boolean): TemplateResult {
    const choose = (): void => {
      this.#open.value = row.name;
    };
    return html`<li><button type="button" class="plain" aria-current=${open} @click=${choose}>
      <span class="mono">${row.name}</span><span class="soft">${row.effect}</span>
    </button></li>`;
  }

  #detail(row: CapabilityRow): TemplateResult {
    const definition = this.store.scenario.capabilities.find(({ name }) => name === row.name);
    const grant = this.store.scenario.grants.find(({ capability }) => capability === row.name);
    return html`<article aria-labelledby="name">
      <header>
        <h1 id="name" class="mono">${row.name}</h1>
        <span class="soft">${row.version}</span>
        <span class="badge ${grant?.mode === 'allow' ? 'good' : 'wait'}">${icon(grant?.mode === 'allow' ? 'check' : 'hand')}${grant === undefined ? 'no grant' : MODES[grant.mode]}</span>
      </header>
      <p>${shown(row.description)}</p>
      <p class="act">
        <button type="button" @click=${() => this.#copy(row, definition)}>${icon('pen')}Open a copy in the workshop</button>
        <button type="button" id="enable" @click=${() => void this.#turn(row)}>${row.enabled ? 'Disable' : 'Enable'}</button>
      </p>
      <dl>
        <dt>Effect</dt><dd>${row.effect}</dd>
        <dt>Enabled</dt><dd>${row.enabled ? 'yes, for every run that is started from now on' : 'no: a run that is started now refuses it'}</dd>
        <dt>Hash</dt><dd><span class="mono">${row.hash}</span><span class="note soft">over the whole definition, source and schemas</span></dd>
      </dl>
      ${this.#definition(definition ?? row)}
    </article>`;
  }

  #copy(row: CapabilityRow, definition: CapabilityDefinition = row): void {
    const { place } = this.store;
    place.copied.value = definition;
    place.part.value = 'workshop';
  }

  async #turn({ name, enabled }: CapabilityRow): Promise<void> {
    const { capabilities } = this.store.runtime;
    await (enabled ? capabilities.disable(name) : capabilities.enable(name));
    await this.#list();
  }

  #definition({ args, result, source, powers }: CapabilityDefinition): TemplateResult {
    return html`
      ${powers === undefined || powers.length === 0 ? '' : html`<p>Powers: ${powers.join(', ')}</p>`}
      <section><h2>Arguments</h2><sp-json .text=${JSON.stringify(args)} pretty label="Schema of the arguments"></sp-json></section>
      ${result === undefined ? '' : html`<section><h2>Result</h2><sp-json .text=${JSON.stringify(result)} pretty label="Schema of the result"></sp-json></section>`}
      <section>
        <h2>Source <span class="soft">· runs in the sandbox, never in this page</span></h2>
        <pre class="source" tabindex="0" role="region" aria-label="Source">${shown(source.slice(0, 200_000))}</pre>
      </section>`;
  }
}

customElements.define('sp-catalogue', Catalogue);
