import type { Assertion, SignedAnswer } from '../../core/approval/assertion.ts';
import { passkeys } from '../texts/en/passkeys.ts';
import { sentenceOf } from './error-text.ts';
import { PasskeyError, type PasskeyPage, type PasskeyQuestion, signingObstacle, signWithPasskey } from './passkey.ts';

/**
 * The signature that a card asks for: one request at a time. Calls `changed` where the card has to be drawn again. A
 * failure of the browser, and an answer that does not count, stay as a sentence until the next request.
 */
export class CardSigning {
  readonly #changed: () => void;
  #ending: AbortController | undefined;
  #failure: unknown;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Asks for a passkey, and hands its assertion to `send`. Resolves after both, also after a failure. */
  async ask(
    question: PasskeyQuestion,
    answer: SignedAnswer,
    send: (assertion: Assertion) => Promise<void> | void,
    page: PasskeyPage = window,
  ): Promise<void> {
    this.stop();
    const ending = new AbortController();
    this.#ending = ending;
    this.#changed();
    try {
      const assertion = await signWithPasskey(question, answer, { page, signal: ending.signal });
      if (!ending.signal.aborted) await send(assertion);
    } catch (error) {
      if (!ending.signal.aborted) this.#failure = error;
    }
    if (this.#ending === ending) this.#ending = undefined;
    this.#changed();
  }

  /** Ends the request: the question has gone, or was answered. */
  stop(): void {
    this.#ending?.abort(new Error('The card has gone.'));
    this.#ending = undefined;
    this.#failure = undefined;
  }

  /** Why the card has no button to sign; undefined where it has one. */
  obstacle({ signed }: PasskeyQuestion, answer: SignedAnswer, page: PasskeyPage = window): string | undefined {
    return signingObstacle(signed, answer, page)?.text;
  }

  /** What the request is at, or why the last one failed, in a sentence; empty before the first. */
  get status(): string {
    if (this.#ending !== undefined) return passkeys().signing;
    if (this.#failure === undefined) return '';
    return this.#failure instanceof PasskeyError ? this.#failure.text : sentenceOf(this.#failure);
  }
}
