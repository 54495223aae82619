import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { CALL_LIMITS, type CallLimits, type CapabilityDefinition, encodeText } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { draftOf } from './draft.ts';
import { type LinkResult, type OpenedLink, openShared } from './share-link.ts';
import type { Workshop } from './workshop.ts';
import '../parts/json-text.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { reviewStyles } from './review-style.ts';

/** The whole content of a link, before a person acts on it. Reading it runs no code. */
export class Review extends View {
  static override properties: PropertyDeclarations = {
    workshop: { attribute: false },
    packed: { attribute: false },
  };
  static override styles: CSSResult[] = [shared, quoted, reviewStyles];
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
    if (opening === undefined) return html`<p class="review" role="status">Reading the link…</p>`;
    return opening.ok ? this.#review(opening.opened) : this.#refused(opening.reason);
  }

  #refused(reason: string): TemplateResult {
    return html`<div class="review">
      <h1>A shared link</h1>
      <p class="headline bad" role="alert">${icon('barrier')}<span>${shown(reason)}</span></p>
      <p><button type="button" id="discard" @click=${() => this.#done()}>Go on without it</button></p>
    </div>`;
  }

  #review({ shared: { capability, script }, hash, packed, bytes }: OpenedLink): TemplateResult {
    return html`<div class="review">
      <h1>Shared with you: <span class="mono">${shown(capability.name)}</span></h1>
      <p class="headline wait" role="status">${icon('eye')}<span>No code of this link has been loaded or run. If you open it as a draft, a sandbox loads the source to check it. It runs only when you press Try.</span></p>
      <p class="act">
        <button type="button" id="load" class="primary" @click=${() => this.#load(capability, script)}>${icon('pen')}Load as a draft</button>
        <button type="button" id="discard" @click=${() => this.#done()}>Discard</button>
      </p>
      ${this.#facts(capability, hash)}
      <p class="soft">${count(packed, 'character')} in the link, ${count(bytes, 'byte')} unfolded.</p>
      <section><h2>What it says it does</h2><p>${shown(capability.description)}</p></section>
      <section><h2>Source <span class="soft">· ${count(encodeText(capability.source).length, 'byte')}, runs in the sandbox only</span></h2>
        <pre class="source" tabindex="0" role="region" aria-label="Source">${shown(capability.source)}</pre></section>
      <section><h2>Arguments</h2><sp-json .text=${JSON.stringify(capability.args)} pretty label="Schema of the arguments"></sp-json></section>
      ${capability.result === undefined ? '' : html`<section><h2>Result</h2><sp-json .text=${JSON.stringify(capability.result)} pretty label="Schema of the result"></sp-json></section>`}
      <section><h2>Script <span class="soft">· ${count(script.length, 'proposal')}</span></h2>
        ${script.map((text, i) => html`<sp-json .text=${text} label="Proposal ${i + 1}"></sp-json>`)}</section>
    </div>`;
  }

  #facts(capability: CapabilityDefinition, hash: string): TemplateResult {
    const { version, effect, powers = [], limits = {} } = capability;
    const own = Object.entries(limits).filter(([name, value]) => CALL_LIMITS[name as keyof CallLimits] !== value);
    const known = this.store.scenario.capabilities.find(({ name }) => name === capability.name);
    return html`<dl>
      <dt>Version</dt><dd>${shown(version)}</dd>
      <dt>Effect</dt><dd class=${effect === 'write' || effect === 'egress' ? 'wait' : ''}>${effect}</dd>
      <dt>Powers</dt><dd>${powers.length === 0 ? 'none: it sees only its arguments' : shown(powers.join(', '))}</dd>
      <dt>Limits</dt><dd>${own.length === 0 ? 'the defaults' : own.map(([name, value]) => `${name} ${value?.toLocaleString()}`).join(', ')}</dd>
      <dt>Grants</dt><dd>none: a link cannot carry any</dd>
      ${known === undefined ? '' : html`<dt>Same name</dt><dd class="wait">This page has a capability of this name. They are two different capabilities: a grant for one never covers the other.</dd>`}
      <dt>Hash</dt><dd class="mono">${hash}</dd>
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

customElements.define('sp-review', Review);
