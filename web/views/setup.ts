import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { GrantOption } from '../../workers/api.ts';
import { icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import { shown } from './text.ts';
import './composer.ts';
import './runs.ts';
import { View } from './view.ts';

/** What the run was given: its task, who proposes, what is permitted, and what it may use up. */
export class Setup extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      section {
        padding: 1rem 1.25rem;
        border-bottom: 1px solid var(--line);
      }
      section:last-child {
        border-bottom: 0;
      }
      h2 {
        margin-bottom: 0.375rem;
      }
      .grants li {
        display: flex;
        align-items: center;
        gap: 0.625rem;
        min-height: 2rem;
      }
      .grants .mode {
        margin-left: auto;
        white-space: nowrap;
      }
      .meters {
        display: grid;
        gap: 0.625rem;
      }
      .meters div {
        display: flex;
        justify-content: space-between;
      }
      progress {
        display: block;
        width: 100%;
        height: 0.5rem;
        accent-color: var(--accent);
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { scenario } = this.store;
    return html`
      <section>
        <h2>Task</h2>
        <p>${shown(scenario.task)}</p>
      </section>
      <section><sp-composer .store=${this.store}></sp-composer></section>
      ${this.#grants(scenario.grants)}
      ${this.#meters()}
      <section><sp-runs .store=${this.store}></sp-runs></section>
    `;
  }

  #grants(grants: readonly GrantOption[]): TemplateResult {
    const words = { allow: 'allowed', ask: 'asks you', deny: 'denied' } as const;
    const icons = { allow: 'check', ask: 'hand', deny: 'barrier' } as const;
    const tones = { allow: 'good', ask: 'wait', deny: 'bad' } as const;
    return html`<section>
      <details>
        <summary>${grants.length} grants <span class="soft">· everything else is denied</span></summary>
        <ul class="grants">
          ${grants.map(
            ({ capability, mode, uses }) => html`<li>
              <span class=${tones[mode]}>${icon(icons[mode])}</span>
              <span class="mono">${capability}</span>
              <span class="mode soft">${words[mode]}${uses === undefined ? '' : `, ${uses} uses`}</span>
            </li>`,
          )}
        </ul>
      </details>
    </section>`;
  }

  #meters(): TemplateResult {
    const records = this.store.session.value?.records.value ?? [];
    const first = records[0];
    if (first?.kind !== 'configuration') return html``;
    const { limits } = first.body;
    const receipts = records.filter((record) => record.kind === 'receipt');
    const inRow = receipts.length - 1 - receipts.findLastIndex((record) => record.body.receipt.status === 'SUCCESS');
    return html`<section class="meters">
      <h2>Limits</h2>
      ${this.#meter('Steps', receipts.length, limits.steps)} ${this.#meter('Refused in a row', inRow, limits.refusalsInRow)}
    </section>`;
  }

  #meter(name: string, used: number, limit: number): TemplateResult {
    return html`<label><div><span>${name}</span><span class="soft">${used} of ${limit}</span></div>
      <progress max=${limit} .value=${Math.min(used, limit)}></progress></label>`;
  }
}

customElements.define('sp-setup', Setup);
