import { type Signal, signal } from '@preact/signals-core';
import type { PropertyValues } from 'lit';
import type { ApprovalAnswer } from '../../../workers/api.ts';
import { inFocus, isTyping } from '../../shared/typing.ts';
import { View } from '../parts/view.ts';

/** How long a new question ignores input: a click or key that was meant for another target must not decide. */
const INERT_MS = 500;

/** A person who is typing is told and goes on typing; a text that was just sent no longer counts. */
function isWriting(): boolean {
  const field = inFocus();
  return isTyping(field) && !(field as HTMLElement).matches('[data-sent]');
}

/** A question for a person. The way out is in focus, and there is no key for yes. */
export abstract class Question extends View {
  /** Answers are taken by now. */
  protected readonly live: Signal<boolean> = signal(false);
  #asked: string | undefined;

  /** The digest of the question; undefined where there is no question. */
  protected abstract digest(): string | undefined;

  /** A question has come or gone. */
  protected renewed(): void {}

  /** Only a real gesture decides: a script's click, or a click that came too early, has no effect. */
  protected decides(event: Event): boolean {
    return event.isTrusted && this.live.peek();
  }

  /** Sends the person's decision on this card: the ledger records it as a gesture, not as a program's answer. */
  protected decide(answer: ApprovalAnswer): void {
    this.store.answer({ ...answer, via: 'gesture' });
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const digest = this.digest();
    if (digest === this.#asked) return;
    this.#asked = digest;
    this.live.value = false;
    this.renewed();
    if (digest === undefined)
      return void this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
    if (!isWriting()) this.renderRoot.querySelector<HTMLElement>('#deny')?.focus();
    setTimeout(() => {
      if (this.#asked === digest) this.live.value = true;
    }, INERT_MS);
  }
}
