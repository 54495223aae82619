import { type CSSResult, html, type TemplateResult } from 'lit';
import type { ConsentRequest } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { count, shown } from '../parts/text.ts';
import { approvalStyles } from './approval-style.ts';
import { Question } from './question.ts';

/**
 * Asks whether the data that this model has read may leave the device. Asked once for a run, before the first request
 * that would send it.
 */
export class ConsentCard extends Question {
  static override styles: CSSResult[] = [shared, approvalStyles];

  protected override view(): TemplateResult {
    const request = this.store.session.value?.view.value?.consent;
    this.hidden = request === undefined;
    return request === undefined ? html`` : this.#card(request);
  }

  #card({ origin, bytes, bytes_max, digest }: ConsentRequest): TemplateResult {
    const idle = !this.live.value;
    return html`<section aria-labelledby="ask">
      <h2 id="ask"><span class="wait">${icon('hand')}</span>Let private content go to <span class="mono">${shown(origin)}</span>?</h2>
      <div class="body" tabindex="0" role="group" aria-label="What would leave this device">
        <p><strong>${count(bytes, 'byte')} now</strong>, and up to ${count(bytes_max, 'byte')} with each later request of this run: everything the model is shown. Some of it is private. This page cannot see or undo the server’s use of it.</p>
        <p>Refusing ends the run, because its model could be sent no further request. Either answer is recorded.</p>
        <p class="soft">All of it is in the ledger: the task, and each reply under Result.</p>
        <p class="soft digest">digest <span class="mono">${digest}</span></p>
      </div>
      <div class="actions">
        <button type="button" id="deny" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, false)}>No, end the run</button>
        <span class="space"></span>
        <button type="button" id="consent" class="primary" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, true)}>Send it there</button>
      </div>
    </section>`;
  }

  protected override digest(): string | undefined {
    return this.store.session.peek()?.view.peek()?.consent?.digest;
  }

  #decide(event: Event, yes: boolean): void {
    if (this.decides(event)) this.decide(yes ? { approved: true } : { approved: false, reason: '' });
  }
}

customElements.define('sp-consent', ConsentCard);
