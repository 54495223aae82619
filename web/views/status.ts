import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import './elapsed.ts';
import { View } from './view.ts';

/** One line that says what is going on, politely spoken; a question for a person interrupts, once. */
export class StatusLine extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      div {
        display: flex;
        align-items: center;
        min-height: 2.5rem;
        padding: 0.25rem 1rem;
      }
      div > .soft,
      [role='status']:not(:empty) {
        margin-right: 0.375rem;
      }
      .space {
        flex: 1;
      }
      sp-elapsed {
        margin-left: 0.375rem;
        font-variant-numeric: tabular-nums;
      }
      button {
        flex: none;
        margin-left: 0.75rem;
        min-height: 1.75rem;
        padding: 0 0.5rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { status, trouble, view, session } = this.store;
    const { sentence, tone, word } = status.value;
    const urgent = tone === 'wait' && status.value.icon === 'hand';
    return html`<div>
      ${view.value === 'run' ? '' : html`<span class="soft">Run: </span>`}
      <span role="status">${urgent ? '' : sentence}</span>
      ${word === 'Running' ? html`<sp-elapsed class="soft" .of=${`${session.value?.view.value?.steps} ${sentence}`}></sp-elapsed>` : ''}
      <span role="alert">${urgent ? sentence : ''} ${trouble.value ?? ''}</span>
      ${trouble.value === undefined ? '' : html`<button type="button" class="plain" aria-label="Dismiss" @click=${() => this.#dismiss()}>${icon('close')}</button>`}
      <span class="space"></span>
      <button type="button" class="plain" @click=${() => this.dispatchEvent(new Event('sp-help', { bubbles: true, composed: true }))}><kbd>?</kbd> keys</button>
    </div>`;
  }

  #dismiss(): void {
    this.store.trouble.value = undefined;
  }
}

customElements.define('sp-status', StatusLine);
