import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { auditView } from '../../texts/en/audit-view.ts';
import { number } from '../../texts/intl.ts';
import { View } from '../parts/view.ts';
import type { LinkState } from './audit.ts';

const ICONS: { readonly [S in LinkState]: IconName } = { intact: 'check', altered: 'cross', unproven: 'help' };

/** Beyond this the chain is drawn around the record in question. */
const DRAWN_MAX = 400;

/** Every record as a link: intact, altered (the first problem), and unproven after it. */
class ChainView extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      ol {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
        margin: 0.5rem 0;
      }
      button {
        gap: 0.125rem;
        min-width: 3.25rem;
        min-height: 2rem;
        padding: 0 0.375rem;
        font-family: var(--mono);
      }
      svg.icon {
        width: 1rem;
        height: 1rem;
      }
      .intact {
        border-color: transparent;
        background: var(--good-wash);
        color: var(--good);
      }
      .altered {
        color: var(--bad);
        border: 2px solid currentcolor;
        background: var(--bad-wash);
        font-weight: 650;
      }
      .unproven {
        border: 1px dashed var(--edge);
        background: none;
        color: var(--soft);
      }
      form {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem;
      }
      form input {
        width: 7rem;
      }
      form button {
        font-family: inherit;
        min-height: 2.25rem;
        padding: 0 0.75rem;
      }
      @media (forced-colors: active) {
        .intact {
          border: 1px solid;
        }
      }
      button[aria-current='true'] {
        outline: 2px solid var(--ink);
        outline-offset: 1px;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { standings, seq } = this.store.audit;
    const all = standings.value;
    const from = all.length <= DRAWN_MAX ? 0 : Math.max(Math.min(seq.value - DRAWN_MAX / 2, all.length - DRAWN_MAX), 0);
    return html`<p>${summary(all)}</p>
      ${all.length <= DRAWN_MAX ? '' : html`<p class="soft">${auditView().chain.drawn(from, from + DRAWN_MAX - 1, all.length)}</p>`}
      ${this.#goTo(all.length)}
      <ol>${all.slice(from, from + DRAWN_MAX).map((standing, i) => this.#link(standing, from + i))}</ol>`;
  }

  /** Goes to a record by its number. */
  #goTo(records: number): TemplateResult {
    const { chain: texts } = auditView();
    const { seq } = this.store.audit;
    const go = (event: Event): void => {
      event.preventDefault();
      const { value, valueAsNumber } = this.renderRoot.querySelector<HTMLInputElement>('#number') ?? {};
      if (value !== '' && Number.isInteger(valueAsNumber))
        seq.value = Math.min(Math.max(valueAsNumber ?? 0, 0), records - 1);
    };
    return html`<form @submit=${go}>
      <label>${texts.number} <input id="number" type="number" min="0" max=${Math.max(records - 1, 0)} .value=${String(seq.value)} /></label>
      <button type="submit">${texts.go}</button>
    </form>`;
  }

  #link(standing: LinkState, at: number): TemplateResult {
    const { seq } = this.store.audit;
    const { chain: texts } = auditView();
    const choose = (): void => {
      seq.value = at;
    };
    return html`<li><button type="button" class=${standing} aria-current=${seq.value === at} aria-label=${texts.record(at, texts.standings[standing])} @click=${choose}>${icon(ICONS[standing])}${number(at)}</button></li>`;
  }
}

function summary(all: readonly LinkState[]): string {
  const { chain: texts } = auditView();
  const bad = all.indexOf('altered');
  const last = all.length - 1;
  if (all.length === 0) return texts.none;
  if (bad < 0) return texts.whole(last);
  const before = bad === 0 ? '' : texts.intact(bad - 1);
  const after = bad === last ? '' : texts.after(bad + 1, last);
  return `${before}${texts.first(bad)}${after}`;
}

customElements.define('sp-chain', ChainView);
