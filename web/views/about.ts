import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { CODES, type Code, DIALECT_VERSIONS } from '../../core/index.ts';
import { GATE_QUESTIONS, GATES } from '../state/gates.ts';
import { shared } from '../style/shared.ts';
import { View } from './view.ts';

/** What this is, what each gate asks, and every code a refusal can have. */
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
      dt:nth-of-type(7),
      dt:nth-of-type(7) + dd {
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

  protected override view(): TemplateResult {
    const { info } = this.store.runtime;
    return html`<article>
      <header>
        <h1>The model proposes, the port decides, the sandbox acts, the ledger proves.</h1>
        <p class="lead">
          A sally port is the double gate of a fortress: whoever wants out passes two doors, and never both at once. Here the first
          door checks that a proposal is valid, the second that it is permitted. Only then does anything run, in a sandbox with no
          way out, and whatever happens ends in a receipt.
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
        <p>Isolation: ${info.isolation}. Storage: ${info.store.kind}${info.store.reason === undefined ? '' : ` (${info.store.reason})`}. Dialects: ${Object.values(DIALECT_VERSIONS).join(', ')}.</p>
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
