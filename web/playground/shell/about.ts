import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { CODES, type Code, DIALECT_VERSIONS } from '../../../core/index.ts';
import { PACKAGE_VERSION } from '../../../workers/package-version.ts';
import { GATES } from '../../records/gates.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { type AboutTexts, about } from '../../texts/en/about.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { shell } from '../../texts/en/shell.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { keepAsks } from '../parts/dialog-asks.ts';
import { View } from '../parts/view.ts';

/** A store that a program brings has a kind of its own. */
function storeWord(kind: string): string {
  const { stores }: { readonly stores: { readonly [kind: string]: string } } = about();
  return (Object.hasOwn(stores, kind) ? stores[kind] : undefined) ?? kind;
}

/** A class of codes; on a page in another language its word there, and the class as programs read it. */
function classWord(name: keyof AboutTexts['classes']): TemplateResult {
  const word = about().classes[name];
  return html`${word === name ? '' : `${word} `}<span class="mono soft">${name}</span>`;
}

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
      @container (min-width: 44rem) {
        tbody .mono {
          overflow-wrap: normal;
        }
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
    return about().grants(modes.length, { allow: of('allow'), ask: of('ask'), deny: of('deny') });
  }

  protected override view(): TemplateResult {
    const { info } = this.store.runtime;
    const { reason } = info.store;
    const texts = about();
    return html`<article>
      <header>
        <h1>${texts.motto}</h1>
        <p class="lead">${texts.lead}</p>
      </header>
      <section>
        <h2>${texts.tenGates}</h2>
        <dl>${GATES.map((name) => html`<dt><strong>${name}</strong></dt><dd>${gateTexts().questions[name]}</dd>`)}</dl>
      </section>
      <section>
        <h2>${texts.documentation}</h2>
        <p>${texts.documentationIs()}</p>
      </section>
      <section>
        <h2>${texts.thisPage}</h2>
        <dl class="facts">
          <dt>${texts.version}</dt><dd>${PACKAGE_VERSION}</dd>
          <dt>${texts.dialects}</dt><dd>${Object.values(DIALECT_VERSIONS).join(', ')}</dd>
          <dt>${texts.specifications}</dt><dd>${texts.specificationsAre()}</dd>
          <dt>${texts.selftest}</dt><dd>${texts.selftestIs()}</dd>
          <dt>${texts.kernel}</dt><dd>${shell().trust.isolation[info.isolation].short}</dd>
          <dt>${texts.policy}</dt><dd>${this.#policy()}</dd>
          <dt>${texts.storage}</dt><dd>${storeWord(info.store.kind)}${reason === undefined ? '' : html` (${inEnglish(reason)})`}</dd>
          <dt>${texts.licence}</dt><dd>Apache-2.0</dd>
        </dl>
        <p class="act"><button type="button" @click=${() => void ((keepAsks.value = true))}>${icon('disk')}${texts.keep}</button></p>
      </section>
      <section>
        <h2>${texts.codes}</h2>
        <div class="table" tabindex="0" role="region" aria-label=${texts.codesLabel}>
          <table>
            <thead><tr><th>${texts.code}</th><th>${texts.class}</th><th>${texts.remedy}</th></tr></thead>
            <tbody>${(Object.keys(CODES) as Code[]).map((code) => html`<tr><th scope="row" class="mono">${code}</th><td>${classWord(CODES[code].class)}</td><td>${remedies()[code]}</td></tr>`)}</tbody>
          </table>
        </div>
      </section>
    </article>`;
  }
}

customElements.define('sp-about', About);
