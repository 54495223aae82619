import type { Refusal } from '../../../../core/outcome.ts';
import type { HostRejection } from '../../../../core/run/event.ts';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import type {
  ApprovalAnswer,
  Called,
  CallingOptions,
  OpenQuestion,
  RawJson,
  Runtime,
  Session,
  SessionOptions,
} from '../../../api.ts';
import { makeSerialQueue } from '../../../async.ts';
import { Rejections, rejecterOf } from '../../../client/rejections.ts';
import type { ServedTools } from './tools.ts';

/** Passes on the answer to a question. A second answer has no effect. */
export type Answering = (answer: ApprovalAnswer) => void;

export interface CallerOptions extends Pick<CallingOptions, 'signal'> {
  /** Called with each question for a person about this call. */
  readonly onQuestion: (question: OpenQuestion, answer: Answering) => void;
}

/** A question of a call, and the place of its answer. The session hears of them one after the other. */
interface Meeting {
  readonly tell?: (answer: Answering) => void;
  readonly answer?: Answering;
}

/** A session under way, with the definitions that it began with. */
interface Begun {
  readonly session: Session;
  readonly hashes: ReadonlySet<string>;
}

/** True for the refusal of a session that has reached a limit. */
export function isLimited(error: unknown): error is SallyportError {
  return error instanceof SallyportError && error.code === 'session_limited';
}

/**
 * The calls of one client as a session, which opens with its first call. A call of a definition that the session did not
 * begin with seals the session and opens the next, which takes over its labels, its counts and what it has used. So a
 * tool that is added later can be called, and a client shakes off neither the labels of the data that it has read nor a
 * limit.
 */
export class CallerSession {
  readonly #runtime: Runtime;
  readonly #tools: ServedTools;
  readonly #runs: Set<string>;
  readonly #inTurn = makeSerialQueue();
  readonly #meetings = new Map<string, Meeting>();
  #begun: Begun | undefined;
  /** The run of the newest session that has begun. Its successor goes on for it. */
  #last: string | undefined;
  #isClosed = false;
  /** Why the session takes no call any more. */
  #limited: SallyportError | undefined;
  /** Takes the records of messages after the session has ended at a limit. */
  #after: Begun | undefined;
  readonly #rejections = new Rejections('mcp', (rejection) => this.#record(rejection));

  /** `runs` receives the id of each run that this client opens. */
  constructor(runtime: Runtime, tools: ServedTools, runs: Set<string>) {
    this.#runtime = runtime;
    this.#tools = tools;
    this.#runs = runs;
  }

  /** Calls a capability. */
  async call(name: string, args: RawJson, { signal, onQuestion }: CallerOptions): Promise<Called> {
    const { session } = await this.#inTurn(() => this.#sessionFor(name));
    const asked = new Set<string>();
    const ask = (question: OpenQuestion): void => {
      if (question.why !== undefined) return;
      asked.add(question.digest);
      this.#meet(question.digest, { tell: (answer) => onQuestion(question, answer) });
    };
    try {
      return await session.call(name, args, { ...(signal && { signal }), onQuestion: ask });
    } catch (error) {
      if (isLimited(error)) this.#limited ??= error;
      throw error;
    } finally {
      for (const digest of asked) this.#meetings.delete(digest);
    }
  }

  /** Records a message that was turned away, with its bytes as they came, also when the session has ended at a limit. */
  reject(refusal: Refusal, bytes?: Uint8Array): void {
    this.#rejections.add(refusal, bytes);
  }

  async #record(rejection: HostRejection): Promise<boolean> {
    const { session } = await this.#inTurn(() => this.#recording());
    if (await rejecterOf(session)(rejection)) return true;
    // the session has ended: a run that takes no call has the records that are left
    const { session: next } = await this.#inTurn(() => this.#recording(session));
    return rejecterOf(next)(rejection);
  }

  /** The session that takes records: the current session, or, where it has ended, one that is offered no capability. */
  async #recording(ended?: Session): Promise<Begun> {
    const known = this.#after ?? this.#begun;
    if (known !== undefined && known.session !== ended) return known;
    if (known === undefined && this.#limited === undefined) return (this.#begun = await this.#begin());
    return (this.#after = await this.#opened({ label: 'mcp', offer: [] }));
  }

  /** Seals the run after the calls under way. */
  async close(message: string): Promise<void> {
    await this.#rejections.settle();
    await this.#inTurn(async () => {
      this.#isClosed = true;
      await this.#seal(message);
      await this.#after?.session.close(message);
    });
  }

  async #sessionFor(name: string): Promise<Begun> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    // no client gets further calls by a change of the tools or of the grants
    if (this.#limited !== undefined) throw this.#limited;
    const row = (await this.#tools.rows()).find((each) => each.name === name);
    if (row !== undefined && this.#begun?.hashes.has(row.hash) === false) await this.#seal('The tools have changed.');
    if (this.#begun !== undefined && isStale(this.#begun.session, name)) await this.#seal('The grants have changed.');
    this.#begun ??= await this.#begin();
    return this.#begun;
  }

  async #begin(): Promise<Begun> {
    const rows = await this.#tools.rows();
    const options: SessionOptions = {
      label: 'mcp',
      ...(this.#last !== undefined && { after: this.#last }),
      offer: rows.map(({ name }) => name),
      approve: ({ digest }) => new Promise((answer) => this.#meet(digest, { answer })),
    };
    const begun = await this.#opened(options);
    this.#last = begun.session.run.id;
    return begun;
  }

  async #opened(options: SessionOptions): Promise<Begun> {
    const session = this.#runtime.openSession(options);
    const offered = await session.tools();
    this.#runs.add(session.run.id);
    return { session, hashes: new Set(offered.map(({ hash }) => hash)) };
  }

  /** Asks once both are here: the runtime's authorizer may deny a call before a person is asked. */
  #meet(digest: string, part: Meeting): void {
    const { tell, answer } = { ...this.#meetings.get(digest), ...part };
    this.#meetings.set(digest, { ...(tell && { tell }), ...(answer && { answer }) });
    if (tell !== undefined && answer !== undefined) tell(answer);
  }

  async #seal(message: string): Promise<void> {
    const begun = this.#begun;
    this.#begun = undefined;
    await begun?.session.close(message);
  }
}

const stale = new WeakMap<object, Set<string>>();

/**
 * Has a client's next call of this tool open another session, because a run gains no grant after its start. A call of
 * another tool goes on: no server ends a session by changes of its own tools.
 */
export function markStale({ run }: Session, tool: string): void {
  stale.set(run, (stale.get(run) ?? new Set()).add(tool));
}

function isStale({ run }: Session, tool: string): boolean {
  return stale.get(run)?.has(tool) === true;
}
