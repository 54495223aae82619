import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { ContentOverview, Rebuilt } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { browseStyles } from '../parts/browse-style.ts';
import { fromDrop } from './sources/folder.ts';
import './corpus-changes.ts';
import './corpus-file.ts';
import './corpus-list.ts';
import './corpus-slice.ts';
import './corpus-sources.ts';
import './corpus-symbols.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { shortHash } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { corpusStyles } from './corpus-style.ts';

/**
 * The content that runs may read: files cut into sections, names for them, and slices to try. Content is text and gives
 * no orders.
 */
export class CorpusView extends View {
  static override styles: CSSResult[] = [
    shared,
    browseStyles,
    corpusStyles,
    css`
      :host {
        display: grid;
        grid-template-rows: auto auto minmax(0, 1fr);
      }
      .top {
        padding: 0.75rem 0.75rem 0;
      }
      .overview {
        padding: 0.5rem 1.25rem 0;
      }
      .overview .size {
        margin-right: auto;
      }
      .overview .plain {
        padding-inline: 0.5rem;
      }
      .ask {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      .browse {
        min-height: 0;
      }
      .none {
        display: grid;
        justify-items: center;
        align-content: center;
        gap: 0.75rem;
        margin: 0.75rem;
        padding: 2rem 1.5rem;
        border: 1px dashed var(--edge);
        border-radius: var(--radius);
        text-align: center;
      }
      .none > svg {
        width: 3rem;
        height: 3rem;
        color: var(--accent);
        stroke-width: 1.1;
      }
      .none h2 {
        font-size: 1.25rem;
      }
      .none p {
        max-width: 38rem;
      }
      @container (max-width: 58rem) {
        .overview .size {
          flex-basis: 100%;
        }
      }
      @container (max-width: 47rem) {
        :host {
          display: block;
        }
        .overview {
          padding: 0.5rem 0.75rem;
        }
        nav {
          max-height: 14rem;
          overflow-y: auto;
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('dragover', this.#onDragOver);
    this.addEventListener('drop', this.#onDrop);
  }

  protected override firstUpdated(): void {
    void this.store.corpus.refresh();
  }

  protected override view(): TemplateResult {
    const { overview } = this.store.corpus;
    const now = overview.value;
    const texts = corpusView();
    return html`<h1 class="unseen">${texts.title}</h1>
      <div class="top"><sp-corpus-sources .store=${this.store}></sp-corpus-sources></div>
      ${now === undefined ? html`<p class="empty soft">${texts.asking}</p>` : this.#content(now)}`;
  }

  #content(now: ContentOverview): TemplateResult {
    const texts = corpusView();
    if (now.files === 0) {
      return html`<section class="empty none">
        ${icon('inbox')}
        <h2>${texts.none.title}</h2>
        <p>${texts.none.what}</p>
        ${this.store.corpus.job.value === undefined ? html`<p class="soft">${texts.none.begin}</p>` : ''}
      </section>`;
    }
    return html`<div class="overview row">${this.#overview(now)}</div>
      <div class="browse">
        <nav aria-label=${texts.files}><sp-corpus-list .store=${this.store}></sp-corpus-list></nav>
        <article>
          <sp-corpus-slice .store=${this.store}></sp-corpus-slice>
          <sp-corpus-symbols .store=${this.store}></sp-corpus-symbols>
          <sp-corpus-changes .store=${this.store}></sp-corpus-changes>
          <sp-corpus-file .store=${this.store}></sp-corpus-file>
        </article>
      </div>`;
  }

  #overview({ files, sections, bytes, index_hash }: ContentOverview): TemplateResult {
    const { corpus } = this.store;
    const texts = corpusView();
    return html`<span class="size">${texts.overview(files, sections, bytes)} ${shortHash(index_hash)}</span>
      <button type="button" class="plain" @click=${() => void corpus.rebuild()}>${icon('seal')}${texts.rebuild}</button>
      <span role="status">${corpus.rebuilt.value === undefined ? '' : compared(corpus.rebuilt.value)}</span>
      ${this.#clear(files)}`;
  }

  /** Removing the files also removes the changes that runs wrote to them, so the page asks once more. */
  #clear(files: number): TemplateResult {
    const turn = (asks: boolean, button: string): void => {
      this.#asks.value = asks;
      void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(button)?.focus());
    };
    const clear = (): void => {
      this.#asks.value = false;
      void this.store.corpus.clear();
    };
    const texts = corpusView();
    if (!this.#asks.value)
      return html`<button type="button" class="plain" id="clear" @click=${() => turn(true, '#keep')}>${icon('close')}${texts.clear}</button>`;
    return html`<span class="ask"><strong>${texts.clearAsks(files)}</strong>
      <button type="button" id="keep" @click=${() => turn(false, '#clear')}>${texts.keep}</button>
      <button type="button" class="plain bad" id="remove" @click=${clear}>${icon('close')}${texts.remove}</button></span>`;
  }
  readonly #asks: Signal<boolean> = signal(false);

  readonly #onDragOver = (event: DragEvent): void => event.preventDefault();

  readonly #onDrop = (event: DragEvent): void => {
    event.preventDefault();
    // read at once: the dropped items are gone after the event
    if (event.dataTransfer === null) return;
    const { source, picked } = fromDrop(event.dataTransfer);
    void this.store.corpus.load(source, picked);
  };
}

function compared({ same, differing, index_hash }: Rebuilt): TemplateResult {
  const texts = corpusView();
  if (same && differing.length === 0) return html`<span class="good">${texts.rebuiltSame}</span>`;
  return html`<span class="bad">${texts.rebuiltOther(shortHash(index_hash), differing.length, differing.slice(0, 3).join(', '))}</span>`;
}

customElements.define('sp-corpus', CorpusView);
