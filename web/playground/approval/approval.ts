import '../parts/json-text.ts';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import type { CardChoice } from '../../../core/approval/answer.ts';
import type { SignedAnswer } from '../../../core/approval/assertion.ts';
import {
  type ApprovalCard,
  type BoundQuestion,
  type CardSignatures,
  type CardValue,
  cardOf,
  plainText,
  type Readable,
} from '../../../core/approval/card.ts';
import { canonicalText, type LedgerRecord, visibleText, type WantedSignatures } from '../../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, EditedQuestion, RunView } from '../../../workers/api.ts';
import { loadPart } from '../../../workers/load-part.ts';
import { whyAsked } from '../../records/why-asked.ts';
import { CardSigning } from '../../shared/card-signing.ts';
import { CardWatch, isGesture } from '../../shared/card-watch.ts';
import { inFocus, isTyping } from '../../shared/typing.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { approval } from '../../texts/en/approval.ts';
import { passkeys } from '../../texts/en/passkeys.ts';
import { rules } from '../../texts/en/rules.ts';
import { labelWord } from '../../texts/label-word.ts';
import { ruleAsks } from '../parts/dialog-asks.ts';
import { keptKeys } from '../parts/kept-keys.ts';
import { shownPieces } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { fieldStyles } from '../propose-form/field-view.ts';
import type * as EditingForms from './editing.ts';
import type { Editing } from './editing.ts';
import type { Rewriting } from './rewriting.ts';

/** Calls of an hour from which on a rule is offered beside a question. */
const FREQUENT = 3;

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

/** What a passkey signs for each extent: the terms of a standing answer. */
function signedFor(scope: Scope): SignedAnswer {
  const given = SCOPES[scope];
  return 'standing' in given ? given.standing : 'once';
}

function scopeOf(answer: SignedAnswer): Scope | undefined {
  const text = canonicalText(answer);
  return (Object.keys(SCOPES) as Scope[]).find((scope) => canonicalText(signedFor(scope)) === text);
}

type SignedRequest = ApprovalRequest & { readonly signed: WantedSignatures };

/** The parts of a session that the card reads. A page without a whole session, as a lesson is, offers these. */
export interface AskedSession {
  readonly view: ReadonlySignal<RunView | undefined>;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
}

export const approvalStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    container-type: inline-size;
  }
  section {
    display: flex;
    flex-direction: column;
    gap: 0.625rem;
    min-height: 0;
    padding: 1rem 1.25rem 1.25rem;
    border: 1px solid var(--wait);
    border-radius: var(--radius);
    background: var(--panel);
    box-shadow: inset 0 4px 0 var(--wait), var(--shadow);
  }
  h2 {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
    padding-top: 0.25rem;
    font-size: 1.125rem;
  }
  .body {
    display: grid;
    flex: 1 1 auto;
    gap: 0.625rem;
    min-height: 4rem;
    overflow-y: auto;
    --json-height: none;
  }
  /* Set apart, and in lines as they read. */
  .lined {
    overflow: visible;
    font-family: inherit;
  }
  /* In sight when the end of the arguments is. */
  #end {
    min-height: 1px;
  }
  h2 > .wait {
    display: inline-flex;
  }
  /* Not hidden: a row of the body would shrink to nothing. */
  .digest {
    overflow: clip;
    text-overflow: ellipsis;
  }
  #carries li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
    padding: 0.25rem 0;
    overflow-wrap: anywhere;
  }
  #carries .mono {
    min-width: 0;
  }
  #carries .badge {
    border-color: var(--edge);
  }
  #signers {
    display: grid;
    gap: 0.25rem;
  }
  .signed,
  .warn {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 650;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
  }
  .actions button {
    padding-inline: 0.75rem;
  }
  .scope {
    display: grid;
    gap: 0.125rem;
    color: var(--soft);
  }
  :is(#approve, #sign) {
    margin-left: auto;
  }
  @container (max-width: 26rem) {
    section {
      padding: 0.75rem 1rem 1rem;
    }
    .actions {
      gap: 0.25rem;
    }
    .actions button {
      padding-inline: 0.625rem;
    }
  }
  /* Too low for the question and the answers at once, as with large text: the card scrolls as a whole. */
  @media (max-height: 30rem) and (max-width: 47rem) {
    section {
      flex: none;
    }
    .body {
      overflow: visible;
    }
  }
  form {
    display: grid;
    gap: 0.5rem;
  }
  .editor {
    max-height: 45vh;
    overflow-y: auto;
  }
  #changes li {
    padding: 0.25rem 0;
    overflow-wrap: anywhere;
  }
  #changes del {
    color: var(--soft);
  }
  #changes ins {
    font-weight: 650;
  }
`;

/** A question for a person. The way out is in focus, and there is no key for yes. */
export abstract class Question extends View {
  protected readonly watch: CardWatch = new CardWatch(() => this.requestUpdate());
  #isAsking = false;

  /** The question; undefined where there is none. */
  protected abstract asked(): Readable | undefined;

  /** Another question has come. */
  protected renewed(): void {}

  /** The question has gone. */
  protected settled(): void {}

  /** Sends the person's decision on this card: the ledger records it as a gesture, not as a program's answer. */
  protected decide(
    event: UIEvent,
    choice: CardChoice,
    bound: BoundQuestion,
    answer: ApprovalAnswer,
    digest: string = bound.digest,
  ): void {
    const given = this.watch.answer(event, choice, bound);
    if (given !== undefined) this.store.answer(digest, { ...answer, via: 'gesture' });
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { renderRoot: root } = this;
    const [asked, actions] = [this.asked(), root.querySelector('.actions')];
    if (asked === undefined || actions === null) return this.#settle();
    this.#isAsking = true;
    const ends = [['args', root.querySelector('#end')]] as const;
    if (!this.watch.show({ asked, actions, ends })) return;
    this.renewed();
    if (!isWriting()) root.querySelector<HTMLElement>('#deny')?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.watch.stop();
    this.settled();
  }

  #settle(): void {
    this.watch.stop();
    this.settled();
    if (this.#isAsking) this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
    this.#isAsking = false;
  }
}

/** The button of a yes, and why there is none, or not yet. */
interface YesButton {
  readonly yes: TemplateResult | string;
  readonly status: string;
}

/** The question for a person: exactly this call, once. There is no key for yes. */
export class Approval extends Question {
  static override styles: CSSResult[] = [shared, quoted, approvalStyles, fieldStyles];
  readonly #denying: Signal<boolean> = signal(false);
  readonly #scope: Signal<Scope> = signal('once');
  #drawn: { readonly request: ApprovalRequest; readonly card: ApprovalCard } | undefined;
  readonly #signing: CardSigning = new CardSigning(() => this.requestUpdate());
  /** For a WRITE, the change to the text; undefined until the current text has been read. */
  readonly #rewriting: Signal<Rewriting | undefined> = signal(undefined);
  /** The arguments while a person edits them. */
  readonly #editing: Signal<Editing | undefined> = signal(undefined);
  /** The edited call of the open question, and the digest of that question. */
  readonly #edited: Signal<{ readonly of: string; readonly question: EditedQuestion } | undefined> = signal(undefined);
  /** Draws the form; loaded when a person first edits a call. */
  #forms: typeof EditingForms | undefined;

  protected override view(): TemplateResult {
    const pending = this.#session()?.view.value?.pending;
    this.hidden = pending === undefined;
    if (pending === undefined) return html``;
    const request = this.#shownFor(pending);
    return this.#question(request, this.#card(request));
  }

  /** The edited call in the place of the one that the question is about. */
  #shownFor(pending: ApprovalRequest): ApprovalRequest {
    const edited = this.#edited.value;
    return edited?.of === pending.digest ? edited.question : pending;
  }

  #card(request: ApprovalRequest): ApprovalCard {
    if (this.#drawn?.request !== request) this.#drawn = { request, card: cardOf(request) };
    return this.#drawn.card;
  }

  #session(): AskedSession | undefined {
    return this.store.session.value;
  }

  #question(request: ApprovalRequest, card: ApprovalCard): TemplateResult {
    const { args, effect, isDeclared, origin, releases, unseen, lookalike } = card;
    const rewriting = this.#rewriting.value;
    const texts = approval();
    return html`<section aria-labelledby="ask">
      <h2 id="ask"><span class="wait">${icon('hand')}</span><span>${texts.title(shownPieces(card.title))}</span></h2>
      <div class="body" tabindex="0" role="group" aria-label=${texts.body}>
      <p><strong>${texts.effect(effect)}</strong> ${texts.effects[effect]} ${isDeclared ? `${texts.declared} ` : ''}${this.#why(request, card)}</p>
      ${origin === undefined ? '' : html`<p id="origin">${texts.goesTo(shownPieces(origin))}</p>`}
      ${releases === undefined ? '' : html`<p id="releases">${texts.releases(releases)}</p>`}
      ${card.signatures === undefined ? '' : this.#signers(card.signatures)}
      ${rewriting === undefined ? '' : html`<sp-rewriting .rewriting=${rewriting}></sp-rewriting>`}
      ${this.#changes()}
      ${args.texts.map(({ place, pieces }) => html`<h3>${texts.asText(shownPieces(place))}</h3><pre class="lined" dir="auto">${shownPieces(pieces)}</pre>`)}
      ${args.texts.length === 0 ? '' : html`<h3>${texts.arguments}</h3>`}
      <sp-json .text=${args.text} pretty whole label=${texts.arguments}></sp-json>
      ${card.carries.length === 0 ? '' : carried(card.carries)}
      <p class="soft" id="end">${args.isLong ? texts.end(args.length) : ''}</p>
      ${unseen === 0 ? '' : html`<p class="bad warn">${icon('eye')}${texts.unseen(unseen)}</p>`}
      ${lookalike === 0 ? '' : html`<p class="bad warn">${icon('eye')}${texts.lookalike(lookalike)}</p>`}
      <p class="soft digest">${texts.digest(request.digest)}</p>
      ${this.#rule(request)}
      ${this.#allowed()}
      </div>
      ${this.#answers(request, card)}
    </section>`;
  }

  #answers(request: ApprovalRequest, card: ApprovalCard): TemplateResult {
    if (this.#editing.value !== undefined) return this.#editor(this.#editing.value, card);
    return this.#denying.value ? this.#reason(card) : this.#choices(request, card);
  }

  /** Whose signatures the yes needs, and who has signed: each for an extent, because only equal answers add up. */
  #signers({ of, names, parts }: CardSignatures): TemplateResult {
    const texts = passkeys();
    const answers = new Map(parts.map(({ answer }) => [canonicalText(answer), answer]));
    const line = ([text, answer]: readonly [string, SignedAnswer]): TemplateResult => {
      const by = parts.filter((part) => canonicalText(part.answer) === text).map(({ name }) => plainText(name));
      const scope = scopeOf(answer);
      const extent = scope === undefined ? visibleText(text) : approval().scopes[scope].word;
      return html`<p class="signed">${icon('pen')}<span><strong>${texts.signed(by.length, of, by.join(', '))}</strong> ${extent}</span></p>`;
    };
    return html`<div id="signers"><p>${texts.wanted(of, names.map(plainText).join(', '))}</p>${[...answers].map(line)}</div>`;
  }

  /** In the language of the interface, or as the kernel says it. */
  #why(request: ApprovalRequest, { reason }: ApprovalCard): TemplateResult {
    const why = whyAsked(this.#session()?.records.value ?? [], this.#session()?.view.value?.pending ?? request);
    return why === undefined
      ? html`<span lang="en">${shownPieces(reason)}</span>`
      : html`<span>${approval().reasons[why]}</span>`;
  }

  #choices(request: ApprovalRequest, { bound, signatures }: ApprovalCard): TemplateResult {
    const idle = this.watch.isInert;
    const choose = (event: Event): void => {
      this.#scope.value = (event.target as HTMLSelectElement).value as Scope;
    };
    const texts = approval();
    const { yes, status } =
      signatures === undefined ? this.#approving(bound) : this.#signed(request as SignedRequest, bound);
    const said = html`<p role="status" class="soft">${status}</p>`;
    if (this.#edited.value !== undefined)
      return html`${said}<p class="soft">${texts.edit.told}</p><div class="actions">
        <button type="button" id="deny" aria-disabled=${idle} @click=${(event: UIEvent) => this.#deny(event, bound)}>${texts.deny}</button>
        <button type="button" id="edit" class="plain" @click=${() => void this.#edit()}>${texts.edit.again}</button>
        ${yes}
      </div>`;
    return html`${said}
      <label class="scope">${texts.covers}
        <select id="scope" .value=${this.#scope.value} @change=${choose}>
          ${(Object.keys(SCOPES) as Scope[]).map((scope) => html`<option value=${scope}>${texts.scopes[scope].word}</option>`)}
        </select>
      </label>
      <div class="actions">
      <button type="button" id="deny" aria-disabled=${idle} @click=${(event: UIEvent) => this.#deny(event, bound)}>${texts.deny}</button>
      <button type="button" id="deny-why" class="plain" aria-disabled=${idle} @click=${(event: UIEvent) => this.#ask(event)} aria-label=${texts.denyWhy}>${texts.reason}</button>
      ${this.#pending()?.editable && this.#canEdit ? html`<button type="button" id="edit" class="plain" @click=${() => void this.#edit()}>${texts.edit.edit}</button>` : ''}
      ${yes}
    </div>`;
  }

  #approving(bound: BoundQuestion): YesButton {
    const { hindrance } = this.watch;
    const { scopes, readFirst, edit } = approval();
    const edited = this.#edited.value;
    const word = edited === undefined ? scopes[this.#scope.value].button : edit.approve;
    return {
      status: hindrance === 'unread' ? readFirst : '',
      yes: html`<button type="button" id="approve" class="primary" aria-disabled=${hindrance !== undefined} @click=${(event: UIEvent) => this.decide(event, 'yes', bound, this.#yes(), edited?.of)}>${word}</button>`,
    };
  }

  /** The yes of the buttons: to the edited call, or to the call that was asked about, as far as it covers. */
  #yes(): Extract<ApprovalAnswer, { approved: true }> {
    const edited = this.#edited.value;
    return edited === undefined ? SCOPES[this.#scope.value] : { approved: true, instead: edited.question };
  }

  /** No button where this page cannot sign: the status says why. */
  #signed(request: SignedRequest, bound: BoundQuestion): YesButton {
    void keptKeys.value;
    const signs = signedFor(this.#edited.value === undefined ? this.#scope.value : 'once');
    const hindrance = this.watch.hindranceOf('sign');
    const obstacle = this.#signing.obstacle(request, signs);
    const sign = (event: UIEvent): void => {
      if (this.watch.answer(event, 'sign', bound) !== undefined) void this.#sign(request, signs);
    };
    return {
      status: obstacle ?? (hindrance === 'unread' ? approval().readFirst : this.#signing.status),
      yes:
        obstacle !== undefined
          ? ''
          : html`<button type="button" id="sign" class="primary" aria-disabled=${hindrance !== undefined} @click=${sign}>${icon('key')}${passkeys().sign}</button>`,
    };
  }

  async #sign(request: SignedRequest, signs: SignedAnswer): Promise<void> {
    const [yes, of] = [this.#yes(), this.#edited.peek()?.of ?? request.digest];
    await this.#signing.ask(request, signs, (signed) => this.store.sign(of, { ...yes, signed, via: 'gesture' }));
    this.watch.signingEnded();
  }

  /** Offered where such a call is frequent. A lesson has no list of calls. */
  #rule(request: ApprovalRequest): TemplateResult | string {
    const { recent } = this.store as Partial<typeof this.store>;
    const count = recent?.counts.value.get(request.capability_hash) ?? 0;
    if (count < FREQUENT) return '';
    const ask = (): void => {
      ruleAsks.value = request.capability;
    };
    const texts = rules();
    return html`<p class="soft rule">${texts.recent(count)}: <button type="button" class="plain" id="rule" @click=${ask}>${icon('key')}${texts.propose}</button></p>`;
  }

  /** A lesson has no page of what is allowed. */
  #allowed(): TemplateResult | string {
    const { view, place } = this.store as Partial<typeof this.store>;
    if (view === undefined || place === undefined) return '';
    const open = (): void => {
      place.part.value = 'allowed';
      view.value = 'capabilities';
    };
    return html`<p><button type="button" class="plain" id="allowed" @click=${open}>${icon('list')}${approval().allowed}</button></p>`;
  }

  /** `Enter` in the field presses the button, too. */
  #reason({ bound }: ApprovalCard): TemplateResult {
    const texts = approval();
    return html`<form @submit=${(event: Event) => event.preventDefault()}>
      <label for="why">${texts.reasonField}</label>
      <input id="why" maxlength="500" autocomplete="off" />
      <div class="actions">
        <button type="submit" class="primary" aria-disabled=${this.watch.isInert} @click=${(event: UIEvent) => this.#deny(event, bound)}>${texts.deny}</button>
        <button type="button" class="plain" @click=${() => this.#back()}>${texts.back}</button>
      </div>
    </form>`;
  }

  #back(): void {
    this.#denying.value = false;
  }

  #ask(event: UIEvent): void {
    if (!isGesture(event) || this.watch.isInert) return;
    this.#denying.value = true;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('#why')?.focus());
  }

  #deny(event: UIEvent, bound: BoundQuestion): void {
    const reason = this.renderRoot.querySelector<HTMLInputElement>('#why')?.value ?? '';
    // a no needs no signature, and the passkey may be asked for just now
    if (!this.watch.isInert) this.#signing.stop();
    this.decide(event, 'no', bound, { approved: false, reason }, this.#pending()?.digest);
  }

  /** False in a lesson, which has no form. */
  get #canEdit(): boolean {
    return (this.store as Partial<typeof this.store>).edit !== undefined;
  }

  /** The form for the arguments. What a person types there is no answer: the edited call is a question of its own. */
  #editor(editing: Editing, { bound }: ApprovalCard): TemplateResult {
    const texts = approval();
    const change = (next: Editing): void => {
      this.#editing.value = next;
    };
    return html`<form id="editor" @submit=${(event: Event) => void this.#showChange(event)}>
      <div class="editor">${this.#forms?.editingView(editing, change)}</div>
      <div class="actions">
        <button type="button" id="deny" aria-disabled=${this.watch.isInert} @click=${(event: UIEvent) => this.#deny(event, bound)}>${texts.deny}</button>
        <button type="button" class="plain" id="unedit" @click=${() => this.#unedit()}>${texts.back}</button>
        <button type="submit" class="primary" id="show-change">${texts.edit.show}</button>
      </div>
    </form>`;
  }

  #changes(): TemplateResult | string {
    const edited = this.#edited.value;
    return edited === undefined ? '' : (this.#forms?.changesView(edited.question) ?? '');
  }

  async #edit(): Promise<void> {
    const pending = this.#pending();
    if (pending === undefined) return;
    const [forms, rows] = await Promise.all([
      loadPart(() => import('./editing.ts')),
      this.store.runtime.capabilities.list().catch(() => []),
    ]);
    if (this.#pending()?.digest !== pending.digest) return;
    this.#forms = forms;
    const schema = rows.find(({ hash }) => hash === pending.capability_hash)?.args;
    this.#editing.value = forms.editingOf(this.#shownFor(pending), schema);
    await this.updateComplete;
    this.renderRoot.querySelector('#editor')?.querySelector<HTMLElement>('input,select,textarea')?.focus();
  }

  #unedit(): void {
    this.#editing.value = undefined;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('#edit')?.focus());
  }

  /** Asks the gates about the edited call. Where they refuse it, the form says why, and the question stays as it is. */
  async #showChange(event: Event): Promise<void> {
    event.preventDefault();
    const [editing, pending, forms] = [this.#editing.peek(), this.#pending(), this.#forms];
    if (editing === undefined || pending === undefined || forms === undefined) return;
    const args = forms.argumentsOf(editing);
    if (args === undefined) return;
    try {
      const question = await this.store.edit(pending.digest, args);
      if (this.#pending()?.digest !== pending.digest || this.#editing.peek() !== editing) return;
      this.#edited.value = { of: pending.digest, question };
      this.#editing.value = undefined;
    } catch (error) {
      if (this.#editing.peek() === editing) this.#editing.value = forms.refusedEditing(editing, error);
    }
  }

  protected override asked(): Readable | undefined {
    const pending = this.#pending();
    return pending && this.#card(this.#shownFor(pending));
  }

  protected override renewed(): void {
    this.#denying.value = false;
    this.#rewriting.value = undefined;
    this.#editing.value = undefined;
    this.#signing.stop();
    const request = this.#pending();
    if (this.#edited.peek()?.of !== request?.digest) this.#edited.value = undefined;
    // signatures of one answer add up: the next person most likely signs the same
    const signed = request?.signed?.parts.at(-1);
    this.#scope.value = (signed && scopeOf(signed.answer)) ?? 'once';
    if (request?.capability === WRITES) void this.#look(request);
  }

  protected override settled(): void {
    this.#signing.stop();
  }

  #pending(): ApprovalRequest | undefined {
    return this.store.session.peek()?.view.peek()?.pending;
  }

  async #look(request: ApprovalRequest): Promise<void> {
    // loaded with the first paper that a model changes; without it the card still shows the exact arguments
    const found = await loadPart(() => Promise.all([import('./rewriting.ts'), import('./rewriting-view.ts')]))
      .then(([{ rewritingOf }]) => rewritingOf(this.store.runtime, request))
      .catch(() => undefined);
    if (this.#pending()?.digest === request.digest) this.#rewriting.value = found;
  }
}

/** Where the held values stand in the arguments, with their labels and sources. */
function carried(values: readonly CardValue[]): TemplateResult {
  const { carries: texts } = approval();
  const one = ({ place, places, labels, step, sources }: CardValue): TemplateResult => html`<li>
    <span class="mono">${places === undefined ? (place === undefined ? texts.all : shownPieces(place)) : texts.more(places)}</span>
    ${labels.map((label) => html`<span class="badge label">${icon(label === 'private' ? 'lock' : 'eye')}${labelWord(label)}</span> `)}
    <span class="soft">${step === undefined ? '' : html`${texts.step(step)} · `}<span class="mono">${shownPieces(sources)}</span></span>
  </li>`;
  return html`<div id="carries"><h3>${texts.title}</h3><ul>${values.map(one)}</ul></div>`;
}

/** A person who is typing is told and goes on typing; a text that was just sent no longer counts. */
function isWriting(): boolean {
  const field = inFocus();
  return isTyping(field) && !(field as HTMLElement).matches('[data-sent]');
}

customElements.define('sp-approval', Approval);
