import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { BUDGETS, isHash, type Section, type SymbolRow } from '../../../core/index.ts';
import type { SliceRead } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { typed } from '../parts/form-text.ts';
import { saveFile } from '../parts/save-file.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { OpenFile } from './content-copy.ts';
import type { SliceTrial } from './corpus.ts';
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
      .lines {
        max-height: 32rem;
        overflow-y: auto;
      }
      .sections {
        max-height: 16rem;
        overflow-y: auto;
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
      <section><h3>${texts.text}</h3>
        <ol class="lines" tabindex="0" aria-label=${texts.lines}>${lines.slice(0, LINES).map((line, at) => html`<li><span>${at}</span><span>${shown(line)}</span></li>`)}</ol>
        ${lines.length > LINES ? html`<p class="soft">${texts.moreLines(lines.length - LINES)}</p>` : ''}
      </section>
      <section><h3>${texts.sections(sections.length)}</h3>
        <ol class="sections">${sections.slice(0, SECTIONS).map((section) => this.#section(section))}</ol></section>
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

const EXAMPLES = ['head(5)', 'lines[0:20]', 'chars[0:80]', 'tail(1)', 'ALL'];

/** Tries a slice as a message would get it: the text, its cost, or the refusal. */
class CorpusSlice extends View {
  static override styles: CSSResult[] = [
    shared,
    quoted,
    corpusStyles,
    css`
      form {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: 0.5rem;
      }
      label {
        flex: 1 1 8rem;
        min-width: 0;
      }
      label:first-of-type {
        flex: 3 1 16rem;
      }
      .examples button {
        min-height: 2rem;
        padding: 0.125rem 0.5rem;
      }
      .facts {
        margin-bottom: 0.5rem;
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 1.5rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { ref, slice, symbols, trial } = this.store.corpus;
    const { slice: texts } = corpusView();
    return html`<section class="stack" aria-labelledby="try">
      <h2 id="try">${texts.title}</h2>
      <form @submit=${this.#onSubmit}>
        <label><span>${texts.ref}</span>
          <input id="ref" class="mono" list="refs" autocomplete="off" .value=${live(ref.value)} @input=${this.#onRef} /></label>
        <label><span>${texts.slice}</span>
          <input id="slice" class="mono" autocomplete="off" spellcheck="false" .value=${live(slice.value)} @input=${this.#onSlice} /></label>
        <button type="submit">${icon('eye')}${texts.try}</button>
        <datalist id="refs">${symbols.value.map((row) => html`<option value=${row.symbol_id}></option>`)}</datalist>
      </form>
      <div class="row examples"><span class="soft">${texts.forExample}</span>${EXAMPLES.map((each) => html`<button type="button" class="mono" @click=${() => this.#example(each)}>${each}</button>`)}</div>
      <div role="status">${trial.value === undefined ? '' : this.#trial(trial.value)}</div>
    </section>`;
  }

  #trial({ slice, outcome }: SliceTrial): TemplateResult {
    if (outcome.ok) return this.#read(outcome.value);
    const { code, message } = outcome.refusal;
    const { slice: texts } = corpusView();
    return html`<p class="bad"><span class="badge bad">${icon('cross')}${texts.refused}</span> <span class="mono">${shown(slice)}</span>: <span lang="en">${shown(message)}</span></p>
      <p class="soft">${texts.noText(code)}</p>`;
  }

  #read({ text, bytes, sections, content_hash }: SliceRead): TemplateResult {
    const { max_bytes_expanded, max_sections, max_expands_per_step } = BUDGETS;
    const { slice: texts } = corpusView();
    return html`<p class="facts">
        <span>${texts.bytes(bytes, max_bytes_expanded)}</span>
        <span>${texts.sections(sections, max_sections)}</span>
        <span>${texts.expansion(max_expands_per_step)}</span>
        <span class="soft">SHA-256 ${shortHash(content_hash)}</span>
      </p>
      <pre class="cut" tabindex="0" role="region" aria-label=${texts.delivers}>${shown(text)}</pre>`;
  }

  #example(slice: string): void {
    this.store.corpus.slice.value = slice;
    void this.store.corpus.tryNow();
  }

  readonly #onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void this.store.corpus.tryNow();
  };

  readonly #onRef = (event: InputEvent): void => {
    this.store.corpus.ref.value = (event.target as HTMLInputElement).value;
  };

  readonly #onSlice = (event: InputEvent): void => {
    this.store.corpus.slice.value = (event.target as HTMLInputElement).value;
  };
}

/** Names for places that are needed often: a section, a heading with all below it, or a file. */
class CorpusSymbols extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      form {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: 0.5rem;
      }
      label {
        flex: 1 1 8rem;
        min-width: 0;
      }
      label:first-of-type {
        flex: 2 1 12rem;
      }
      ul {
        display: grid;
        grid-template-columns: fit-content(50%) minmax(0, 1fr) auto;
      }
      li {
        display: grid;
        grid-template-columns: subgrid;
        grid-column: 1 / -1;
        position: relative;
        align-items: center;
        border-top: 1px solid var(--line);
      }
      li .mono {
        justify-content: start;
        padding-inline: 0;
        text-align: start;
        white-space: normal;
      }
      li > .soft {
        padding-inline: 1rem;
      }
      @media (max-width: 64rem) {
        ul {
          grid-template-columns: minmax(0, 1fr) auto;
        }
        li > .soft {
          grid-area: 2 / 1;
          padding: 0 0 0.5rem;
        }
        li > :last-child {
          grid-area: 1 / 2 / 3;
        }
      }
      input[type='file'] {
        display: none;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const rows = this.store.corpus.symbols.value;
    const { symbols: texts } = corpusView();
    return html`<section class="stack" aria-labelledby="symbols">
      <div class="row"><h2 id="symbols">${texts.title(rows.length)}</h2>
        <button type="button" class="plain" ?disabled=${rows.length === 0} @click=${() => void this.#export()}>${icon('download')}${texts.export}</button>
        <button type="button" class="plain" @click=${() => this.renderRoot.querySelector<HTMLInputElement>('#symbols-file')?.click()}>${icon('plus')}${texts.import}</button>
        <input type="file" id="symbols-file" accept=".json,application/json" aria-label=${texts.file} @change=${this.#onImport} />
      </div>
      <form @submit=${this.#onDefine}>
        <label><span>${texts.symbol}</span><input id="symbol" name="symbol" class="mono" required placeholder="@BAKERY/OVENS" autocomplete="off" /></label>
        <label><span>${texts.as}</span><select name="type">${this.#types().map((type) => html`<option>${type}</option>`)}</select></label>
        <label><span>${texts.slice}</span><input name="slice" class="mono" required value="head(20)" autocomplete="off" /></label>
        <button type="submit">${icon('key')}${texts.define}</button>
      </form>
      <ul>${rows.map((row) => this.#row(row))}</ul>
      <p class="soft">${texts.tools()}</p>
    </section>`;
  }

  #types(): readonly SymbolRow['target_type'][] {
    return isHash(this.store.corpus.ref.value) ? ['SECTION', 'HEADING'] : ['FILE'];
  }

  #row({ symbol_id, target_type, target_ref, default_slice_policy }: SymbolRow): TemplateResult {
    const { corpus } = this.store;
    const use = (): void => {
      corpus.ref.value = symbol_id;
      corpus.slice.value = default_slice_policy;
      void corpus.tryNow();
    };
    return html`<li><button type="button" class="plain mono" @click=${use}>${symbol_id}</button>
      <span class="soft">${target_type} <span class="mono">${isHash(target_ref) ? target_ref.slice(0, 12) : shown(target_ref)}</span> · <span class="mono">${default_slice_policy}</span></span>
      <button type="button" class="plain" @click=${() => void corpus.undefine(symbol_id)}>${icon('close')}<span class="unseen">${corpusView().symbols.forget(symbol_id)}</span></button></li>`;
  }

  readonly #onDefine = (event: SubmitEvent): void => {
    event.preventDefault();
    void this.#define(event.target as HTMLFormElement);
  };

  async #define(form: HTMLFormElement): Promise<void> {
    const data = new FormData(form);
    const done = await this.store.corpus.define({
      symbol_id: typed(data, 'symbol'),
      target_type: typed(data, 'type') as SymbolRow['target_type'],
      target_ref: this.store.corpus.ref.value,
      default_slice_policy: typed(data, 'slice'),
    });
    if (done) form.reset();
  }

  async #export(): Promise<void> {
    const text = await this.store.corpus.exportSymbols();
    if (text !== undefined) saveFile('symbols.json', text, 'application/json');
  }

  readonly #onImport = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    input.value = '';
    if (file !== undefined) void file.text().then((text) => this.store.corpus.importSymbols(text));
  };
}

customElements.define('sp-corpus-slice', CorpusSlice);
customElements.define('sp-corpus-symbols', CorpusSymbols);
customElements.define('sp-corpus-file', CorpusFile);
