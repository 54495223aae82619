import {
  type CSSResult,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import { countLookalike, visible, visibleText } from '../../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, RunView } from '../../workers/api.ts';
import { inFocus, isTyping } from '../state/typing.ts';
import { watchSeen } from './watch.ts';
import { DEFAULT_WORDS, fill, type RunWords, type Word } from './words.ts';

/**
 * How long the card does nothing after it appears or comes back into sight, nor its yes to a key after the focus came:
 * a click or key meant for something else must not decide.
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

/** Neither an event nor a member of the card tells an answer: the page could send the one and call the other. */
let whenDecided: (card: Element, decide: Decide) => void;

/** A string that runs from right to left must not carry along what stands beside it: each is set apart. */
const STRING = /("(?:[^"\\]|\\.)*")/u;
const APART_MAX = 32_768;

function marked(text: string): readonly unknown[] {
  return visible(text).map((piece) =>
    'text' in piece ? piece.text : html`<mark title=${piece.name}>${piece.escape}</mark>`,
  );
}

/** What a person is asked, and what their answer is bound to. */
export type Question =
  | { readonly kind: 'approval'; readonly request: ApprovalRequest }
  | { readonly kind: 'consent'; readonly request: ConsentRequest };

const count = (amount: number): string => amount.toLocaleString();

/**
 * The question for a person. Only a real gesture answers it: not a script's event, not in the first half second that it
 * can be seen, not while something lies over the button where the browser can tell.
 */
export class QuestionCard extends LitElement {
  static override properties: PropertyDeclarations = {
    question: { attribute: false },
    words: { attribute: false },
  };
  static override styles: CSSResult = css`
    :host {
      display: block;
      padding: var(--gap);
      border: 2px solid var(--wait);
      border-radius: var(--radius);
      background: var(--wait-wash);
    }
    h3,
    p {
      margin: 0 0 var(--gap);
      font-size: inherit;
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
    /* Too long to set every string apart: shown in the order in which it is written, whatever runs from right to left. */
    .exact {
      unicode-bidi: bidi-override;
    }
    .lookalike {
      color: var(--bad);
    }
    mark {
      background: var(--wait);
      color: var(--bg);
    }
    .digest {
      font-family: var(--mono);
      font-size: 0.8em;
      overflow-wrap: anywhere;
    }
    .actions {
      display: flex;
      gap: var(--gap);
      justify-content: flex-end;
    }
    button {
      min-height: 2.75rem;
      padding: 0.375rem 1rem;
      border: 1px solid var(--muted);
      border-radius: var(--radius);
      background: var(--bg);
      color: var(--fg);
      font: inherit;
      cursor: pointer;
    }
    button.primary {
      border-color: var(--accent);
      background: var(--accent);
      color: var(--on-accent);
    }
    button[aria-disabled='true'] {
      border-color: var(--line);
      background: var(--bg);
      color: var(--muted);
      cursor: not-allowed;
    }
    :focus-visible {
      outline: 3px solid var(--accent);
      outline-offset: 2px;
    }
  `;
  declare question: Question;
  declare words: RunWords;
  // Private, as the page has the card and could set anything else.
  #live = false;
  #seen = true;
  #reached = 0;
  #tell: Decide | undefined;
  #asked: string | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;

  constructor() {
    super();
    this.words = DEFAULT_WORDS;
  }

  static {
    whenDecided = (card, decide) => {
      if (#tell in card) card.#tell = decide;
    };
  }

  protected override render(): TemplateResult {
    const { kind, request } = this.question;
    const idle = !this.#live || !this.#seen;
    return html`<section aria-labelledby="ask">
      <h3 id="ask">${kind === 'approval' ? this.#say('question', { capability: request.capability }) : this.#say('consent', { origin: request.origin })}</h3>
      ${kind === 'approval' ? this.#call(request) : html`<p>${this.#say('amount', { bytes: count(request.bytes), bytes_max: count(request.bytes_max) })}</p>`}
      <p class="digest">${request.digest}</p>
      <p role="status">${this.#seen ? '' : this.words.covered}</p>
      <div class="actions">
        <button type="button" id="deny" part="deny" aria-disabled=${idle} @click=${(event: UIEvent) => this.#decide(event, false)}>${this.words.deny}</button>
        <button type="button" id="approve" part="approve" class="primary" aria-disabled=${idle} @focus=${({ timeStamp }: Event) => void ((this.#reached = timeStamp))} @click=${(event: UIEvent) => this.#decide(event, true)}>${kind === 'approval' ? this.words.approve : this.words.allow}</button>
      </div>
    </section>`;
  }

  #call({ effect, args, reason }: ApprovalRequest): TemplateResult {
    const long = args.length > APART_MAX;
    const written = long
      ? marked(args)
      : args.split(STRING).map((part, nth) => (nth % 2 === 1 ? html`<bdi>${marked(part)}</bdi>` : part));
    return html`<p>${this.words[`effect_${effect}`]} ${visibleText(reason)}</p>
      <pre tabindex="0" dir="ltr" class=${long ? 'exact' : ''}>${written}</pre>
      ${countLookalike(args) === 0 ? '' : html`<p class="lookalike">${this.words.lookalike}</p>`}`;
  }

  #say(word: Word, values: { readonly [name: string]: string }): string {
    return visibleText(fill(this.words[word], values));
  }

  #decide(event: UIEvent, approved: boolean): void {
    if (!isGesture(event) || !this.#live || !this.#seen) return;
    // By a key, on a button to which the page may have moved the focus while somebody typed.
    if (approved && event.detail === 0 && event.timeStamp - this.#reached < INERT_MS) return;
    this.#tell?.(approved ? { approved, via: 'gesture' } : { approved, reason: '', via: 'gesture' });
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { digest } = this.question.request;
    if (digest === this.#asked) return;
    this.#asked = digest;
    // whoever writes in the page around it goes on writing
    if (!isTyping(inFocus())) this.renderRoot.querySelector<HTMLElement>('#deny')?.focus();
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
    const actions = this.renderRoot.querySelector('.actions');
    this.#stop?.();
    if (actions !== null) this.#stop = watchSeen(actions, (seen) => this.#see(seen));
  }

  #see(seen: boolean): void {
    if (seen && !this.#seen) this.#rest();
    this.#seen = seen;
    this.requestUpdate();
  }

  /** A card that was moved is asked anew: watched again, and not to be answered at once. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    clearTimeout(this.#resting);
    this.#asked = undefined;
  }
}

/** What a person is asked; what is put to rules is none of theirs. */
function questionIn({ pending, consent }: RunView): Question | undefined {
  if (pending) return pending.why ? undefined : { kind: 'approval', request: pending };
  return consent && { kind: 'consent', request: consent };
}

/**
 * Called before a run begins. Gives what finds the question, and what names whoever is told what a person decides on a
 * card; of another element that the page has under this name nobody hears anything, and its question waits.
 */
export function registerCard(): { readonly questionIn: typeof questionIn; readonly whenDecided: typeof whenDecided } {
  if (customElements.get('sallyport-question') === undefined) customElements.define('sallyport-question', QuestionCard);
  return { questionIn, whenDecided };
}
