import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { CODES, type Code, DIALECT_VERSIONS } from '../../../core/index.ts';
import { GATE_QUESTIONS, GATES } from '../../records/gates.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { count } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { keepAsks } from '../storage/storage-dialog-open.ts';

/** The page's own, set when it is built. */
declare const SALLYPORT_VERSION: string;

/** Explains the product, the question of each gate, and every code that a refusal can have. */
export class About extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        height: 100%;
        overflow-y: auto;
        container-type: inline-size;
      }
      article {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 1.75rem;
        max-width: 56rem;
        margin: 0 auto;
        padding: 2rem 1.25rem 4rem;
      }
      h1 {
        font-size: 1.75rem;
        letter-spacing: -0.02em;
        line-height: 1.25;
      }
      h2 {
        margin-bottom: 0.5rem;
        font-size: 1.25rem;
      }
      .lead {
        margin-top: 0.75rem;
        max-width: 42rem;
      }
      dl {
        display: grid;
        grid-template-columns: 9rem minmax(0, 1fr);
      }
      dt,
      dd {
        padding: 0.375rem 0;
        border-top: 1px solid var(--line);
      }
      .act {
        margin-top: 0.75rem;
      }
      .act button {
        white-space: normal;
        text-align: start;
      }
      dl:not(.facts) dt:nth-of-type(7),
      dl:not(.facts) dt:nth-of-type(7) + dd {
        border-top: 2px solid var(--edge);
      }
      @container (max-width: 30rem) {
        dl {
          grid-template-columns: 7rem minmax(0, 1fr);
        }
      }
      .table {
        overflow-x: auto;
      }
      table {
        width: 100%;
        border-collapse: collapse;
      }
      th,
      td {
        padding: 0.375rem 1rem 0.375rem 0;
        border-top: 1px solid var(--line);
        text-align: left;
        vertical-align: top;
      }
      tbody th {
        font-weight: 400;
      }
    `,
  ];

  protected override firstUpdated(): void {
    void this.store.catalogue.refresh();
  }

  /** Grants of the runs that start from now on. */
  #policy(): string {
    const modes = this.store.catalogue.grants.value.map(({ mode }) => mode);
    const of = (mode: (typeof modes)[number]): number => modes.filter((each) => each === mode).length;
    const denied = of('deny') === 0 ? '' : `, ${of('deny')} deny`;
    return `${count(modes.length, 'grant')}: ${of('allow')} allow, ${of('ask')} ask${denied}. Everything else is denied.`;
  }

  protected override view(): TemplateResult {
    const { info } = this.store.runtime;
    return html`<article>
      <header>
        <h1>The model proposes, the port decides, the sandbox acts, the ledger proves.</h1>
        <p class="lead">
          A sally port is the double gate of a fortress: its two doors are never open at once. Here the first
          door checks that a proposal is valid, the second that it is permitted. Only then does a call run, in a sandbox with no
          way out, and every proposal ends in a receipt.
        </p>
      </header>
      <section>
        <h2>Ten gates</h2>
        <dl>${GATES.map((name) => html`<dt><strong>${name}</strong></dt><dd>${GATE_QUESTIONS[name]}</dd>`)}</dl>
      </section>
      <section>
        <h2>Documentation</h2>
        <p><a href="docs/index.html">Tutorials, how-to, reference and reasons</a>, kept in this browser with the page.</p>
      </section>
      <section>
        <h2>This page</h2>
        <dl class="facts">
          <dt>Version</dt><dd>${SALLYPORT_VERSION}</dd>
          <dt>Dialects</dt><dd>${Object.values(DIALECT_VERSIONS).join(', ')}</dd>
          <dt>Specifications</dt><dd><a href="docs/conformance.html">Three of them, clause by clause</a>, with the tests for each</dd>
          <dt>Kernel</dt><dd>${info.isolation}</dd>
          <dt>Policy</dt><dd>${this.#policy()}</dd>
          <dt>Storage</dt><dd>${info.store.kind}${info.store.reason === undefined ? '' : ` (${info.store.reason})`}</dd>
          <dt>Licence</dt><dd>Apache-2.0</dd>
        </dl>
        <p class="act"><button type="button" @click=${() => void ((keepAsks.value = true))}>${icon('disk')}What is kept on this device, and deleting it…</button></p>
      </section>
      <section>
        <h2>Every code a refusal can have</h2>
        <div class="table" tabindex="0" role="region" aria-label="Codes">
          <table>
            <thead><tr><th>code</th><th>class</th><th>what to do</th></tr></thead>
            <tbody>${(Object.keys(CODES) as Code[]).map((code) => html`<tr><th scope="row" class="mono">${code}</th><td>${CODES[code].class}</td><td>${CODES[code].todo}</td></tr>`)}</tbody>
          </table>
        </div>
      </section>
    </article>`;
  }
}

customElements.define('sp-about', About);
