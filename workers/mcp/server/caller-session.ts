import type {
  ApprovalAnswer,
  Called,
  CallingOptions,
  OpenQuestion,
  Runtime,
  Session,
  SessionOptions,
} from '../../api.ts';
import { makeSerialQueue } from '../../async/serial-queue.ts';
import { rawJson } from '../../client/raw-json.ts';
import { isStale } from './stale-sessions.ts';
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

/** Name of no capability: the gate refuses a proposal for it, whatever its arguments are. */
const MESSAGE = 'mcp/message';

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

  /** `runs` receives the id of each run that this client opens. */
  constructor(runtime: Runtime, tools: ServedTools, runs: Set<string>) {
    this.#runtime = runtime;
    this.#tools = tools;
    this.#runs = runs;
  }

  /** Calls a capability with the JSON text of its arguments. */
  async call(name: string, args: string, { signal, onQuestion }: CallerOptions): Promise<Called> {
    const { session } = await this.#inTurn(() => this.#sessionFor(name));
    const asked = new Set<string>();
    const ask = (question: OpenQuestion): void => {
      if (question.why !== undefined) return;
      asked.add(question.digest);
      this.#meet(question.digest, { tell: (answer) => onQuestion(question, answer) });
    };
    try {
      return await session.call(name, rawJson(args), { ...(signal && { signal }), onQuestion: ask });
    } finally {
      for (const digest of asked) this.#meetings.delete(digest);
    }
  }

  /** Records a message that was refused, with its bytes as they came. */
  async record(bytes: Uint8Array, goal: string): Promise<void> {
    const { session } = await this.#inTurn(() => this.#sessionFor(MESSAGE));
    await session.call(MESSAGE, rawJson(bytes), { goal });
  }

  /** Seals the run after the calls under way. */
  async close(message: string): Promise<void> {
    await this.#inTurn(() => {
      this.#isClosed = true;
      return this.#seal(message);
    });
  }

  async #sessionFor(name: string): Promise<Begun> {
    if (this.#isClosed) throw new Error('The connection is closed.');
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
    const session = this.#runtime.openSession(options);
    const offered = await session.tools();
    this.#last = session.run.id;
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
