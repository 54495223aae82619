import '../parts/json-text.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { CALL_LIMITS, type CallLimits, type CapabilityDefinition, encodeText } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import { number } from '../../texts/intl.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { namesOf } from '../scenario.ts';
import { draftOf } from './draft.ts';
import { type LinkResult, type OpenedLink, openShared } from './share-link.ts';
import type { Workshop } from './workshop.ts';

/** The whole content of a link, before a person acts on it. Reading it runs no code. */
export class Review extends View {
  static override properties: PropertyDeclarations = {
    workshop: { attribute: false },
    packed: { attribute: false },
  };
  static override get styles(): CSSResult[] {
    return [shared, quoted, reviewStyles];
  }
  declare workshop: Workshop;
  declare packed: string;
  readonly #opening: Signal<LinkResult | undefined> = signal(undefined);

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('packed')) void this.#read(this.packed);
  }

  async #read(packed: string): Promise<void> {
    this.#opening.value = undefined;
    const opening = await openShared(packed);
    if (packed === this.packed) this.#opening.value = opening;
  }

  protected override view(): TemplateResult {
    const opening = this.#opening.value;
    if (opening === undefined) return html`<p class="review" role="status">${texts().review.reading}</p>`;
    return opening.ok ? this.#review(opening.opened) : this.#refused(opening.reason);
  }

  #refused(reason: string): TemplateResult {
    return html`<div class="review">
      <h1>${texts().review.title}</h1>
      <p class="headline bad" role="alert">${icon('barrier')}<span>${shown(reason)}</span></p>
      <p><button type="button" id="discard" @click=${() => this.#done()}>${texts().review.leave}</button></p>
    </div>`;
  }

  #review({ shared: { capability, script }, hash, packed, bytes }: OpenedLink): TemplateResult {
    const { review } = texts();
    return html`<div class="review">
      <h1>${review.shared(shown(capability.name))}</h1>
      <p class="headline wait" role="status">${icon('eye')}<span>${review.nothingRun}</span></p>
      <p class="act">
        <button type="button" id="load" class="primary" @click=${() => this.#load(capability, script)}>${icon('pen')}${review.load}</button>
        <button type="button" id="discard" @click=${() => this.#done()}>${review.discard}</button>
      </p>
      ${this.#facts(capability, hash)}
      <p class="soft">${review.size(packed, bytes)}</p>
      <section><h2>${review.description}</h2><p>${shown(capability.description)}</p></section>
      <section><h2>${review.source(encodeText(capability.source).length)}</h2>
        <pre class="source" tabindex="0" role="region" aria-label=${review.sourceLabel}>${shown(capability.source)}</pre></section>
      <section><h2>${review.args}</h2><sp-json .text=${JSON.stringify(capability.args)} pretty label=${review.argsLabel}></sp-json></section>
      ${capability.result === undefined ? '' : html`<section><h2>${review.result}</h2><sp-json .text=${JSON.stringify(capability.result)} pretty label=${review.resultLabel}></sp-json></section>`}
      <section><h2>${review.script(script.length)}</h2>
        ${script.map((text, i) => html`<sp-json .text=${text} label=${review.proposal(i + 1)}></sp-json>`)}</section>
    </div>`;
  }

  #facts(capability: CapabilityDefinition, hash: string): TemplateResult {
    const { review, fields } = texts();
    const { version, effect, powers = [], limits = {} } = capability;
    const own = Object.entries(limits).filter(([name, value]) => CALL_LIMITS[name as keyof CallLimits] !== value);
    const isKnown = this.store.scenarios.flatMap(namesOf).includes(capability.name);
    return html`<dl>
      <dt>${review.version}</dt><dd>${shown(version)}</dd>
      <dt>${review.effect}</dt><dd class=${effect === 'write' || effect === 'egress' ? 'wait' : ''}>${effect}</dd>
      <dt>${review.powers}</dt><dd>${powers.length === 0 ? fields.noPowers : shown(powers.join(', '))}</dd>
      <dt>${review.limits}</dt><dd>${own.length === 0 ? fields.defaults : own.map(([name, value]) => `${name} ${number(value ?? 0)}`).join(', ')}</dd>
      <dt>${review.grants}</dt><dd>${review.noGrants}</dd>
      ${isKnown ? html`<dt>${review.sameName}</dt><dd class="wait">${review.sameNameIs}</dd>` : ''}
      <dt>${review.hash}</dt><dd class="mono">${hash}</dd>
    </dl>`;
  }

  #load(capability: CapabilityDefinition, script: readonly string[]): void {
    this.workshop.open(draftOf(capability), script);
    void this.workshop.prepare();
    this.#done();
  }

  #done(): void {
    this.store.place.shared.value = undefined;
  }
}

const reviewStyles: CSSResult = css`
  :host {
    height: 100%;
    overflow-y: auto;
  }
  .review {
    display: grid;
    gap: 1.25rem;
    max-width: 56rem;
    margin: 0 auto;
    padding: 1.5rem 1.25rem 3rem;
  }
  .review > * {
    min-width: 0;
  }
  h1 {
    font-size: 1.5rem;
    font-weight: 650;
    letter-spacing: -0.015em;
    overflow-wrap: anywhere;
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  h2 .soft {
    font-weight: 400;
  }
  .headline {
    display: flex;
    gap: 0.625rem;
    padding: 0.75rem 1rem;
    border: 1px solid currentcolor;
    border-radius: var(--radius-small);
    font-weight: 650;
  }
  .headline span {
    overflow-wrap: anywhere;
  }
  .headline.wait {
    background: var(--wait-wash);
  }
  .headline.bad {
    background: var(--bad-wash);
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.375rem 1.25rem;
  }
  dt {
    color: var(--soft);
  }
  dd {
    overflow-wrap: anywhere;
  }
  sp-json + sp-json {
    display: block;
    margin-top: 0.5rem;
  }
  pre {
    max-height: 30rem;
  }
`;

customElements.define('sp-review', Review);
