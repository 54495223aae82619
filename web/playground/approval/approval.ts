import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { countLookalike, countUnseen, type LedgerRecord } from '../../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, RunView } from '../../../workers/api.ts';
import { whyAsked } from '../../records/why-asked.ts';
import { isLong } from '../../shared/long-arguments.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { approval } from '../../texts/en/approval.ts';
import { approvalStyles } from './approval-style.ts';
import type { Rewriting } from './rewriting.ts';
import '../parts/json-text.ts';
import { shown } from '../parts/text.ts';
import { Question } from './question.ts';

/** The operation of a message that a person is asked about under this name. */
const WRITES = 'content.write';

/**
 * The extent of an approval. Each choice but `once` is a grant for the rest of this run, and is written in the ledger.
 */
const SCOPES = {
  once: { approved: true },
  thrice: { approved: true, standing: { args: 'exact', uses: 3 } },
  same: { approved: true, standing: { args: 'exact' } },
  any: { approved: true, standing: { args: 'any' } },
} as const satisfies Record<string, ApprovalAnswer>;
type Scope = keyof typeof SCOPES;

/** The parts of a session that the card reads. A page without a whole session, as a lesson is, offers these. */
export interface AskedSession {
  readonly view: ReadonlySignal<RunView | undefined>;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
}

/** The question for a person: exactly this call, once. There is no key for yes. */
export class Approval extends Question {
  static override styles: CSSResult[] = [shared, approvalStyles];
  readonly #denying: Signal<boolean> = signal(false);
  readonly #scope: Signal<Scope> = signal('once');
  /** The end of the arguments has been in sight, or they are short. */
  readonly #read: Signal<boolean> = signal(true);
  #watching: IntersectionObserver | undefined;
  /** For a WRITE, the change to the text; undefined until the current text has been read. */
  readonly #rewriting: Signal<Rewriting | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const request = this.#session()?.view.value?.pending;
    this.hidden = request === undefined;
    return request === undefined ? html`` : this.#card(request);
  }

  #session(): AskedSession | undefined {
    return this.store.session.value;
  }

  #card(request: ApprovalRequest): TemplateResult {
    const { origin = '' } = request;
    const unseen = countUnseen(request.args) + countUnseen(origin);
    const lookalike = countLookalike(request.args) + countLookalike(origin);
    const rewriting = this.#rewriting.value;
    const texts = approval();
    return html`<section aria-labelledby="ask">
      <h2 id="ask"><span class="wait">${icon('hand')}</span><span>${texts.title(request.capability)}</span></h2>
      <div class="body" tabindex="0" role="group" aria-label=${texts.body}>
      <p><strong>${texts.effect(request.effect)}</strong> ${texts.effects[request.effect]} ${this.#why(request)}</p>
      ${origin === '' ? '' : html`<p id="origin">${texts.goesTo(shown(origin))}</p>`}
      ${rewriting === undefined ? '' : html`<sp-rewriting .rewriting=${rewriting}></sp-rewriting>`}
      <sp-json .text=${request.args} pretty whole label=${texts.arguments}></sp-json>
      <p class="soft" id="end">${isLong(request.args) ? texts.end(request.args.length) : ''}</p>
      ${unseen === 0 ? '' : html`<p class="bad warn">${icon('eye')}${texts.unseen(unseen)}</p>`}
      ${lookalike === 0 ? '' : html`<p class="bad warn">${icon('eye')}${texts.lookalike(lookalike)}</p>`}
      <p class="soft digest">${texts.digest(request.digest)}</p>
      </div>
      ${this.#denying.value ? this.#reason() : this.#choices()}
    </section>`;
  }

  /** In the language of the interface, or as the kernel says it. */
  #why(request: ApprovalRequest): TemplateResult {
    const why = whyAsked(this.#session()?.records.value ?? [], request);
    return why === undefined
      ? html`<span lang="en">${shown(request.reason)}</span>`
      : html`<span>${approval().reasons[why]}</span>`;
  }

  #choices(): TemplateResult {
    const idle = !this.live.value;
    const choose = (event: Event): void => {
      this.#scope.value = (event.target as HTMLSelectElement).value as Scope;
    };
    const unread = !this.#read.value;
    const texts = approval();
    return html`<p role="status" class="soft">${unread ? texts.readFirst : ''}</p>
      <label class="scope">${texts.covers}
        <select id="scope" .value=${this.#scope.value} @change=${choose}>
          ${(Object.keys(SCOPES) as Scope[]).map((scope) => html`<option value=${scope}>${texts.scopes[scope].word}</option>`)}
        </select>
      </label>
      <div class="actions">
      <button type="button" id="deny" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, 'deny')}>${texts.deny}</button>
      <button type="button" id="deny-why" class="plain" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, 'why')} aria-label=${texts.denyWhy}>${texts.reason}</button>
      <button type="button" id="approve" class="primary" aria-disabled=${idle || unread} @click=${(event: Event) => this.#decide(event, 'approve')}>${texts.scopes[this.#scope.value].button}</button>
    </div>`;
  }

  #reason(): TemplateResult {
    const submit = (event: Event): void => {
      event.preventDefault();
      if (!event.isTrusted) return;
      const reason = this.renderRoot.querySelector<HTMLInputElement>('#why')?.value ?? '';
      this.decide({ approved: false, reason });
    };
    const texts = approval();
    return html`<form @submit=${submit}>
      <label for="why">${texts.reasonField}</label>
      <input id="why" maxlength="500" autocomplete="off" />
      <div class="actions">
        <button type="submit" class="primary">${texts.deny}</button>
        <button type="button" class="plain" @click=${() => this.#back()}>${texts.back}</button>
      </div>
    </form>`;
  }

  #back(): void {
    this.#denying.value = false;
  }

  #decide(event: Event, choice: 'approve' | 'deny' | 'why'): void {
    if (!this.decides(event) || (choice === 'approve' && !this.#read.peek())) return;
    if (choice === 'why') {
      this.#denying.value = true;
      void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('#why')?.focus());
      return;
    }
    this.decide(choice === 'approve' ? SCOPES[this.#scope.peek()] : { approved: false, reason: '' });
  }

  protected override digest(): string | undefined {
    return this.store.session.peek()?.view.peek()?.pending?.digest;
  }

  protected override renewed(): void {
    this.#denying.value = false;
    this.#scope.value = 'once';
    this.#rewriting.value = undefined;
    const request = this.store.session.peek()?.view.peek()?.pending;
    this.#watchEnd(request);
    if (request?.capability === WRITES) void this.#look(request);
  }

  /** A card scrolls by itself or with its page: either way an observer tells when its end comes into sight. */
  #watchEnd(request: ApprovalRequest | undefined): void {
    this.#watching?.disconnect();
    this.#read.value = request === undefined || !isLong(request.args);
    const end = this.renderRoot.querySelector('#end');
    if (this.#read.peek() || end === null) return;
    this.#watching = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#read.value = true;
    });
    this.#watching.observe(end);
  }

  async #look(request: ApprovalRequest): Promise<void> {
    // loaded with the first paper that a model changes; without it the card still shows the exact arguments
    const found = await Promise.all([import('./rewriting.ts'), import('./rewriting-view.ts')])
      .then(([{ rewritingOf }]) => rewritingOf(this.store.runtime, request))
      .catch(() => undefined);
    if (this.digest() === request.digest) this.#rewriting.value = found;
  }
}

customElements.define('sp-approval', Approval);
