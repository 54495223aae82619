import type { LitElement, ReactiveController } from 'lit';
import { inFocus } from '../shared/typing.ts';

/**
 * Gives the focus a place when the part that had it goes: where it was before the question took it, or else the button
 * *Step*, or the records of an element without buttons.
 */
export class FocusReturn implements ReactiveController {
  readonly #host: LitElement;
  #isHeld = false;
  #isAsking = false;
  /** The focused element when the question came. */
  #before: Element | null = null;

  constructor(host: LitElement) {
    this.#host = host;
  }

  hostUpdate(): void {
    this.#isHeld = this.#focused !== null;
  }

  hostUpdated(): void {
    const isAsking = this.#find('sallyport-question') !== null;
    // The question takes the focus later, when it is drawn.
    if (isAsking && !this.#isAsking) this.#before = inFocus();
    this.#isAsking = isAsking;
    if (isAsking) return;
    if (this.#isHeld && this.#focused === null) this.#place()?.focus();
    this.#before = null;
  }

  #place(): HTMLElement | null {
    const before = this.#before;
    if (before instanceof HTMLElement && before.isConnected && before !== document.body) return before;
    return this.#find('[part=step]') ?? this.#find('.records');
  }

  #find(selector: string): HTMLElement | null {
    return this.#host.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
  }

  get #focused(): Element | null {
    return this.#host.shadowRoot?.activeElement ?? null;
  }
}
