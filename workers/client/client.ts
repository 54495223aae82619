import type { JsonValue } from '../../core/json/value.ts';
import {
  assertKinds,
  CALLBACK,
  demand,
  FLAG,
  LIST,
  OBJECT,
  type OptionType,
  type OptionTypes,
  optionsOf,
  SIGNAL,
  TEXT,
} from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { CloseOptions, Content, Runtime, RuntimeInfo, RuntimeOptions } from '../api.ts';
import { disposable, orAborted, unlessAborted, within } from '../async.ts';
import type { Auditor } from '../auditor/auditor.ts';
import type { Kernel, RunReader } from '../kernel/api.ts';
import type { ContentService } from '../kernel/content/service.ts';
import { loadPart, part } from '../load-part.ts';
import { ownProperties } from '../own-properties.ts';
import { applyOptions, definitionOf, providePower } from './apply-options.ts';
import type { Approvers } from './approvers.ts';
import type { Rules } from './authorizer.ts';
import { openCalls, runtimeClosed } from './calls.ts';
import { OPENING, type RuntimeParts, resumeRun, startRun } from './run.ts';
import { keepServingParts } from './serving.ts';
import { openSession } from './session.ts';
import type { ToolClient } from './tools.ts';
import { WaitingQuestions } from './waiting-questions.ts';

/** Parts that many pages never use. They load with their first use, or when the page is idle. */
const loadTools = part(() => import('./tools.ts'));
const loadUndo = part(() => import('./undo.ts'));
/** For large transfers of content. */
const loadUpload = part(() => import('./content-upload.ts'));

/**
 * Opens the public interface over a kernel; the page and Node share it. Misuse throws `SallyportError`; expected
 * failures of a run are in its records and its result. The first check opens the auditor.
 */
export async function openClient(
  remote: Kernel,
  auditor: () => Promise<Auditor>,
  given: RuntimeOptions,
): Promise<Runtime> {
  const asked = ownProperties(given);
  const listeners = new Set<() => void>();
  const calls = openCalls(remote, () => {
    for (const listener of listeners) listener();
  });
  const { kernel } = calls;
  let toolsOf: Promise<ToolClient> | undefined;
  const tools = () => (toolsOf ??= loadTools().then(({ toolClient }) => toolClient(kernel)));
  const opening = Promise.all([applyOptions(kernel, asked, tools), kernel.info()]);
  const [rules, info]: [Rules | undefined, RuntimeInfo] = await unlessAborted(opening, asked.signal).catch(
    async (error: unknown) => {
      // Releases the ledger, so that a program with corrected options, or after its abort, can open it.
      await closedInTime([toolsOf?.then((own) => own.close()), kernel.close()], asked.signal);
      throw error;
    },
  );
  const waiting = new WaitingQuestions();
  const told = { waiting, warned: new Set<string>() };
  const approvers: Approvers = ownProperties({ ...asked, ...told, ...(rules && { rules }) });
  const starting = new Set<Promise<unknown>>();
  const draining: RuntimeParts['draining'] = new Set();
  const later = loadPart(() => import('./secondary-clients.ts'));
  const secondary = later.then(({ secondaryClients }) => secondaryClients(calls, auditor));
  const look: RunReader = async (...from) => (await secondary).look(...from);
  const setup: RuntimeParts = { kernel, look, approvers, starting, draining };
  const undoing = () => loadUndo().then(({ undoClient }) => undoClient(setup));
  let closing: Promise<void> | undefined;
  /** The calls under way end first: those that sessions have queued, then those of runs with a model. */
  const drain = async (): Promise<void> => {
    await Promise.allSettled(starting);
    await Promise.all([...draining].map((end) => end(runtimeClosed())));
    await remote.drain();
  };
  /** The step at work ends first; `remote.close` cuts it where the signal has ended the wait. */
  const suspend = async ({ signal }: CloseOptions): Promise<void> => {
    // a run that is being started has its first records then, and is suspended too
    await Promise.allSettled(starting);
    await orAborted(remote.suspend(), signal);
  };
  const settleRuns = async (how: CloseOptions): Promise<void> => {
    if (how.drain || how.suspend) calls.beginNoRun();
    if (how.drain) await orAborted(drain(), how.signal);
    if (how.suspend) await suspend(how);
  };
  const shut = async (): Promise<void> => {
    // A run that is being started would begin after the close.
    await Promise.allSettled(starting);
    waiting.close();
    await (await toolsOf)?.close();
    await remote.close();
    calls.close();
  };
  const runtime = disposable<Runtime>({
    info,
    capabilities: {
      list: () => kernel.capabilities(),
      register: async (definition) => unwrap(await kernel.register(definitionOf(definition), false)),
      enable: async (name) => unwrap(await kernel.enable(name, true)),
      disable: async (name) => unwrap(await kernel.enable(name, false)),
      remove: async (name) => unwrap(await kernel.forget(name)),
      stored: async (name) => unwrap(await kernel.stored(name)),
      forgetStored: async (name) => unwrap(await kernel.forgetStored(name)),
    },
    tools: {
      provide: async (definition) => (await tools()).tools.provide(definition),
      remove: async (name) => (await tools()).tools.remove(name),
    },
    powers: {
      provide: (definition) => providePower(kernel, definition),
      remove: async (name) => unwrap(await kernel.withdraw(name)),
    },
    grants: {
      list: () => kernel.grants(),
      grant: async (option) => unwrap(await kernel.grant(option)),
      watch: async (options) => {
        demand('options', options, OBJECT);
        return unwrap(await kernel.watch(ownProperties(options)));
      },
      revoke: (id) => kernel.revoke(id),
      allowed: async (options) => (await secondary).allowed(options),
    },
    held: lazyObject(
      { list: true, open: true, parts: true, sources: true, clear: true },
      secondary.then(({ held }) => held),
    ),
    content: contentClient(kernel),
    start: (start) => startRun(setup, start),
    answerSigned: async (digest, signed, standing) => {
      assertKinds({ digest, signed, standing }, SIGNED, ['digest', 'signed']);
      const { run_id, pending } = unwrap(await kernel.asking(digest));
      const said = { approved: true, signed, ...(standing !== undefined && { standing }) } as const;
      unwrap(await kernel.answer(run_id, digest, (await rules?.permit({ pending }, digest, said)) ?? said));
    },
    questions: (how) => waiting.list(optionsOf(how, { signal: SIGNAL }).signal),
    openSession: (session) => openSession(setup, session),
    resume: async (run_id, model, how) => {
      const options = optionsOf(how, { signal: SIGNAL, takeOver: FLAG, onText: CALLBACK, opening: OPENING });
      const resume = (ticket?: string) => resumeRun(setup, run_id, model, options, ticket);
      return options.takeOver ? (await later).untilAborted(options.signal, kernel.giveUp, resume) : resume();
    },
    follow: async function* (run_id, how) {
      yield* (await secondary).follow(run_id, how);
    },
    undo: async (options) => (await undoing()).undo(options),
    undoPlan: async (target) => (await undoing()).undoPlan(target),
    runs: async () => unwrap(await kernel.runs()),
    ledger: lazyObject(
      {
        export: true,
        records: true,
        explain: true,
        payload: true,
        payloads: true,
        verify: true,
        archive: true,
        delete: true,
        erase: true,
        check: true,
        checkpoint: true,
        fsck: true,
      },
      secondary.then(({ ledger }) => ledger),
    ),
    storage: lazyObject(
      {
        status: true,
        persist: true,
        backup: true,
        backupTo: true,
        restore: true,
        replace: true,
        deleteEverything: true,
        events: true,
      },
      secondary.then(({ storage }) => storage),
    ),
    close: async (how) => {
      const options = optionsOf(how, CLOSING);
      if (options.drain && options.suspend) demand('suspend', true, NOT_WITH_DRAIN);
      closing ??= settleRuns(options).then(shut);
      await closing;
    },
  });
  return keepServingParts(runtime, {
    ...(approvers.approve && { approve: approvers.approve }),
    offering: async (offer) => {
      const { hold } = approvers;
      return unwrap(await kernel.offering({ offer, ...(hold && { hold }) }));
    },
    changed: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}

const SIGNED: OptionTypes = { digest: TEXT, signed: OBJECT, standing: OBJECT };

/** Time that an aborted opening leaves its parts to close, in ms. */
const CLOSING_MS = 1000;

/**
 * Waits until the parts of a failed opening are closed, however each of them ends. Behind the signal's abort the wait is
 * short, and what is not closed by then goes on closing.
 */
export async function closedInTime(parts: readonly unknown[], signal: AbortSignal | undefined): Promise<void> {
  const closed = Promise.allSettled(parts);
  if ((await orAborted(closed, signal)) === undefined) await within(closed, CLOSING_MS);
}

const CLOSING: OptionTypes = { drain: FLAG, suspend: FLAG, signal: SIGNAL };
const NOT_WITH_DRAIN: OptionType = ['absent with drain: a drain ends the runs', () => false];

/** An object that can be called while it loads. All of its methods are async. */
function lazyObject<T extends object>(names: { readonly [N in keyof NoInfer<T>]: true }, loaded: Promise<T>): T {
  type Method = (...given: readonly unknown[]) => unknown;
  // Each caller receives the failure.
  loaded.catch(() => undefined);
  const asked =
    (name: keyof T) =>
    async (...given: readonly unknown[]) =>
      ((await loaded)[name] as Method)(...given);
  return Object.fromEntries(Object.keys(names).map((name) => [name, asked(name as keyof T)])) as T;
}

/** `rt.content` over the kernel's content service. */
export function contentClient(service: ContentService): Content {
  return {
    add: async (files, options) => (await loadUpload()).uploadFiles(service, files, options),
    replace: async (files, options) => (await loadUpload()).uploadFiles(service, files, options, true),
    remove: async (paths) => {
      // a text is a list of its letters, and none of them is a path
      demand('paths', paths, LIST);
      return unwrap(await service.removeFiles([...paths]));
    },
    overview: async () => unwrap(await service.contentOverview()),
    files: async () => (await loadUpload()).allFiles(service),
    sections: async (path) => (await loadUpload()).sectionsOf(service, path),
    text: async (path) => unwrap(await service.fileText(path)),
    // Unknown members cross too: the kernel refuses them instead of ignoring them.
    define: async (symbol) => unwrap(await service.defineSymbol({ ...symbol } as unknown as JsonValue)),
    undefine: async (symbol_id) => unwrap(await service.undefineSymbol(symbol_id)),
    symbols: async () => unwrap(await service.listSymbols()),
    exportSymbols: async () => unwrap(await service.exportSymbols()),
    importSymbols: async (text) => unwrap(await service.importSymbols(text)),
    expand: (ref, slice) => service.expandRef(ref, slice),
    search: async (query, most = 20) => unwrap(await service.searchContent(query, most)),
    rebuild: async () => unwrap(await service.rebuildIndex()),
    undo: async (run_id, step) => unwrap(await service.undoStep(run_id, step)),
  };
}
