import type { RevertedCall } from '../../core/capability/revert.ts';
import { revertName } from '../../core/capability/revert.ts';
import { refuse } from '../../core/errors.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import type { JsonValue } from '../../core/json/value.ts';
import type { LogBody } from '../../core/ledger/kinds/log.ts';
import type { UndoneCall, UndoneRun } from '../../core/ledger/kinds/run.ts';
import { isIntact, readRecord } from '../../core/ledger/line.ts';
import { type PayloadRef, unsalted } from '../../core/ledger/payload-ref.ts';
import { payloadRefs } from '../../core/ledger/payloads.ts';
import { type LedgerRecord, NO_PREV } from '../../core/ledger/record.ts';
import { CALLBACK, COUNT, type OptionTypes, oneOf, optionsOf, SIGNAL, TEXT } from '../../core/option.ts';
import type { Refusal } from '../../core/outcome.ts';
import { refusalError, SallyportError, unwrap } from '../../core/sallyport-error.ts';
import {
  attemptsIn,
  keyOf,
  type PlannedCall,
  planUndo,
  type RevertNow,
  revertArguments,
  type UndoPlan,
  undoneRun,
  undoRunId,
} from '../../core/undo/plan.ts';
import type { Called, Runtime, Session, UndoEnd, UndoneRow, UndoOptions, UndoTarget } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import type { RuntimeParts } from './run.ts';
import { openSession, type UndoSession } from './session.ts';

const TARGET: OptionTypes = { run: TEXT, step: COUNT, back_to: COUNT };
const UNDO: OptionTypes = {
  ...TARGET,
  approve: CALLBACK,
  questions: oneOf('refuse', 'wait'),
  onQuestion: CALLBACK,
  onRun: CALLBACK,
  onCall: CALLBACK,
  signal: SIGNAL,
};

/** `runtime.undo` and `runtime.undoPlan` over the records of a run. */
export function undoClient(setup: RuntimeParts): Pick<Runtime, 'undo' | 'undoPlan'> {
  return {
    undoPlan: async (given) => {
      const target = targetOf(optionsOf(given, TARGET, ['run']));
      const { plan, later_runs } = await prepared(setup.kernel, target);
      const { calls, barriers, before, later_calls } = plan;
      return { calls: calls.map(shown), barriers, before, later_calls, later_runs };
    },
    undo: async (given) => {
      const options = optionsOf(given, UNDO, ['run']);
      return new UndoRun(setup, options).done();
    },
  };
}

function targetOf(options: UndoTarget): UndoTarget {
  if (options.step !== undefined && options.back_to !== undefined)
    throw refusalError(refuse('option_invalid', { name: 'back_to', wants: 'a number instead of step' }).refusal);
  return options;
}

/** What is known before an undo begins. */
interface Prepared {
  readonly plan: UndoPlan;
  readonly later_runs: number;
  /** Id for the next undo of the run. */
  readonly nextId: string;
  /** An undo that has not ended: of this program before a crash, or at work elsewhere. */
  readonly open?: { readonly run_id: string; readonly undoes: UndoneRun; readonly records: readonly LedgerRecord[] };
}

async function prepared(kernel: Kernel, { run, step, back_to }: UndoTarget): Promise<Prepared> {
  const rows = new Map(unwrap(await kernel.runs()).map((row) => [row.run_id, row]));
  const row = rows.get(run);
  if (row === undefined) throw refusalError(refuse('run_absent', { run_id: run }).refusal);
  if (row.foreign) throw refusalError(refuse('run_foreign', { run_id: run }).refusal);
  const records = await recordsOf(kernel, run);
  const steps = records.findLast(({ kind }) => kind === 'proposal');
  const last = steps?.kind === 'proposal' ? steps.body.step : 0;
  const asked = step ?? back_to ?? 0;
  if (asked > last || step === 0)
    throw refusalError(
      refuse('option_invalid', {
        name: step === undefined ? 'back_to' : 'step',
        wants: `a step of the run, which has ${last}`,
      }).refusal,
    );
  const gone = deletedIn(unwrap(await kernel.records('system')));
  const undos: (readonly LedgerRecord[])[] = [];
  let isLost = false;
  let nth = 0;
  for (let id = undoRunId(run, nth); rows.has(id) || gone.has(id); id = undoRunId(run, ++nth)) {
    if (rows.has(id)) undos.push(await recordsOf(kernel, id));
    else isLost = true;
  }
  const find = await payloadsFor(kernel, run, records);
  const capabilities = await kernel.capabilities();
  const now: RevertNow = (name, hash) => {
    const found = capabilities.find((each) => each.name === name);
    if (found === undefined) return 'gone';
    if (found.hash !== hash) return 'changed';
    return found.host?.revert === undefined ? 'no_revert' : undefined;
  };
  const range = { ...(step !== undefined && { step }), ...(back_to !== undefined && { back_to }) };
  const made = planUndo({ records, find }, range, now, attemptsIn(undos));
  if (!made.ok && made.refusal.code === 'payload_missing')
    throw impossible([{ step: asked, capability: '', reason: 'erased' }]);
  const plan = isLost ? withoutRecords(unwrap(made)) : unwrap(made);
  const newest = undos.at(-1) ?? [];
  const [first] = newest;
  const undoes = first?.kind === 'configuration' ? first.body.undoes : undefined;
  const isOpen = newest.length > 0 && newest.at(-1)?.kind !== 'seal';
  const oldest = plan.calls.at(-1);
  const at = records.find((record) => record.kind === 'proposal' && record.body.step === oldest?.step)?.at ?? 0;
  const later = [...rows.values()].filter((each) => each.at > at && each.run_id !== run && !each.foreign);
  const ownUndos = new Set(undos.map((each) => each[0]?.run_id));
  return {
    plan,
    later_runs: later.filter(({ run_id }) => !ownUndos.has(run_id)).length,
    nextId: undoRunId(run, nth),
    ...(isOpen && first && undoes && { open: { run_id: first.run_id, undoes, records: newest } }),
  };
}

/** An undo of the run was deleted: nobody knows what it has taken back. */
function withoutRecords(plan: UndoPlan): UndoPlan {
  const unknown = plan.calls.map(
    ({ step, capability }) => ({ step, capability, reason: 'unknown' }) as const satisfies UndoPlan['barriers'][number],
  );
  return { ...plan, calls: [], barriers: [...plan.barriers, ...unknown] };
}

/** Calls that a refusal names. */
const NAMED = 20;

function impossible(calls: readonly UndoPlan['barriers'][number][]): SallyportError {
  const named = calls.slice(0, NAMED).map(({ step, capability, reason }) => ({ step, capability, reason }));
  return refusalError(refuse('undo_impossible', { barriers: named }).refusal);
}

/** The records of a run, with their hashes and links verified: what follows from them is done to the world. */
async function recordsOf(kernel: Kernel, run_id: string): Promise<readonly LedgerRecord[]> {
  const records = unwrap(await kernel.records(run_id));
  let prev = NO_PREV;
  for (const [at, record] of records.entries()) {
    const line = readRecord(canonicalText(record as unknown as JsonValue));
    const isNext = record.run_id === run_id && record.run_seq === at && record.prev === prev;
    if (typeof line === 'string' || !isNext || !isIntact(line))
      throw refusalError(refuse('facts_altered', { what: `run, record ${at},` }).refusal);
    prev = record.hash;
  }
  return records;
}

function deletedIn(log: readonly LedgerRecord[]): ReadonlySet<string> {
  const events = log.map(({ body }) => body as LogBody);
  return new Set(events.flatMap((body) => (body.event === 'deleted' ? body.run : [])));
}

const NEEDED: ReadonlySet<string> = new Set(['configuration', 'verdict', 'receipt']);

/** The payloads that a plan needs, by their hash. */
async function payloadsFor(
  kernel: Kernel,
  run_id: string,
  records: readonly LedgerRecord[],
): Promise<(ref: PayloadRef) => Uint8Array | undefined> {
  const found = new Map<string, Uint8Array>();
  for (const record of records) {
    if (!NEEDED.has(record.kind)) continue;
    for (const ref of payloadRefs(record)) {
      if (found.has(ref.sha256) || ref.kept !== undefined) continue;
      const bytes = unwrap(await kernel.payload(run_id, ref.sha256, record.run_seq));
      if (bytes !== undefined) found.set(ref.sha256, bytes);
    }
  }
  return (ref) => {
    const bytes = found.get(ref.sha256);
    return bytes && unsalted(ref, bytes);
  };
}

function shown({
  step,
  operation,
  ticket,
  capability,
  carries,
  args,
  result,
}: PlannedCall): UndoneRow & RevertedValues {
  return { ...rowOf({ step, operation, ticket, capability }), args, result, ...(carries && { carries }) };
}

type RevertedValues = Pick<RevertedCall, 'args' | 'result'> & Pick<UndoneCall, 'carries'>;

function rowOf({
  step,
  operation,
  ticket,
  capability,
}: {
  readonly step: number;
  readonly operation?: number | undefined;
  readonly ticket?: number | undefined;
  readonly capability: string;
}): UndoneRow {
  return {
    step,
    ...(operation !== undefined && { operation }),
    ...(ticket !== undefined && { ticket }),
    capability,
  };
}

/** An undo from its plan to its end. */
class UndoRun {
  readonly #setup: RuntimeParts;
  readonly #options: UndoOptions;
  readonly #undone: UndoneRow[] = [];

  constructor(setup: RuntimeParts, options: UndoOptions) {
    this.#setup = setup;
    this.#options = options;
  }

  async done(): Promise<UndoEnd> {
    const { kernel } = this.#setup;
    const target = targetOf(this.#options);
    const before = await prepared(kernel, target);
    if (before.open !== undefined) return this.#goOn(before, before.open);
    const { plan, later_runs, nextId } = before;
    const { run, step, back_to } = target;
    if (plan.barriers.length > 0) throw impossible(plan.barriers);
    const [earlier] = plan.before;
    if (plan.calls.length === 0 && earlier !== undefined)
      throw refusalError(refuse('undo_done', { run_id: earlier.run_id }).refusal);
    if (plan.calls.length === 0) throw impossible([{ step: step ?? back_to ?? 0, capability: '', reason: 'nothing' }]);
    const range = { ...(step !== undefined && { step }), ...(back_to !== undefined && { back_to }) };
    const undoes = undoneRun(run, range, plan, later_runs);
    const session = this.#open({ id: nextId, undoes, labels: plan.labels });
    return this.#play(session, undoes, plan.calls, 0);
  }

  /** Goes on with an undo that a crash has cut off. */
  async #goOn({ plan }: Prepared, { run_id, undoes, records }: NonNullable<Prepared['open']>): Promise<UndoEnd> {
    const { step, back_to } = this.#options;
    if (undoes.step !== step || undoes.back_to !== back_to) throw refusalError(refuse('undo_open', { run_id }).refusal);
    const session = this.#open({ resume: run_id });
    const called = await session.resumed.catch((error: unknown) => Promise.reject(underWay(error, run_id)));
    const made = records.filter(({ kind }) => kind === 'proposal').length;
    const closed = attemptsIn([records]);
    const settled = undoes.calls.slice(0, called === undefined ? made : made - 1);
    const isWhole = settled.every((call) => closed.get(keyOf(call))?.end === 'undone');
    for (const call of settled) if (closed.get(keyOf(call))?.end === 'undone') this.#undone.push(rowOf(call));
    if (!isWhole) return this.#ended(session, undoes, refuse('interrupted', {}).refusal);
    const current = undoes.calls[made - 1];
    if (called !== undefined && current !== undefined) {
      const failed = this.#settled(current, called);
      if (failed !== undefined) return this.#ended(session, undoes, failed);
    }
    const byKey = new Map(plan.calls.map((call) => [keyOf(call), call]));
    const rest = undoes.calls.slice(made);
    const left = rest.flatMap((call) => byKey.get(keyOf(call)) ?? []);
    return this.#play(session, undoes, left, rest.length - left.length);
  }

  #open(how: { readonly resume: string } | UndoSession): Session {
    const { approve, questions, signal } = this.#options;
    const asked = {
      label: 'undo',
      ...(approve && { approve }),
      ...(questions && { questions }),
      ...(signal && { signal }),
    };
    const session =
      'resume' in how
        ? openSession(this.#setup, { ...asked, resume: how.resume })
        : openSession(this.#setup, { ...asked, labels: how.labels }, how);
    this.#options.onRun?.(session.run);
    return session;
  }

  async #play(session: Session, undoes: UndoneRun, calls: readonly PlannedCall[], lost: number): Promise<UndoEnd> {
    const { onQuestion, signal } = this.#options;
    for (const call of calls) {
      const args = revertArguments(undoes.run_id, call);
      const how = { ...(onQuestion && { onQuestion }), ...(signal && { signal }) };
      const called = await session
        .call(revertName(call.capability), args, how)
        .catch((error: unknown) => Promise.reject(underWay(error, session.run.id)));
      const failed = this.#settled(call, called);
      if (failed !== undefined) return this.#ended(session, undoes, failed);
    }
    return this.#ended(session, undoes, lost === 0 ? undefined : refuse('interrupted', {}).refusal);
  }

  /** Notes a call that was taken back; the refusal of one that was not. */
  #settled(call: UndoneCall, called: Called): Refusal | undefined {
    if (!called.ok) return called.refusal;
    const row = rowOf(call);
    this.#undone.push(row);
    this.#options.onCall?.(row);
    return undefined;
  }

  async #ended(session: Session, undoes: UndoneRun, failed: Refusal | undefined): Promise<UndoEnd> {
    const undone = new Set(this.#undone.map(keyOf));
    const stands = undoes.calls.filter((call) => !undone.has(keyOf(call))).map(rowOf);
    const [first] = stands;
    await session.close(stands.length === 0 ? 'taken back' : `${stands.length} stand`).catch(() => undefined);
    return {
      run_id: session.run.id,
      undone: this.#undone,
      stands,
      ...(failed !== undefined && first !== undefined && { failed: { ...first, refusal: failed } }),
      later_calls: undoes.later_calls,
      later_runs: undoes.later_runs,
    };
  }
}

/** Of two undos that begin at once the second finds the run of the first. */
function underWay(error: unknown, run_id: string): unknown {
  const isOpen = error instanceof SallyportError && error.code === 'run_open';
  return isOpen ? refusalError(refuse('undo_open', { run_id }).refusal) : error;
}
