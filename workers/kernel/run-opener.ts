import { ENGINE } from '../../core/capability/engine.ts';
import { LABELS, type Label } from '../../core/capability/guard.ts';
import { canHold, type EarlierSource, sourcesOf } from '../../core/capability/hold.ts';
import type { Registry } from '../../core/capability/registry.ts';
import { refuse } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import { headAfter, NO_RECORDS, type RunHead } from '../../core/ledger/chain.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import { isIntact, readRecord } from '../../core/ledger/line.ts';
import { type LedgerRecord, NO_PREV } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import { noticesFor } from '../../core/run/notices.ts';
import { writable } from '../../core/run/opening.ts';
import type { FindPayload } from '../../core/run/resume/facts.ts';
import { restore } from '../../core/run/resume/restore.ts';
import { type Recheck, recheck, resume } from '../../core/run/resume/resume.ts';
import {
  carriedFrom,
  forkedFrom,
  initialState,
  joined,
  limitsHash,
  type RunFacts,
  type RunState,
  type TakenOver,
} from '../../core/run/state.ts';
import type { Transition } from '../../core/run/step.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { CapabilityRow, RuntimeInfo } from '../api.ts';
import type { Ports, Proposer, RunListener } from '../ports.ts';
import { prepareFacts, prepareSubject } from '../sandbox/prepare-schemas.ts';
import { runPages } from '../store/paging.ts';
import { readRecords, rowsOf } from '../store/read-run.ts';
import { SYSTEM } from '../store/system-log.ts';
import type { ActiveRuns } from './active-runs.ts';
import type { ModelTerms, OfferTerms, StartRequest } from './api.ts';
import type { Catalogue } from './catalogue.ts';
import type { ContentRepository } from './content/repository.ts';
import { nameTwice } from './content/tool-symbols.ts';
import { handedSources } from './handed.ts';
import {
  BESIDE_MAX,
  type BegunRun,
  type KnownPrincipal,
  type Principals,
  REMEMBERED_MS,
  UNKNOWN_PAST,
} from './principals.ts';
import { RunLoop, type RunPorts } from './run/run-loop.ts';
import { type Bounds, boundsOf } from './start-request.ts';

/** Symbols that a model receives at the start; in a larger registry, the task must name its symbols. */
const SYMBOLS_TOLD = 200;

/** Newest records that the listener of a resumed run receives at once. It reads older records when it needs them. */
const KNOWN_TOLD = 256;

const SESSION = 'the id of a session';
const NOT_OVER = refuse('option_invalid', {
  name: 'after',
  wants: `${SESSION} that is over, or that waits for a yes to a call of a tool`,
});
const APART = `${SESSION} that did not go on beside another; what that one came to was lost with the program that held both, so open a new session with \`labels\``;
const RUN = 'the id of a run with a model';
const CLOSED = refuse('store_lost', { reason: 'the ledger is being closed' });
const GONE: ReadonlySet<string> = new Set(['run_erased', 'run_absent']);

interface EndedSession {
  readonly state: RunState;
  readonly elapsedMs: number;
}

/** `loop` is absent for a session that is in the ledger alone. */
interface SessionBefore extends EndedSession {
  readonly loop?: RunLoop;
}

interface Succession {
  readonly carried: TakenOver;
  readonly beside: ReadonlyMap<string, RunState>;
}

/** What a new run takes over of the runs before. */
interface Past {
  readonly before?: Outcome<SessionBefore>;
  readonly labels: Iterable<Label>;
  /** Runs of the principal that it does not go on for. */
  readonly beside: readonly BegunRun[];
}

const NO_PAST: Past = { labels: [], beside: [] };

/** The newest record of a run; undefined for a run without records, a refusal where they could not be read. */
type Newest = Outcome<Pick<LedgerRecord, 'at' | 'kind'> | undefined>;

function mayBeOpen(newest: Newest): boolean {
  return !newest.ok || (newest.value !== undefined && newest.value.kind !== 'seal');
}

/** Parts of the kernel that a new run needs. */
interface RunParts {
  readonly runs: ActiveRuns;
  readonly catalogue: Catalogue;
  readonly repository: ContentRepository;
  readonly principals: Principals;
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
    const claimed = request.undoes && (await this.#claimed(request));
    if (claimed?.ok === false) return claimed;
    const reading = handedSources(ports.store);
    const symbols = await this.#symbolsFor(request);
    const fresh = await this.#refresh(dialect);
    if (!fresh.ok) return fresh;
    const principal =
      request.principal === undefined ? undefined : await this.#parts.principals.find(request.principal);
    if (principal?.ok === false) return principal;
    const isAlone = request.after === undefined && principal === undefined;
    const past = isAlone ? NO_PAST : await this.#pastOf(request, principal?.value);
    if (past.before?.ok === false) return past.before;
    const { before } = past;
    const ended = await this.#endedBeside(before?.value.loop);
    if (!ended.ok) return ended;
    const handed = await reading;
    if (!handed.ok) return handed;
    // From here on there is no await, because a revocation or the end of the kernel in between would be missed.
    if (runs.isClosed) return CLOSED;
    const terms = { ...request, ...(principal && { named: principal.value.hash }) };
    const snapshot = request.undoes ? catalogue.reverts(request.undoes, terms) : catalogue.snapshot(dialect, terms);
    if (!snapshot.ok) return snapshot;
    const twice = this.#nameTwice(dialect, snapshot.value.registry);
    if (twice !== undefined) return twice;
    const taken = before && this.#takenOver(before.value, ended.value);
    if (taken?.ok === false) return taken;
    const { carried: known, beside } = taken?.value ?? {};
    // a session that the caller itself goes on with keeps its labels
    const isFresh = request.fresh && request.after === undefined;
    const carried = known && isFresh ? { ...known, labels: [] } : known;
    const labels = [...(request.labels ?? []), ...(carried?.labels ?? []), ...(isFresh ? [] : past.labels)];
    const others = beside === undefined || beside.size === 0 ? {} : { beside: [...beside.keys()].sort() };
    const sources = sourcesAmong(handed.value, snapshot.value);
    const state = this.#stateOf({ ...request, labels }, bounds.value, {
      ...snapshot.value,
      ...carried,
      ...others,
      ...(sources.length > 0 && { sources }),
      ...(principal && { principal: principal.value.hash }),
    });
    const granted = catalogue.grants().flatMap(({ mode, capability: name }) => (mode === 'deny' ? [] : name));
    const { opening, names, caller, window } = request;
    const notices = caller ? [] : noticesFor(state.facts, granted);
    const told = { proposer, window, opening, names, listener, symbols, notices };
    const loop = runs.open(new RunLoop(state, NO_RECORDS, { ...ports, ...told }, beside));
    const kept = principal?.value.rows({ run: request.run_id, at: ports.now() }, past.beside);
    loop.dispatch({ type: 'start', task: request.task, ...(kept && { kept }) });
    if (state.facts.carried !== undefined) loop.endIfLate();
    return pass(undefined);
  }

  /**
   * The session that a new one goes on for: the one that the caller names, else the principal's newest run of the last 24
   * hours. Beside runs that are open it begins with the labels of those so far, and where a run's past cannot be told, with
   * every label.
   */
  async #pastOf({ after }: StartRequest, principal: KnownPrincipal | undefined): Promise<Past> {
    const { last, beside = [] } = principal ?? {};
    if (after !== undefined) {
      const others = last === undefined || last.run === after ? beside : [...beside, last];
      const isMuch = others.length > BESIDE_MAX;
      return {
        before: await this.#sessionBefore(after),
        labels: isMuch ? UNKNOWN_PAST : [],
        beside: others.slice(-BESIDE_MAX),
      };
    }
    const labels: Label[] = [];
    const open: BegunRun[] = [];
    for (const each of beside) {
      const past = await this.#pastIn(each);
      labels.push(...past.labels);
      if (past.isOpen) open.push(each);
    }
    const newest = last && (await this.#newestOf(last));
    if (last && newest?.isOpen) open.push(last);
    if (open.length > BESIDE_MAX) labels.push(...UNKNOWN_PAST);
    if (newest?.labels) labels.push(...newest.labels);
    return { ...(newest?.before && { before: newest.before }), labels, beside: open.slice(-BESIDE_MAX) };
  }

  /** What a new run takes over of the newest run of its principal. */
  async #newestOf(last: BegunRun): Promise<Partial<Omit<Past, 'beside'>> & { readonly isOpen: boolean }> {
    const loop = this.#parts.runs.loops.get(last.run);
    if (loop?.isOver === false) return { labels: loop.state.labels, isOpen: true };
    const newest = await this.#recordIn(last.run);
    if (!this.#mayBeRecent(last, newest)) return { isOpen: false };
    const before = await this.#sessionBefore(last.run);
    // another program may hold it
    const isOpen = loop === undefined && mayBeOpen(newest);
    return before.ok ? { before, isOpen } : { labels: UNKNOWN_PAST, isOpen };
  }

  async #pastIn({ run, at }: BegunRun): Promise<{ readonly labels: Iterable<Label>; readonly isOpen: boolean }> {
    const loop = this.#parts.runs.loops.get(run);
    if (loop !== undefined) return { labels: loop.state.labels, isOpen: !loop.isOver };
    const newest = await this.#recordIn(run);
    if (!this.#mayBeRecent({ at }, newest)) return { labels: [], isOpen: false };
    const known = await stateOf(this.#parts.ports, run);
    const isOpen = mayBeOpen(newest);
    return known.ok ? { labels: known.value.state.labels, isOpen } : { labels: UNKNOWN_PAST, isOpen };
  }

  /** False for a run that was begun, and last written, before the time for which a past counts. */
  #mayBeRecent({ at }: Pick<BegunRun, 'at'>, newest: Newest): boolean {
    const isRecent = (time: number): boolean => this.#parts.ports.now() - time < REMEMBERED_MS;
    return isRecent(at) || !newest.ok || isRecent(newest.value?.at ?? 0);
  }

  /** The newest record of a run. A run may have gone on for days. */
  async #recordIn(run_id: string): Promise<Newest> {
    const texts = await readRecords(this.#parts.ports.store, run_id);
    if (!texts.ok) return texts;
    const newest = texts.value.at(-1);
    return pass(newest === undefined ? undefined : (JSON.parse(newest) as LedgerRecord));
  }

  /** Refuses an undo that another has begun in the meantime: both have the same id. The schemas of its reverts are ready. */
  async #claimed({ run_id, undoes }: StartRequest): Promise<Outcome<void>> {
    if (undoes === undefined) return pass(undefined);
    const { catalogue, ports } = this.#parts;
    const there = await ports.store.read(run_id, 0, 1);
    if (!there.ok) return there;
    if (there.value.length > 0) return refuse('undo_open', { run_id });
    const reverts = catalogue.reverts(undoes);
    if (!reverts.ok) return reverts;
    for (const revert of reverts.value.registry.capabilities.values()) {
      const prepared = await prepareSubject(ports.schemas, revert);
      if (!prepared.ok) return prepared;
    }
    return pass(undefined);
  }

  /** The session before, and the time for which it was open. An older one is restored from its records. */
  async #sessionBefore(run_id: string): Promise<Outcome<SessionBefore>> {
    const { runs, ports } = this.#parts;
    const loop = runs.loops.get(run_id);
    if (loop === undefined) {
      const before = await stateOf(ports, run_id);
      if (!before.ok) return before;
      const { state } = before.value;
      if (!state.facts.caller) return NOT_OVER;
      const beside = await this.#wentBeside(state.facts, before.value.startedAt);
      if (!beside.ok) return beside;
      return beside.value ? refuse('option_invalid', { name: 'after', wants: APART }) : before;
    }
    const isUsable = (loop.isOver && loop.facts.caller) || loop.mayFork;
    return isUsable ? pass({ state: loop.state, elapsedMs: loop.elapsedMs, loop }) : NOT_OVER;
  }

  /**
   * True for a session that began beside another, or beside which another began. The kernel that held both knows what
   * each has come to; their records alone do not tell. A run whose first record cannot be read may be such a session, so
   * that nothing goes on: the refusal is the store's, or `record_malformed`.
   *
   * @param startedAt time of the session's first record, ms since epoch.
   */
  async #wentBeside({ run_id, beside }: RunFacts, startedAt: number): Promise<Outcome<boolean>> {
    if (beside !== undefined) return pass(true);
    const { store } = this.#parts.ports;
    const rows = await rowsOf(store);
    if (!rows.ok) return rows;
    for (const row of rows.value) {
      if (row.at < startedAt || row.run_id === run_id || row.foreign) continue;
      const first = await store.read(row.run_id, 0, 1);
      if (!first.ok) return first;
      const text = first.value[0]?.records[0];
      // deleted since the rows were read
      if (text === undefined) continue;
      const record = readRecord(text);
      if (typeof record === 'string')
        return refuse('record_malformed', { what: `the first record of the run ${row.run_id}: ${record}` });
      const { kind, body } = record.record;
      if (kind === 'configuration' && body.beside?.includes(run_id)) return pass(true);
    }
    return pass(false);
  }

  /**
   * The sessions that are over by now, of those beside which the session before has begun. Undefined for one whose
   * records were erased: it may have read data of every label, and the uses that were kept for it stay kept.
   */
  async #endedBeside(before: RunLoop | undefined): Promise<Outcome<ReadonlyMap<string, EndedSession | undefined>>> {
    const { runs, ports } = this.#parts;
    const ended = new Map<string, EndedSession | undefined>();
    for (const run_id of before?.beside.keys() ?? []) {
      const loop = runs.loops.get(run_id);
      if (loop !== undefined && !loop.isOver) continue;
      const found = loop === undefined ? await stateOf(ports, run_id) : pass(loop);
      const isGone = !found.ok && GONE.has(found.refusal.code);
      if (isGone) ended.set(run_id, undefined);
      else if (!found.ok) return found;
      else ended.set(run_id, { state: found.value.state, elapsedMs: found.value.elapsedMs });
    }
    return pass(ended);
  }

  /** What a session begins with, and the sessions beside it that still wait for a person. */
  #takenOver(
    { state: last, elapsedMs, loop }: SessionBefore,
    ended: ReadonlyMap<string, EndedSession | undefined>,
  ): Outcome<Succession> {
    if (loop?.isOver === false && !loop.mayFork) return NOT_OVER;
    const state = loop?.state ?? last;
    const isFork = loop?.isOver === false;
    const beside = new Map(loop?.beside);
    let carried = (isFork ? forkedFrom : carriedFrom)(state, loop?.elapsedMs ?? elapsedMs);
    for (const [run_id, end] of ended) {
      const asking = beside.get(run_id);
      if (end === undefined) carried = { ...carried, labels: [...LABELS] };
      else if (asking !== undefined) carried = joined(carried, asking, end.state, end.elapsedMs);
      beside.delete(run_id);
    }
    if (isFork) {
      beside.set(loop.facts.run_id, state);
    }
    // what a session beside others has come to is taken over once
    if (isFork || (loop?.beside.size ?? 0) > 0) loop?.succeed();
    return pass({ carried, beside });
  }

  #stateOf(
    { run_id, dialect, model, remote, seed, heapHash, caller, labels, hold, undoes }: StartRequest,
    { limits, budgets }: Bounds,
    snapshot: Pick<RunFacts, 'registry' | 'powers' | 'sources' | 'carried' | 'beside' | 'principal'> &
      Pick<RunState, 'policy'>,
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
      ...(undoes && { undoes }),
      ...(hold && { hold }),
      ...(canHold({ ...snapshot, ...(hold && { hold }) }) && { holding: true }),
      ...(labels?.length && { labels: [...new Set(labels)].sort() }),
    });
  }

  /** What a session that would begin now could call, with handles in its arguments; undefined where it would not hold. */
  async offering({ hold, offer }: OfferTerms): Promise<Outcome<readonly CapabilityRow[] | undefined>> {
    const { catalogue, ports } = this.#parts;
    const handed = await handedSources(ports.store);
    if (!handed.ok) return handed;
    const terms = { guard: true, ...(hold && { hold }), ...(offer && { offer }) };
    const snapshot = catalogue.snapshot('femtoclaw', terms);
    if (!snapshot.ok) return snapshot;
    const { registry, policy } = snapshot.value;
    const sources = sourcesAmong(handed.value, snapshot.value);
    if (!canHold({ ...snapshot.value, ...(hold && { hold }), sources })) return pass(undefined);
    return pass(writableRows({ facts: { registry, dialect: 'femtoclaw', holding: true }, policy }, catalogue));
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
    const beside = caller ? await this.#wentBeside(facts, known[0]?.at ?? 0) : pass(false);
    if (!beside.ok) return beside;
    if (beside.value) return refuse('option_invalid', { name: 'run_id', wants: APART });
    const symbols = await this.#symbolsFor(facts);
    const fresh = await this.#refresh(facts.dialect);
    if (!fresh.ok) return fresh;
    const twice = this.#nameTwice(facts.dialect, facts.registry);
    if (twice !== undefined) return twice;
    const failedAt = known.findLast(({ kind, body }) => kind === 'state' && body.event === 'model_failed')?.at;
    const told = { proposer, window, opening, names, listener, symbols, failedAt, known: known.slice(-KNOWN_TOLD) };
    if (runs.isClosed) return CLOSED;
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

/** Capabilities that a caller may call, with the arguments as it may write them. */
export function writableRows(run: Parameters<typeof writable>[0], catalogue: Catalogue): readonly CapabilityRow[] {
  return writable(run).map(({ capability, args }) => ({ ...catalogue.row(capability), args }));
}

/** The sources of what a run offers, of those that earlier runs have handed held values to. */
function sourcesAmong(
  handed: readonly EarlierSource[],
  offered: Pick<RunFacts, 'registry' | 'powers'>,
): readonly EarlierSource[] {
  if (handed.length === 0) return handed;
  const own = new Set(sourcesOf(offered));
  return handed.filter(({ source }) => own.has(source));
}

interface Reopened {
  readonly records: readonly LedgerRecord[];
  readonly head: RunHead;
  readonly transition: Transition;
}

/**
 * Reads a run's records, and works out how the run continues with a model on this device or at `remote`: the facts of
 * its decisions, and the single step that may be open. Changes no data. `run_absent`, `run_foreign` for a run from a
 * backup, `run_sealed` for a run that ended without completing its turn, `model_elsewhere`, `facts_altered`,
 * `run_erased` where needed bytes were erased, `payload_missing` where they are gone otherwise, `behaviour_other`.
 */
async function reopen(ports: Ports, run_id: string, remote: string | undefined): Promise<Outcome<Reopened>> {
  const stored = await readRun(ports, run_id);
  if (!stored.ok) return stored;
  const { records, find } = stored.value;
  const last = records.at(-1);
  if (last === undefined || run_id === SYSTEM) return refuse('run_absent', { run_id });
  if (last.kind === 'seal' && last.body.state !== 'completed') return refuse('run_sealed', {});
  const restored = restore(records, find, VALIDATORS);
  if (!restored.ok) return asErased(ports, run_id, restored);
  const { facts } = restored.value.state;
  if (last.kind === 'seal' && facts.caller) return refuse('run_sealed', {});
  // Consent is for a single origin: the content that the run has read must not reach another origin through a resume.
  if (remote !== undefined && remote !== facts.remote) return refuse('model_elsewhere', { origin: remote });
  const prepared = await prepareFacts(ports.schemas, facts);
  if (!prepared.ok) return prepared;
  const again = recheck(restored.value, find);
  if (!again.ok) return asErased(ports, run_id, again);
  const checked = async ({ here, schemas, argsText }: Recheck) =>
    schemas.length === 0 ? here : new Map([...here, ...(await ports.schemas.check(schemas, argsText))]);
  const results = await Promise.all(again.value.checks.map(checked));
  return pass({ records, head: headAfter(last), transition: resume(restored.value, again.value, results, find) });
}

/** The state of a run as its records leave it, and the ms between the first and the last. `run_absent`, `run_erased` */
async function stateOf(
  ports: Ports,
  run_id: string,
): Promise<Outcome<{ readonly state: RunState; readonly elapsedMs: number; readonly startedAt: number }>> {
  const stored = await readRun(ports, run_id);
  if (!stored.ok) return stored;
  const { records, find } = stored.value;
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined || run_id === SYSTEM) return refuse('run_absent', { run_id });
  const restored = restore(records, find, VALIDATORS);
  if (!restored.ok) return asErased(ports, run_id, restored);
  return pass({ state: restored.value.state, elapsedMs: last.at - first.at, startedAt: first.at });
}

/** The refusal; `run_erased` instead of `payload_missing` where the log says that bytes of this run were erased. */
async function asErased(
  { store }: Pick<Ports, 'store'>,
  run_id: string,
  refused: Extract<Outcome<never>, { ok: false }>,
): Promise<Outcome<never>> {
  if (refused.refusal.code !== 'payload_missing') return refused;
  const texts = await readRecords(store, SYSTEM);
  const events = texts.ok ? texts.value.map((text) => (JSON.parse(text) as { body: LogBody }).body) : [];
  const isErased = events.some((body) => body.event === 'erased' && body.run === run_id);
  return isErased ? refuse('run_erased', { run_id }) : refused;
}

/** Reads the run and verifies it, because other programs may write the store between two openings. */
async function readRun(
  { store }: Ports,
  run_id: string,
): Promise<Outcome<{ records: readonly LedgerRecord[]; find: FindPayload }>> {
  const records: LedgerRecord[] = [];
  const payloads = new Map<string, Uint8Array>();
  for await (const page of runPages(store, run_id)) {
    if (!page.ok) return page;
    for (const batch of page.value) {
      if (batch.after.run.foreign === true) return refuse('run_foreign', { run_id });
      for (const text of batch.records) {
        const record = nextRecord(run_id, records, text);
        if (!record.ok) return record;
        records.push(record.value);
      }
      for (const { sha256, bytes } of batch.payloads) payloads.set(sha256, bytes);
    }
  }
  return pass({ records, find: unaltered(payloads) });
}

/** The text as the run's next record, if its hashes are right and it follows the record before it. */
function nextRecord(run_id: string, before: readonly LedgerRecord[], text: string): Outcome<LedgerRecord> {
  const read = readRecord(text);
  if (typeof read === 'string') return refuse('record_malformed', { what: `record ${before.length}: ${read}` });
  const { record } = read;
  const isHere = record.run_id === run_id && record.run_seq === before.length;
  const follows = isHere && record.prev === (before.at(-1)?.hash ?? NO_PREV);
  return follows && isIntact(read) ? pass(record) : refuse('facts_altered', { what: `run, record ${before.length},` });
}

/**
 * Payloads whose bytes match their hash; altered bytes count as missing. A proposal over the size limit keeps only its
 * beginning.
 */
function unaltered(payloads: ReadonlyMap<string, Uint8Array>): FindPayload {
  const right = new Set<string>();
  return ({ sha256, kept }) => {
    const bytes = payloads.get(sha256);
    if (bytes === undefined || right.has(sha256)) return bytes;
    if (kept === undefined ? sha256Hex(bytes) !== sha256 : bytes.length !== kept) return undefined;
    right.add(sha256);
    return bytes;
  };
}
