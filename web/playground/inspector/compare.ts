import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { LedgerRecord } from '../../../core/index.ts';
import { shared } from '../../style/shared.ts';
import { inspectorParts } from '../../texts/en/inspector-parts.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { fieldsOf } from './record-fields.ts';

/** A member of either record; undefined where a record lacks the member. */
interface Member {
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** Two pinned records side by side: the members that differ, and on demand the equal members. */
export class Compare extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      section {
        margin-top: 1.5rem;
        padding-top: 1.25rem;
        border-top: 1px solid var(--line);
      }
      table {
        width: 100%;
        margin-top: 0.5rem;
        border-collapse: collapse;
        table-layout: fixed;
      }
      th,
      td {
        padding: 0.25rem 1rem 0.25rem 0;
        text-align: left;
        vertical-align: top;
        font-weight: 400;
        overflow-wrap: anywhere;
      }
      thead th {
        font-weight: 650;
      }
      tbody tr:first-child {
        border-top: 1px solid var(--line);
      }
      tbody th {
        padding-block: 0.5rem 0;
      }
      td {
        padding-bottom: 0.5rem;
      }
      details {
        margin-top: 0.75rem;
      }
      summary {
        font-weight: 400;
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
      return html`<section><p class="soft">${inspectorParts().compare.pinAnother(left.run_seq)}</p></section>`;
    return this.#both(left, right);
  }

  #both(left: LedgerRecord, right: LedgerRecord): TemplateResult {
    const texts = inspectorParts().compare;
    const members = membersOf(left, right);
    const same = members.filter(({ a, b }) => a === b);
    const differing = members.filter(({ a, b }) => a !== b);
    return html`<section aria-label=${texts.label}>
      <h3>${texts.differ(left.run_seq, right.run_seq, differing.length)}</h3>
      ${table(left, right, differing)}
      ${same.length === 0 ? '' : html`<details><summary class="soft">${texts.same(same.length)}</summary>${table(left, right, same)}</details>`}
    </section>`;
  }
}

function membersOf(left: LedgerRecord, right: LedgerRecord): readonly Member[] {
  const a = new Map(fieldsOf(left).map((field) => [field.path, field.value]));
  const b = new Map(fieldsOf(right).map((field) => [field.path, field.value]));
  return [...new Set([...a.keys(), ...b.keys()])].map((path) => ({ path, a: a.get(path), b: b.get(path) }));
}

function table({ run_seq: a }: LedgerRecord, { run_seq: b }: LedgerRecord, members: readonly Member[]): TemplateResult {
  const texts = inspectorParts().compare;
  return html`<table>
    <thead><tr><th scope="col">${texts.inRecord(a)}</th><th scope="col">${texts.inRecord(b)}</th></tr></thead>
    ${members.map((member) => html`<tbody><tr><th scope="rowgroup" colspan="2" class="mono soft">${member.path}</th></tr><tr>${cell(member.a)}${cell(member.b)}</tr></tbody>`)}
  </table>`;
}

const HASH = /^[0-9a-f]{64}$/u;

function cell(value: string | undefined): TemplateResult {
  if (value === undefined) return html`<td class="soft">${inspectorParts().compare.none}</td>`;
  return html`<td class="mono">${HASH.test(value) ? shortHash(value) : shown(value)}</td>`;
}

customElements.define('sp-compare', Compare);
