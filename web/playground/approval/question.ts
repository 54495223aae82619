import type { PropertyValues } from 'lit';
import type { CardAnswer } from '../../../core/approval/answer.ts';
import type { BoundQuestion, Readable } from '../../../core/approval/card.ts';
import type { ApprovalAnswer } from '../../../workers/api.ts';
import { CardWatch } from '../../shared/card-watch.ts';
import { inFocus, isTyping } from '../../shared/typing.ts';
import { View } from '../parts/view.ts';

/** A person who is typing is told and goes on typing; a text that was just sent no longer counts. */
function isWriting(): boolean {
  const field = inFocus();
  return isTyping(field) && !(field as HTMLElement).matches('[data-sent]');
}

/** A question for a person. The way out is in focus, and there is no key for yes. */
export abstract class Question extends View {
  protected readonly watch: CardWatch = new CardWatch(() => this.requestUpdate());
  #isAsking = false;

  /** The question; undefined where there is none. */
  protected abstract asked(): Readable | undefined;

  /** Another question has come. */
  protected renewed(): void {}

  /** Sends the person's decision on this card: the ledger records it as a gesture, not as a program's answer. */
  protected decide(event: UIEvent, choice: CardAnswer['choice'], bound: BoundQuestion, answer: ApprovalAnswer): void {
    const given = this.watch.answer(event, choice, bound);
    if (given !== undefined) this.store.answer(given.bound.digest, { ...answer, via: 'gesture' });
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
  }

  #settle(): void {
    this.watch.stop();
    if (this.#isAsking) this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
    this.#isAsking = false;
  }
}
