import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { type CapabilityDefinition, countLookalike } from '../../../core/index.ts';
import type { CapabilityRow } from '../../../workers/api.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { browseStyles } from '../parts/browse-style.ts';
import { MODES, strictestOf } from '../parts/grant-modes.ts';
import { bringInSight } from '../parts/scroll.ts';
import { exampleArgs } from '../run/example-arguments.ts';
import { proposeAsYou } from '../run/proposal.ts';
import './grants.ts';
import '../parts/json-text.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** The catalogue: each capability with its arguments, result, grants and whole source. */
export class CatalogueView extends View {
  static override styles: CSSResult[] = [shared, quoted, browseStyles];
  readonly #confirming: Signal<boolean> = signal(false);

  override connectedCallback(): void {
    super.connectedCallback();
    void this.store.catalogue.refresh();
  }

  protected override view(): TemplateResult {
    const { catalogue, place } = this.store;
    const rows = catalogue.rows.value;
    if (rows === undefined) return html`<p class="empty soft">Asking the kernel…</p>`;
    if (rows.length === 0) return html`<p class="empty">No capability is registered. Every call is refused.</p>`;
    const own = rows.filter(({ name }) => catalogue.added.value.has(name));
    const content = rows.filter(({ name }) => name.startsWith('content.'));
    const tools = rows.filter((row) => row.host !== undefined && !own.includes(row));
    const given = rows.filter((row) => ![...own, ...tools, ...content].includes(row));
    const listed = [...own, ...tools, ...given, ...content];
    const open = listed.find(({ name }) => name === place.capability.value) ?? listed[0];
    const group = (word: string, some: readonly CapabilityRow[]): TemplateResult | string =>
      some.length === 0 ? '' : html`<h2>${word}</h2><ul>${some.map((row) => this.#item(row, row === open))}</ul>`;
    return html`<div class="browse">
      <nav aria-label="Capabilities" @focusin=${bringInSight}>${group('Yours', own)}${group('Tools of the program', tools)}${group('The bakery’s', given)}${group('Operations of a message', content)}</nav>
      ${open === undefined ? '' : this.#detail(open)}
    </div>`;
  }

  #item(row: CapabilityRow, open: boolean): TemplateResult {
    const choose = (): void => {
      this.store.place.capability.value = row.name;
      this.#confirming.value = false;
    };
    const { icon: picture, tone, word } = this.#standing(row);
    return html`<li><button type="button" class="plain" aria-current=${open} @click=${choose}>
      <span class=${tone} title=${word}>${icon(picture)}<span class="unseen">${word}</span></span><span class="mono">${row.name}</span><span class="soft">${row.effect}</span>
    </button></li>`;
  }

  /** The status that a call would meet: disabled counts before any grant, a denial before other grants. */
  #standing({ hash, enabled }: CapabilityRow): { word: string; icon: IconName; tone: string } {
    const own = this.store.catalogue.grants.value.filter(({ capability_hash }) => capability_hash === hash);
    if (!enabled) return { word: 'disabled', icon: 'dash', tone: 'soft' };
    if (own.length === 0) return { word: 'no grant', icon: 'barrier', tone: 'soft' };
    return MODES[strictestOf(own) ?? 'ask'];
  }

  #detail(row: CapabilityRow): TemplateResult {
    const { scenario, catalogue } = this.store;
    const added = catalogue.added.value.get(row.name);
    const definition = added ?? scenario.capabilities.find(({ name }) => name === row.name);
    const { icon: picture, tone, word } = this.#standing(row);
    return html`<article aria-labelledby="name">
      <header>
        <h1 id="name" class="mono">${row.name}</h1>
        <span class="soft">${row.version}</span>
        <span class="badge ${tone}">${icon(picture)}${word}</span>
      </header>
      <p>${shown(row.description)}</p>
      ${row.alike === undefined ? '' : html`<p class="note">${icon('eye')}Its name reads like ${row.alike.join(' and ')}. They are different capabilities, each with grants of its own.</p>`}
      <p class="act">
        <button type="button" id="propose" @click=${() => proposeAsYou(this.store, row.name, JSON.stringify(exampleArgs(row.name, row.args, this.store.scenarios)))}>${icon('play')}Propose it in a run</button>
        ${row.host === undefined ? html`<button type="button" @click=${() => this.#copy(row, definition)}>${icon('pen')}Open a copy in the workshop</button>` : ''}
        <button type="button" id="enable" class="plain" @click=${() => void catalogue.turn(row.name, !row.enabled)}>${row.enabled ? 'Disable' : 'Enable'}</button>
        ${added === undefined ? '' : this.#removing(row.name)}
      </p>
      <sp-grants .store=${this.store} .capability=${row}></sp-grants>
      <dl>
        <dt>Effect</dt><dd>${row.effect}</dd>
        ${row.host === undefined ? '' : carriedOut(row.host)}
        <dt>Enabled</dt><dd>${row.enabled ? 'yes, for every run that is started from now on' : 'no: a run that is started now refuses it'}</dd>
        <dt>Hash</dt><dd><span class="mono">${row.hash}</span><span class="note soft">over the whole definition, ${row.host === undefined ? 'source' : 'origin'} and schemas: a grant for one hash covers no other</span></dd>
      </dl>
      ${this.#definition(definition ?? row)}
    </article>`;
  }

  #removing(name: string): TemplateResult {
    const ask = (): void => {
      this.#confirming.value = true;
    };
    const go = (): void => {
      this.#confirming.value = false;
      void this.store.catalogue.remove(name);
    };
    return this.#confirming.value
      ? html`<button type="button" id="remove" @click=${go}>${icon('cross')}Remove it and its grants</button>`
      : html`<button type="button" id="remove" class="plain" @click=${ask}>Remove…</button>`;
  }

  #copy(row: CapabilityRow, definition: CapabilityDefinition = row): void {
    const { place } = this.store;
    place.copied.value = definition;
    place.part.value = 'workshop';
  }

  #definition({ args, result, source, powers, host }: CapabilityDefinition): TemplateResult {
    return html`
      ${powers === undefined || powers.length === 0 ? '' : html`<p>Powers: ${powers.join(', ')}</p>`}
      <section><h2>Arguments</h2><sp-json .text=${JSON.stringify(args)} pretty label="Schema of the arguments"></sp-json></section>
      ${result === undefined ? '' : html`<section><h2>Result</h2><sp-json .text=${JSON.stringify(result)} pretty label="Schema of the result"></sp-json></section>`}
      ${host === undefined ? sourceOf(source) : ''}`;
  }
}

/** A tool has no source: a function of the program answers its calls. */
function carriedOut({ origin }: NonNullable<CapabilityRow['host']>): TemplateResult {
  const going = origin === undefined ? 'the program itself' : html`<bdi class="mono">${shown(origin)}</bdi>`;
  return html`<dt>Code</dt><dd>The program carries this out, outside the sandbox</dd>
    <dt>Origin</dt><dd>${going}<span class="note soft">the place that its arguments go to</span>${countLookalike(origin ?? '') === 0 ? '' : html`<span class="note bad">Some letters here may not be what they look like.</span>`}</dd>`;
}

function sourceOf(source: string): TemplateResult {
  return html`<section>
        <h2>Source <span class="soft">· runs in the sandbox, never in this page</span></h2>
        <pre class="source" tabindex="0" role="region" aria-label="Source">${shown(source.slice(0, 200_000))}</pre>
      </section>`;
}

customElements.define('sp-catalogue', CatalogueView);
