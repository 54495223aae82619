import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { Section } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { OpenFile } from './content-copy.ts';
import { corpusStyles } from './corpus-style.ts';

/** More lines than fit a screen many times over; the rest is read by slices. */
const LINES = 1_000;
const SECTIONS = 500;

/** A file: its sections, and its lines, counted as slices count them. */
export class CorpusFile extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      :host,
      article {
        display: grid;
        gap: 1rem;
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.75rem;
      }
      header h2 {
        font-size: 1.25rem;
        font-weight: 650;
        overflow-wrap: anywhere;
      }
      .sections button {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        width: 100%;
        gap: 0 0.75rem;
        text-align: left;
        white-space: normal;
      }
      @media (max-width: 40rem) {
        .sections button {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      .sections [data-depth='1'] {
        padding-inline-start: 1rem;
      }
      .sections [data-depth='2'] {
        padding-inline-start: 2rem;
      }
      .sections [data-depth='3'] {
        padding-inline-start: 3rem;
      }
      .sections button[aria-pressed='true'] {
        background: var(--accent-wash);
        color: var(--accent);
        font-weight: 650;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const open = this.store.corpus.open.value;
    return open === undefined ? html`` : this.#file(open);
  }

  #file({ path, sections, text }: OpenFile): TemplateResult {
    const lines = text === '' ? [] : text.replace(/\n$/u, '').split('\n');
    const { file: texts, remove } = corpusView();
    const file = this.store.corpus.files.value.find((each) => each.path === path);
    return html`<article aria-labelledby="path">
      <header><h2 id="path" class="mono">${shown(path)}</h2>
        <span class="soft">${texts.size(lines.length, file?.bytes ?? 0)}</span>
        <span class="badge wait" title=${texts.labelsHint}>${icon('barrier')}${texts.labels}</span>
        <button type="button" class="plain" @click=${() => void this.store.corpus.remove(path)}>${icon('close')}${remove}<span class="unseen"> ${path}</span></button>
      </header>
      <section><h3>${texts.sections(sections.length)}</h3>
        <ol class="sections">${sections.slice(0, SECTIONS).map((section) => this.#section(section))}</ol></section>
      <section><h3>${texts.text}</h3>
        <ol class="lines" tabindex="0" aria-label=${texts.lines}>${lines.slice(0, LINES).map((line, at) => html`<li><span>${at}</span><span>${shown(line)}</span></li>`)}</ol>
        ${lines.length > LINES ? html`<p class="soft">${texts.moreLines(lines.length - LINES)}</p>` : ''}
      </section>
    </article>`;
  }

  #section({ section_id, heading_path, line_start, line_end }: Section): TemplateResult {
    const { ref } = this.store.corpus;
    const choose = (): void => {
      ref.value = section_id;
    };
    const { file: texts } = corpusView();
    const depth = Math.min(Math.max(0, heading_path.length - 1), 3);
    return html`<li data-depth=${depth}><button type="button" class="plain" aria-pressed=${ref.value === section_id} @click=${choose}>
      <span>${heading_path.length === 0 ? html`<em>${texts.beforeHeading}</em>` : shown(heading_path.at(-1) ?? '')}</span>
      <span class="soft">${texts.range(line_start, line_end)}${shortHash(section_id)}</span>
    </button></li>`;
  }
}

customElements.define('sp-corpus-file', CorpusFile);
