import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { shared } from '../../style/shared.ts';
import { timeline } from '../../texts/en/timeline.ts';
import { View } from '../parts/view.ts';

/** Below this there is no past worth travelling to. */
const RECORDS_MIN = 3;

/** The run's time, record by record. Looking back changes no state: the run rests or goes on. */
export class Scrubber extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        position: var(--scrubber, static);
        bottom: 3.5rem;
        background: var(--panel);
      }
      div {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        min-height: 2.75rem;
        padding: 0.25rem 1rem;
        border-top: 1px solid var(--line);
      }
      input {
        flex: 1;
        min-width: 4rem;
        min-height: 1.75rem;
        padding: 0;
        accent-color: var(--accent);
      }
      span {
        white-space: nowrap;
      }
      button {
        min-height: 2rem;
        padding: 0 0.625rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { selection, session } = this.store;
    const last = (session.value?.records.value.length ?? 0) - 1;
    if (last < RECORDS_MIN - 1) return html``;
    const at = selection.seq.value ?? last;
    const go = (event: Event): void => selection.select(Number((event.target as HTMLInputElement).value));
    const { scrubber: texts } = timeline();
    return html`<div>
      <input type="range" aria-label=${texts.label} min="0" max=${last} .value=${String(at)} aria-valuetext=${texts.place(at, last)} @input=${go} />
      ${at === last ? html`<span class="soft">${texts.end}</span>` : html`<span>${texts.of(at, last)}</span><button type="button" id="now" class="plain" @click=${() => selection.select(last)}>${texts.toEnd}</button>`}
    </div>`;
  }
}

customElements.define('sp-scrubber', Scrubber);
