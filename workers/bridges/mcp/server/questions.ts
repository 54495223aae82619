import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { type ApprovalCard, cardText } from '../../../../core/approval/card.ts';
import { isObject } from '../../../../core/json/value.ts';
import type { ApprovalAnswer } from '../../../api.ts';
import { LongTimer } from '../../../async.ts';
import type { CallQuestion, GatedCall } from './gated-call.ts';

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
export interface HandedQuestion {
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
