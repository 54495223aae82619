import type { ApprovalAnswer, Called, OpenQuestion, RawJson } from '../../../api.ts';
import { deferred, LongTimer } from '../../../async.ts';
import type { CallerSession } from './caller-session.ts';

/** A question about a call, until its first answer. */
export interface CallQuestion {
  readonly question: OpenQuestion;
  /** Aborts with the answer, or with the end of the call. */
  readonly settled: AbortSignal;
  /** The first answer counts; a later answer has no effect. */
  answer(answer: ApprovalAnswer): void;
}

/** ms that a call has to end after its question was denied. */
const GRACE_MS = 1000;

/** A call from its proposal to its receipt. It may live longer than the request that began it. */
export class GatedCall {
  readonly called: Promise<Called>;
  readonly #abort = new AbortController();
  readonly #end = new LongTimer();
  readonly #asked: CallQuestion[] = [];
  #more = deferred<void>();
  #open: AbortController | undefined;
  #last: CallQuestion | undefined;
  #isDone = false;
  /** Answer to every further question, once no client waits for the call. */
  #standing: ApprovalAnswer | undefined;

  /** True while a person is asked. */
  get isAsking(): boolean {
    return this.#open !== undefined;
  }

  constructor(session: CallerSession, name: string, args: RawJson) {
    const onQuestion = this.#ask.bind(this);
    this.called = session.call(name, args, { signal: this.#abort.signal, onQuestion }).finally(() => this.#finish());
    this.called.catch(() => undefined);
  }

  /** The next question, or undefined when the call has ended. */
  async next(): Promise<CallQuestion | undefined> {
    while (this.#asked.length === 0 && !this.#isDone) {
      await this.#more.promise;
      this.#more = deferred();
    }
    return this.#asked.shift();
  }

  /**
   * Gives the call up: an open question is denied, and a call without a question is aborted. The receipt is recorded all
   * the same. A program may go on after its question was denied, so it is aborted a second later.
   */
  giveUp(reason: unknown, answer: ApprovalAnswer): void {
    const abort = (): void => this.#abort.abort(reason);
    if (!this.isAsking) abort();
    else this.#end.start(GRACE_MS, abort);
    this.denyAll(answer);
  }

  /** Answers the open question and every later one: no client waits for the call any more. */
  denyAll(answer: ApprovalAnswer): void {
    this.#standing = answer;
    for (const each of this.#asked.splice(0)) each.answer(answer);
    this.#last?.answer(answer);
  }

  #ask(question: OpenQuestion, pass: (answer: ApprovalAnswer) => void): void {
    const open = new AbortController();
    this.#open = open;
    const answer = (given: ApprovalAnswer): void => {
      if (open.signal.aborted) return;
      this.#close(open);
      pass(given);
    };
    this.#last = { question, settled: open.signal, answer };
    if (this.#standing !== undefined) return answer(this.#standing);
    this.#asked.push(this.#last);
    this.#more.resolve();
  }

  #close(open: AbortController): void {
    if (this.#open === open) this.#open = undefined;
    open.abort();
  }

  #finish(): void {
    this.#end.stop();
    this.#isDone = true;
    if (this.#open !== undefined) this.#close(this.#open);
    this.#asked.length = 0;
    this.#more.resolve();
  }
}
