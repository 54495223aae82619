import type { TypedDefinition } from '../../core/capability/author.ts';
import type { CapabilityDefinition } from '../../core/capability/define.ts';
import {
  ANY,
  CALLBACK,
  COUNT,
  each,
  FLAG,
  LIST,
  OBJECT,
  type OptionTypes,
  optionsOf,
  SIGNAL,
} from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type {
  ModelWait,
  PowerDefinition,
  Run,
  Runtime,
  RuntimeInfo,
  RuntimeOptions,
  RunView,
  StartOptions,
} from '../api.ts';
import { ASYNC_DISPOSE, disposable } from '../async/dispose.ts';
import { definedProperties, ownProperties } from '../async/own-properties.ts';
import type { Auditor } from '../auditor/auditor.ts';
import type { Kernel, KernelCommand, ModelTerms, PortAdapter } from '../kernel/api.ts';
import type { Proposer } from '../ports.ts';
import { type Approvers, atRest, listenerFor } from './approvers.ts';
import type { Rules } from './authorizer.ts';
import { contentClient } from './content.ts';
import { assertModel, proposerOf, termsOf } from './model.ts';
import { noticing } from './notices.ts';
import type { PendingCalls } from './pending-calls.ts';
import { guardedProxy, lazyObject } from './proxies.ts';
import { makeRunUpdates, type RunUpdates } from './run-updates.ts';
import { readTelemetry } from './telemetry.ts';

const OPTIONS: OptionTypes = {
  ...each(['capabilities', 'powers', 'grants'], LIST),
  ...each(['approve', 'consent'], CALLBACK),
  authorizer: OBJECT,
  guard: FLAG,
};
/** Options that the kernel checks may have any type here. */
const START: OptionTypes = {
  ...each(['dialect', 'task', 'budgets', 'limits'], ANY),
  model: ['a model: an object with id and propose', (value) => Object(value) === value],
  ...each(['heapHash', 'paused'], FLAG),
  seed: COUNT,
  onText: CALLBACK,
  signal: SIGNAL,
};
const ABORT: OptionTypes = { signal: SIGNAL };

/**
 * Opens the public interface over a kernel; the page and Node share it. Misuse throws `SallyportError`; expected
 * failures of a run are in its records and its result. The first check opens the auditor.
 */
export async function openClient(
  remote: Kernel,
  auditor: () => Promise<Auditor>,
  given: RuntimeOptions,
  adapt: PortAdapter = (value) => value,
): Promise<Runtime> {
  const asked = ownProperties(given);
  let isClosed = false;
  const kernel = guardedProxy(remote, () => isClosed);
  const rules = await applyOptions(kernel, asked, adapt).catch(async (error: unknown) => {
    // Releases the ledger, so that a program with corrected options can open it.
    await kernel.close();
    throw error;
  });
  const options: Approvers & RuntimeOptions = ownProperties({
    ...asked,
    warned: new Set<string>(),
    ...(rules && { rules }),
  });
  const info: RuntimeInfo = await kernel.info();
  const waiting: PendingCalls = new Set();
  const over = () => {
    isClosed = true;
    for (const tell of waiting) tell();
  };
  const later = import('./secondary-clients.ts');
  const secondary = later.then(({ secondaryClients }) => secondaryClients(kernel, auditor, adapt, waiting, over));
  const starting = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const shut = async (): Promise<void> => {
    // A run that is being started would begin after the close.
    await Promise.allSettled(starting);
    await remote.close();
    over();
  };
  return disposable<Runtime>({
    info,
    capabilities: {
      list: () => kernel.capabilities(),
      register: async (definition) => unwrap(await kernel.register(definitionOf(definition), false)),
      enable: async (name) => unwrap(await kernel.enable(name, true)),
      disable: async (name) => unwrap(await kernel.enable(name, false)),
      remove: async (name) => unwrap(await kernel.forget(name)),
    },
    grants: {
      list: () => kernel.grants(),
      grant: async (option) => unwrap(await kernel.grant(option)),
      revoke: (id) => kernel.revoke(id),
    },
    content: contentClient(kernel.content),
    start: (start) => startRun(kernel, start, options, adapt, starting),
    resume: async (run_id, model, how) => {
      const { signal, takeOver, onText } = optionsOf(how, { ...ABORT, takeOver: FLAG, onText: CALLBACK });
      const speaker = { terms: termsOf(model), proposer: adapt(proposerOf(model, onText)) };
      const resume = (ticket?: string) => resumeRun(kernel, run_id, speaker, options, adapt, ticket);
      const run = await (takeOver ? (await later).untilAborted(signal, kernel.giveUp, resume) : resume());
      endBy(run, signal);
      return run;
    },
    follow: async function* (run_id, how) {
      yield* (await secondary).follow(run_id, how);
    },
    runs: async () => unwrap(await kernel.runs()),
    ledger: lazyObject(
      ['export', 'records', 'payload', 'verify', 'archive', 'delete', 'erase', 'check', 'checkpoint', 'fsck'],
      secondary.then(({ ledger }) => ledger),
    ),
    storage: lazyObject(
      ['status', 'persist', 'backup', 'backupTo', 'restore', 'deleteEverything', 'events'],
      secondary.then(({ storage }) => storage),
    ),
    close: async () => {
      closing ??= shut();
      await closing;
    },
  });
}

/**
 * Registers capabilities, provides powers and adds grants from the options, in this order, and checks the authorizer
 * last.
 */
async function applyOptions(kernel: Kernel, options: RuntimeOptions, adapt: PortAdapter): Promise<Rules | undefined> {
  optionsOf(options, OPTIONS);
  for (const capability of options.capabilities ?? []) unwrap(await kernel.register(definitionOf(capability), true));
  if (options.powers !== undefined) await provideAll(kernel, options.powers, adapt);
  for (const grant of options.grants ?? []) unwrap(await kernel.grant(ownProperties(grant)));
  return options.authorizer && (await import('./authorizer.ts')).rulesOf(options.authorizer);
}

/** Registers the page's powers. Their code loads only where a page has powers. */
async function provideAll(kernel: Kernel, powers: readonly PowerDefinition[], adapt: PortAdapter): Promise<void> {
  const { runnerOf } = await import('./power-runner.ts');
  for (const { run, ...terms } of powers.map(ownProperties))
    unwrap(await kernel.provide(terms, adapt(runnerOf({ run }))));
}

/** A definition without its author's types: only data crosses to the kernel. */
function definitionOf(given: CapabilityDefinition): CapabilityDefinition {
  const { '~types': _, ...definition } = definedProperties<TypedDefinition<unknown, unknown>>(given);
  return definition;
}

function startRun(
  kernel: Kernel,
  given: StartOptions,
  approvers: Approvers,
  adapt: PortAdapter,
  starting: Set<Promise<unknown>>,
): Run {
  const id = crypto.randomUUID();
  const options = optionsOf(given, START, ['model']);
  const { dialect, task, budgets = {}, limits = {}, model } = options;
  assertModel(model);
  const request = {
    run_id: id,
    dialect,
    task,
    model: model.id,
    budgets,
    limits,
    guard: approvers.guard !== false,
    ...(approvers.authorizer && { authorizer: approvers.authorizer.id }),
    ...(options.seed !== undefined && { seed: options.seed }),
    ...(options.heapHash === true && { heapHash: options.heapHash }),
    ...termsOf(model),
  };
  const updates = makeRunUpdates(id, dialect);
  const begun = kernel.start(
    request,
    adapt(proposerOf(model, options.onText)),
    adapt(noticing(listenerFor(kernel, updates, approvers), approvers.warned)),
  );
  const leave = () => void starting.delete(begun);
  starting.add(begun);
  begun.then(leave, leave);
  const run = makeRun(kernel, updates, approvers, begun.then(unwrap), options.paused === true);
  endBy(run, options.signal);
  return run;
}

/** Connects a signal to a run. A signal that is already aborted ends the run before its first step. */
function endBy(run: Run, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const end = () => void run.abort('aborted by its signal').catch(() => undefined);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const leave = () => signal.removeEventListener('abort', end);
  run.result.then(leave, leave);
}

/** Resumes a run. It rests until it is driven, so that a person can look at it first. */
async function resumeRun(
  kernel: Kernel,
  id: string,
  { terms, proposer }: { readonly terms: ModelTerms; readonly proposer: Proposer },
  approvers: Approvers,
  adapt: PortAdapter,
  takeOver?: string,
): Promise<Run> {
  const updates = makeRunUpdates(id, 'xct');
  unwrap(
    await kernel.resume(
      id,
      terms,
      proposer,
      adapt(noticing(listenerFor(kernel, updates, approvers), approvers.warned)),
      takeOver,
    ),
  );
  // The recorded part arrives first, by the same listener as later updates.
  await updates.until(({ records }) => records);
  return makeRun(kernel, updates, approvers, Promise.resolve(), true);
}

function makeRun(
  kernel: Kernel,
  updates: RunUpdates,
  approvers: Approvers,
  begun: Promise<unknown>,
  paused: boolean,
): Run {
  const id = updates.view().run_id;
  let touched = paused;
  // A caller that wants to step calls `step()` in the same turn of the event loop; without it the run starts.
  const started = begun.then(() => void setTimeout(() => touched || kernel.command(id, 'run').catch(updates.fail)));
  started.catch(updates.fail);
  const tell = async (act: () => Promise<void>): Promise<void> => {
    touched = true;
    await started;
    // Rejects with the reason.
    if (updates.view().taken) await updates.result();
    await act();
  };
  const command = (type: KernelCommand) => tell(() => kernel.command(id, type));
  /** Drives the run. Where the run is taken over or cannot begin, `result` has the reason. */
  const go = async (type: 'step' | 'run'): Promise<ModelWait | undefined> => {
    const before = updates.view();
    await command(type);
    await updates.until((view) => atRest(view, approvers) && hasMoved(before, view)).catch(() => undefined);
    return updates.view().waiting;
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
    pause: () => command('pause'),
    resume: () => go('run'),
    // `abort` may be an event listener, so that its argument may be an event.
    abort: (reason) => tell(() => kernel.abort(id, typeof reason === 'string' ? reason.toWellFormed() : 'aborted')),
    say: (words) => tell(async () => unwrap(await kernel.say(id, words))),
    answer: (digest, said) =>
      tell(async () =>
        unwrap(await kernel.answer(id, digest, (await approvers.rules?.permit(updates.view(), digest, said)) ?? said)),
      ),
    records: (how) => updates.records(optionsOf(how, ABORT).signal),
    telemetry: (how) =>
      readTelemetry((seq) => begun.then(() => kernel.telemetry(id, seq)), optionsOf(how, ABORT).signal),
    watch: (watcher) => updates.watch(watcher),
    [ASYNC_DISPOSE]: async () => {
      if (!updates.view().end) await begun.then(() => kernel.abort(id, 'disposed'));
    },
  };
}

/** True if the run has progressed since it was driven, so that its rest is a new rest. */
function hasMoved({ steps, waiting }: RunView, now: RunView): boolean {
  return now.steps > steps || now.phase !== 'IDLE' || (now.waiting?.failures ?? 0) > (waiting?.failures ?? 0);
}
