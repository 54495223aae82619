import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { JsonValue, LedgerRecord } from '../../../core/index.ts';
import { groupAt } from '../../records/steps.ts';
import { shared } from '../../style/shared.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { loading } from '../parts/loading.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { find } from '../run/reply.ts';
import { fieldsOf } from './record-fields.ts';

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
      button {
        min-height: 2rem;
        margin-bottom: 0.75rem;
        padding: 0.125rem 0.75rem;
      }
      button[aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-wash);
        color: var(--accent);
        font-weight: 650;
      }
    `,
  ];
  readonly #asTree: Signal<boolean> = signal(false);

  protected override view(): TemplateResult {
    const record = this.store.selection.record.value;
    const steps = this.store.session.value?.steps.value ?? [];
    if (record === undefined) return html``;
    const receipt = find(groupAt(steps, record.run_seq), 'receipt');
    const turn = (): void => {
      this.#asTree.value = !this.#asTree.peek();
    };
    const { fields: texts } = inspector();
    const list = this.#asTree.value ? tree : fields;
    return html`
      <button type="button" id="tree" aria-pressed=${this.#asTree.value} @click=${turn}>${texts.tree}</button>
      ${receipt === undefined || receipt === record ? '' : html`<section><h3>${texts.receipt(receipt.body.evidence.step, receipt.run_seq)}</h3>${list(receipt)}</section>`}
      <section><h3>${texts.recordOf(record.run_seq, inEnglish(record.kind))}</h3>${list(record)}</section>
    `;
  }
}

function tree(record: LedgerRecord): TemplateResult {
  return html`<sp-tree .value=${record as unknown as JsonValue} label=${inspector().record(record.run_seq)}>${loading('tree', () => import('../parts/json-tree.ts'))}</sp-tree>`;
}

function fields(record: LedgerRecord): TemplateResult {
  return html`<dl>
    ${fieldsOf(record).map(
      ({ path, value, time, over }) =>
        html`<div><dt class="mono">${path}</dt><dd>${time === undefined ? '' : html`<time>${time}</time> `}<span class="mono ${time === undefined ? '' : 'soft'}">${shown(value)}</span>${over === undefined ? '' : html`<span class="over">${over}</span>`}</dd></div>`,
    )}
  </dl>`;
}

customElements.define('sp-fields', Fields);
