import { ENGINE } from '../../core/capability/engine.ts';
import type { Registry } from '../../core/capability/registry.ts';
import { refuse } from '../../core/errors.ts';
import { NO_RECORDS } from '../../core/ledger/chain.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import { noticesFor } from '../../core/run/notices.ts';
import { carriedFrom, initialState, limitsHash, type RunFacts, type RunState } from '../../core/run/state.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { RuntimeInfo } from '../api.ts';
import type { Proposer, RunListener } from '../ports.ts';
import type { ActiveRuns } from './active-runs.ts';
import type { ModelTerms, StartRequest } from './api.ts';
import type { Catalogue } from './catalogue.ts';
import type { ContentRepository } from './content/repository.ts';
import { nameTwice } from './content/tool-symbols.ts';
import { reopen, stateOf } from './run/reopen.ts';
import { RunLoop, type RunPorts } from './run/run-loop.ts';
import { type Bounds, boundsOf } from './start-request.ts';

/** Symbols that a model receives at the start; in a larger registry, the task must name its symbols. */
const SYMBOLS_TOLD = 200;

/** Newest records that the listener of a resumed run receives at once. It reads older records when it needs them. */
const KNOWN_TOLD = 256;

const SESSION = 'the id of a session';
const RUN = 'the id of a run with a model';

/** Parts of the kernel that a new run needs. */
export interface RunParts {
  readonly runs: ActiveRuns;
  readonly catalogue: Catalogue;
  readonly repository: ContentRepository;
  readonly ports: Omit<
    RunPorts,
    'known' | 'symbols' | 'proposer' | 'window' | 'opening' | 'names' | 'notices' | 'listener'
  >;
  readonly isolation: RuntimeInfo['isolation'];
}

/** Starts and resumes runs. The caller has claimed the run. */
export class RunOpener {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async start(request: StartRequest, proposer: Proposer, listener: RunListener): Promise<Outcome<void>> {
    const { runs, catalogue, ports } = this.#parts;
    const { dialect } = request;
    const bounds = boundsOf(request);
    if (!bounds.ok) return bounds;
    const symbols = await this.#symbolsFor(request);
    const fresh = await this.#refresh(dialect);
    if (!fresh.ok) return fresh;
    const before = request.after === undefined ? undefined : await this.#sessionBefore(request.after);
    if (before?.ok === false) return before;
    // From here on there is no await, because a revocation in between would be missed.
    const snapshot = catalogue.snapshot(dialect, request);
    if (!snapshot.ok) return snapshot;
    const twice = this.#nameTwice(dialect, snapshot.value.registry);
    if (twice !== undefined) return twice;
    const { state: last, elapsedMs = 0 } = before?.value ?? {};
    const carried = last && carriedFrom(last, elapsedMs);
    const labels = [...(request.labels ?? []), ...(carried?.labels ?? [])];
    const state = this.#stateOf({ ...request, labels }, bounds.value, { ...snapshot.value, ...carried });
    const granted = catalogue.grants().flatMap(({ mode, capability: name }) => (mode === 'deny' ? [] : name));
    const { opening, names, caller } = request;
    const notices = caller ? [] : noticesFor(state.facts, granted);
    const told = { proposer, opening, names, listener, symbols, notices };
    const loop = runs.open(new RunLoop(state, NO_RECORDS, { ...ports, ...told }));
    loop.dispatch({ type: 'start', task: request.task });
    if (state.facts.carried !== undefined) loop.endIfLate();
    return pass(undefined);
  }

  /** The session before, and the time for which it was open. An older one is restored from its records. */
  async #sessionBefore(run_id: string): Promise<Outcome<Pick<RunLoop, 'state' | 'elapsedMs'>>> {
    const { runs, ports } = this.#parts;
    const loop = runs.loops.get(run_id);
    const before = loop === undefined ? await stateOf(ports, run_id) : pass(loop);
    const isOver = loop === undefined || loop.isOver;
    if (!before.ok || (isOver && before.value.state.facts.caller)) return before;
    return refuse('option_invalid', { name: 'after', wants: `${SESSION} that is over` });
  }

  #stateOf(
    { run_id, dialect, model, remote, seed, heapHash, caller, labels }: StartRequest,
    { limits, budgets }: Bounds,
    snapshot: Pick<RunFacts, 'registry' | 'powers' | 'carried'> & Pick<RunState, 'policy'>,
  ): RunState {
    return initialState({
      run_id,
      dialect,
      model,
      ...snapshot,
      limits,
      limits_hash: limitsHash({ limits, budgets }),
      budgets,
      isolation: this.#parts.isolation,
      engine: ENGINE,
      precompiled: VALIDATORS,
      ...(remote !== undefined && { remote }),
      ...(seed !== undefined && { seed }),
      ...(heapHash && { heapHash }),
      ...(caller && { caller }),
      ...(labels?.length && { labels: [...new Set(labels)].sort() }),
    });
  }

  async resume(
    run_id: string,
    { remote, window, opening, names, caller }: ModelTerms,
    proposer: Proposer,
    listener: RunListener,
  ): Promise<Outcome<void>> {
    const { runs, catalogue, ports } = this.#parts;
    const reopened = await reopen(ports, run_id, remote);
    if (!reopened.ok) return reopened;
    const { records: known, head, transition } = reopened.value;
    const [{ facts }] = transition;
    if (facts.caller !== caller) return refuse('option_invalid', { name: 'run_id', wants: caller ? SESSION : RUN });
    const symbols = await this.#symbolsFor(facts);
    const fresh = await this.#refresh(facts.dialect);
    if (!fresh.ok) return fresh;
    const twice = this.#nameTwice(facts.dialect, facts.registry);
    if (twice !== undefined) return twice;
    const failedAt = known.findLast(({ kind, body }) => kind === 'state' && body.event === 'model_failed')?.at;
    const told = { proposer, window, opening, names, listener, symbols, failedAt, known: known.slice(-KNOWN_TOLD) };
    const loop = runs.open(new RunLoop(transition[0], head, { ...ports, ...told }));
    loop.take(transition);
    await loop.revoke(catalogue.revoked());
    return pass(undefined);
  }

  /** Refuses a run that could not be resumed, before its owner is asked to release it. */
  async check(run_id: string, remote: string | undefined): Promise<Outcome<void>> {
    const reopened = await reopen(this.#parts.ports, run_id, remote);
    return reopened.ok ? pass(undefined) : reopened;
  }

  /** Symbol names for the first request. Names can reveal content, so a remote model gets none before consent. */
  async #symbolsFor({ dialect, remote }: Pick<RunFacts, 'dialect' | 'remote'>): Promise<readonly string[]> {
    return dialect === 'catalytic' && remote === undefined ? this.#parts.ports.content.names(SYMBOLS_TOLD) : [];
  }

  async #refresh(dialect: Dialect): Promise<Outcome<void>> {
    return dialect === 'catalytic' ? this.#parts.repository.refresh() : pass(undefined);
  }

  #nameTwice(dialect: Dialect, registry: Registry): ReturnType<typeof nameTwice> {
    return dialect === 'catalytic' ? nameTwice(registry, this.#parts.repository.symbols) : undefined;
  }
}
