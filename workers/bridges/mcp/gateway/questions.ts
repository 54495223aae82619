import type { Assertion } from '../../../../core/approval/assertion.ts';
import { decode } from '../../../../core/json/decode.ts';
import { encodeText } from '../../../../core/json/utf8.ts';
import type { EditedArguments } from '../../../../core/run/event.ts';
import { SallyportError, unwrap } from '../../../../core/sallyport-error.ts';
import type {
  ApprovalAnswer,
  EditedQuestion,
  OpenQuestion,
  Run,
  Runtime,
  Session,
  WaitingQuestion,
} from '../../../api.ts';
import type { GatewayTool } from './tools.ts';

/** A question that the page shows, until it is answered or its call ends. */
export interface PageQuestion {
  readonly question: OpenQuestion;
  /** ms since epoch. */
  readonly since: number;
  /** Issuer and subject of the person whose call it is. No record has them. */
  readonly principal?: string;
  /** The tool as it was when the question was asked; absent where the question is about another definition. */
  readonly tool?: GatewayTool;
}

/** The tool that a card has shown: an answer is for this state of it alone. */
export interface SeenTool {
  /** Hash of the definition; empty for a card without one. */
  readonly definition: string;
  readonly revision: number;
}

/** Answers of the page: for this call, for this call and the rest of the run, or no. */
export type PageAnswer = 'once' | 'always' | 'deny';

/** What a yes to this call brings along. */
export interface YesDetails {
  /** Its signature. */
  readonly signed?: Assertion;
  /** The edited call that the yes is to, in the place of the one that was asked about. */
  readonly instead?: EditedArguments;
}

const ANSWERS: { readonly [A in PageAnswer]: ApprovalAnswer } = {
  once: { approved: true, via: 'gesture' },
  always: { approved: true, standing: { args: 'any' }, via: 'gesture' },
  deny: { approved: false, reason: 'A person said no on the page of the gateway.', via: 'gesture' },
};

/**
 * The questions of all runs, as the runtime lists them, with their tools. An answer names the digest of its question, which
 * covers the definition, the exact arguments, the run and the step; the run refuses an answer to a question that it does not
 * have open.
 */
export class Questions {
  readonly #waiting = new Map<string, PageQuestion>();
  /** Runs that take answers. */
  readonly #runs = new Map<string, Run>();
  /** Questions whose answer is on its way: a second answer that comes meanwhile finds no question. */
  readonly #answering = new Set<string>();
  readonly #find: (name: string) => GatewayTool | undefined;
  readonly #changed: (asked?: OpenQuestion) => void;

  /** `changed` is called after each change, with the question if there is a new one. */
  constructor(find: (name: string) => GatewayTool | undefined, changed: (asked?: OpenQuestion) => void) {
    this.#find = find;
    this.#changed = changed;
  }

  /** Shows the questions of a runtime until it closes, or the signal aborts. */
  async read(runtime: Pick<Runtime, 'questions'>, signal?: AbortSignal): Promise<void> {
    for await (const open of runtime.questions(signal && { signal })) this.#take(open);
  }

  /** Takes answers to the questions of a run until it ends. */
  follow({ run }: Pick<Session, 'run'>): void {
    this.#runs.set(run.id, run);
    const leave = (): void => void this.#runs.delete(run.id);
    run.result.then(leave, leave);
  }

  #take(open: readonly WaitingQuestion[]): void {
    const digests = new Set(open.map(({ digest }) => digest));
    const gone = [...this.#waiting.keys()].filter((digest) => !digests.has(digest));
    for (const digest of gone) this.#waiting.delete(digest);
    if (gone.length > 0) this.#changed();
    for (const { pending, since, principal } of open) {
      if (pending === undefined) continue;
      const known = this.#waiting.get(pending.digest);
      if (known?.question === pending) continue;
      const tool = known === undefined ? this.#toolOf(pending) : known.tool;
      const told = { ...(tool && { tool }), ...(principal !== undefined && { principal }) };
      this.#waiting.set(pending.digest, { question: pending, since, ...told });
      this.#changed(known === undefined ? pending : undefined);
    }
  }

  #toolOf({ capability, capability_hash }: OpenQuestion): GatewayTool | undefined {
    const tool = this.#find(capability);
    return tool?.capability_hash === capability_hash ? tool : undefined;
  }

  open(): readonly PageQuestion[] {
    return [...this.#waiting.values()].filter(({ question }) => !this.#answering.has(question.digest));
  }

  /** The question with this digest, if it waits. */
  find(digest: string): PageQuestion | undefined {
    return this.#answering.has(digest) ? undefined : this.#waiting.get(digest);
  }

  /**
   * Answers a question, and returns it; undefined for a question that does not wait any more. Rejects with a code
   * `assertion_*`, and for an edited call as `Run.answer` does, where the yes does not count: the question is open as before,
   * and it is open after one of several signatures.
   */
  async answer(digest: string, answer: PageAnswer, details: YesDetails = {}): Promise<OpenQuestion | undefined> {
    const waiting = this.find(digest);
    const run = waiting && this.#runOf(waiting);
    if (waiting === undefined || run === undefined) return undefined;
    this.#answering.add(digest);
    this.#changed();
    try {
      await run.answer(digest, { ...ANSWERS[answer], ...details });
      return waiting.question;
    } catch (error) {
      if (leavesOpen(error, details)) throw error;
      return undefined;
    } finally {
      this.#answering.delete(digest);
      this.#changed();
    }
  }

  /**
   * The call of a question as it would stand with the arguments of this JSON text; undefined for a question that does not
   * wait any more. Nothing is kept: the answer brings the edited arguments again. Rejects as `Run.edit` does.
   */
  async edit(digest: string, args: string): Promise<EditedQuestion | undefined> {
    const waiting = this.find(digest);
    const run = waiting && this.#runOf(waiting);
    return run?.edit(digest, unwrap(decode(encodeText(args.toWellFormed()))));
  }

  /** The run that asks a question. */
  #runOf({ question: { run_id, digest } }: PageQuestion): Run | undefined {
    const run = this.#runs.get(run_id);
    return run?.view.pending?.digest === digest ? run : undefined;
  }

  /** True while the run asks this question. */
  isAsked({ run_id, digest }: OpenQuestion): boolean {
    return this.#runs.get(run_id)?.view.pending?.digest === digest;
  }
}

const TOO_LATE: ReadonlySet<string> = new Set(['question_answered', 'question_unknown']);

/** The question waits for another answer: the signature, or the edited call, of this one does not count. */
function leavesOpen(error: unknown, { instead }: YesDetails): boolean {
  if (!(error instanceof SallyportError)) return false;
  return error.code.startsWith('assertion_') || (instead !== undefined && !TOO_LATE.has(error.code));
}
