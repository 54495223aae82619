import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { countLookalike, countUnseen } from '../../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../workers/api.ts';
import { isLong } from '../../shared/long-arguments.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { approvalStyles } from './approval-style.ts';
import type { Rewriting } from './rewriting.ts';
import '../parts/json-text.ts';
import { count, shown } from '../parts/text.ts';
import { Question } from './question.ts';

const EFFECTS = {
  pure: 'It computes, and changes nothing.',
  read: 'It reads, and changes nothing.',
  write: 'It changes data.',
  egress: 'It sends data out of this device.',
} as const;

/** The operation of a message that a person is asked about under this name. */
const WRITES = 'content.write';

/**
 * The extent of an approval. Each choice but `once` is a grant for the rest of this run, and is written in the ledger.
 */
const SCOPES = {
  once: { word: 'This call, once', button: 'Approve once', answer: { approved: true } },
  thrice: {
    word: 'These arguments, 3 times',
    button: 'Approve 3 times',
    answer: { approved: true, standing: { args: 'exact', uses: 3 } },
  },
  same: {
    word: 'These arguments, until the run ends',
    button: 'Approve for this run',
    answer: { approved: true, standing: { args: 'exact' } },
  },
  any: {
    word: 'Any arguments, until the run ends',
    button: 'Approve all in this run',
    answer: { approved: true, standing: { args: 'any' } },
  },
} as const satisfies Record<string, { word: string; button: string; answer: ApprovalAnswer }>;
type Scope = keyof typeof SCOPES;

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
    const request = this.store.session.value?.view.value?.pending;
    this.hidden = request === undefined;
    return request === undefined ? html`` : this.#card(request);
  }

  #card(request: ApprovalRequest): TemplateResult {
    const { origin = '' } = request;
    const unseen = countUnseen(request.args) + countUnseen(origin);
    const lookalike = countLookalike(request.args) + countLookalike(origin);
    const rewriting = this.#rewriting.value;
    return html`<section aria-labelledby="ask">
      <h2 id="ask"><span class="wait">${icon('hand')}</span><span>Approve <span class="mono">${request.capability}</span>?</span></h2>
      <div class="body" tabindex="0" role="group" aria-label="What would happen">
      <p><strong>Effect: ${request.effect}.</strong> ${EFFECTS[request.effect]} ${shown(request.reason)}</p>
      ${origin === '' ? '' : html`<p id="origin">Its arguments go to <bdi class="mono">${shown(origin)}</bdi></p>`}
      ${rewriting === undefined ? '' : html`<sp-rewriting .rewriting=${rewriting}></sp-rewriting>`}
      <sp-json .text=${request.args} pretty whole label="The exact arguments"></sp-json>
      <p class="soft" id="end">${isLong(request.args) ? `${count(request.args.length, 'character')}, to here.` : ''}</p>
      ${unseen === 0 ? '' : html`<p class="bad warn">${icon('eye')}${count(unseen, 'character')} here would be invisible. Written out above.</p>`}
      ${lookalike === 0 ? '' : html`<p class="bad warn">${icon('eye')}${count(lookalike, 'word')} here in letters that may not be what they look like.</p>`}
      <p class="soft digest">digest <span class="mono">${request.digest}</span></p>
      </div>
      ${this.#denying.value ? this.#reason() : this.#choices()}
    </section>`;
  }

  #choices(): TemplateResult {
    const idle = !this.live.value;
    const choose = (event: Event): void => {
      this.#scope.value = (event.target as HTMLSelectElement).value as Scope;
    };
    const unread = !this.#read.value;
    return html`<p role="status" class="soft">${unread ? 'Scroll to the end of the arguments before you approve.' : ''}</p>
      <label class="scope">Your yes covers
        <select id="scope" .value=${this.#scope.value} @change=${choose}>
          ${(Object.keys(SCOPES) as Scope[]).map((scope) => html`<option value=${scope}>${SCOPES[scope].word}</option>`)}
        </select>
      </label>
      <div class="actions">
      <button type="button" id="deny" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, 'deny')}>Deny</button>
      <button type="button" id="deny-why" class="plain" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, 'why')} aria-label="Deny with a reason">Reason…</button>
      <button type="button" id="approve" class="primary" aria-disabled=${idle || unread} @click=${(event: Event) => this.#decide(event, 'approve')}>${SCOPES[this.#scope.value].button}</button>
    </div>`;
  }

  #reason(): TemplateResult {
    const submit = (event: Event): void => {
      event.preventDefault();
      if (!event.isTrusted) return;
      const reason = this.renderRoot.querySelector<HTMLInputElement>('#why')?.value ?? '';
      this.decide({ approved: false, reason });
    };
    return html`<form @submit=${submit}>
      <label for="why">Reason, told to the model</label>
      <input id="why" maxlength="500" autocomplete="off" />
      <div class="actions">
        <button type="submit" class="primary">Deny</button>
        <button type="button" class="plain" @click=${() => this.#back()}>Back</button>
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
    this.decide(choice === 'approve' ? SCOPES[this.#scope.peek()].answer : { approved: false, reason: '' });
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
