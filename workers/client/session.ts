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
import { unwrap } from '../../core/sallyport-error.ts';
import type { Run, Session, SessionOptions } from '../api.ts';
import { ASYNC_DISPOSE } from '../async.ts';
import type { StartRequest } from '../kernel/api.ts';
import type { RunUpdate } from '../ports.ts';
import { type Approvers, listenerFor } from './approvers.ts';
import { wireOf } from './raw-json.ts';
import { keepRejecter, settleRejections } from './rejections.ts';
import { endBy, LABELS, makeRun, type RuntimeParts, updatesOf } from './run.ts';
import { SessionCalls, sessionWire } from './session-calls.ts';

const SESSION: OptionTypes = {
  ...each(['label', 'after', 'resume'], TEXT),
  labels: LABELS,
  offer: LIST,
  limits: ANY,
  approve: CALLBACK,
  questions: oneOf('refuse', 'wait'),
  signal: SIGNAL,
};
const GOAL: OptionType = ['text of at most 4096 characters', (value) => TEXT[1](value) && String(value).length <= 4096];
const CALLING: OptionTypes = { signal: SIGNAL, onQuestion: CALLBACK, goal: GOAL };

/** Opens a session, or resumes one. A failure to begin rejects its calls and the result of its run. */
export function openSession(setup: RuntimeParts, given?: SessionOptions): Session {
  const options = optionsOf(given, SESSION);
  const { kernel } = setup;
  const id = options.resume ?? crypto.randomUUID();
  const calls = new SessionCalls(kernel, id);
  const { approve = setup.approvers.approve } = options;
  const approvers: Approvers = {
    ...setup.approvers,
    ...(approve && { approve }),
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
      ? kernel.start(requestOf(id, options, approvers), driver.proposer, driver.listener)
      : kernel.resume(id, driver.terms, driver.proposer, driver.listener);
  const leave = () => void setup.starting.delete(begun);
  setup.starting.add(begun);
  begun.then(leave, leave);
  const drain = (error: unknown) => calls.drain(error);
  setup.draining.add(drain);
  const ready = begun.then(unwrap);
  ready.catch((error: unknown) => calls.fail(error));
  const run = makeRun({ ...setup, approvers }, updates, driver, ready, false);
  const forget = () => void setup.draining.delete(drain);
  run.result.then(forget, forget);
  keepRejecter(run, (rejection) => ready.then(() => kernel.reject(id, rejection)));
  endBy(run, options.signal);
  return makeSession(setup, { run, calls, ready, options });
}

function requestOf(
  run_id: string,
  { label = 'caller', labels, after, offer, limits = {} }: SessionOptions,
  { guard, authorizer }: RuntimeParts['approvers'],
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
    ...(authorizer && { authorizer: authorizer.id }),
    ...(labels !== undefined && { labels }),
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
    tools: async () => (await sessionWire()).rowsOf(await offered, await kernel.capabilities(), options.offer),
    call: async (name, args, how) => {
      const asked = optionsOf(how, CALLING);
      const wire = wireOf(args);
      const { proposalOf, placedIn } = await sessionWire();
      return placedIn(args, await calls.add(proposalOf(name, args), { ...asked, ...(wire && { wire }) }));
    },
    preview: async (name, args) => {
      const proposal = (await sessionWire()).proposalOf(name, args);
      await ready;
      return unwrap(await kernel.preview(run.id, proposal));
    },
    close,
    [ASYNC_DISPOSE]: async () => void (await close().catch(() => undefined)),
  };
}
