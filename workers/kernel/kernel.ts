import type { Revocation } from '../../core/capability/policy.ts';
import type { PowerTerms } from '../../core/capability/power.ts';
import { refuse } from '../../core/errors.ts';
import { structureHash } from '../../core/hash.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import { NO_RECORDS } from '../../core/ledger/chain.ts';
import { optionFault } from '../../core/option.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { answerOf } from '../../core/run/authorize/answer.ts';
import type { RunEvent } from '../../core/run/event.ts';
import { noticesFor } from '../../core/run/notices.ts';
import { initialState, type RunFacts } from '../../core/run/state.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { RunRow, RuntimeInfo } from '../api.ts';
import { makeCancellation } from '../async/cancellation.ts';
import { makeSerialQueue } from '../async/serial-queue.ts';
import { takeCheckpoint } from '../audit/checkpoint.ts';
import { checkLog } from '../audit/verify-log.ts';
import { backUp, takeBack } from '../backup/backup.ts';
import { openContentRepository } from '../content/repository.ts';
import { runContent } from '../content/run-content.ts';
import { makeSearch } from '../content/search.ts';
import { makeContentService } from '../content/service.ts';
import { isDefined, nameTwice } from '../content/tool-symbols.ts';
import type { Ports, PowerRunner, Proposer, RunListener } from '../ports.ts';
import { reopen } from '../run/reopen.ts';
import { RunLoop } from '../run/run-loop.ts';
import { NO_TELEMETRY } from '../run/telemetry.ts';
import { exportRun, payloadOf, recordsOf } from '../store/read-run.ts';
import { SYSTEM } from '../store/system-log.ts';
import type { Kernel, ModelTerms, StartRequest } from './api.ts';
import { makeCatalogue } from './catalogue.ts';
import { makeRecordWatch } from './record-watch.ts';
import { makeRetention } from './retention.ts';
import { type Alone, makeOwnership } from './run-ownership.ts';
import { boundsOf, taskKind } from './start-request.ts';
import { storageEstimate } from './storage-estimate.ts';

/** Symbols that a model receives at the start; in a larger registry, the task must name its symbols. */
const SYMBOLS_TOLD = 200;

export function makeKernel(ports: Ports, info: RuntimeInfo): Kernel {
  const repository = openContentRepository(ports.store, ports.exclusive);
  const catalogue = makeCatalogue(ports, (symbol) => isDefined(ports.store, symbol));
  const search = makeSearch(ports.store, () => repository.corpus);
  const loops = new Map<string, RunLoop>();
  const ownership = makeOwnership(ports, loops, ports.peers);
  const runPorts = { ...ports, grown, done: ownership.free, content: runContent(repository, search) };
  const recordWatch = makeRecordWatch(ports.store, ownership.isWritten);
  const cancellation = makeCancellation();
  /** Queue of deletions and restorations. The kernel finishes it before it closes the store. */
  const upkeep = makeSerialQueue();
  ports.peers?.onMessage(({ type, run_id }) => {
    if (type === 'grown') recordWatch.wake(run_id);
    else void ownership.handOver(run_id);
  });
  const runners = new Map<string, PowerRunner>();
  const runner = (power_hash: string) => runners.get(power_hash);
  const dispatch = async (run_id: string, event: RunEvent) => loops.get(run_id)?.dispatch(event);

  function grown(run_id: string): void {
    recordWatch.wake(run_id);
    ports.peers?.broadcast({ type: 'grown', run_id });
  }

  async function start(request: StartRequest, proposer: Proposer, listener: RunListener): Promise<Outcome<void>> {
    const { run_id, dialect, model } = request;
    const bounds = boundsOf(request);
    if (!bounds.ok) return bounds;
    const { limits, budgets } = bounds.value;
    const limits_hash = structureHash('limits', canonicalText(limits));
    const remote = request.remote === undefined ? {} : { remote: request.remote };
    const symbols = await symbolsFor({ dialect, ...remote });
    const fresh = dialect === 'catalytic' ? await repository.refresh() : pass(undefined);
    if (!fresh.ok) return fresh;
    // From here on there is no await, because a revocation in between would be missed.
    const snapshot = catalogue.snapshot(dialect, request.guard, request.authorizer);
    if (!snapshot.ok) return snapshot;
    const twice = dialect === 'catalytic' ? nameTwice(snapshot.value.registry, repository.symbols) : undefined;
    if (twice !== undefined) return twice;
    const proof = request.heapHash && { heapHash: request.heapHash };
    const fixed = {
      limits,
      limits_hash,
      budgets,
      isolation: info.isolation,
      precompiled: VALIDATORS,
      ...remote,
      ...(request.seed !== undefined && { seed: request.seed }),
      ...proof,
    };
    const state = initialState({ run_id, dialect, model, ...snapshot.value, ...fixed });
    const granted = catalogue.grants().flatMap(({ mode, capability: name }) => (mode === 'deny' ? [] : name));
    const told = { proposer, listener, runner, symbols, notices: noticesFor(state.facts, granted) };
    const loop = openLoop(new RunLoop(state, NO_RECORDS, { ...runPorts, ...told }));
    loop.dispatch({ type: 'start', task: request.task });
    return pass(undefined);
  }

  /** Symbol names for the first request. Names can reveal content, so a remote model gets none before consent. */
  async function symbolsFor({ dialect, remote }: Pick<RunFacts, 'dialect' | 'remote'>): Promise<readonly string[]> {
    return dialect === 'catalytic' && remote === undefined ? runPorts.content.names(SYMBOLS_TOLD) : [];
  }

  /** As `alone`, in the upkeep queue; a finished run is first dropped from `loops`. */
  const aloneOver: Alone = (run_id, act) =>
    upkeep(async () => {
      if (loops.get(run_id)?.isOver === true) loops.delete(run_id);
      return ownership.alone(run_id, act);
    });

  /** True for the name of a capability that is registered here, or that an active run here has in its registry. */
  function isTool(name: string): boolean {
    const isOfRun = [...loops.values()].some(({ isOver, facts }) => !isOver && facts.registry.capabilities.has(name));
    return isOfRun || catalogue.rows().some((row) => row.name === name);
  }

  function openLoop(loop: RunLoop): RunLoop {
    loops.set(loop.facts.run_id, loop);
    loop.watchClock();
    return loop;
  }

  async function resume(
    run_id: string,
    { remote, window }: ModelTerms,
    proposer: Proposer,
    listener: RunListener,
  ): Promise<Outcome<void>> {
    const reopened = await reopen(ports, run_id, remote);
    if (!reopened.ok) return reopened;
    const { records: known, head, transition } = reopened.value;
    const [state] = transition;
    const { dialect, registry } = state.facts;
    const symbols = await symbolsFor(state.facts);
    const fresh = dialect === 'catalytic' ? await repository.refresh() : pass(undefined);
    if (!fresh.ok) return fresh;
    const twice = dialect === 'catalytic' ? nameTwice(registry, repository.symbols) : undefined;
    if (twice !== undefined) return twice;
    const told = { proposer, window, listener, runner, symbols, known };
    const loop = openLoop(new RunLoop(state, head, { ...runPorts, ...told }));
    loop.take(transition);
    await loop.revoke(catalogue.revoked());
    return pass(undefined);
  }

  /** Takes a run over. A run that could not be resumed is refused first, so that its owner keeps it. */
  async function takeOver(
    run_id: string,
    remote: string | undefined,
    act: () => Promise<Outcome<void>>,
    signal: AbortSignal,
  ): Promise<Outcome<void>> {
    const asItIs = await reopen(ports, run_id, remote);
    return asItIs.ok ? ownership.takeOver(run_id, act, signal) : asItIs;
  }

  /** Revokes permissions in active runs too: later decisions do not have them. */
  async function revoke(revocation: Revocation): Promise<void> {
    await Promise.all([...loops.values()].map((loop) => loop.revoke(revocation)));
  }

  async function revokeIf(revocation: Outcome<Revocation>): Promise<Outcome<void>> {
    if (!revocation.ok) return revocation;
    return pass(await revoke(revocation.value));
  }

  async function say(run_id: string, task: string): Promise<Outcome<void>> {
    const loop = loops.get(run_id);
    const fault = optionFault({ task }, { task: taskKind(loop?.facts.limits ?? {}) }, ['task']);
    if (fault !== undefined) return fault;
    return loop?.say(task) ?? refuse('run_absent', { run_id });
  }

  async function provide(terms: PowerTerms, carrier: PowerRunner): Promise<Outcome<void>> {
    const power = await catalogue.provide(terms);
    if (!power.ok) return power;
    runners.set(power.value.hash, carrier);
    return pass(undefined);
  }

  async function stop(): Promise<void> {
    for (const loop of loops.values()) loop.dispatch({ type: 'stop', ending: { state: 'aborted', message: 'closed' } });
    await Promise.all([...loops.values()].map((loop) => loop.over));
    await upkeep(async () => undefined);
    ports.peers?.close();
    await ports.sandbox.close();
  }

  async function close(): Promise<void> {
    await stop();
    await ports.store.close();
  }

  async function destroy(): Promise<Outcome<void>> {
    // A refused deletion must not end the runs.
    if (await ports.store.isShared?.()) return refuse('store_busy', {});
    await stop();
    return ports.store.destroy();
  }

  return {
    info: async () => info,
    register: catalogue.register,
    enable: async (name, on) => (on ? catalogue.enable(name) : revokeIf(catalogue.disable(name))),
    forget: (name) => revokeIf(catalogue.forget(name)),
    grant: catalogue.grant,
    grants: async () => catalogue.grants(),
    revoke: (id) => revoke(catalogue.revoke(id)),
    provide,
    capabilities: async () => catalogue.rows(),
    content: makeContentService(ports.store, repository, search, isTool, ports.epoch),
    start: (request, ...told) => ownership.alone(request.run_id, () => start(request, ...told)),
    resume: (run_id, model, proposer, listener, ticket) => {
      const act = () => resume(run_id, model, proposer, listener);
      if (ticket === undefined) return ownership.alone(run_id, act);
      return cancellation.work(ticket, (signal) => takeOver(run_id, model.remote, act, signal));
    },
    giveUp: async (ticket) => cancellation.giveUp(ticket),
    look: recordWatch.look,
    command: (run_id, type) => dispatch(run_id, { type }),
    say,
    abort: (run_id, reason) => dispatch(run_id, { type: 'stop', ending: { state: 'aborted', message: reason } }),
    answer: async (run_id, digest, said) => {
      const answer = answerOf(said);
      if (!answer.ok) return answer;
      await dispatch(run_id, { type: 'answered', digest, answer: answer.value, now: ports.now() });
      return pass(undefined);
    },
    telemetry: async (run_id, seq) => loops.get(run_id)?.telemetry.read(seq) ?? NO_TELEMETRY,
    runs: async () => {
      const runs = await ports.store.runs();
      if (!runs.ok) return runs;
      const others = await ownership.others();
      const told = (row: RunRow): RunRow => (others.has(row.run_id) ? { ...row, elsewhere: true } : row);
      return pass(runs.value.filter(({ run_id }) => run_id !== SYSTEM).map(told));
    },
    ...makeRetention(ports, aloneOver),
    backUp: async (take) => {
      // Content changes wait: a backup reads rows page by page, and they must belong to the same state.
      const release = await ports.exclusive?.();
      return backUp(ports.store, take).finally(release);
    },
    takeBack: (backup, tell, only) =>
      upkeep(() => takeBack(only === undefined ? ports.store : undefined, backup, tell)),
    destroy,
    storage: async () => ({
      ...(ports.storage?.() ?? { kind: ports.store.kind, state: 'good', mirror: 'none', epoch: 1 }),
      ...(await storageEstimate()),
    }),
    settle: async () => ports.settle?.(),
    records: (run_id) => recordsOf(ports.store, run_id),
    payload: (run_id, sha256) => payloadOf(ports.store, run_id, sha256),
    export: (run_id, secrets) => exportRun(ports.store, run_id, secrets),
    checkpoint: async (origin) => takeCheckpoint(ports.store, await ports.signer?.(), origin),
    fsck: (checkpoint) => checkLog(ports.store, checkpoint),
    close,
  };
}
