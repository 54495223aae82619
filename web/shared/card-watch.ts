import {
  type Attention,
  attend,
  type CardAnswer,
  type CardChoice,
  type CardEvent,
  type Hindrance,
  hindranceOf,
  INERT_MS,
  isInert,
  isSameQuestion,
} from '../../core/approval/answer.ts';
import type { BoundQuestion, CardPart, Readable } from '../../core/approval/card.ts';

/** A card as it is in the page now. */
interface DrawnCard {
  readonly asked: Readable;
  /** The row of its buttons. */
  readonly actions: Element;
  /** Ends of the parts that are drawn to their ends. */
  readonly ends: Iterable<readonly [CardPart, Element | null]>;
}

/** Tells whether the card is in clear sight, now and whenever that changes. Returns a function that ends this. */
type SightWatch = (actions: Element, tell: (isClear: boolean) => void) => () => void;

/** ms between two looks at the place of the buttons. Each press looks, too. */
const LOOK_MS = 100;

/** ms after which a card that is still there takes another answer: the one before did not arrive. */
const RENEW_MS = 5_000;

/** Movements of up to so many pixels leave the pointer on the same button. */
const STILL_PX = 2;

/** As it was when this was loaded: a page that listens in our place cannot pass an object of its own for an event. */
const isTrusted = Object.getOwnPropertyDescriptor(new Event(''), 'isTrusted')?.get;

export function isGesture(event: Event): boolean {
  try {
    return isTrusted?.call(event) === true;
  } catch {
    return false;
  }
}

/**
 * Tells `core/approval` what happens to a card in a page, and tells the renderer what it has decided. The renderer calls
 * `show` after each drawing and `stop` without a card, and draws again when `changed` is called.
 */
export class CardWatch {
  readonly #changed: () => void;
  readonly #watchSight: SightWatch;
  #attention: Attention | undefined;
  #wasUnread = false;
  #actions: Element | undefined;
  #place: readonly number[] = [];
  #observed = new Map<Element, CardPart>();
  #observer: IntersectionObserver | undefined;
  #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: () => void, watchSight: SightWatch = watchIntersection) {
    this.#changed = changed;
    this.#watchSight = watchSight;
  }

  /** Neither a yes nor a no counts now. */
  get isInert(): boolean {
    return this.#attention === undefined || isInert(this.#attention, this.#now());
  }

  /** Why a yes does not count now. */
  get hindrance(): Hindrance | undefined {
    return this.hindranceOf('yes');
  }

  /** Why a yes, or the press that a passkey is asked after, does not count now. */
  hindranceOf(choice: Exclude<CardChoice, 'no'>): Hindrance | undefined {
    return this.#attention === undefined ? 'early' : hindranceOf(this.#attention, this.#now(), choice);
  }

  /**
   * The card says that it is not read, or has said so since the buttons moved. The line that says so keeps its room: the
   * buttons would move under the pointer of a person who has just read the end.
   */
  get wasUnread(): boolean {
    return this.#wasUnread;
  }

  /** Another question than before begins anew, and returns true; the same question in other elements has moved. */
  show({ asked, actions, ends }: DrawnCard): boolean {
    const isSame = this.#attention !== undefined && isSameQuestion(this.#attention.bound, asked.bound);
    if (!isSame || this.#actions !== actions) this.#follow(actions);
    if (!isSame) this.#note({ type: 'shown', at: this.#now(), asked });
    for (const [part, end] of ends) {
      if (end === null || this.#observed.has(end)) continue;
      this.#observed.set(end, part);
      this.#observer?.observe(end);
    }
    return !isSame;
  }

  stop(): void {
    this.#leave();
    clearTimeout(this.#timer);
    this.#attention = undefined;
    this.#actions = undefined;
  }

  /** The answer of a click on a button that was drawn for this question; undefined where the click does not count. */
  answer(event: UIEvent, choice: CardChoice, bound: BoundQuestion): CardAnswer | undefined {
    this.#look();
    const before = this.#attention?.answer;
    const by = event.detail === 0 ? 'key' : 'pointer';
    const click = { at: event.timeStamp, isTrusted: isGesture(event), by, count: event.detail, choice, bound } as const;
    this.#note({ type: 'clicked', ...click });
    const after = this.#attention?.answer;
    return after === before ? undefined : after;
  }

  /**
   * The request for a passkey is over: a card that is still there, and got no no meanwhile, takes another press. A person
   * may look for a passkey for minutes, so that no timer tells this.
   */
  signingEnded(): void {
    if (this.#attention?.answer?.choice === 'sign') this.#renew();
  }

  #follow(actions: Element): void {
    this.#leave();
    this.#actions = actions;
    this.#place = placeOf(actions);
    this.#note({ type: 'moved', at: this.#now() });
    this.#observer = new (this.#view().IntersectionObserver)((entries) => this.#read(entries));
    this.#ending = new AbortController();
    this.#listen(this.#ending.signal, actions);
    const unwatch = this.#watchSight(actions, (isClear) => this.#note({ type: 'sight', at: this.#now(), isClear }));
    const looking = setInterval(() => this.#look(), LOOK_MS);
    this.#ending.signal.addEventListener('abort', () => {
      unwatch();
      clearInterval(looking);
    });
  }

  #leave(): void {
    this.#ending.abort();
    this.#observer?.disconnect();
    this.#observed.clear();
  }

  /** The card takes an answer again: the one before did not arrive. */
  #renew(): void {
    const before = this.#attention;
    if (before?.answer === undefined) return;
    const { bound, unread: mustRead, isSigned } = before;
    const asked = { bound, mustRead, ...(isSigned && { isSigned }) };
    this.#note({ type: 'shown', at: this.#now(), asked });
    this.#note({ type: 'sight', at: this.#now(), isClear: before.isClear });
  }

  #listen(signal: AbortSignal, actions: Element): void {
    const view = this.#view();
    const pressed = (event: PointerEvent | KeyboardEvent): void => {
      this.#look();
      const isKey = 'key' in event;
      const gesture = { at: event.timeStamp, isTrusted: isGesture(event) };
      this.#note({ type: 'pressed', ...gesture, by: isKey ? 'key' : 'pointer', isRepeat: isKey && event.repeat });
    };
    const options = { capture: true, signal };
    view.addEventListener('pointerdown', pressed, options);
    view.addEventListener('keydown', pressed, options);
    view.addEventListener('keyup', ({ timeStamp }) => this.#note({ type: 'released', at: timeStamp }), options);
    view.document.addEventListener('visibilitychange', () => this.#note({ type: 'moved', at: this.#now() }), {
      signal,
    });
    actions.addEventListener('focusin', ({ timeStamp }) => this.#note({ type: 'focused', at: timeStamp }), { signal });
  }

  #read(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      const part = this.#observed.get(target);
      if (isIntersecting && part !== undefined) this.#note({ type: 'read', at: this.#now(), part });
    }
    this.#look();
  }

  #look(): void {
    if (this.#actions === undefined) return;
    const place = placeOf(this.#actions);
    if (place.every((edge, nth) => Math.abs(edge - (this.#place[nth] ?? 0)) <= STILL_PX)) return;
    this.#place = place;
    this.#note({ type: 'moved', at: this.#now() });
  }

  #note(event: CardEvent): void {
    const before = this.#attention;
    const hadRoom = this.#wasUnread;
    this.#attention = attend(before, event);
    const after = this.#attention;
    const isPlaced = event.type !== 'moved' && event.type !== 'shown';
    this.#wasUnread = this.hindrance === 'unread' || (this.#wasUnread && isPlaced);
    const isSame =
      before?.since === after?.since && before?.unread === after?.unread && before?.answer === after?.answer;
    if (after === undefined || (isSame && hadRoom === this.#wasUnread)) return;
    clearTimeout(this.#timer);
    const { choice } = after.answer ?? {};
    if (choice === 'yes' || choice === 'no') this.#timer = setTimeout(() => this.#renew(), RENEW_MS);
    else this.#wakeLater(after.since);
    this.#changed();
  }

  /** Draws the card again when its time of rest is over. A timer may fire before that, by the clock of the page. */
  #wakeLater(since: number): void {
    const rest = since + INERT_MS - this.#now();
    if (!Number.isFinite(rest)) return;
    this.#timer = setTimeout(
      () => {
        if (since + INERT_MS > this.#now()) this.#wakeLater(since);
        this.#changed();
      },
      Math.max(0, Math.ceil(rest)),
    );
  }

  #view(): typeof globalThis & Window {
    return this.#actions?.ownerDocument.defaultView ?? window;
  }

  #now(): number {
    return this.#view().performance.now();
  }
}

/** In sight where the buttons are on the screen. */
const watchIntersection: SightWatch = (actions, tell) => {
  const observer = new IntersectionObserver((entries) => tell(entries.at(-1)?.isIntersecting === true));
  observer.observe(actions);
  return () => observer.disconnect();
};

/** Edges of an element on the screen. */
function placeOf(element: Element): readonly number[] {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left, right, top, bottom];
}
