import { batch, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { gallery } from '../../texts/en/gallery.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { formatLink } from '../link.ts';
import { AskedDialog } from '../parts/asked-dialog.ts';
import { galleryAsks } from '../parts/dialog-asks.ts';
import { shown } from '../parts/text.ts';
import { CARDS, type ScenarioCard } from './cards.ts';

/** The scenarios as cards. A choice begins a run that waits before its first step; the open run stays as it is. */
export class GalleryDialog extends AskedDialog {
  static override get styles(): CSSResult[] {
    return [shared, dialogStyles, galleryStyles];
  }
  readonly #said: Signal<string> = signal('');
  readonly #opening: Signal<string | undefined> = signal(undefined);

  protected override isAsked(): boolean {
    return galleryAsks.value;
  }

  protected override take(): void {
    galleryAsks.value = false;
  }

  protected override contents(): TemplateResult {
    const texts = gallery();
    return html`<dialog aria-labelledby="title" @close=${() => this.#closed()}>
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.dialog?.close()}>${icon('close')}</button>
      </div>
      <p>${texts.intro}</p>
      <ul class="cards">${CARDS.map((card) => this.#card(card))}</ul>
      <p class="told" role="status">${shown(this.#said.value)}</p>
      <p class="soft">${texts.kept}</p>
    </dialog>`;
  }

  #card({ id, name, tools }: ScenarioCard): TemplateResult {
    const texts = gallery();
    const card = texts.cards[id];
    const isOpen = this.store.scenario.id === id;
    const waits = this.#opening.value !== undefined;
    const word = this.#opening.value === id ? texts.opening : texts.start;
    return html`<li class="card ${isOpen ? 'open' : ''}">
      <h3>${inEnglish(name)}${isOpen ? html`<span class="soft">${texts.openNow}</span>` : ''}</h3>
      <p>${card.about}</p>
      <p class="soft names">${texts.tools(tools.join(', '))}</p>
      <p class="stopped"><span class="bad">${icon('barrier')}</span><span><strong>${texts.stopped}</strong> ${card.stopped}</span></p>
      <div class="act">
        <button type="button" class=${isOpen ? '' : 'primary'} id="start-${id}" aria-disabled=${waits} aria-label=${texts.startFrom(name)} @click=${() => waits || void this.#start(id)}>${icon('play')}${word}</button>
        <button type="button" class="plain" id="link-${id}" aria-label=${texts.copyLinkTo(name)} @click=${() => void this.#copy(id)}>${icon('link')}${texts.copyLink}</button>
      </div>
    </li>`;
  }

  async #start(id: string): Promise<void> {
    batch(() => {
      this.#opening.value = id;
      this.#said.value = '';
    });
    const before = this.store.session.peek();
    await this.store.startFrom(id);
    this.#opening.value = undefined;
    if (this.store.session.peek() === before) {
      this.#said.value = this.store.trouble.peek() ?? '';
      return;
    }
    this.store.view.value = 'run';
    this.dialog?.close();
    this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
  }

  async #copy(id: string): Promise<void> {
    const link = `${location.href.split('#')[0] ?? ''}${formatLink({ view: 'run', scenario: id })}`;
    this.#said.value = await navigator.clipboard.writeText(link).then(
      () => gallery().copied,
      () => gallery().notCopied(link),
    );
  }

  #closed(): void {
    this.#said.value = '';
  }
}

const galleryStyles: CSSResult = css`
  dialog {
    width: min(62rem, calc(100vw - 2rem));
    overflow-y: auto;
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
    gap: 0.75rem;
    margin-top: 1rem;
  }
  .card {
    display: flex;
    flex-direction: column;
    gap: 0.5rem;
    min-width: 0;
    padding: 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    overflow-wrap: anywhere;
  }
  .card.open {
    border-color: var(--accent);
    box-shadow: inset 0 0 0 1px var(--accent);
  }
  h3 {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 0.5rem;
  }
  h3 .soft {
    font-weight: 400;
  }
  .names {
    font-size: 0.8125rem;
  }
  .stopped {
    display: flex;
    gap: 0.5rem;
  }
  .stopped svg {
    flex: none;
    margin-top: 0.125rem;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    margin-top: auto;
    padding-top: 0.25rem;
  }
  .told {
    min-height: 1.5rem;
    margin-top: 0.75rem;
    overflow-wrap: anywhere;
  }
`;

customElements.define('sp-gallery', GalleryDialog);
