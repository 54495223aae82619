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
import type { ApprovalRequest, ConsentRequest } from '../../workers/api.ts';
import { decided } from './decide.ts';
import { watchSeen } from './watch.ts';
import { DEFAULT_WORDS, fill, type RunWords, type Word } from './words.ts';

/** How long the card does nothing after it appears: a click or key meant for something else must not decide. */
const INERT_MS = 500;

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
 * The question for a person. Only a real gesture answers it: not a script's event, not in its first half second, not
 * while something lies over the button where the browser can tell.
 */
export class QuestionCard extends LitElement {
  static override properties: PropertyDeclarations = {
    question: { attribute: false },
    words: { attribute: false },
    live: { state: true },
    seen: { state: true },
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
  declare live: boolean;
  declare seen: boolean;
  #asked: string | undefined;
  #stop: (() => void) | undefined;

  constructor() {
    super();
    this.words = DEFAULT_WORDS;
    this.live = false;
    this.seen = true;
  }

  protected override render(): TemplateResult {
    const { kind, request } = this.question;
    const idle = !this.live || !this.seen;
    return html`<section aria-labelledby="ask">
      <h3 id="ask">${kind === 'approval' ? this.#say('question', { capability: request.capability }) : this.#say('consent', { origin: request.origin })}</h3>
      ${kind === 'approval' ? this.#call(request) : html`<p>${this.#say('amount', { bytes: count(request.bytes), bytes_max: count(request.bytes_max) })}</p>`}
      <p class="digest">${request.digest}</p>
      <p role="status">${this.seen ? '' : this.words.covered}</p>
      <div class="actions">
        <button type="button" id="deny" part="deny" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, false)}>${this.words.deny}</button>
        <button type="button" id="approve" part="approve" class="primary" aria-disabled=${idle} @click=${(event: Event) => this.#decide(event, true)}>${kind === 'approval' ? this.words.approve : this.words.allow}</button>
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

  #decide(event: Event, approved: boolean): void {
    if (!event.isTrusted || !this.live || !this.seen) return;
    decided(this, approved ? { approved, via: 'gesture' } : { approved, reason: '', via: 'gesture' });
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { digest } = this.question.request;
    if (digest === this.#asked) return;
    this.#asked = digest;
    this.live = false;
    this.renderRoot.querySelector<HTMLElement>('#deny')?.focus();
    setTimeout(() => {
      if (this.#asked === digest) this.live = true;
    }, INERT_MS);
    this.#watch();
  }

  #watch(): void {
    const actions = this.renderRoot.querySelector('.actions');
    this.#stop?.();
    if (actions !== null) this.#stop = watchSeen(actions, (seen) => void (this.seen = seen));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#asked = undefined;
  }
}

/** Called before a run begins; a card that is there already is as good. */
export function registerCard(): void {
  if (customElements.get('sallyport-question') === undefined) customElements.define('sallyport-question', QuestionCard);
}
