import type { Label } from '../../core/capability/guard.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import {
  ANY,
  CALLBACK,
  COUNT,
  each,
  FLAG,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  SIGNAL,
  TEXT,
} from '../../core/option.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import type { Phase } from '../../core/run/state.ts';
import { unwrap, unwrapAsked } from '../../core/sallyport-error.ts';
import type { StampedEvent } from '../../core/telemetry/event.ts';
import type { ModelPort, ModelWait, ResumeOptions, Run, RunView, StartOptions } from '../api.ts';
import { ASYNC_DISPOSE, orAborted } from '../async.ts';
import type { Kernel, KernelCommand, ModelTerms, RunReader } from '../kernel/api.ts';
import type { TelemetryBatch } from '../kernel/run/telemetry.ts';
import type { Proposer, RunListener } from '../ports.ts';
import { type Approvers, answerEdited, atRest, editedBy, listenerFor, noticing } from './approvers.ts';
import { assertModel, proposerOf, termsOf } from './model.ts';
import { goneError, makeRunUpdates, type RunUpdates } from './run-updates.ts';

export const OPENING: OptionType = oneOf('full', 'names', 'none');
const KNOWN: ReadonlySet<unknown> = new Set<Label>(['private', 'untrusted']);
export const LABELS: OptionType = [
  'a list of private and untrusted',
  (value) => Array.isArray(value) && value.every((label) => KNOWN.has(label)),
];

/** Options that the kernel checks may have any type here. */
const START: OptionTypes = {
  ...each(['dialect', 'task', 'budgets', 'limits'], ANY),
  model: ['a model: an object with id and propose', (value) => Object(value) === value],
  ...each(['heapHash', 'paused'], FLAG),
  seed: COUNT,
  offer: ['a list of names', (value) => Array.isArray(value) && value.every(TEXT[1])],
  opening: OPENING,
  labels: LABELS,
  onText: CALLBACK,
  signal: SIGNAL,
};
const ABORT: OptionTypes = { signal: SIGNAL };
const TELEMETRY: OptionTypes = { ...ABORT, held: FLAG };

/** Parts of an open runtime that its runs need. */
export interface RuntimeParts {
  readonly kernel: Kernel;
  /** Reads stored records. Rejects at the close of the runtime. */
  readonly look: RunReader;
  readonly approvers: Approvers;
  /** Starts that the kernel has not answered. */
  readonly starting: Set<Promise<unknown>>;
  /** Of each session: takes no further call, and resolves when its calls under way have ended. */
  readonly draining: Set<(error: unknown) => Promise<void>>;
}

export function startRun(setup: RuntimeParts, given: StartOptions): Run {
  const { kernel, approvers, starting } = setup;
  const id = crypto.randomUUID();
  const options = optionsOf(given, START, ['model']);
  const { dialect, task, budgets = {}, limits = {}, model } = options;
  assertModel(model);
  const terms = termsOf(model, options);
  const request = {
    run_id: id,
    dialect,
    task,
    model: model.id,
    budgets,
    limits,
    guard: approvers.guard !== false,
    ...(approvers.hold && { hold: approvers.hold }),
    ...(approvers.authorizer && { authorizer: approvers.authorizer.id }),
    ...(options.seed !== undefined && { seed: options.seed }),
    ...(options.offer !== undefined && { offer: options.offer }),
    ...(options.labels !== undefined && { labels: options.labels }),
    ...(options.heapHash === true && { heapHash: options.heapHash }),
    ...terms,
  };
  const updates = updatesOf(setup, id, dialect);
  const asked = new Error();
  const driven = {
    terms,
    proposer: proposerOf(model, options.onText),
    listener: listenerOf(setup, updates),
  };
  const begun = kernel.start(request, driven.proposer, driven.listener);
  const leave = () => void starting.delete(begun);
  starting.add(begun);
  begun.then(leave, leave);
  const run = makeRun(
    setup,
    updates,
    driven,
    begun.then((answer) => unwrapAsked(answer, asked)),
    options.paused === true,
  );
  endBy(run, options.signal);
  return run;
}

/** Phases of a resumed run whose first record is not acknowledged yet. */
const RECORDING: ReadonlySet<Phase> = new Set(['AUTHORIZATION_EVALUATING', 'MEMORY_COMMITTING']);

/** Resumes a run, or takes it over under a ticket. It rests until it is driven, so that a person can look at it first. */
export async function resumeRun(
  setup: RuntimeParts,
  run_id: string,
  model: ModelPort,
  { signal, onText, opening }: ResumeOptions,
  ticket?: string,
): Promise<Run> {
  const updates = updatesOf(setup, run_id, 'xct');
  const driven = {
    terms: termsOf(model, { opening }),
    proposer: proposerOf(model, onText),
    listener: listenerOf(setup, updates),
  };
  unwrap(await setup.kernel.resume(run_id, driven.terms, driven.proposer, driven.listener, ticket));
  // The recorded part arrives first, by the same listener as later updates. A question that is asked again can be
  // answered once the ledger has recorded the resumption.
  await updates.until(({ records, phase }) => records > 0 && !RECORDING.has(phase));
  const run = makeRun(setup, updates, driven, Promise.resolve(), true);
  endBy(run, signal);
  return run;
}

export function updatesOf({ look }: RuntimeParts, run_id: string, dialect: Dialect): RunUpdates {
  return makeRunUpdates(run_id, dialect, async (from) => unwrap(await look(run_id, from)).records);
}

function listenerOf({ kernel, approvers }: RuntimeParts, updates: RunUpdates): RunListener {
  return noticing(listenerFor(kernel, updates, approvers), approvers, updates);
}

/** Connects a signal to a run. A signal that is already aborted ends the run before its first step. */
export function endBy(run: Run, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const end = () => void run.abort('aborted by its signal').catch(() => undefined);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const leave = () => signal.removeEventListener('abort', end);
  run.result.then(leave, leave);
}

/** The model and the listener through which a kernel drives a run. */
interface RunDriver {
  readonly terms: ModelTerms;
  readonly proposer: Proposer;
  readonly listener: RunListener;
}

export function makeRun(
  { kernel, approvers }: RuntimeParts,
  updates: RunUpdates,
  { terms, proposer, listener }: RunDriver,
  begun: Promise<unknown>,
  paused: boolean,
): Run {
  const id = updates.view().run_id;
  let driven = paused;
  let pauses = 0;
  // A caller that wants to step calls `step()` in the same turn of the event loop; without it the run starts.
  const started = begun.then(
    () => void setTimeout(() => void (driven || kernel.command(id, 'run').catch(updates.fail))),
  );
  started.catch(updates.fail);
  const tell = async (act: () => Promise<void>): Promise<void> => {
    await started;
    // Rejects with the reason.
    if (goneError(updates.view()) !== undefined) await updates.result();
    await act();
  };
  /** Only a command decides whether the run starts by itself: an answer or a task does not hold it. */
  const command = (type: KernelCommand) => {
    driven = true;
    return tell(() => kernel.command(id, type));
  };
  /** Drives the run. Where the run is taken over or cannot begin, `result` has the reason. */
  const go = async (type: 'step' | 'run'): Promise<ModelWait | undefined> => {
    const [before, pausesBefore] = [updates.view(), pauses];
    await command(type);
    const isNewRest = (view: RunView): boolean => pauses > pausesBefore || hasMoved(before, view);
    await updates.until((view) => atRest(view, approvers) && isNewRest(view)).catch(() => undefined);
    return updates.view().waiting;
  };
  /** The kernel keeps only the newest finished runs. An older run is opened from its records for its next task. */
  const say = async (task: string): Promise<Outcome<void>> => {
    const said = await kernel.say(id, task);
    if (said.ok || said.refusal.code !== 'run_absent' || updates.view().end === undefined) return said;
    const opened = await kernel.resume(id, terms, proposer, listener);
    return opened.ok ? kernel.say(id, task) : opened;
  };
  return {
    id,
    get view() {
      return updates.view();
    },
    get result() {
      return updates.result();
    },
    step: () => go('step'),
    run: () => go('run'),
    pause: () => {
      pauses++;
      return command('pause');
    },
    resume: () => go('run'),
    // `abort` may be an event listener, so that its argument may be an event.
    abort: (reason) => tell(() => kernel.abort(id, typeof reason === 'string' ? reason.toWellFormed() : 'aborted')),
    say: (words) => tell(async () => unwrap(await say(words))),
    edit: async (digest, args) => {
      const text = unwrap(canonicalize(args));
      await started;
      return unwrap(await kernel.edit(id, digest, text));
    },
    answer: (digest, said) =>
      tell(async () => {
        const { rules } = approvers;
        if (editedBy(said) !== undefined) return unwrap(await answerEdited(kernel, id, digest, said, rules));
        unwrap(await kernel.answer(id, digest, (await rules?.permit(updates.view(), digest, said)) ?? said));
      }),
    records: (how) => updates.records(optionsOf(how, ABORT).signal),
    telemetry: (how) => {
      const { signal, held } = optionsOf(how, TELEMETRY);
      return readTelemetry((seq) => begun.then(() => kernel.telemetry(id, seq, held ? 'person' : undefined)), signal);
    },
    watch: (watcher) => updates.watch(watcher),
    [ASYNC_DISPOSE]: async () => {
      if (!updates.view().end) await begun.then(() => kernel.abort(id, 'disposed'));
    },
  };
}

/** Phases in which a run that is driven begins a step. In any other phase, it ends the step at work. */
const BETWEEN_STEPS: ReadonlySet<RunView['phase']> = new Set(['INITIALIZING', 'IDLE', 'MEMORY_COMMITTING']);

/** True if the run has progressed since it was driven, so that its rest is a new rest. */
function hasMoved({ steps, waiting, phase }: RunView, now: RunView): boolean {
  if (now.steps > steps || now.phase !== 'IDLE' || !BETWEEN_STEPS.has(phase)) return true;
  return (now.waiting?.failures ?? 0) > (waiting?.failures ?? 0);
}

/** Yields the events of a run in order, from the oldest that the log still holds to the last. */
export async function* readTelemetry(
  read: (seq: number) => Promise<TelemetryBatch>,
  signal?: AbortSignal,
): AsyncGenerator<StampedEvent> {
  for (let seq = 0; ; ) {
    const batch = await orAborted(read(seq), signal);
    if (batch === undefined) return;
    const { events, next, ended } = batch;
    yield* events;
    if (ended) return;
    seq = next;
  }
}
