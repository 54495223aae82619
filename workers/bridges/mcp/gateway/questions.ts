import type { ApprovalAnswer, OpenQuestion, Run, Session } from '../../../api.ts';
import type { GatewayTool } from './tools.ts';

/** A question that the page shows, until it is answered or its call ends. */
export interface PageQuestion {
  readonly question: OpenQuestion;
  /** ms since epoch. */
  readonly since: number;
  /** The tool as it was when the question was asked; absent where the question is about another definition. */
  readonly tool?: GatewayTool;
}

/** The tool that a card has shown: an answer is for this state of it alone. */
export interface SeenTool {
  /** Hash of the definition; empty for a card without one. */
  readonly definition: string;
  readonly revision: number;
}

interface Waiting extends PageQuestion {
  readonly run: Run;
}

/** Answers of the page: for this call, for this call and the rest of the run, or no. */
export type PageAnswer = 'once' | 'always' | 'deny';

const ANSWERS: { readonly [A in PageAnswer]: ApprovalAnswer } = {
  once: { approved: true, via: 'gesture' },
  always: { approved: true, standing: { args: 'any' }, via: 'gesture' },
  deny: { approved: false, reason: 'A person said no on the page of the gateway.', via: 'gesture' },
};

/**
 * The questions of all sessions. An answer names the digest of its question, which covers the definition, the exact
 * arguments, the run and the step; the run refuses an answer to a question that it does not have open.
 */
export class Questions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #find: (name: string) => GatewayTool | undefined;
  readonly #changed: (asked?: OpenQuestion) => void;

  /** `changed` is called after each change, with the question if there is a new one. */
  constructor(find: (name: string) => GatewayTool | undefined, changed: (asked?: OpenQuestion) => void) {
    this.#find = find;
    this.#changed = changed;
  }

  /** Shows the questions of a session until it ends. */
  follow({ run }: Pick<Session, 'run'>): void {
    let shown: string | undefined;
    run.watch(({ pending }) => {
      const digest = pending?.why === undefined ? pending?.digest : undefined;
      if (digest === shown) return;
      if (shown !== undefined) this.#waiting.delete(shown);
      shown = digest;
      if (pending !== undefined && digest !== undefined) this.#waiting.set(digest, this.#asked(pending, run));
      this.#changed(digest === undefined ? undefined : pending);
    });
  }

  #asked(question: OpenQuestion, run: Run): Waiting {
    const tool = this.#find(question.capability);
    const isAbout = tool?.capability_hash === question.capability_hash;
    return { question, since: Date.now(), run, ...(isAbout && { tool }) };
  }

  open(): readonly PageQuestion[] {
    return [...this.#waiting.values()];
  }

  /** The question with this digest, if it waits. */
  find(digest: string): PageQuestion | undefined {
    return this.#waiting.get(digest);
  }

  /** Answers a question, and returns it; undefined for a question that does not wait any more. */
  async answer(digest: string, answer: PageAnswer): Promise<OpenQuestion | undefined> {
    const waiting = this.#waiting.get(digest);
    if (waiting === undefined || waiting.run.view.pending?.digest !== digest) return undefined;
    // Taken before the run is asked: a second answer that comes meanwhile finds no question.
    this.#waiting.delete(digest);
    this.#changed();
    try {
      await waiting.run.answer(digest, ANSWERS[answer]);
      return waiting.question;
    } catch {
      // the run still asks: its grant wants a signed yes, and a no counts
      if (waiting.run.view.pending?.digest === digest) {
        this.#waiting.set(digest, waiting);
        this.#changed();
      }
      return undefined;
    }
  }
}
