import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { isHash, type SymbolRow } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { typed } from '../parts/form-text.ts';
import { saveFile } from '../parts/save-file.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { corpusStyles } from './corpus-style.ts';

/** Names for places that are needed often: a section, a heading with all below it, or a file. */
export class CorpusSymbols extends View {
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

customElements.define('sp-corpus-symbols', CorpusSymbols);
