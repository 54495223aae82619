import '../parts/json-text.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { canonicalText, decode, decodeUtf8, type LedgerRecord, type PayloadRef } from '../../../core/index.ts';
import type { HeldReceipt } from '../../../core/ledger/held.ts';
import { openedHandle } from '../../../core/ledger/held-parts.ts';
import { heldOf } from '../../records/held.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { held as texts } from '../../texts/en/held.ts';
import { labelWord } from '../../texts/label-word.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { find } from '../run/reply.ts';
import { grantsOf } from '../run/run-grants.ts';
import { firstOf, type RunSession } from '../run/session.ts';
import { callerOf } from '../run/session-caller.ts';
import { type HeldPlace, whyUnasked } from './why-unasked.ts';

/** A held step for a person: what the model has in the place of the outcome, the outcome on request, and its sources. */
class HeldStep extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: grid;
        gap: 1.25rem;
        grid-template-columns: minmax(0, 1fr);
      }
      h3 {
        margin-bottom: 0.375rem;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0.375rem 1.25rem;
        margin-block: 0.5rem 0.75rem;
      }
      dt {
        color: var(--soft);
      }
      dd,
      li {
        overflow-wrap: anywhere;
      }
      code {
        font-family: var(--mono);
      }
      .badge {
        border-color: var(--edge);
        font-weight: 400;
      }
      li {
        padding: 0.125rem 0;
      }
      #outcome {
        margin-top: 0.75rem;
      }
      @media (max-width: 30rem) {
        dl {
          grid-template-columns: minmax(0, 1fr);
          gap: 0.125rem;
        }
        dd + dt {
          margin-top: 0.375rem;
        }
      }
    `,
  ];
  /** The hash of the receipt whose outcome is shown. */
  readonly #shown: Signal<string | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const group = this.store.selection.group.value;
    const held = group && heldOf(group.records);
    if (session === undefined || group === undefined || held === undefined) return html``;
    const { labels, sources, steps, handle } = held;
    const reader = callerOf([firstOf(session)]) === undefined ? 'model' : 'caller';
    return html`<section id="held">
        <h3>${texts().title}</h3>
        <p>${texts().told[reader](handle)}</p>
        <dl>
          <dt>${texts().labels}</dt><dd>${labels.length === 0 ? texts().noLabels : labels.map(badge)}</dd>
          <dt>${texts().sources}</dt><dd class="mono">${shown(sources.join(', '))}</dd>
          ${steps.length === 0 ? '' : html`<dt>${texts().steps}</dt><dd>${texts().stepsOf(steps)}</dd>`}
        </dl>
        ${this.#outcome(session, held, find(group, 'receipt')?.hash ?? '')}
      </section>
      ${this.#unasked(session, group.records)}`;
  }

  /** The outcome is shown to a person who asks for it: somebody may look over the shoulder. */
  #outcome(session: RunSession, held: HeldReceipt, receipt: string): TemplateResult {
    const isShown = this.#shown.value === receipt;
    const turn = (): void => {
      this.#shown.value = isShown ? undefined : receipt;
    };
    return html`<button type="button" id="show" aria-expanded=${isShown} @click=${turn}>${icon('eye')}${isShown ? texts().hide : texts().show}</button>
      ${isShown ? html`<div id="outcome">${opened(session, held)}</div>` : ''}`;
  }

  #unasked(session: RunSession, step: readonly LedgerRecord[]): TemplateResult | string {
    const args = jsonOf(session, step.find((record) => record.kind === 'verdict')?.body.args);
    if (args === undefined) return '';
    const run = session.records.value.slice(0, (step[0]?.run_seq ?? 0) + step.length);
    const unasked = whyUnasked({ step, run, args: args.value, grants: grantsOf(session) });
    if (unasked === undefined) return '';
    const { why, places } = unasked;
    return html`<section id="unasked">
      <h3>${texts().unasked.title}</h3>
      <p>${texts().unasked[why]}</p>
      ${why === 'unlabelled' ? '' : html`<ul>${places.slice(0, PLACES_MAX).map(place)}</ul>`}
    </section>`;
  }
}

const PLACES_MAX = 20;

function place({ pointer, labels, handle }: HeldPlace): TemplateResult {
  return html`<li><code>${pointer === '' ? texts().unasked.all : shown(pointer)}</code> ${labels.map(badge)} <span class="soft">${handle}</span></li>`;
}

function badge(label: string): TemplateResult {
  return html`<span class="badge">${icon(label === 'private' ? 'lock' : 'eye')}${labelWord(label)}</span> `;
}

function opened(session: RunSession, held: HeldReceipt): TemplateResult {
  const payload = session.payload(held.outcome);
  if (payload.state === 'loading') return html`<p class="soft">${texts().reading}</p>`;
  const { outcome } = openedHandle(held, payload.state === 'there' ? payload.bytes : undefined);
  if (outcome.ok && outcome.value !== undefined)
    return html`<sp-json .text=${canonicalText(outcome.value)} pretty label=${texts().value}></sp-json>`;
  if (outcome.ok || outcome.refusal === undefined) return html`<p>${texts().erased}</p>`;
  const { code, message } = outcome.refusal;
  return html`<p class="bad"><code>${code}</code> <span lang="en">${shown(message)}</span></p>`;
}

/** The value of a payload, in the limits of a message; undefined while it loads, and where it is missing. */
function jsonOf(session: RunSession, ref: PayloadRef | undefined) {
  const payload = ref && session.payload(ref);
  if (payload?.state !== 'there' || decodeUtf8(payload.bytes) === undefined) return undefined;
  const read = decode(payload.bytes);
  return read.ok ? read : undefined;
}

customElements.define('sp-held-step', HeldStep);
