import { define } from '../../core/capability/define.ts';
import { refuse } from '../../core/errors.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { beginPreview, checkOf, type Preview, previewOf } from '../../core/run/preview.ts';
import type { RunState } from '../../core/run/state.ts';
import { transition } from '../../core/run/transition.ts';
import type { RunRow, RuntimeInfo, StorageStatus } from '../api.ts';
import { deferred, makeCancellation, makeSerialQueue } from '../async.ts';
import { takeCheckpoint } from '../auditor/checkpoint.ts';
import { checkLog } from '../auditor/verify-log.ts';
import type { Ports, PowerRunner } from '../ports.ts';
import { prepareHandles } from '../sandbox/prepare-schemas.ts';
import { ORIGIN } from '../store/origin.ts';
import type { Peers } from '../store/peer-channel.ts';
import { payloadOf, payloadPage } from '../store/read-payload.ts';
import { exportRun, recordPage, recordsOf, rowOf } from '../store/read-run.ts';
import type { LedgerStore } from '../store/store.ts';
import { recordInLog, SYSTEM } from '../store/system-log.ts';
import type { TableWrite } from '../store/tables.ts';
import { ActiveRuns } from './active-runs.ts';
import type { Kernel, RunReader, RunSlice } from './api.ts';
import { backUp, prepareReplacement, takeBack } from './backup/backup.ts';
import { type Catalogue, makeCatalogue, revertHashesOf } from './catalogue.ts';
import { makeCharging, withCharged } from './charges.ts';
import { openContentRepository } from './content/repository.ts';
import { runContent } from './content/run-content.ts';
import { makeSearch } from './content/search.ts';
import { makeContentService } from './content/service.ts';
import { definedSymbols } from './content/tool-symbols.ts';
import { clearSource, handedSources } from './handed.ts';
import { Principals } from './principals.ts';
import { KeptRuns, makeRetention } from './retention.ts';
import { withNames } from './run-names.ts';
import { RunOpener, writableRows } from './run-opener.ts';
import { type Alone, LOOK_MS, makeOwnership, type Ownership } from './run-ownership.ts';

/** Members of the kernel that a part of it provides. */
type Part<K extends keyof Kernel> = Pick<Kernel, K>;

export function makeKernel(ports: Ports, info: RuntimeInfo): Kernel {
  const repository = openContentRepository(ports.store, ports.exclusive);
  const search = makeSearch(ports.store, () => repository.corpus);
  const principals = new Principals(ports.store);
  const catalogue = makeCatalogue(ports, definedSymbols(ports.store), (principal) => principals.name(principal));
  const runners = new Map<string, PowerRunner>();
  const runs: ActiveRuns = new ActiveRuns((run_id) => ownership.release(run_id));
  const ownership: Ownership = makeOwnership(ports, runs.loops, ports.peers);
  const recordWatch = makeRecordWatch(ports.store, ownership.isWritten);
  ports.peers?.onMessage(({ type, run_id }) => {
    if (type === 'grown') recordWatch.wake(run_id);
    else void ownership.handOver(run_id);
  });
  const tellGrown = makeGrowth(ports.store, ports.peers);
  const kept = new KeptRuns(ports.store);
  const runPorts = {
    ...ports,
    append: kept.append,
    content: runContent(repository, search),
    charge: makeCharging(ports),
    runner: (power_hash: string) => runners.get(power_hash),
    grown: (run_id: string) => {
      recordWatch.wake(run_id);
      tellGrown(run_id);
    },
    done: ownership.free,
    disable: (hash: string) => void runs.revoke(catalogue.disableDefinition(hash)),
  };
  const parts = { runs, catalogue, repository, principals, ports: runPorts };
  const opener = new RunOpener({ ...parts, isolation: info.isolation });
  /** True for the name of a capability that is registered here, or that an active run here has in its registry. */
  const isTool = (name: string) => runs.usesCapability(name) || catalogue.rows().some((row) => row.name === name);
  return {
    info: async () => info,
    ...permissionCalls(ports, catalogue, runs, runners),
    ...makeContentService(ports.store, repository, search, isTool, ports.epoch),
    ...openingCalls(opener, ownership),
    ...runCalls(ports, runs, catalogue),
    look: recordWatch.look,
    ...ledgerCalls(ports, ownership),
    ...upkeepCalls(ports, runs, ownership, kept),
  };
}

/** Changes of capabilities, grants and powers. Active runs lose a revoked permission before the answer. */
function permissionCalls(
  { store, now }: Pick<Ports, 'store' | 'now'>,
  catalogue: Catalogue,
  runs: ActiveRuns,
  runners: Map<string, PowerRunner>,
): Part<
  | 'register'
  | 'enable'
  | 'forget'
  | 'grant'
  | 'watch'
  | 'grants'
  | 'revoke'
  | 'provide'
  | 'withdraw'
  | 'provideTool'
  | 'capabilities'
> {
  const revokeIf = async (revocation: ReturnType<Catalogue['forget']>): Promise<Outcome<void>> =>
    revocation.ok ? pass(await runs.revoke(revocation.value)) : revocation;
  return {
    register: (definition, enable) => catalogue.register(definition, enable),
    enable: async (name, on) => (on ? catalogue.enable(name) : revokeIf(catalogue.disable(name))),
    forget: (name) => revokeIf(catalogue.forget(name)),
    grant: catalogue.grant,
    watch: async (options) => catalogue.watch(options, now()),
    grants: async () => [...(await withCharged(store, catalogue.grants())), ...runs.standing()],
    revoke: (id) => runs.revoke(catalogue.revoke(id)),
    provide: async (terms, runner) => {
      const power = await catalogue.provide(terms);
      if (!power.ok) return power;
      runners.set(power.value.hash, runner);
      return pass(undefined);
    },
    withdraw: (name) => revokeIf(catalogue.withdraw(name)),
    provideTool: makeToolProvider(catalogue, runs, runners),
    capabilities: async () => catalogue.rows(),
  };
}

/** Adds tools. A definition that has not changed keeps its grants: only its function is replaced. */
function makeToolProvider(
  catalogue: Catalogue,
  runs: ActiveRuns,
  runners: Map<string, PowerRunner>,
): Kernel['provideTool'] {
  return async (definition, runner) => {
    const made = define(definition);
    if (!made.ok) return made;
    const { hash, manifest } = made.value;
    const before = catalogue.tool(manifest.name);
    if (before !== undefined && before.hash !== hash) {
      const removed = catalogue.forget(before.manifest.name);
      if (removed.ok) await runs.revoke(removed.value);
    }
    const isKnown = before?.hash === hash;
    const registered = isKnown ? undefined : await catalogue.register(definition, true, true);
    if (registered?.ok === false) return registered;
    for (const each of [hash, ...revertHashesOf(made.value)]) runners.set(each, runner);
    return registered ?? pass(catalogue.row(made.value));
  };
}

/** Starts, resumes and takes over runs, each as the only writer of its run. */
function openingCalls(opener: RunOpener, ownership: Ownership): Part<'start' | 'resume' | 'giveUp' | 'offering'> {
  const cancellation = makeCancellation();
  return {
    start: (request, ...told) => ownership.alone(request.run_id, () => opener.start(request, ...told)),
    resume: (run_id, model, proposer, listener, ticket) => {
      const act = () => opener.resume(run_id, model, proposer, listener);
      if (ticket === undefined) return ownership.alone(run_id, act);
      return cancellation.work(ticket, async (signal) => {
        const resumable = await opener.check(run_id, model.remote);
        return resumable.ok ? ownership.takeOver(run_id, act, signal) : resumable;
      });
    },
    giveUp: async (ticket) => cancellation.giveUp(ticket),
    offering: (terms) => opener.offering(terms),
  };
}

/** Drives the runs of this kernel. */
function runCalls(
  ports: Ports,
  runs: ActiveRuns,
  catalogue: Catalogue,
): Part<
  | 'command'
  | 'say'
  | 'abort'
  | 'finish'
  | 'cut'
  | 'reject'
  | 'preview'
  | 'offered'
  | 'answer'
  | 'edit'
  | 'asking'
  | 'telemetry'
> {
  return {
    command: (run_id, type) => runs.dispatch(run_id, { type }),
    say: (run_id, task) => runs.say(run_id, task),
    abort: (run_id, reason) => runs.abort(run_id, reason),
    finish: (run_id, message) => runs.finish(run_id, message),
    cut: (run_id, step) => runs.dispatch(run_id, { type: 'cut', step }),
    reject: async (run_id, rejection) => runs.loops.get(run_id)?.reject(rejection) === true,
    preview: async (run_id, proposal) => {
      const state = runs.loops.get(run_id)?.state;
      return state === undefined ? refuse('run_absent', { run_id }) : pass(await preview(ports, state, proposal));
    },
    offered: async (run_id) => {
      const state = runs.loops.get(run_id)?.state;
      if (state?.facts.holding !== true) return undefined;
      return writableRows(state, catalogue);
    },
    answer: (run_id, digest, said) => runs.answer(run_id, digest, said),
    edit: (run_id, digest, args) => runs.edit(run_id, digest, args),
    asking: (digest) => runs.asking(digest),
    telemetry: (run_id, seq, reader) => runs.telemetry(run_id, seq, reader),
  };
}

/** Reads the ledger. */
function ledgerCalls(
  { store, signer }: Ports,
  ownership: Ownership,
): Part<'runs' | 'records' | 'payload' | 'payloads' | 'export' | 'checkpoint' | 'fsck'> {
  return {
    runs: async () => {
      const rows = await store.runs();
      if (!rows.ok) return rows;
      const others = await ownership.others();
      const told = (row: RunRow): RunRow => (others.has(row.run_id) ? { ...row, elsewhere: true } : row);
      const own = rows.value.filter(({ run_id }) => run_id !== SYSTEM).map(told);
      return withNames(store, ownership.alone, own);
    },
    records: (run_id) => recordsOf(store, run_id),
    payload: (...asked) => payloadOf(store, ...asked),
    payloads: (run_id, from) => payloadPage(store, run_id, from),
    export: (run_id, secrets) => exportRun(store, run_id, secrets),
    checkpoint: async (origin) => takeCheckpoint(store, await signer?.(), origin),
    fsck: (checkpoint) => checkLog(store, checkpoint),
  };
}

/** True for a run that has completed its turn: its writer only waits for a next task, and gives it up when asked. */
async function isAtRest(store: LedgerStore, run_id: string): Promise<boolean> {
  const row = await rowOf(store, run_id);
  return row.ok && row.value?.ended === 'completed';
}

type UpkeepCalls = Part<
  | 'keep'
  | 'archive'
  | 'remove'
  | 'erase'
  | 'stored'
  | 'forgetStored'
  | 'handed'
  | 'clear'
  | 'notified'
  | 'backUp'
  | 'takeBack'
  | 'replaceBy'
  | 'destroy'
  | 'storage'
  | 'settle'
  | 'drain'
  | 'suspend'
  | 'close'
>;

/** Deletes, restores, backs up and closes the store. */
function upkeepCalls(ports: Ports, runs: ActiveRuns, ownership: Ownership, kept: KeptRuns): UpkeepCalls {
  const { store, exclusive } = ports;
  const epoch = () => ports.epoch?.() ?? 1;
  const note = (body: LogBody, tables: readonly TableWrite[] = []) => recordInLog(store, epoch(), body, tables);
  /** Queue of deletions and restorations. The kernel finishes it before it closes the store. */
  const upkeep = makeSerialQueue();
  const stop = async (): Promise<void> => {
    await runs.close();
    await upkeep(async () => undefined);
    ports.peers?.close();
    await ports.sandbox.close();
  };
  const alone: Alone = (run_id, act) =>
    upkeep(async () => {
      runs.dropIfOver(run_id);
      const done = await ownership.alone(run_id, act);
      const isElsewhere = !done.ok && done.refusal.code === 'run_open' && (await isAtRest(store, run_id));
      return isElsewhere ? ownership.takeOver(run_id, act, AbortSignal.timeout(LOOK_MS)) : done;
    });
  /** The first look, before work that is in vain where a run is kept or another kernel has the ledger open. */
  const mayEnd = async (): Promise<Outcome<void>> => {
    const checked = await kept.checkAll();
    return checked.ok && (await store.isShared?.()) ? refuse('store_busy', {}) : checked;
  };
  return {
    keep: async (options) => kept.keep(options),
    ...makeRetention(ports, alone, kept),
    handed: () => handedSources(store),
    clear: (source) => upkeep(() => clearSource(store, source, note)),
    notified: (body) => upkeep(() => note(body)),
    backUp: async (take) => {
      // Content changes wait: a backup reads rows page by page, and they must belong to the same state.
      const release = await exclusive?.();
      return backUp(store, take, note).finally(release);
    },
    takeBack: (backup, tell, only) =>
      upkeep(() => takeBack(only === undefined ? store : undefined, backup, tell, note)),
    replaceBy: async (backup, tell) => {
      const may = await mayEnd();
      if (!may.ok) return may;
      const prepared = await upkeep(() => prepareReplacement(store, backup, tell, epoch()));
      if (!prepared.ok) return prepared;
      const exchange = prepared.value;
      if (exchange === undefined) return pass(false);
      let isEnding = false;
      const done = await kept.unlessAny(async () => {
        isEnding = true;
        // the log is whole beside this one: from here on nothing is written into this one
        await stop();
        return exchange.commit();
      });
      if (!isEnding) await exchange.discard();
      return done.ok ? pass(true) : done;
    },
    destroy: async () => {
      // A refused deletion must not end the runs.
      const may = await mayEnd();
      if (!may.ok) return may;
      return kept.unlessAny(async () => {
        await stop();
        return store.destroy();
      });
    },
    storage: async () => ({
      ...(ports.storage?.() ?? { kind: store.kind, state: 'good', mirror: 'none', epoch: 1 }),
      ...(await storageEstimate()),
    }),
    settle: async () => ports.settle?.(),
    drain: () => runs.drain(),
    suspend: () => runs.suspend(),
    close: async () => {
      await stop();
      await store.close();
    },
  };
}

interface RecordWatch {
  readonly look: RunReader;
  /** Signals that the run may have new records. */
  wake(run_id: string): void;
}

export function makeRecordWatch(store: LedgerStore, isWritten: Ownership['isWritten']): RecordWatch {
  const waiting = new Set<{ readonly run_id: string; readonly wake: () => void }>();

  async function seen(run_id: string, from: number): Promise<Outcome<RunSlice>> {
    const page = await recordPage(store, run_id, from);
    if (!page.ok) return page;
    const written = await isWritten(run_id);
    // a writer that died has left records in its file, and none before the last page
    if (written || page.value.hasMore || store.gather === undefined) return pass({ ...page.value, isWritten: written });
    const gathered = await store.gather();
    const found = gathered.ok ? await recordPage(store, run_id, from) : gathered;
    return found.ok ? pass({ ...found.value, isWritten: written }) : found;
  }

  async function look(run_id: string, from: number): Promise<Outcome<RunSlice>> {
    const { promise, resolve } = deferred<void>();
    const waiter = { run_id, wake: resolve };
    // Registered before the first read, so that records written meanwhile are not missed.
    waiting.add(waiter);
    const timer = setTimeout(resolve, LOOK_MS);
    try {
      const found = await seen(run_id, from);
      if (!found.ok || found.value.records.length > 0) return found;
      await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(waiter);
    }
    const late = await seen(run_id, from);
    return late.ok && from + late.value.records.length === 0 ? refuse('run_absent', { run_id }) : late;
  }

  return {
    look,
    wake: (run_id) => {
      for (const waiter of waiting) if (waiter.run_id === run_id) waiter.wake();
    },
  };
}

/**
 * Makes a function that tells the other kernels of a run's new records, when they can read them: once for all records
 * that are on their way to the index.
 */
export function makeGrowth(
  store: Pick<LedgerStore, 'placed'>,
  peers: Pick<Peers, 'broadcast'> | undefined,
): (run_id: string) => void {
  const growing = new Set<string>();
  const broadcast = (run_id: string): void => peers?.broadcast({ type: 'grown', run_id });
  const later = async (run_id: string, placed: Promise<void>): Promise<void> => {
    growing.add(run_id);
    await placed;
    growing.delete(run_id);
    broadcast(run_id);
  };
  return (run_id) => {
    if (store.placed === undefined) broadcast(run_id);
    else if (!growing.has(run_id)) void later(run_id, store.placed());
  };
}

/** The browser's estimate of used and granted storage, and whether it may evict it; empty on other platforms. */
async function storageEstimate(): Promise<Pick<StorageStatus, 'persisted' | 'usage' | 'quota'>> {
  const storage: Partial<StorageManager> | undefined = ORIGIN.storage;
  const [estimate, persisted] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => undefined),
  ]);
  const { usage, quota } = estimate ?? {};
  return {
    ...(persisted !== undefined && { persisted }),
    ...(usage !== undefined && { usage }),
    ...(quota !== undefined && { quota }),
  };
}

/** The decision that the gates would make about a proposal now. The run stays as it is. */
async function preview(
  { schemas, now, nonce }: Pick<Ports, 'schemas' | 'now' | 'nonce'>,
  state: RunState,
  bytes: Uint8Array,
): Promise<Preview> {
  let step = beginPreview(state, { bytes, now: now(), nonce: nonce(), salt: nonce() + nonce() });
  for (let check = checkOf(step[1]); check !== undefined; check = checkOf(step[1])) {
    const { at } = step[0];
    if (state.facts.holding && 'bound' in at) await prepareHandles(schemas, at.bound.capability);
    const results = await schemas.check(check.schemas, check.text, check.later);
    step = transition(step[0], { type: 'checked', step: check.step, results });
  }
  return previewOf(step);
}
