import {
  type CSSResult,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import { type CardAnswer, isSameQuestion } from '../../core/approval/answer.ts';
import {
  type ApprovalCard,
  type CardSignatures,
  type CardValue,
  cardOf,
  consentCard,
  plainText,
  type Readable,
  type Span,
} from '../../core/approval/card.ts';
import {
  canonicalText,
  decode,
  encodeText,
  type JsonValue,
  visible,
  visibleText,
  type WantedSignatures,
} from '../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, EditedQuestion, RunView } from '../../workers/api.ts';
import { whyAsked } from '../records/why-asked.ts';
import { CardSigning } from '../shared/card-signing.ts';
import { CardWatch, isGesture } from '../shared/card-watch.ts';
import { sentenceOf } from '../shared/error-text.ts';
import { isForeignFrame } from '../shared/foreign-frame.ts';
import { linesOf } from '../shared/json-lines.ts';
import { inFocus, isTyping } from '../shared/typing.ts';
import { inSpeech, type Speech } from '../texts/area.ts';
import { passkeys } from '../texts/en/passkeys.ts';
import { fill } from '../texts/fill.ts';
import { isClear, type Sight, watchSight } from './sight.ts';
import { buttonStyles, tokens } from './style.ts';
import { DEFAULT_WORDS, type RunWords, type Word } from './words.ts';

/** Rejects where a signed yes does not count. */
type Decide = (digest: string, answer: ApprovalAnswer) => Promise<void> | void;

type Edit = (digest: string, args: JsonValue) => Promise<EditedQuestion>;

/**
 * Sets the listener for a card's decision, and the function that has the gates judge edited arguments: without it a card
 * offers no edit. Only this module has it: the page could send an event or call a member.
 */
let whenDecided: (card: Element, decide: Decide, edit?: Edit) => void;

/** The question for a person, and the call that the answer is bound to. */
export type ElementQuestion =
  | { readonly kind: 'approval'; readonly request: ApprovalRequest }
  | { readonly kind: 'consent'; readonly request: ConsentRequest };

/**
 * The question for a person, drawn from `core/approval`, which decides when an answer counts. Only a card in clear sight
 * takes an approval, where the browser can tell. In a frame of another origin, approval also needs a browser that
 * reports the whole card as clear; other browsers answer the question in a window of its own.
 */
export class QuestionCard extends LitElement {
  static override properties: PropertyDeclarations = {
    question: { attribute: false },
    words: { attribute: false },
    reason: { attribute: false },
    speech: { attribute: false },
    told: { attribute: false },
  };
  static override styles: CSSResult = css`
    :host {
      display: block;
      padding: var(--gap);
      border: 2px solid var(--wait);
      border-radius: var(--radius);
      background: var(--wait-wash);
    }
    :host([standalone]) {
      margin-block: 0.75rem;
      ${tokens}
      color: var(--fg);
      color-scheme: light dark;
      font-family: var(--sallyport-font, system-ui, sans-serif);
      line-height: 1.5;
    }
    h3,
    p {
      margin: 0 0 var(--gap);
      font-size: inherit;
      overflow-wrap: anywhere;
    }
    pre {
      max-height: 14rem;
      margin: 0 0 var(--gap);
      padding: var(--gap);
      overflow: auto;
      border: 1px solid var(--line);
      border-radius: var(--radius);
      background: var(--bg);
      font-family: var(--mono);
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
    ul {
      margin: 0 0 var(--gap);
      padding-left: 1.25em;
      overflow-wrap: anywhere;
    }
    /* In sight when the end of the text is. */
    #end {
      display: inline-block;
      width: 1px;
      height: 1em;
    }
    /* Text too long to isolate each string: shown in the order of its characters, right-to-left runs included. */
    .exact {
      unicode-bidi: bidi-override;
    }
    /* Between the beginning and the end of folded arguments: an edge on both sides shows that text is missing. */
    .fold {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      justify-content: space-between;
      gap: var(--gap);
      padding-left: var(--gap);
      border-left: 4px dashed var(--wait);
      font-weight: 650;
    }
    .lookalike,
    .bad,
    #fault {
      color: var(--bad);
    }
    .bad:empty,
    #fault:empty {
      display: none;
    }
    textarea {
      box-sizing: border-box;
      width: 100%;
      padding: var(--gap);
      border: 1px solid var(--line);
      border-radius: var(--radius);
      background: var(--bg);
      color: var(--fg);
      font-family: var(--mono);
      font-size: inherit;
    }
    #changes ins {
      font-weight: 650;
    }
    mark {
      background: var(--wait);
      color: var(--bg);
    }
    /* Its words are gone, and the buttons stay where they are. */
    [role='status']:empty::before {
      content: attr(data-past);
      visibility: hidden;
    }
    #leaving pre {
      max-height: 14em;
      overflow: auto;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
      font-family: var(--mono);
      font-size: 0.9em;
    }
    .digest {
      font-family: var(--mono);
      font-size: 0.8em;
      overflow-wrap: anywhere;
    }
    .actions {
      display: flex;
      flex-wrap: wrap;
      gap: var(--gap);
      justify-content: flex-end;
    }
    ${buttonStyles}
  `;
  declare question: ElementQuestion;
  declare words: RunWords;
  /** The reason of the question in another language than the request's, which is English. */
  declare reason: string | undefined;
  /** The language of what a signed yes needs; undefined: English. */
  declare speech: Speech | undefined;
  /** Reads the texts that a yes sends; undefined: this card cannot show them. */
  declare told: (() => Promise<readonly string[]>) | undefined;
  /** The texts, once a person has asked for them, or why they cannot be read. */
  #texts: readonly string[] | undefined;
  #unreadable = '';
  // Private, because the page has the card and could set any public member.
  #watch: CardWatch = new CardWatch(
    () => this.requestUpdate(),
    (actions, tell) => this.#watchSight(actions, tell),
  );
  readonly #signing: CardSigning = new CardSigning(() => this.requestUpdate());
  #asked: ReturnType<typeof readQuestion> | undefined;
  /** A page of another origin is around the card. */
  #foreign = false;
  /** Undefined until the browser has reported. */
  #sight: Sight | undefined;
  /** The whole text is shown, because it is short or because a person asked for it. */
  #unfolded = false;
  #tell: Decide | undefined;
  #edit: Edit | undefined;
  /** JSON text of the arguments while a person edits them, and why the last edit was refused. */
  #editing: { readonly text: string; readonly fault: string } | undefined;
  /** The edited call, in the place of the one with this digest. */
  #edited: { readonly of: string; readonly question: EditedQuestion } | undefined;
  /** The same question in a window of its own. */
  #window: Window | undefined;
  #cardInWindow: QuestionCard | undefined;
  /** The browser refused to open that window. */
  #blocked = false;
  /** True for the card in that window. */
  #alone = false;

  constructor() {
    super();
    this.words = DEFAULT_WORDS;
  }

  static {
    whenDecided = (card, decide, edit) => {
      if (!(#tell in card)) return;
      card.#tell = decide;
      const isNew = card.#edit === undefined && edit !== undefined;
      card.#edit = edit;
      if (isNew) card.requestUpdate();
    };
  }

  #view(): typeof globalThis & Window {
    return this.ownerDocument.defaultView ?? window;
  }

  /** Sheets belong to a document, and this card may be in that of another window. */
  protected override createRenderRoot(): ShadowRoot {
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new (this.#view().CSSStyleSheet)();
    sheet.replaceSync(QuestionCard.styles.cssText);
    root.adoptedStyleSheets = [sheet];
    return root;
  }

  protected override willUpdate(): void {
    const question = this.#shown();
    if (this.#asked?.request === question.request) return;
    const before = this.#asked?.asked.bound;
    this.#asked = readQuestion(question);
    if (before !== undefined && isSameQuestion(before, this.#asked.asked.bound)) {
      if (this.#cardInWindow !== undefined) this.#cardInWindow.question = this.question;
      return;
    }
    this.#signing.stop();
    this.#texts = undefined;
    this.#unreadable = '';
    this.#editing = undefined;
    this.#unfolded = this.#asked.card?.args.isLong !== true;
    this.#blocked = false;
    this.#close();
  }

  /** The question, with the edited call in the place of the one that it is about. */
  #shown(): ElementQuestion {
    if (this.#edited?.of !== this.question.request.digest) this.#edited = undefined;
    return this.#edited === undefined ? this.question : { kind: 'approval', request: this.#edited.question };
  }

  protected override render(): TemplateResult {
    return this.speech === undefined ? this.#draw() : inSpeech(this.speech, () => this.#draw());
  }

  #draw(): TemplateResult {
    const { kind, request } = this.#shown();
    const { asked, card } = this.#asked ?? readQuestion(this.#shown());
    const [foreign, sight] = [this.#foreign, this.#sight];
    return html`<section aria-labelledby="ask">
      <h3 id="ask">${this.#heading()}</h3>
      ${this.#edited === undefined ? '' : this.#changes(this.#edited.question)}
      ${card === undefined ? '' : this.#call(card)}
      ${card?.signatures === undefined ? '' : drawSignatures(card.signatures, this.reason === undefined)}
      ${kind === 'consent' ? html`<p>${this.#say('amount', { bytes: this.#count(request.bytes), bytes_max: this.#count(request.bytes_max) })}</p>${this.#leaving()}` : ''}
      <p class="digest">${request.digest}</p>
      <p role="status" data-past=${this.#watch.wasUnread ? this.words.unread : ''}>${this.#status()}</p>
      ${this.#editing === undefined ? '' : this.#editor(this.#editing)}
      <div class="actions">
        <button type="button" id="deny" part="deny" aria-disabled=${this.#watch.isInert} @click=${(event: UIEvent) => this.#decide(event, 'no', asked)}>${this.words.deny}</button>
        ${this.#editable ? html`<button type="button" id="edit" @click=${() => this.#turnEditor()}>${this.#editing ? this.words.edit_back : this.#edited ? this.words.edit_again : this.words.edit}</button>` : ''}
        ${foreign && sight !== undefined && (asked.isSigned || !isClear(sight, foreign)) ? html`<button type="button" id="open" class="primary" @click=${(event: UIEvent) => this.#open(event)}>${this.words.open}</button>` : ''}
        ${this.#editing !== undefined ? '' : asked.isSigned ? this.#sign(asked) : foreign && sight?.clear === undefined ? '' : this.#yes(asked)}
      </div>
    </section>`;
  }

  /** The texts that a yes sends, folded. They are read when they are unfolded. */
  #leaving(): TemplateResult | string {
    const { told } = this;
    if (told === undefined) return '';
    const unfold = async (): Promise<void> => {
      const { request } = this.question;
      const [texts, fault] = this.#texts ? [this.#texts, ''] : await read(told);
      if (this.question.request.digest !== request.digest) return;
      this.#texts = texts;
      this.#unreadable = fault;
      this.requestUpdate();
    };
    return html`<details id="leaving" @toggle=${() => void unfold()}><summary>${this.words.leaving}</summary>
      <p class="bad" role="alert">${visibleText(this.#unreadable)}</p>
      ${this.#texts?.map((text) => html`<pre tabindex="0">${drawPieces(visible(linesOf(text)))}</pre>`)}
    </details>`;
  }

  #yes(asked: Readable): TemplateResult {
    const { approve, approve_edited, allow } = this.words;
    const word = this.question.kind === 'consent' ? allow : this.#edited === undefined ? approve : approve_edited;
    return html`<button type="button" id="approve" part="approve" class="primary" aria-disabled=${this.#watch.hindrance !== undefined} @click=${(event: UIEvent) => this.#decide(event, 'yes', asked)}>${word}</button>`;
  }

  /** No button where this page cannot sign: the status says why. */
  #sign(asked: Readable): TemplateResult | string {
    const request = this.#signedRequest();
    if (request === undefined || this.#obstacle(request) !== undefined) return '';
    return html`<button type="button" id="sign" part="approve" class="primary" aria-disabled=${this.#watch.hindranceOf('sign') !== undefined} @click=${(event: UIEvent) => this.#askToSign(event, asked, request)}>${passkeys().sign}</button>`;
  }

  #signedRequest(): SignedRequest | undefined {
    const { kind, request } = this.#shown();
    return kind === 'approval' && request.signed !== undefined ? (request as SignedRequest) : undefined;
  }

  #obstacle(request: SignedRequest): string | undefined {
    return this.#signing.obstacle(request, 'once', this.#view());
  }

  #askToSign(event: UIEvent, { bound }: Readable, request: SignedRequest): void {
    if (this.#watch.answer(event, 'sign', bound) === undefined) return;
    const send: Parameters<CardSigning['ask']>[2] = (signed) =>
      this.#tell?.(this.question.request.digest, { approved: true, ...this.#instead(), signed, via: 'gesture' });
    void this.#signing.ask(request, 'once', send, this.#view()).then(() => this.#watch.signingEnded());
  }

  get #editable(): boolean {
    const { kind, request } = this.question;
    return kind === 'approval' && request.editable === true && this.#edit !== undefined;
  }

  #editor({ text, fault }: { readonly text: string; readonly fault: string }): TemplateResult {
    const type = (event: Event): void => {
      this.#editing = { text: (event.target as HTMLTextAreaElement).value, fault: '' };
      this.requestUpdate();
    };
    return html`<form id="editor" @submit=${(event: Event) => void this.#judge(event)}>
      <label for="arguments">${this.words.edit_label}</label>
      <textarea id="arguments" rows="6" dir="ltr" spellcheck="false" aria-describedby="fault" aria-invalid=${fault === '' ? 'false' : 'true'} .value=${text} @input=${type}></textarea>
      <p id="fault" role="alert">${visibleText(fault)}</p>
      <p class="actions"><button type="submit" id="show-change">${this.words.edit_show}</button></p>
    </form>`;
  }

  /** What a person has changed: each place, before and after. */
  #changes({ changed }: EditedQuestion): TemplateResult {
    const side = (value: JsonValue | undefined): unknown =>
      value === undefined ? this.words.edit_none : html`<bdi>${drawPieces(visible(JSON.stringify(value)))}</bdi>`;
    return html`<p>${this.words.edit_changes}</p>
      <ul id="changes">${changed.map(({ pointer, before, after }) => html`<li><bdi>${drawPieces(visible(pointer))}</bdi>: <del>${side(before)}</del> → <ins>${side(after)}</ins></li>`)}</ul>
      <p>${this.words.edit_told}</p>`;
  }

  /** Opens the editor on the arguments that are shown, or goes back to the card. */
  #turnEditor(): void {
    const { kind, request } = this.#shown();
    if (kind !== 'approval') return;
    const text = JSON.stringify(JSON.parse(request.args), null, 2);
    this.#editing = this.#editing === undefined ? { text, fault: '' } : undefined;
    this.requestUpdate();
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(this.#editing === undefined ? '#edit' : '#arguments')?.focus(),
    );
  }

  /** Has the gates judge the edited call. Where they refuse it, the reason stands at the field. */
  async #judge(event: Event): Promise<void> {
    event.preventDefault();
    const { request } = this.question;
    const editing = this.#editing;
    if (editing === undefined || this.#edit === undefined) return;
    const read = decode(encodeText(editing.text.toWellFormed()));
    try {
      if (!read.ok) throw new Error(`${this.words.edit_json} ${read.refusal.message}`);
      const question = await this.#edit(request.digest, read.value);
      if (this.question.request.digest !== request.digest || this.#editing !== editing) return;
      this.#edited = { of: request.digest, question };
      this.#editing = undefined;
    } catch (error) {
      if (this.#editing === editing) this.#editing = { ...editing, fault: sentenceOf(error) };
    }
    this.requestUpdate();
  }

  #heading(): string {
    const { kind, request } = this.question;
    return kind === 'approval'
      ? this.#say('question', { capability: request.capability })
      : this.#say('consent', { origin: request.origin });
  }

  #call({ effect, isDeclared, args, reason, origin, releases, carries, lookalike }: ApprovalCard): TemplateResult {
    const folded = this.#unfolded ? undefined : args.folded;
    const label = (word: Word): string => this.words[word];
    const text = (spans: readonly Span[], word: Word, end: unknown = ''): TemplateResult =>
      html`<pre tabindex="0" dir="ltr" role="group" aria-label=${label(word)} class=${args.isExact ? 'exact' : ''}>${drawSpans(spans)}${end}</pre>`;
    const fold =
      folded &&
      html`<p class="fold"><span>${this.#say('folded', { characters: this.#count(args.length), hidden: this.#count(folded.hidden) })}</span><button type="button" id="unfold" @click=${() => this.#unfold()}>${this.words.unfold}</button></p>`;
    return html`<p>${this.words[`effect_${effect}`]} ${isDeclared ? `${this.words.declared} ` : ''}${this.reason ?? html`<span lang="en">${drawPieces(reason)}</span>`}</p>
      ${origin === undefined ? '' : html`<p id="origin">${this.words.origin} <bdi>${drawPieces(origin)}</bdi></p>`}
      ${releases === undefined ? '' : html`<p id="releases">${this.#released(releases)}</p>`}
      ${carries.length === 0 ? '' : html`<p>${this.words.carries}</p><ul id="carries">${carries.map((value) => this.#carried(value))}</ul>`}
      ${folded ? '' : args.texts.map(({ place, pieces }) => html`<p class="lined">${this.words.as_text} <bdi>${drawPieces(place)}</bdi></p><pre tabindex="0" dir="auto" role="group" aria-label=${label('as_text')} class="lined">${drawPieces(pieces)}</pre>`)}
      ${folded ? [text(folded.head, 'arguments'), fold, text(folded.tail, 'arguments_end')] : text(args.whole, 'arguments', html`<span id="end"></span>`)}
      ${args.isLong && folded === undefined ? html`<p>${this.#say('unfolded', { characters: this.#count(args.length) })}</p>` : ''}
      ${lookalike === 0 ? '' : html`<p class="lookalike">${this.words.lookalike}</p>`}`;
  }

  /** What a release tells the model at most, and what is left of its grant. */
  #released({ bits, charged, left, drops }: NonNullable<ApprovalCard['releases']>): string {
    const counts = { bits: this.#count(bits), charged: this.#count(charged), left: this.#count(left) };
    const told = this.#say('releases', counts);
    return drops === undefined ? told : `${told} ${this.words.drops}`;
  }

  /** Where a held value stands in the arguments, with its labels and sources. */
  #carried({ place, places, labels, step, sources }: CardValue): TemplateResult {
    const { words } = this;
    const where = places === undefined ? undefined : this.#say('carries_more', { places: this.#count(places) });
    const from = step === undefined ? '' : `${this.#say('carries_step', { step: this.#count(step) })}, `;
    const told = labels.map((label) => words[`label_${label}`]).join(', ');
    return html`<li><bdi>${where ?? (place === undefined ? words.carries_all : drawPieces(place))}</bdi>: <strong>${told}</strong> · ${from}<bdi>${drawPieces(sources)}</bdi></li>`;
  }

  /** Why the card takes no yes, in a sentence; empty where it can take one, or soon. */
  #status(): string {
    const { words } = this;
    const sight = this.#sight;
    if (this.#window !== undefined) return words.elsewhere;
    if (this.#blocked) return words.blocked;
    if (sight === undefined) return '';
    const request = this.#signedRequest();
    const obstacle = request && this.#obstacle(request);
    if (obstacle !== undefined) return obstacle;
    if (this.#foreign && sight.clear === undefined) return words.uncertain;
    switch (this.#watch.hindranceOf(request === undefined ? 'yes' : 'sign')) {
      case 'covered':
        return words.covered;
      case 'unread':
        return this.#unfolded ? words.unread : words.unread_folded;
      default:
        return this.#signing.status;
    }
  }

  #say(word: Word, values: { readonly [name: string]: string }): string {
    return visibleText(fill(this.words[word], values));
  }

  /** With the digits of the card's language, or of the browser's. */
  #count(amount: number): string {
    return amount.toLocaleString(this.lang || undefined);
  }

  #decide(event: UIEvent, choice: CardAnswer['choice'], { bound }: Readable): void {
    const answer = this.#watch.answer(event, choice, bound);
    if (answer === undefined) return;
    this.#signing.stop();
    const said =
      answer.choice === 'yes'
        ? { approved: true as const, ...this.#instead() }
        : { approved: false as const, reason: '' };
    // of an edited call, too, the answer is to the question that is open
    void this.#tell?.(this.question.request.digest, { ...said, via: 'gesture' });
  }

  /** The edited call that the yes is to. */
  #instead(): Pick<Extract<ApprovalAnswer, { approved: true }>, 'instead'> {
    const { args, digest } = this.#edited?.question ?? {};
    return args === undefined || digest === undefined ? {} : { instead: { args, digest } };
  }

  #unfold(): void {
    this.#unfolded = true;
    this.requestUpdate();
    // The scroll keys go to the focused element.
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('pre')?.focus());
  }

  #open(event: Event): void {
    if (!isGesture(event)) return;
    if (this.#window !== undefined) return this.#window.focus();
    const card = new QuestionCard();
    const { question, words, reason, speech, told, lang } = this;
    Object.assign(card, { question, words, reason, speech, told, lang });
    card.#alone = true;
    card.#tell = (...answer) => this.#tell?.(...answer);
    card.#edit = this.#edit;
    const opened = openQuestionWindow(this, card, this.#heading(), this.#say('asked_by', { origin: location.origin }));
    this.#window = opened;
    this.#cardInWindow = card;
    opened?.addEventListener('pagehide', () => this.#close());
    this.#view().addEventListener('pagehide', () => opened?.close());
    this.#blocked = opened === undefined;
    this.requestUpdate();
  }

  #close(): void {
    this.#window?.close();
    this.#window = undefined;
    this.#cardInWindow = undefined;
    this.requestUpdate();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { renderRoot: root } = this;
    // the editor has a row of its own
    const actions = root.querySelector('section > .actions');
    if (this.#asked === undefined || actions === null || !this.isConnected) return;
    const isNew = this.#watch.show({
      asked: this.#asked.asked,
      actions,
      ends: [['args', root.querySelector('#end')]],
    });
    // A person who is typing in the surrounding page keeps the focus there.
    if (isNew && (this.#alone || !isTyping(inFocus()))) root.querySelector<HTMLElement>('#deny')?.focus();
  }

  #watchSight(actions: Element, tell: (isClear: boolean) => void): () => void {
    const card = actions.parentElement ?? actions;
    const view = this.#view();
    const see = (sight = this.#sight): void => {
      this.#sight = sight;
      // A click that brings the window to the front, or that began before the window came, decides nothing.
      const isFront = !this.#alone || this.ownerDocument.hasFocus();
      tell(sight !== undefined && isFront && isClear(sight, this.#foreign));
      this.requestUpdate();
    };
    const stop = watchSight(card, actions, see);
    const turn = (): void => see();
    for (const type of ['focus', 'blur']) view.addEventListener(type, turn);
    return () => {
      stop();
      for (const type of ['focus', 'blur']) view.removeEventListener(type, turn);
    };
  }

  /** A card that was moved is asked anew: watched again, and not to be answered at once. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.#foreign = isForeignFrame(this.#view());
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watch.stop();
    this.#signing.stop();
    this.#sight = undefined;
    this.#close();
  }
}

type SignedRequest = ApprovalRequest & { readonly signed: WantedSignatures };

/** Whose signatures the yes needs, which the reason of the kernel tells, too, and who has signed this call. */
function drawSignatures({ of, names, parts }: CardSignatures, isTold: boolean): TemplateResult | string {
  const texts = passkeys();
  const by = parts.filter(({ answer }) => canonicalText(answer) === '"once"').map(({ name }) => plainText(name));
  if (isTold && by.length === 0) return '';
  const wanted = isTold ? '' : texts.wanted(of, names.map(plainText).join(', '));
  return html`<p id="signers">${wanted}${by.length === 0 ? '' : html` <strong>${texts.signed(by.length, of, by.join(', '))}</strong>`}</p>`;
}

function readQuestion({ kind, request }: ElementQuestion): {
  readonly request: object;
  readonly asked: Readable;
  readonly card?: ApprovalCard;
} {
  if (kind === 'consent') return { request, asked: consentCard(request) };
  const card = cardOf(request);
  return { request, asked: card, card };
}

/** The texts that would leave, or the sentence that says why they cannot be shown. */
async function read(
  told: () => Promise<readonly string[]>,
): Promise<readonly [texts: readonly string[] | undefined, fault: string]> {
  try {
    return [await told(), ''];
  } catch (error) {
    return [undefined, sentenceOf(error)];
  }
}

/** The question for a person. A question for the program's rules is not shown. */
function questionIn({ pending, consent }: RunView): ElementQuestion | undefined {
  if (pending) return pending.why ? undefined : { kind: 'approval', request: pending };
  return consent && { kind: 'consent', request: consent };
}

/**
 * Call it before a run begins. Returns the function that finds the question, the function that sets the listener for
 * decisions on a card, and the function that finds why a person is asked. If the page has registered another element under this name, no listener is called and the
 * question waits.
 */
export function registerCard(): {
  readonly questionIn: typeof questionIn;
  readonly whenDecided: typeof whenDecided;
  readonly whyAsked: typeof whyAsked;
} {
  if (customElements.get('sallyport-question') === undefined) customElements.define('sallyport-question', QuestionCard);
  return { questionIn, whenDecided, whyAsked };
}

/**
 * The card in a page of another author, as the only child of `place`. Resolves with the person's answer; rejects with
 * the reason of `signal`, which takes the card away. `edit` has the gates judge edited arguments; without it the card offers
 * no edit.
 */
export function showCard(
  place: Element,
  request: ApprovalRequest,
  signal?: AbortSignal,
  edit?: (args: JsonValue) => Promise<EditedQuestion>,
): Promise<ApprovalAnswer> {
  registerCard();
  const card = document.createElement('sallyport-question') as QuestionCard;
  Object.assign(card, { question: { kind: 'approval', request } satisfies ElementQuestion });
  card.toggleAttribute('standalone', true);
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      card.remove();
      reject(signal?.reason);
    };
    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave, { once: true });
    const decide: Decide = (_digest, answer) => {
      signal?.removeEventListener('abort', leave);
      card.remove();
      resolve(answer);
    };
    whenDecided(card, decide, edit && ((_digest, args) => edit(args)));
    place.replaceChildren(card);
  });
}

/** A stranger's text, its unseen characters as marks. */
function drawPieces(pieces: ReturnType<typeof visible>): readonly (string | TemplateResult)[] {
  return pieces.map((piece) => ('text' in piece ? piece.text : html`<mark title=${piece.name}>${piece.escape}</mark>`));
}

/** Text with strings, each in a direction of its own. */
function drawSpans(spans: readonly Span[]): readonly unknown[] {
  return spans.map(({ isString, pieces }) => (isString ? html`<bdi>${drawPieces(pieces)}</bdi>` : drawPieces(pieces)));
}

/** Names under which a card finds its colours and sizes; read where the frame shows it, and set in the window. */
const TOKENS = [
  'fg',
  'bg',
  'muted',
  'line',
  'accent',
  'on-accent',
  'wait',
  'wait-wash',
  'bad',
  'radius',
  'gap',
  'mono',
];

/**
 * Opens a window of this page's own origin and shows the card in it. A page around the frame has no handle to the
 * window, so it can neither draw in it nor move it. Undefined where the browser or the frame's `sandbox` forbids it.
 */
function openQuestionWindow(from: Element, card: HTMLElement, heading: string, askedBy: string): Window | undefined {
  // Without an address the window has the origin and the policy of this page.
  const opened = from.ownerDocument.defaultView?.open('', '_blank', 'popup,width=640,height=720') ?? undefined;
  if (opened === undefined) return undefined;
  const { document } = opened;
  document.title = `${heading} ${askedBy}`;
  const root = document.documentElement;
  const computed = getComputedStyle(from);
  for (const token of TOKENS) root.style.setProperty(`--${token}`, computed.getPropertyValue(`--${token}`));
  Object.assign(root.style, {
    colorScheme: computed.colorScheme,
    fontFamily: computed.fontFamily,
    lineHeight: computed.lineHeight,
    background: 'var(--bg)',
    color: 'var(--fg)',
  });
  root.lang = card.lang || from.ownerDocument.documentElement.lang;
  const main = document.createElement('main');
  const asker = document.createElement('p');
  asker.textContent = askedBy;
  main.append(asker, card);
  document.body.append(main);
  opened.focus();
  return opened;
}
