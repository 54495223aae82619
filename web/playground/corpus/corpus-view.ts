import './corpus-file.ts';
import './corpus-sources.ts';
import './files-switch.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { type Bodies, type Section, visibleText } from '../../../core/index.ts';
import type { ContentFile, ContentOverview, Found, Rebuilt } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { browseStyles } from '../parts/browse-style.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { corpusStyles } from './corpus-style.ts';
import { fromDrop } from './sources/folder.ts';

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
        grid-template-rows: auto auto minmax(22rem, 1fr);
        overflow-y: auto;
      }
      .top {
        padding: 0.75rem 0.75rem 0;
      }
      sp-ask-files {
        padding: 0.75rem 0.5rem 0;
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
      <div class="top"><sp-corpus-sources .store=${this.store}></sp-corpus-sources>
        <sp-ask-files .store=${this.store}></sp-ask-files></div>
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
          <sp-corpus-file .store=${this.store}></sp-corpus-file>
          <sp-corpus-changes .store=${this.store}></sp-corpus-changes>
          <sp-corpus-slice .store=${this.store}></sp-corpus-slice>
          <sp-corpus-symbols .store=${this.store}></sp-corpus-symbols>
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

/** Files that a search left out, named beside its result. */
const NAMED = 3;
/** Rows that a large corpus shows; the search finds the rest. */
const SHOWN = 300;

/** The files, or the results of a search. */
class CorpusList extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      :host {
        display: grid;
        gap: 0.5rem;
      }
      /* it stays while the list below it scrolls */
      label {
        position: sticky;
        top: 0;
        z-index: 1;
        padding-bottom: 0.25rem;
        background: var(--panel);
      }
      button {
        justify-content: space-between;
        width: 100%;
        white-space: normal;
        text-align: left;
      }
      button span {
        overflow-wrap: anywhere;
      }
      button[aria-current='true'] {
        background: var(--accent-wash);
        color: var(--accent);
        font-weight: 650;
      }
      .found button {
        flex-direction: column;
        align-items: start;
        gap: 0;
      }
      p {
        padding: 0 0.25rem;
      }
      p:empty {
        display: none;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { found, searching } = this.store.corpus;
    const { search, searches } = corpusView().list;
    const told = found.value === undefined ? '' : summary(found.value);
    return html`<label><span class="unseen">${search}</span>
        <input id="search" type="search" placeholder=${search} @input=${this.#onSearch} /></label>
      <p class="soft" role="status">${searching.value ? searches : told}</p>
      ${found.value === undefined ? this.#files() : this.#sections(found.value)}`;
  }

  #files(): TemplateResult {
    const { files, open } = this.store.corpus;
    const rest = files.value.length - SHOWN;
    return html`<ul>${files.value.slice(0, SHOWN).map((file) => this.#file(file, file.path === open.value?.path))}</ul>
      ${rest > 0 ? html`<p class="soft">${corpusView().list.moreFiles(rest)}</p>` : ''}`;
  }

  #file({ path, sections }: ContentFile, open: boolean): TemplateResult {
    return html`<li><button type="button" class="plain" aria-current=${open} @click=${() => void this.store.corpus.show(path)}>
      <span>${shown(path)}</span><span class="soft">${sections}<span class="unseen">${corpusView().list.unitSections(sections)}</span></span>
    </button></li>`;
  }

  #sections({ sections }: Found): TemplateResult {
    return html`<ul class="found">${sections.map((section) => this.#section(section))}</ul>`;
  }

  #section({ file_path, heading_path, section_id }: Section): TemplateResult {
    return html`<li><button type="button" class="plain" @click=${() => void this.store.corpus.show(file_path, section_id)}>
      <span>${shown(heading_path.at(-1) ?? corpusView().list.wholeFile)}</span><span class="soft">${shown(file_path)}</span>
    </button></li>`;
  }

  readonly #onSearch = (event: InputEvent): void => {
    void this.store.corpus.search((event.target as HTMLInputElement).value);
  };
}

function summary({ matches, searched, files, left }: Found): string {
  const { list: texts } = corpusView();
  if (searched < files) {
    const said = matches === 0 ? texts.notFoundIn(searched, files) : texts.foundIn(matches, searched, files);
    const names = left.slice(0, NAMED).map((path) => visibleText(path));
    return `${said} ${texts.left(names, files - searched - names.length)}`;
  }
  return matches === 0 ? texts.notFound : texts.found(matches);
}

type Change = Bodies['content'];

/** The writes of the open run, step by step, the latest first. Undo takes back a whole step. */
class CorpusChanges extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.75rem;
      }
      .paths {
        min-width: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { id, records } = this.store.session.value ?? {};
    const changes = (records?.value ?? []).flatMap(({ kind, body }) => (kind === 'content' ? [body] : []));
    if (id === undefined || changes.length === 0) return html``;
    const steps = [...new Set(changes.map(({ step }) => step))].toReversed();
    return html`<section class="stack" aria-labelledby="changes"><h2 id="changes">${corpusView().changes.title}</h2>
      <ul>${steps.map((step) =>
        this.#step(
          id,
          step,
          changes.filter((change) => change.step === step),
        ),
      )}</ul></section>`;
  }

  #step(run_id: string, step: number, changes: readonly Change[]): TemplateResult {
    const { corpus } = this.store;
    const { changes: texts } = corpusView();
    const hashes = new Map(corpus.files.value.map(({ path, content_hash }) => [path, content_hash]));
    const paths = changes.map(({ path }) => path);
    const stands = changes.every(({ path, after }) => hashes.get(path) === after.sha256);
    return html`<li><span class="paths">${texts.step(step)}${changes.map(
      ({ path, before, after }) =>
        html`<span class="mono">${shown(path)}</span> ${shortHash(before.sha256)} → ${shortHash(after.sha256)} `,
    )}</span>${
      stands
        ? html`<button type="button" class="plain" @click=${() => void corpus.takeBack({ run_id, step, paths })}>${icon('reply')}${texts.takeBack}</button>`
        : html`<span class="soft">${texts.since}</span>`
    }</li>`;
  }
}

customElements.define('sp-corpus-list', CorpusList);
customElements.define('sp-corpus-changes', CorpusChanges);
customElements.define('sp-corpus', CorpusView);
