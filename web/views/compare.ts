import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { LedgerRecord } from '../../core/index.ts';
import { fieldsOf } from '../state/fields.ts';
import { shared } from '../style/shared.ts';
import { shown } from './text.ts';
import { View } from './view.ts';

/** Two pinned records side by side; what differs is marked with a word, not only a colour. */
export class Compare extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      section {
        margin-top: 1.5rem;
        padding-top: 1.25rem;
        border-top: 1px solid var(--line);
        overflow-x: auto;
      }
      table {
        width: 100%;
        margin-top: 0.5rem;
        border-collapse: collapse;
      }
      th,
      td {
        padding: 0.25rem 0.75rem 0.25rem 0;
        text-align: left;
        vertical-align: top;
        font-weight: 400;
        overflow-wrap: anywhere;
        min-width: 7rem;
      }
      thead th {
        font-weight: 650;
      }
      .differs td {
        background: var(--wait-wash);
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { pins } = this.store.selection;
    const records = this.store.session.value?.records.value ?? [];
    const pinned = pins.value.flatMap((seq) => records.filter((record) => record.run_seq === seq));
    const [left, right] = pinned;
    if (left === undefined) return html``;
    if (right === undefined)
      return html`<section><p class="soft">Record ${left.run_seq} is pinned. Pin another to compare them.</p></section>`;
    return this.#table(left, right);
  }

  #table(left: LedgerRecord, right: LedgerRecord): TemplateResult {
    const a = new Map(fieldsOf(left).map((field) => [field.path, field.value]));
    const b = new Map(fieldsOf(right).map((field) => [field.path, field.value]));
    const paths = [...new Set([...a.keys(), ...b.keys()])];
    return html`<section aria-label="Pinned records" tabindex="0">
      <h3>Record ${left.run_seq} and record ${right.run_seq}</h3>
      <table>
        <thead><tr><th>member</th><th>${left.run_seq}</th><th>${right.run_seq}</th><th>same</th></tr></thead>
        <tbody>
          ${paths.map((path) => this.#row(path, a.get(path), b.get(path)))}
        </tbody>
      </table>
    </section>`;
  }

  #row(path: string, a: string | undefined, b: string | undefined): TemplateResult {
    const same = a === b;
    return html`<tr class=${same ? '' : 'differs'}>
      <th scope="row" class="mono soft">${path}</th>
      <td class="mono">${shown(a ?? '')}</td>
      <td class="mono">${shown(b ?? '')}</td>
      <td>${same ? 'same' : 'differs'}</td>
    </tr>`;
  }
}

customElements.define('sp-compare', Compare);
