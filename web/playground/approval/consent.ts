import { type CSSResult, html, type TemplateResult } from 'lit';
import { consentCard, type Readable } from '../../../core/approval/card.ts';
import type { ConsentRequest } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { approval } from '../../texts/en/approval.ts';
import { shown } from '../parts/text.ts';
import { approvalStyles, Question } from './approval.ts';

/**
 * Asks whether the data that this model has read may leave the device. Asked once for a run, before the first request
 * that would send it.
 */
class ConsentCard extends Question {
  static override styles: CSSResult[] = [shared, approvalStyles];

  protected override view(): TemplateResult {
    const request = this.store.session.value?.view.value?.consent;
    this.hidden = request === undefined;
    return request === undefined ? html`` : this.#card(request);
  }

  #card({ origin, bytes, bytes_max, digest }: ConsentRequest): TemplateResult {
    const { bound } = consentCard({ digest });
    const { consent: texts, digest: digestText } = approval();
    return html`<section aria-labelledby="ask">
      <h2 id="ask"><span class="wait">${icon('hand')}</span>${texts.title(shown(origin))}</h2>
      <div class="body" tabindex="0" role="group" aria-label=${texts.body}>
        <p>${texts.amount(bytes, bytes_max)}</p>
        <p>${texts.refusing}</p>
        <p class="soft">${texts.where}</p>
        <p class="soft digest">${digestText(digest)}</p>
      </div>
      <div class="actions">
        <button type="button" id="deny" aria-disabled=${this.watch.isInert} @click=${(event: UIEvent) => this.decide(event, 'no', bound, { approved: false, reason: '' })}>${texts.no}</button>
        <span class="space"></span>
        <button type="button" id="consent" class="primary" aria-disabled=${this.watch.hindrance !== undefined} @click=${(event: UIEvent) => this.decide(event, 'yes', bound, { approved: true })}>${texts.yes}</button>
      </div>
    </section>`;
  }

  protected override asked(): Readable | undefined {
    const request = this.store.session.peek()?.view.peek()?.consent;
    return request && consentCard(request);
  }
}

customElements.define('sp-consent', ConsentCard);
