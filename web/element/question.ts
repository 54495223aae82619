import {
  type CSSResult,
  html,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import { countLookalike, visibleText } from '../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, RunView } from '../../workers/api.ts';
import { whyAsked } from '../records/why-asked.ts';
import { isLong } from '../shared/long-arguments.ts';
import { inFocus, isTyping } from '../shared/typing.ts';
import { fill } from '../texts/fill.ts';
import { questionStyles } from './question-style.ts';
import { showArguments } from './question-text.ts';
import { openQuestionWindow } from './question-window.ts';
import { type CardFacts, hindrance, mayApprove, UNSEEN } from './readiness.ts';
import { isClear, isForeignFrame, type Sight, watchSight } from './sight.ts';
import { DEFAULT_WORDS, type RunWords, type Word } from './words.ts';

/**
 * How long the card ignores input after it appears or comes back into sight, and its approving button ignores keys
 * after it gets the focus. A click or key that was meant for another target must not decide.
 */
const INERT_MS = 500;

/** As it was when this was loaded: a page that listens in our place cannot pass an object of its own for an event. */
const isTrusted = Object.getOwnPropertyDescriptor(new Event(''), 'isTrusted')?.get;

function isGesture(event: Event): boolean {
  try {
    return isTrusted?.call(event) === true;
  } catch {
    return false;
  }
}

type Decide = (answer: ApprovalAnswer) => void;

/** Sets the listener for a card's decision. Only this module has it: the page could send an event or call a member. */
let whenDecided: (card: Element, decide: Decide) => void;

/** The question for a person, and the call that the answer is bound to. */
export type ElementQuestion =
  | { readonly kind: 'approval'; readonly request: ApprovalRequest }
  | { readonly kind: 'consent'; readonly request: ConsentRequest };

/**
 * The question for a person. Only a real gesture answers it. A script's event does not. The card ignores clicks in the
 * first half second that it can be seen, and approval while an element covers the card where the browser can tell, and
 * until the whole of the arguments could be read. In a frame of another origin, approval also needs a browser that
 * reports the whole card as clear; other browsers answer the question in a window of its own.
 */
export class QuestionCard extends LitElement {
  static override properties: PropertyDeclarations = {
    question: { attribute: false },
    words: { attribute: false },
    reason: { attribute: false },
  };
  static override styles: CSSResult = questionStyles;
  declare question: ElementQuestion;
  declare words: RunWords;
  /** The reason of the question in another language than the request's, which is English. */
  declare reason: string | undefined;
  // Private, because the page has the card and could set any public member.
  #live = false;
  #facts: CardFacts = UNSEEN;
  #reached = 0;
  #tell: Decide | undefined;
  #asked: string | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;
  /** The same question in a window of its own. */
  #window: Window | undefined;
  /** True for the card in that window. */
  #alone = false;

  constructor() {
    super();
    this.words = DEFAULT_WORDS;
  }

  static {
    whenDecided = (card, decide) => {
      if (#tell in card) card.#tell = decide;
    };
  }

  #view(): typeof globalThis & Window {
    return this.ownerDocument.defaultView ?? window;
  }

  /** Sheets belong to a document, and this card may be in that of another window. */
  protected override createRenderRoot(): ShadowRoot {
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new (this.#view().CSSStyleSheet)();
    sheet.replaceSync(questionStyles.cssText);
    root.adoptedStyleSheets = [sheet];
    return root;
  }

  protected override render(): TemplateResult {
    const { kind, request } = this.question;
    const { foreign, sight } = this.#facts;
    return html`<section aria-labelledby="ask">
      <h3 id="ask">${this.#heading()}</h3>
      ${kind === 'approval' ? this.#call(request) : html`<p>${this.#say('amount', { bytes: this.#count(request.bytes), bytes_max: this.#count(request.bytes_max) })}</p>`}
      <p class="digest">${request.digest}</p>
      <p role="status">${this.#window === undefined ? hindrance(this.#facts, this.words) : this.words.elsewhere}</p>
      <div class="actions">
        <button type="button" id="deny" part="deny" aria-disabled=${!this.#live} @click=${(event: UIEvent) => this.#decide(event, false)}>${this.words.deny}</button>
        ${foreign && sight !== undefined && !isClear(sight, foreign) ? html`<button type="button" id="open" class="primary" @click=${(event: UIEvent) => this.#open(event)}>${this.words.open}</button>` : ''}
        ${foreign && sight?.clear === undefined ? '' : this.#yes()}
      </div>
    </section>`;
  }

  #yes(): TemplateResult {
    const reach = ({ timeStamp }: Event): void => void (this.#reached = timeStamp);
    const word = this.question.kind === 'approval' ? this.words.approve : this.words.allow;
    return html`<button type="button" id="approve" part="approve" class="primary" aria-disabled=${!this.#live || !mayApprove(this.#facts)} @focus=${reach} @click=${(event: UIEvent) => this.#decide(event, true)}>${word}</button>`;
  }

  #heading(): string {
    const { kind, request } = this.question;
    return kind === 'approval'
      ? this.#say('question', { capability: request.capability })
      : this.#say('consent', { origin: request.origin });
  }

  #call({ effect, args, reason, origin }: ApprovalRequest): TemplateResult {
    const { length, hidden, parts, exact } = showArguments(args, this.#facts.unfolded);
    const [first, last] = parts.map(
      (part, nth) =>
        html`<pre tabindex="0" dir="ltr" role="group" aria-label=${this.words[nth === 0 ? 'arguments' : 'arguments_end']} class=${exact ? 'exact' : ''} @scroll=${() => this.#look()}>${part}</pre>`,
    );
    const fold = html`<p class="fold"><span>${this.#say('folded', { characters: this.#count(length), hidden: this.#count(hidden) })}</span><button type="button" id="unfold" @click=${() => this.#unfold()}>${this.words.unfold}</button></p>`;
    const folds = isLong(args);
    return html`<p>${this.words[`effect_${effect}`]} ${this.reason ?? html`<span lang="en">${visibleText(reason)}</span>`}</p>
      ${origin === undefined ? '' : html`<p id="origin">${this.words.origin} <bdi>${visibleText(origin)}</bdi></p>`}
      ${first} ${hidden === 0 ? '' : [fold, last]}
      ${folds && hidden === 0 ? html`<p>${this.#say('unfolded', { characters: this.#count(length) })}</p>` : ''}
      ${countLookalike(args) + countLookalike(origin ?? '') === 0 ? '' : html`<p class="lookalike">${this.words.lookalike}</p>`}`;
  }

  #say(word: Word, values: { readonly [name: string]: string }): string {
    return visibleText(fill(this.words[word], values));
  }

  /** With the digits of the card's language, or of the browser's. */
  #count(amount: number): string {
    return amount.toLocaleString(this.lang || undefined);
  }

  #note(facts: Partial<CardFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    this.requestUpdate();
  }

  #decide(event: UIEvent, approved: boolean): void {
    if (!isGesture(event) || !this.#live) return;
    if (!approved) return this.#tell?.({ approved, reason: '', via: 'gesture' });
    if (!mayApprove(this.#facts) || (this.#alone && !this.ownerDocument.hasFocus())) return;
    // By a key, on a button that the page may have focused while the person typed.
    if (event.detail === 0 && event.timeStamp - this.#reached < INERT_MS) return;
    this.#tell?.({ approved, via: 'gesture' });
  }

  #unfold(): void {
    this.#note({ unfolded: true });
    // The scroll keys go to the focused element.
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('pre')?.focus());
  }

  /** Notes when the end of the arguments comes into sight. */
  #look(): void {
    if (this.#facts.read || !this.#facts.unfolded) return;
    const text = this.renderRoot.querySelector('pre');
    if (text !== null && (text.clientHeight === 0 || text.scrollHeight - text.clientHeight - text.scrollTop > 8))
      return;
    this.#note({ read: true });
  }

  #open(event: Event): void {
    if (!isGesture(event)) return;
    if (this.#window !== undefined) return this.#window.focus();
    const card = new QuestionCard();
    Object.assign(card, { question: this.question, words: this.words, reason: this.reason, lang: this.lang });
    card.#alone = true;
    card.#tell = (answer) => this.#tell?.(answer);
    const opened = openQuestionWindow(this, card, this.#heading(), this.#say('asked_by', { origin: location.origin }));
    this.#window = opened;
    opened?.addEventListener('pagehide', () => this.#close());
    this.#view().addEventListener('pagehide', () => opened?.close());
    // A click that brings the window to the front, or that began before the window came, decides nothing.
    opened?.addEventListener('focus', () => card.#rest());
    this.#note({ blocked: opened === undefined });
  }

  #close(): void {
    this.#window?.close();
    this.#window = undefined;
    this.requestUpdate();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.#look();
    const { digest } = this.question.request;
    if (digest === this.#asked) return;
    this.#asked = digest;
    const { foreign } = this.#facts;
    const read = this.question.kind === 'consent';
    const unfolded = this.question.kind === 'consent' || !isLong(this.question.request.args);
    this.#note({ ...UNSEEN, foreign, unfolded, read });
    this.#close();
    // A person who is typing in the surrounding page keeps the focus there.
    if (this.#alone || !isTyping(inFocus())) this.renderRoot.querySelector<HTMLElement>('#deny')?.focus();
    this.#rest();
    this.#watch();
  }

  #rest(): void {
    this.#live = false;
    this.requestUpdate();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#live = true;
      this.requestUpdate();
    }, INERT_MS);
  }

  #watch(): void {
    const [card, actions] = ['section', '.actions'].map((part) => this.renderRoot.querySelector(part));
    this.#stop?.();
    if (card && actions) this.#stop = watchSight(card, actions, (sight) => this.#see(sight));
  }

  #see(sight: Sight): void {
    const { foreign, sight: before } = this.#facts;
    this.#note({ sight });
    if (isClear(sight, foreign) && !isClear(before, foreign)) this.#rest();
    this.#look();
  }

  /** A card that was moved is asked anew: watched again, and not to be answered at once. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.#note({ foreign: isForeignFrame(this.#view()) });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    clearTimeout(this.#resting);
    this.#asked = undefined;
    this.#close();
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
