import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { send } from '../../texts/en/send.ts';
import { noteStyles } from '../parts/note-style.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { type LinkedRun, openRunLink, type RunLinkResult } from './run-link.ts';

/** A run that a link brought. It is shown at once where no file is open, and after a click where a file is open. */
export class SentRun extends View {
  static override properties: PropertyDeclarations = { store: { attribute: false }, packed: { attribute: false } };
  static override styles: CSSResult[] = [
    shared,
    noteStyles,
    css`
      :host {
        grid-column: 1 / -1;
        padding: 0.75rem 0.5rem 0;
      }
    `,
  ];
  declare packed: string;
  readonly #opening: Signal<RunLinkResult | undefined> = signal(undefined);

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('packed')) void this.#read(this.packed);
  }

  async #read(packed: string): Promise<void> {
    this.#opening.value = undefined;
    const opening = await openRunLink(packed);
    if (packed !== this.packed) return;
    this.#opening.value = opening;
    if (opening.ok && this.store.audit.file.peek() === undefined) this.#open(opening.run);
  }

  protected override view(): TemplateResult {
    const opening = this.#opening.value;
    const { sent: texts } = send();
    if (opening === undefined) return html`<div class="note"><p role="status">${texts.reading}</p></div>`;
    if (!opening.ok)
      return html`<div class="note"><p role="alert" class="bad">${icon('barrier')} ${shown(opening.reason)}</p>${this.#leave()}</div>`;
    const { run } = opening;
    const facts = texts.facts(run);
    const isOpen = this.store.audit.linked.value === this.packed;
    const untouched = !isOpen || this.store.audit.held.value;
    return html`<div class="note">
      <p role="status">${icon('link')} ${isOpen ? texts.thisRun(facts) : texts.otherRun(facts)}${untouched ? texts.untouched : ''}</p>
      ${isOpen ? '' : html`<button type="button" class="primary" id="sent-open" @click=${() => this.#open(run)}>${texts.open}</button>`}
      ${this.#leave()}
    </div>`;
  }

  #leave(): TemplateResult {
    return html`<button type="button" id="sent-leave" @click=${() => this.#discard()}>${send().sent.leave}</button>`;
  }

  #open({ run_id, text }: LinkedRun): void {
    void this.store.audit.openLinked(send().sent.byLink(run_id.slice(0, 8)), text, this.packed);
  }

  #discard(): void {
    const opening = this.#opening.peek();
    if (opening?.ok === true && this.store.audit.linked.peek() === this.packed) this.store.audit.close();
    this.store.place.sent.value = undefined;
  }
}

customElements.define('sp-sent', SentRun);
