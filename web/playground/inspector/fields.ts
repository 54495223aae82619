import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { groupAt } from '../../records/steps.ts';
import { shared } from '../../style/shared.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { find } from '../run/reply.ts';
import { type Field, fieldsOf } from './record-fields.ts';

const fieldStyles: CSSResult = css`
  dl {
    display: grid;
    gap: 0.625rem;
  }
  dt {
    color: var(--soft);
  }
  dd .over {
    display: block;
    color: var(--soft);
  }
`;

/** The selected record member by member, and the receipt its step ended in. */
export class Fields extends View {
  static override styles: CSSResult[] = [
    shared,
    fieldStyles,
    css`
      section + section {
        margin-top: 1.5rem;
        padding-top: 1.25rem;
        border-top: 1px solid var(--line);
      }
      h3 {
        margin-bottom: 0.75rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const record = this.store.selection.record.value;
    const steps = this.store.session.value?.steps.value ?? [];
    if (record === undefined) return html``;
    const receipt = find(groupAt(steps, record.run_seq), 'receipt');
    return html`
      ${receipt === undefined || receipt === record ? '' : html`<section><h3>Receipt of step ${receipt.body.evidence.step}, record ${receipt.run_seq}</h3>${list(fieldsOf(receipt))}</section>`}
      <section><h3>Record ${record.run_seq}, ${record.kind}</h3>${list(fieldsOf(record))}</section>
    `;
  }
}

function list(fields: readonly Field[]): TemplateResult {
  return html`<dl>
    ${fields.map(
      ({ path, value, time, over }) =>
        html`<div><dt class="mono">${path}</dt><dd>${time === undefined ? '' : html`<time>${time}</time> `}<span class=${time === undefined ? 'mono' : 'mono soft'}>${shown(value)}</span>${over === undefined ? '' : html`<span class="over">${over}</span>`}</dd></div>`,
    )}
  </dl>`;
}

customElements.define('sp-fields', Fields);
