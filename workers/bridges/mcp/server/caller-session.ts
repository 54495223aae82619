import type { Label } from '../../../../core/capability/guard.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import type { HostRejection } from '../../../../core/run/event.ts';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import type {
  ApprovalAnswer,
  Called,
  CallingOptions,
  OpenQuestion,
  RawJson,
  ReceiptPlace,
  Runtime,
  RunView,
  Session,
  SessionOptions,
} from '../../../api.ts';
import { deferred, makeSerialQueue, makeTurnQueue } from '../../../async.ts';
import { Rejections, rejecterOf } from '../../../client/rejections.ts';
import type { ServedTools } from './tools.ts';

/** Passes on the answer to a question. A second answer has no effect. */
type Answering = (answer: ApprovalAnswer) => void;

/** Who calls, and `fresh` where the labels of their runs before do not count. */
export type SessionAsker = Pick<SessionOptions, 'principal' | 'labels'>;

/** The terms of a client's session. */
export interface CallerTerms extends SessionAsker {
  /** It lists resources and prompts, and no model chooses its calls. */
  readonly isForLists?: true;
}

interface CallerOptions extends Pick<CallingOptions, 'signal'> {
  readonly begun?: () => void;
  /** Called with the id of the call's step, when its proposal is recorded. */
  readonly stepped?: (step_id: string) => void;
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
  /** Resolves with the end of a call that a person was asked about. The calls after it do not wait for this end. */
  asks?: Promise<void>;
  /** A session was to begin beside it: it takes no call but the one that a person is asked about. */
  isLeft?: true;
  /** Takes the step of the call under way. */
  stepped?: (step_id: string) => void;
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
 *
 * Calls go one after the other. A question blocks its own call alone: a call behind it opens a session beside the one
 * that waits, and the next session counts what both have come to.
 */
export class CallerSession {
  readonly #runtime: Runtime;
  readonly #tools: ServedTools;
  readonly #runs: Set<string>;
  readonly #asker: SessionAsker;
  readonly #isForLists: boolean;
  readonly #inTurn = makeSerialQueue();
  readonly #turns = makeTurnQueue();
  /** Sessions that wait for a person beside the current one. */
  readonly #beside = new Set<Begun>();
  /** A session beside the current one has ended: the next begins with what it has come to. */
  #hasJoined = false;
  readonly #labels = new Set<Label>();
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
  constructor(runtime: Runtime, tools: ServedTools, runs: Set<string>, terms: CallerTerms = {}) {
    const { isForLists = false, ...asker } = terms;
    this.#runtime = runtime;
    this.#tools = tools;
    this.#runs = runs;
    this.#asker = asker;
    this.#isForLists = isForLists;
  }

  /** Results can be held: the host hears nothing that may follow from one, and be it that a person is asked. */
  get isHolding(): boolean {
    return this.#begun?.session.run.view.holding === true;
  }

  /** A person is asked about a call that the calls behind it wait for. */
  get isHeld(): boolean {
    return this.#begun?.asks === undefined && isOpen(this.#begun?.session.run.view);
  }

  /** Calls a capability. `begun` is called when no other call stands before this one. */
  async call(
    name: string,
    args: RawJson,
    { signal, begun: tell, stepped, onQuestion }: CallerOptions,
  ): Promise<Called> {
    const leave = await this.#turn(signal);
    const asked = new Set<string>();
    const { promise: ended, resolve: end } = deferred<void>();
    let mine: Begun | undefined;
    const ask = (question: OpenQuestion): void => {
      if (question.why !== undefined) return;
      asked.add(question.digest);
      this.#meet(question.digest, { tell: (answer) => onQuestion(question, answer) });
      // a program of the sandbox makes further calls of its own, so the calls behind it wait; where results can be held they
      // wait, too: a run beside has no handle of this one, and hands to its sources what this one does not know of
      if (mine === undefined || mine.session.run.view.holding || !this.#tools.isTool(name)) return;
      mine.asks = ended;
      leave();
    };
    try {
      mine = await this.#inTurn(() => this.#sessionFor(name));
      tell?.();
      if (mine.session.run.view.holding === true) await this.#tools.keep(name, this.#isForLists);
      if (stepped !== undefined) mine.stepped = stepped;
      const called = await mine.session.call(name, args, { ...(signal && { signal }), onQuestion: ask });
      if (called.held !== undefined) return called;
      for (const label of called.labels) this.#labels.add(label);
      return { ...called, labels: [...this.#labels].sort() };
    } catch (error) {
      if (isLimited(error)) this.#limited ??= error;
      throw error;
    } finally {
      if (mine !== undefined) this.#end(mine);
      end();
      leave();
      for (const digest of asked) this.#meetings.delete(digest);
    }
  }

  /** True for a call that would run now without a question. */
  async isPermitted(name: string, args: RawJson): Promise<boolean> {
    const leave = await this.#turn(undefined);
    try {
      const { session } = await this.#inTurn(() => this.#sessionFor(name));
      return (await session.preview(name, args)).decision === 'AUTHORIZED';
    } finally {
      leave();
    }
  }

  /** Waits until no call stands before this one. Returns a function that lets the next one begin. */
  async #turn(signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const turn = this.#turns();
    const gone = deferred<never>();
    const giveUp = (): void => gone.reject(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([turn, gone.promise]);
    } catch (error) {
      void turn.then((leave) => leave());
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** A call has ended, before its host hears of it. */
  #end(begun: Begun): void {
    delete begun.asks;
    if (this.#beside.delete(begun)) this.#hasJoined = true;
  }

  /** Records a message that was turned away, with its bytes as they came, also when the session has ended at a limit. */
  reject(refusal: Refusal, bytes?: Uint8Array): void {
    this.#rejections.add(refusal, bytes);
  }

  /** Records that a message got the outcome of a call before it. */
  taken({ run_id, step_id }: ReceiptPlace, bytes?: Uint8Array): void {
    this.#rejections.taken({ run_id, step_id }, bytes);
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
    const leave = await this.#turns();
    await this.#inTurn(async () => {
      this.#isClosed = true;
      const open = [...this.#beside].map(({ session }) => session.close(message));
      await Promise.all([...open, this.#seal(message), this.#after?.session.close(message)]);
    }).finally(leave);
  }

  async #sessionFor(name: string): Promise<Begun> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    // no client gets further calls by a change of the tools or of the grants
    if (this.#limited !== undefined) throw this.#limited;
    await this.#goBeside();
    const row = (await this.#tools.rows()).find((each) => each.name === name);
    if (row !== undefined && this.#begun?.hashes.has(row.hash) === false) await this.#seal('The tools have changed.');
    if (this.#begun !== undefined && isStale(this.#begun.session, name)) await this.#seal('The grants have changed.');
    if (this.#hasJoined || this.#begun?.isLeft) await this.#seal('A call that a person was asked about has ended.');
    this.#begun ??= await this.#begin();
    return this.#begun;
  }

  /** Opens a session beside one that waits for a person. A call that was answered is awaited, as every other call is. */
  async #goBeside(): Promise<void> {
    const begun = this.#begun;
    if (begun?.asks === undefined) return undefined;
    if (!(await isAsking(begun))) return this.#goBeside();
    this.#beside.add(begun);
    try {
      this.#begun = await this.#begin();
      return undefined;
    } catch (error) {
      this.#beside.delete(begun);
      begun.isLeft = true;
      if (!(error instanceof SallyportError) || error.code !== 'option_invalid') throw error;
      // it was answered meanwhile, or takes no session beside it: its end is awaited, as that of every other call is
      await begun.asks;
      return undefined;
    }
  }

  async #begin(): Promise<Begun> {
    const offer = await this.#tools.offer();
    const options: SessionOptions = {
      label: 'mcp',
      ...this.#asker,
      ...(this.#last !== undefined && { after: this.#last }),
      offer,
      approve: ({ digest }) => new Promise((answer) => this.#meet(digest, { answer })),
    };
    const hadJoined = this.#hasJoined;
    // a call may end while the session opens: the next one knows what it has come to
    this.#hasJoined = false;
    try {
      const begun = await this.#opened(options);
      this.#last = begun.session.run.id;
      return begun;
    } catch (error) {
      this.#hasJoined ||= hadJoined;
      throw error;
    }
  }

  async #opened(options: SessionOptions): Promise<Begun> {
    const session = this.#runtime.openSession(options);
    const offered = await session.tools();
    this.#runs.add(session.run.id);
    const begun: Begun = { session, hashes: new Set(offered.map(({ hash }) => hash)) };
    void tellSteps(begun).catch(() => undefined);
    return begun;
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
    try {
      await begun?.session.close(message);
    } catch (error) {
      // a session beside which another began ends with its call
      if (!(error instanceof SallyportError) || error.code !== 'run_sealed') throw error;
    }
  }
}

/** Calls of a session go one after the other, so a proposal is that of the newest call. */
async function tellSteps(begun: Begun): Promise<void> {
  for await (const { kind, body } of begun.session.run.records())
    if (kind === 'proposal') begun.stepped?.(body.step_id);
}

/** True while a person is asked. */
function isOpen(view: RunView | undefined): boolean {
  return view?.pending !== undefined && view.pending.why === undefined;
}

/** True when a person is asked about the call; false when the call has ended. */
async function isAsking({ session: { run }, asks }: Begun): Promise<boolean> {
  const asked = deferred<boolean>();
  const look = (view: RunView): void => {
    if (isOpen(view)) asked.resolve(true);
  };
  const leave = run.watch(look);
  look(run.view);
  void asks?.then(() => asked.resolve(false));
  return asked.promise.finally(leave);
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
