import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { gallery } from '../../texts/en/gallery.ts';
import { noteStyles } from '../parts/note-style.ts';
import { View } from '../parts/view.ts';
import { CARDS } from './cards.ts';

/** A scenario that a link named. It registers, grants and begins only when a person starts it. */
export class NamedScenario extends View {
  static override styles: CSSResult[] = [shared, noteStyles];
  readonly #starting: Signal<boolean> = signal(false);

  protected override view(): TemplateResult {
    const id = this.store.place.scenario.value ?? '';
    const card = CARDS.find((each) => each.id === id);
    const texts = gallery();
    const { named } = texts;
    // the open run is there first: it would take the place of a run that began before it
    const waits = this.store.session.value === undefined || this.#starting.value;
    const leave = html`<button type="button" id="named-leave" aria-disabled=${waits} @click=${() => waits || this.#leave()}>${named.leave}</button>`;
    if (card === undefined)
      return html`<div class="note"><p role="alert" class="bad">${icon('barrier')} ${named.unknown(id)}</p>${leave}</div>`;
    const word = this.#starting.value ? texts.opening : texts.start;
    return html`<div class="note">
      <p role="status">${icon('link')} <strong>${named.title(card.name)}</strong> ${named.what}</p>
      <button type="button" class="primary" id="named-start" aria-label=${texts.startFrom(card.name)} aria-disabled=${waits} @click=${() => waits || void this.#start(id)}>${icon('play')}${word}</button>
      ${leave}
    </div>`;
  }

  async #start(id: string): Promise<void> {
    const { parentElement } = this;
    this.#starting.value = true;
    await this.store.startFrom(id);
    this.#starting.value = false;
    if (this.store.place.scenario.peek() === undefined) settle(parentElement);
  }

  #leave(): void {
    this.store.place.scenario.value = undefined;
    settle(this.parentElement);
  }
}

/** The button that had the focus goes with the note. */
function settle(place: HTMLElement | null): void {
  place?.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
}

customElements.define('sp-named', NamedScenario);
