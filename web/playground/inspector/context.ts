import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { ModelMessage } from '../../../workers/api.ts';
import { shared } from '../../style/shared.ts';
import { inspectorParts } from '../../texts/en/inspector-parts.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** The complete context that the proposer was shown before this step. */
class ContextView extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      li {
        padding: 0.75rem 0;
        border-top: 1px solid var(--line);
      }
      pre {
        margin-top: 0.25rem;
        font: 1rem / 1.5 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .new {
        box-shadow: inset 4px 0 0 var(--accent);
        padding-left: 0.875rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const texts = inspectorParts().context;
    const session = this.store.session.value;
    const step = this.store.selection.group.value?.step;
    if (session?.proposer === undefined) {
      return html`<p class="soft">${texts.otherTab}</p>`;
    }
    const contexts = session.proposer.contexts.value;
    const shownNow = contexts[(step ?? contexts.length) - 1];
    if (shownNow === undefined) return html`<p class="soft">${texts.none}</p>`;
    return this.#messages(step ?? contexts.length, shownNow, contexts[(step ?? contexts.length) - 2]);
  }

  #messages(
    step: number,
    messages: readonly ModelMessage[],
    before: readonly ModelMessage[] | undefined,
  ): TemplateResult {
    const texts = inspectorParts().context;
    const known = before?.length ?? messages.length;
    return html`<p>${texts.messages(messages.length, step)} <span class="soft">${before === undefined ? '' : texts.newOnes(Math.max(messages.length - known, 0))}</span></p>
      <ol>
        ${messages.map(
          (message, i) =>
            html`<li class=${i >= known ? 'new' : ''}><strong>${message.role}</strong>${i >= known ? html` <span class="soft">${texts.new}</span>` : ''}<pre>${shown(message.content)}</pre></li>`,
        )}
      </ol>`;
  }
}

customElements.define('sp-context', ContextView);
