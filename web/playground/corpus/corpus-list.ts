import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { Section } from '../../../core/index.ts';
import type { ContentFile, Found } from '../../../workers/api.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { corpusStyles } from './corpus-style.ts';

/** Rows that a large corpus shows; the search finds the rest. */
const SHOWN = 300;

/** The files, or the results of a search. */
export class CorpusList extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      :host {
        display: grid;
        gap: 0.5rem;
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
    const { found } = this.store.corpus;
    const { search } = corpusView().list;
    return html`<label><span class="unseen">${search}</span>
        <input id="search" type="search" placeholder=${search} @input=${this.#onSearch} /></label>
      <p class="soft" role="status">${found.value === undefined ? '' : summary(found.value)}</p>
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
      <span>${shown(path)}</span><span class="soft">${sections}<span class="unseen">${corpusView().list.unitSections}</span></span>
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

function summary({ matches, searched, files }: Found): string {
  const { list: texts } = corpusView();
  if (searched < files)
    return matches === 0 ? texts.notFoundIn(searched, files) : texts.foundIn(matches, searched, files);
  return matches === 0 ? texts.notFound : texts.found(matches);
}

customElements.define('sp-corpus-list', CorpusList);
