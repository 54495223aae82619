import type { Label } from '../../core/capability/guard.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { UndoneRun } from '../../core/ledger/kinds/run.ts';
import type { Bodies, LedgerRecord } from '../../core/ledger/record.ts';
import {
  ANY,
  CALLBACK,
  each,
  LIST,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  SIGNAL,
  TEXT,
} from '../../core/option.ts';
import type { Payload } from '../../core/run/effect.ts';
import { unwrap, unwrapAsked } from '../../core/sallyport-error.ts';
import type { Called, CallingOptions, Run, RunEnd, RunView, Session, SessionOptions } from '../api.ts';
import { ASYNC_DISPOSE, type Deferred, deferred, makeWaiters } from '../async.ts';
import type { Kernel, StartRequest } from '../kernel/api.ts';
import { part } from '../load-part.ts';
import type { ModelAnswer, Proposer, RunListener, RunUpdate } from '../ports.ts';
import { type Approvers, listenerFor } from './approvers.ts';
import { wireOf } from './raw-json.ts';
import { keepRejecter, settleRejections } from './rejections.ts';
import { endBy, LABELS, makeRun, type RuntimeParts, updatesOf } from './run.ts';
import { goneError } from './run-updates.ts';
import { keepPayloads } from './serving.ts';
import type * as wire from './session-wire.ts';
import { warn } from './warn.ts';

const SESSION: OptionTypes = {
  ...each(['label', 'after', 'resume', 'principal'], TEXT),
  labels: [`${LABELS[0]}, or fresh`, (value) => value === 'fresh' || LABELS[1](value)],
  offer: LIST,
  limits: ANY,
  approve: CALLBACK,
  questions: oneOf('refuse', 'wait'),
  signal: SIGNAL,
};
const GOAL: OptionType = ['text of at most 4096 characters', (value) => TEXT[1](value) && String(value).length <= 4096];
const CALLING: OptionTypes = { signal: SIGNAL, onQuestion: CALLBACK, goal: GOAL };

/** A run of an undo that is to begin. */
export interface UndoSession {
  readonly id: string;
  readonly undoes: UndoneRun;
  readonly labels: readonly Label[];
}

/** Opens a session, or resumes one. A failure to begin rejects its calls and the result of its run. */
export function openSession(setup: RuntimeParts, given?: SessionOptions, undo?: UndoSession): Session {
  const options = optionsOf(given, SESSION);
  const { kernel } = setup;
  const id = options.resume ?? undo?.id ?? crypto.randomUUID();
  const calls = new SessionCalls(kernel, id);
  const { approve = setup.approvers.approve } = options;
  const approvers: Approvers = {
    ...setup.approvers,
    ...(approve && { approve }),
    ...(options.principal !== undefined && { principal: options.principal }),
    ...(options.questions !== 'wait' && { isAttended: (digest) => calls.isHeard(digest) }),
  };
  const updates = updatesOf(setup, id, 'femtoclaw');
  const answering = listenerFor(kernel, updates, approvers);
  const driver = {
    terms: { caller: true },
    proposer: calls.proposer,
    listener: (update: RunUpdate) => {
      answering(update);
      calls.listen(update);
    },
  } as const;
  const begun =
    options.resume === undefined
      ? kernel.start(requestOf(id, options, approvers, undo), driver.proposer, driver.listener)
      : kernel.resume(id, driver.terms, driver.proposer, driver.listener);
  const leave = () => void setup.starting.delete(begun);
  setup.starting.add(begun);
  begun.then(leave, leave);
  const drain = (error: unknown) => calls.drain(error);
  setup.draining.add(drain);
  const asked = new Error();
  const ready = begun.then((answer) => unwrapAsked(answer, asked));
  ready.catch((error: unknown) => calls.fail(error));
  const run = makeRun({ ...setup, approvers }, updates, driver, ready, false);
  const forget = () => void setup.draining.delete(drain);
  run.result.then(forget, forget);
  keepRejecter(run, (rejection) => ready.then(() => kernel.reject(id, rejection)));
  keepPayloads(run, ({ sha256 }) => kernel.payload(id, sha256).then(unwrap));
  endBy(run, options.signal);
  return makeSession(setup, { run, calls, ready, options });
}

function requestOf(
  run_id: string,
  { label = 'caller', labels, after, offer, principal, limits = {} }: SessionOptions,
  { guard, hold, authorizer }: RuntimeParts['approvers'],
  undo: UndoSession | undefined,
): StartRequest {
  return {
    run_id,
    dialect: 'femtoclaw',
    task: '',
    model: label,
    caller: true,
    budgets: {},
    limits,
    guard: guard !== false,
    // no model reads what an undo is told
    ...(undo ? { undoes: undo.undoes } : hold && { hold }),
    ...(authorizer && { authorizer: authorizer.id }),
    ...(labels === 'fresh' ? { fresh: true as const } : labels !== undefined && { labels }),
    ...(principal !== undefined && { principal }),
    ...(after !== undefined && { after }),
    ...(offer !== undefined && { offer }),
  };
}

interface SessionParts {
  readonly run: Run;
  readonly calls: SessionCalls;
  readonly ready: Promise<void>;
  readonly options: SessionOptions;
}

function makeSession({ kernel }: RuntimeParts, { run, calls, ready, options }: SessionParts): Session {
  const offered = ready.then(() => kernel.capabilities());
  offered.catch(() => undefined);
  const resumed = options.resume === undefined ? Promise.resolve(undefined) : calls.resumed;
  const close: Session['close'] = async (message) => {
    // every call before this one has its place in the queue then
    await sessionWire().catch(() => undefined);
    await calls.drained();
    await ready;
    await settleRejections(run);
    await kernel.finish(run.id, message);
    return run.result;
  };
  return {
    run,
    resumed,
    tools: async () => {
      const { rowsOf, toolRow } = await sessionWire();
      const begun = await offered;
      const held = await kernel.offered(run.id);
      return held?.map(toolRow) ?? rowsOf(begun, await kernel.capabilities(), options.offer);
    },
    call: async (name, args, how) => {
      const asked = optionsOf(how, CALLING);
      const wire = wireOf(args);
      const { proposalOf, placedIn } = await sessionWire();
      const called = await calls.add(proposalOf(name, args), { ...asked, ...(wire && { wire }) });
      return called.ok ? called : { ...called, refusal: placedIn(args, called.refusal) };
    },
    preview: async (name, args) => {
      const { proposalOf, placedIn } = await sessionWire();
      const proposal = proposalOf(name, args);
      await ready;
      const { refusal, ...preview } = unwrap(await kernel.preview(run.id, proposal));
      return { ...preview, ...(refusal && { refusal: placedIn(args, refusal) }) };
    },
    close,
    [ASYNC_DISPOSE]: async () => void (await close().catch(() => undefined)),
  };
}

const loadWire = part(() => import('./session-wire.ts'));
let loading: Promise<typeof wire> | undefined;

/**
 * Loaded with the first call: many pages open no session. Calls wait for a single promise, which keeps their order: two
 * imports of a module that is still loading may end in any order.
 */
function sessionWire(): Promise<typeof wire> {
  loading ??= loadWire().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

type Receipt = Extract<LedgerRecord, { kind: 'receipt' }>;
type ReadArguments = readonly [Receipt, Bodies['observation'] | undefined, readonly Payload[]];

/** A call of a session, from its place in the queue to its receipt. */
interface SessionCall {
  readonly proposal: Uint8Array | undefined;
  readonly called: Deferred<Called>;
  readonly onQuestion: CallingOptions['onQuestion'];
  readonly goal?: string;
  readonly wire?: Uint8Array;
  /** The step, once the kernel has asked for the proposal. */
  step?: number;
  /** The caller has given the call up. */
  isCut?: true;
}

/**
 * The calls of a session in order. The kernel asks for a proposal as it asks a model, and gets the next call. A call
 * ends when its receipt is recorded.
 */
class SessionCalls {
  readonly #kernel: Kernel;
  readonly #run_id: string;
  readonly #waiting: SessionCall[] = [];
  #current: SessionCall | undefined;
  #wanted: Deferred<SessionCall> | undefined;
  readonly #first = deferred<SessionCall | undefined>();
  readonly #drained = makeWaiters();
  #observed: Bodies['observation'] | undefined;
  /** Texts that have come since the last receipt. */
  #texts: readonly Payload[] = [];
  #question = '';
  /** Digest of the newest question that `onQuestion` has taken. */
  #heard: string | undefined;
  #view: RunView | undefined;
  /** Reason why the session takes no further call. */
  #over: unknown;
  /** Reason why a session that ends its open calls takes no further one. */
  #closing: unknown;

  constructor(kernel: Kernel, run_id: string) {
    this.#kernel = kernel;
    this.#run_id = run_id;
    this.resumed.catch(() => undefined);
  }

  /** Number of calls without a receipt. */
  get open(): number {
    return this.#waiting.length + (this.#current === undefined ? 0 : 1);
  }

  /** Adds a call with the bytes of its proposal. */
  add(
    proposal: Uint8Array,
    { signal, onQuestion, goal, wire }: CallingOptions & { readonly wire?: Uint8Array },
  ): Promise<Called> {
    signal?.throwIfAborted();
    const refused = this.#over ?? this.#closing;
    if (refused !== undefined) return Promise.reject(refused as Error);
    const told = { ...(goal !== undefined && { goal }), ...(wire && { wire }) };
    const call: SessionCall = { proposal, called: deferred(), onQuestion, ...told };
    this.#waiting.push(call);
    this.#offer();
    if (signal === undefined) return call.called.promise;
    const giveUp = () => this.#giveUp(call, signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    return call.called.promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  /** The call that was open before this process; undefined where the records end with a receipt. */
  readonly resumed: Promise<Called | undefined> = this.#first.promise.then((call) => call?.called.promise);

  /** True if the call of this question has taken it by `onQuestion`, to answer it. */
  isHeard(digest: string): boolean {
    return digest === this.#heard;
  }

  /** Resolves when no call is open. */
  drained(): Promise<void> {
    return this.open === 0 ? Promise.resolve() : this.#drained.wait();
  }

  /** Rejects every later call, and resolves when no call is open. */
  drain(error: unknown): Promise<void> {
    this.#closing ??= error;
    return this.drained();
  }

  /** Takes over the step that the first records of a resumed session leave open. */
  #adopt(records: readonly LedgerRecord[]): void {
    const proposal = records.findLast(({ kind }) => kind === 'proposal');
    const receipt = records.findLast(({ kind }) => kind === 'receipt');
    const isReplaced = receipt?.kind === 'receipt' && receipt.body.evidence.reason?.code === 'replaced';
    const done = receipt?.kind === 'receipt' ? receipt.body.evidence.step : 0;
    const step = Math.max(proposal?.kind === 'proposal' ? proposal.body.step : 0, isReplaced ? done + 1 : 0);
    if (step > done) this.#current = { proposal: undefined, called: deferred(), onQuestion: undefined, step };
    this.#first.resolve(this.#current);
  }

  /** The caller as the kernel sees it. */
  readonly proposer: Proposer = {
    propose: async (_, step): Promise<ModelAnswer> => {
      const wanted = deferred<SessionCall>();
      this.#wanted = wanted;
      this.#offer();
      const call = await wanted.promise;
      call.step = step;
      const { proposal, goal, wire } = call;
      return { text: proposal ?? NOTHING, ...(goal !== undefined && { goal }), ...(wire && { wire }) };
    },
    // The kernel cancels a request when the run ends; no call is waiting for an answer then.
    cancel: () => undefined,
  };

  /** Hands the oldest call to the kernel, if the kernel has asked. */
  #offer(): void {
    if (this.#wanted === undefined || this.#current !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#current = next;
    this.#wanted.resolve(next);
    this.#wanted = undefined;
  }

  /** Takes the records and the view of the run. */
  readonly listen: RunListener = ({ view, records, texts = [] }) => {
    if (this.#view === undefined) this.#adopt(records);
    this.#view = view;
    this.#texts = [...this.#texts, ...texts];
    for (const record of records) {
      if (record.kind === 'observation') this.#observed = record.body;
      if (record.kind === 'receipt') this.#receive(record);
    }
    this.#tellQuestion(view);
    this.#cut(view);
    const gone = goneError(view);
    if (gone !== undefined) this.fail(gone);
    else if (view.end !== undefined) this.#end(view.end);
  };

  /** Ends the open call with its receipt. A call that a person has replaced ends with the step of the person's. */
  #receive(record: Receipt): void {
    const { step, reason } = record.body.evidence;
    const current = this.#current;
    if (current === undefined || current.step !== step) return;
    if (reason?.code === 'replaced') current.step = step + 1;
    else this.#settle(record);
  }

  #tellQuestion({ pending }: RunView): void {
    if (pending === undefined || pending.digest === this.#question) return;
    this.#question = pending.digest;
    const onQuestion = this.#current?.onQuestion;
    if (onQuestion === undefined) return;
    try {
      if (onQuestion(pending) !== false) this.#heard = pending.digest;
    } catch (error) {
      // A mistake of the calling program does not end the session.
      warn('sallyport: onQuestion threw', error);
    }
  }

  #end(end: RunEnd): void {
    void sessionWire().then(
      ({ endOf }) => this.fail(endOf(end)),
      (error: unknown) => this.fail(error),
    );
  }

  /** Rejects every call without a receipt, and every later call. */
  fail(error: unknown): void {
    this.#over ??= error;
    for (const { called } of [...this.#waiting.splice(0), ...(this.#current ? [this.#current] : [])])
      called.reject(this.#over);
    this.#current = undefined;
    this.#first.resolve(undefined);
    this.#drained.settle();
  }

  #settle(receipt: Receipt): void {
    const [call, observed, texts] = [this.#current, this.#observed, this.#texts];
    this.#texts = [];
    this.#current = undefined;
    this.#offer();
    if (this.open === 0) this.#drained.settle();
    if (call !== undefined) void this.#called(receipt, observed, texts).then(call.called.resolve, call.called.reject);
  }

  async #called(...receipt: ReadArguments): Promise<Called> {
    const { readCalled } = await sessionWire();
    return readCalled(this.#kernel, ...receipt, this.#view?.holding === true);
  }

  /** Takes a waiting call out of the queue, and has the kernel end an open one: its receipt is awaited. */
  #giveUp(call: SessionCall, reason: unknown): void {
    call.called.reject(reason);
    const place = this.#waiting.indexOf(call);
    if (place >= 0) this.#waiting.splice(place, 1);
    call.isCut = true;
    if (this.#view !== undefined) this.#cut(this.#view);
  }

  /** Ends the open call if its caller has given it up, once the kernel has its proposal. */
  #cut({ steps }: RunView): void {
    const { isCut, step } = this.#current ?? {};
    if (isCut !== true || step === undefined || steps < step) return;
    delete this.#current?.isCut;
    this.#kernel.cut(this.#run_id, step).catch(() => undefined);
  }
}

const NOTHING = encodeText('');
