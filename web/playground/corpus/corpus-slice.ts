import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { BUDGETS } from '../../../core/index.ts';
import type { SliceRead } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { SliceTrial } from './content-lookup.ts';
import { corpusStyles } from './corpus-style.ts';

const EXAMPLES = ['head(5)', 'lines[0:20]', 'chars[0:80]', 'tail(1)', 'ALL'];

/** Tries a slice as a message would get it: the text, its cost, or the refusal. */
export class CorpusSlice extends View {
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

customElements.define('sp-corpus-slice', CorpusSlice);
