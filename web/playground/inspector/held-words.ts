import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { type HeldReceipt, heldIn } from '../../../core/ledger/held.ts';
import { type HeldValuePart, handlesNamed, heldParts } from '../../../core/ledger/held-parts.ts';
import { heldText } from '../../shared/held-text.ts';
import { shared } from '../../style/shared.ts';
import { held as texts } from '../../texts/en/held.ts';
import { labelWord } from '../../texts/label-word.ts';
import { SignalView } from '../parts/signal-view.ts';
import { shown } from '../parts/text.ts';
import type { RunSession } from '../run/session.ts';

/** The words of a model, with the held values that they name in marked boxes. A value is text, whatever it says. */
export class HeldWords extends SignalView {
  static override properties: PropertyDeclarations = { text: { attribute: false }, session: { attribute: false } };
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: inline;
      }
      .value {
        display: inline-block;
        max-width: 100%;
        max-height: 16rem;
        padding: 0.0625rem 0.5rem;
        overflow: auto;
        border: 1px dashed var(--edge);
        border-radius: var(--radius-small);
        background: var(--sunk);
        vertical-align: bottom;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .handle {
        margin-right: 0.375rem;
        color: var(--soft);
        font: 0.8125rem var(--mono);
      }
    `,
  ];
  declare text: string;
  declare session: Pick<RunSession, 'records' | 'payload'>;

  protected override view(): TemplateResult {
    const { text, session } = this;
    const named = new Set(handlesNamed(text));
    const rows = heldIn(session.records.value).filter(({ handle }) => named.has(handle));
    const bytes = new Map(rows.map((row) => [row.outcome.sha256, bytesOf(session, row)]));
    const parts = heldParts(text, rows, ({ sha256 }) => bytes.get(sha256));
    const isLoading = rows.some(({ outcome }) => session.payload(outcome).state === 'loading');
    return html`${parts.map((part) => (part.kind === 'text' ? shown(part.text) : box(part, isLoading)))}`;
  }
}

function bytesOf(session: Pick<RunSession, 'payload'>, { outcome }: HeldReceipt): Uint8Array | undefined {
  const payload = session.payload(outcome);
  return payload.state === 'there' ? payload.bytes : undefined;
}

function box({ handle, at, value, missing, labels, sources }: HeldValuePart, isLoading: boolean): TemplateResult {
  const { about, missing: why, cut } = texts().words;
  const title = [about(handle), labels.map(labelWord).join(', '), sources.join(', ')].filter((each) => each !== '');
  const { text, more } = value === undefined ? { text: '', more: 0 } : heldText(value);
  return html`<span class="value" role="group" tabindex="0" title=${title.join(' · ')} aria-label=${about(handle)}><span class="handle">${shown(`${handle}${at}`)}</span>${
    missing === undefined
      ? shown(text)
      : html`<em class="soft">${isLoading && missing === 'erased' ? texts().reading : why[missing]}</em>`
  }${more === 0 ? '' : html` <em class="soft">${cut(more)}</em>`}</span>`;
}

customElements.define('sp-held-words', HeldWords);
