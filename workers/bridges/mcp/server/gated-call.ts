import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { type ApprovalCard, cardText } from '../../../../core/approval/card.ts';
import { isObject } from '../../../../core/json/value.ts';
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
  readonly #session: CallerSession;
  readonly #abort = new AbortController();
  readonly #end = new LongTimer();
  readonly #asked: CallQuestion[] = [];
  #more = deferred<void>();
  #open: AbortController | undefined;
  #last: CallQuestion | undefined;
  #isDone = false;
  #hasBegun = false;
  #isGivenUp = false;
  /** Answer to every further question, once no client waits for the call. */
  #standing: ApprovalAnswer | undefined;

  /** The host shows the newest question. */
  isAtHost = false;

  /** True while a person is asked. */
  get isAsking(): boolean {
    return this.#open !== undefined;
  }

  /** The call may be held, so that whether a person is asked is not told. */
  get isQuiet(): boolean {
    return this.#session.isHolding;
  }

  /** Resolves with the id of the call's step. */
  readonly step: Promise<string>;

  /** False while other calls of the client stand before this one. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  constructor(session: CallerSession, name: string, args: RawJson) {
    this.#session = session;
    const onQuestion = this.#ask.bind(this);
    const begun = (): void => void (this.#hasBegun = true);
    const { promise: step, resolve: stepped } = deferred<string>();
    this.step = step;
    const { signal } = this.#abort;
    this.called = session.call(name, args, { signal, begun, stepped, onQuestion }).finally(() => this.#finish());
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
    // a request and its connection may both end
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
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

/** ms that a person has for an answer. */
export const QUESTION_MS = 600_000;

export const NO_ANSWER: ApprovalAnswer = { approved: false, reason: 'No answer came within ten minutes.' };
export const CLIENT_GONE: ApprovalAnswer = {
  approved: false,
  reason: 'The client has gone, or has cancelled the call.',
};

/** The card as the host shows it. */
export function elicitation(card: ApprovalCard): ElicitRequestFormParams {
  return {
    mode: 'form',
    message: cardText(card),
    requestedSchema: {
      type: 'object',
      properties: { approve: { type: 'boolean', title: 'Approve this exact call' } },
      required: ['approve'],
    },
  };
}

/** What the host says of a person's answer. Only an accepted form whose `approve` is true is a yes. */
export function answerOf({ action, content }: { readonly action: string; readonly content?: unknown }): ApprovalAnswer {
  if (action === 'accept' && isObject(content) && content['approve'] === true) return { approved: true };
  const words = action === 'cancel' ? 'The person dismissed the question.' : 'The person declined.';
  return { approved: false, reason: words };
}

/** A question that a client has been given as a part of a result, with its call. */
interface HandedQuestion {
  readonly asked: CallQuestion;
  readonly call: GatedCall;
  /** Digest of the request that the question belongs to. */
  readonly of: string;
}

/** The questions that clients are to come back with, by their digest. Each can be taken a single time. */
export class HandedQuestions {
  readonly #open = new Map<string, HandedQuestion & { readonly timer: LongTimer }>();

  hand(handed: HandedQuestion): void {
    const { digest } = handed.asked.question;
    const timer = new LongTimer();
    timer.start(QUESTION_MS, () => this.#expire(digest));
    this.#open.set(digest, { ...handed, timer });
  }

  /** The question with this digest, if it belongs to this request and was not taken before. */
  take(digest: string, of: string): HandedQuestion | undefined {
    const handed = this.#open.get(digest);
    if (handed?.of !== of) return undefined;
    handed.timer.stop();
    this.#open.delete(digest);
    return handed;
  }

  /** Denies every open question. */
  close(): void {
    for (const { call, timer } of this.#open.values()) {
      timer.stop();
      call.denyAll(CLIENT_GONE);
    }
    this.#open.clear();
  }

  #expire(digest: string): void {
    this.#open.get(digest)?.call.denyAll(NO_ANSWER);
    this.#open.delete(digest);
  }
}

/** A call that goes on without a request, and its end. */
export interface PendingCall<T> {
  readonly call: GatedCall;
  readonly outcome: Promise<T>;
}

/** Calls of one client that a person is asked about, by the digest of their request, until ten minutes after their end. */
export class PendingCalls<T> {
  /** Identical requests may have a call each. */
  readonly #calls = new Map<string, readonly KeptCall<T>[]>();

  /** Keeps a call for the next identical request. */
  keep(of: string, { call, outcome }: PendingCall<T>): void {
    const kept: KeptCall<T> = { call, outcome, hasEnded: false };
    this.#calls.set(of, [...(this.#calls.get(of) ?? []), kept]);
    const forget = (): void => {
      kept.hasEnded = true;
      new LongTimer().start(QUESTION_MS, () => this.#remove(of, kept));
    };
    outcome.then(forget, forget);
  }

  /** Takes a call out, one that has ended before one that waits: one request gets its outcome. */
  take(of: string): PendingCall<T> | undefined {
    const calls = this.#calls.get(of) ?? [];
    const kept = calls.find(({ hasEnded }) => hasEnded) ?? calls[0];
    if (kept !== undefined) this.#remove(of, kept);
    return kept;
  }

  #remove(of: string, kept: KeptCall<T>): void {
    const others = (this.#calls.get(of) ?? []).filter((each) => each !== kept);
    if (others.length > 0) this.#calls.set(of, others);
    else this.#calls.delete(of);
  }
}

interface KeptCall<T> extends PendingCall<T> {
  hasEnded: boolean;
}
