import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import {
  type Label,
  type LedgerRecord,
  type PayloadRef,
  payloadRefs,
  type Report,
  unsalted,
} from '../../../core/index.ts';
import type { Abortable, PayloadPage, Run, Runtime, RunView } from '../../../workers/api.ts';
import { groupSteps, type StepGroup, stepOf } from '../../records/steps.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { speech } from '../../texts/area.ts';
import { run as texts } from '../../texts/en/run.ts';
import { type ExportBlob, exportBlob, FILE_MAX, type RunSummary } from '../files/export-blob.ts';
import type { FileWorker } from '../files/file-worker.ts';
import { byMember } from '../parts/by-member.ts';
import type { ProposerChoice } from './proposer.ts';

/** Bytes that a record names: still loading, there, or not on this device. */
type PayloadView = { readonly state: 'loading' | 'missing' } | { readonly state: 'there'; readonly bytes: Uint8Array };

/** Not requested yet, under way, finished, or impossible with its reason. */
export type Verification = undefined | 'running' | Report | { readonly impossible: string };

/** Another tab has it, took it over from here, or no tab has it. */
export type Elsewhere = 'there' | 'taken' | 'free';

/** An open run: a live run that can be driven, or an earlier run that can only be read. */
export interface RunSession {
  readonly id: string;
  readonly run: Run | undefined;
  /** The file it was read from, if it was: its text may be large, and is read where it is asked for. */
  readonly file?: ExportBlob;
  readonly fileName?: string;
  /** The records came with a file or a backup: a stranger may have written them. */
  readonly isForeign: boolean;
  readonly proposer: ProposerChoice | undefined;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
  readonly steps: ReadonlySignal<readonly StepGroup[]>;
  /** Its members are read one by one: a reader of `end` is told of the end alone. */
  readonly view: ReadonlySignal<RunView | undefined>;
  readonly report: ReadonlySignal<Verification>;
  /** For a run that has not ended and is only read here: its writer. */
  readonly elsewhere: ReadonlySignal<Elsewhere | undefined>;
  /** Reading it inside a view asks for the bytes once and renders again when they are there. */
  payload(ref: PayloadRef): PayloadView;
  /** By a reference without its salt, by a hash alone as it is stored. */
  bytes(name: string | PayloadRef): Promise<Uint8Array | undefined>;
  /** The payloads that are stored with the records from `from` on, a page at a time, as `ledger.payloads` gives them. */
  payloads(from: number): Promise<PayloadPage>;
  /** Never rejects: a verification that could not be made is a state of `report`. */
  verify(): Promise<void>;
  close(): void;
}

const firsts = new WeakMap<RunSession['records'], ReadonlySignal<LedgerRecord | undefined>>();

/** The first record of a run, which holds its configuration. Later records do not draw its reader again. */
export function firstOf({ records }: Pick<RunSession, 'records'>): LedgerRecord | undefined {
  const first = firsts.get(records) ?? computed(() => records.value[0]);
  firsts.set(records, first);
  return first.value;
}

/** The labels that a run began with. */
export function labelsIn([first]: readonly (LedgerRecord | undefined)[]): readonly Label[] {
  return first?.kind === 'configuration' ? (first.body.labels ?? []) : [];
}

/** A stranger may have written the task and the proposals: its fork makes none by itself. */
export function isStrange(session: Pick<RunSession, 'isForeign' | 'records'>): boolean {
  return session.isForeign || labelsIn([firstOf(session)]).includes('untrusted');
}

/**
 * Follows a live run; one without a proposer is a session. Its state is shown with the records that it tells of: together
 * they draw a view once. Its check begins when they are read: both read all of the run.
 */
export function followRun({ ledger }: Runtime, run: Run, proposer?: ProposerChoice): RunSession {
  const records = signal<readonly LedgerRecord[]>([]);
  const payloads = openPayloads(ledger, run.id, records);
  const view = signal<RunView | undefined>(run.view);
  let readAll = (): void => undefined;
  const read = new Promise<void>((resolve) => {
    readAll = resolve;
  });
  const show = (): void => {
    view.value = run.view;
    if (records.peek().length >= run.view.records) readAll();
  };
  const display = openDisplay(records, payloads, {
    shown: show,
    goesOn: () => run.view.mode === 'running' && run.view.end === undefined,
    length: () => run.view.records,
  });
  const stop = run.watch((next) => (next.records <= records.peek().length ? show() : display.soon()));
  // why there are no more of them, the result of the run says
  collect(run, display.add).catch(() => readAll());
  const verify = (id: string): Promise<Report> => read.then(() => ledger.verify(id));
  const parts = { id: run.id, run, isForeign: false, proposer, records, view, close: stop };
  // the ledger of a page that is opening has no members of its own yet
  const source: RunSource = {
    payload: (...asked) => ledger.payload(...asked),
    payloads: (...asked) => ledger.payloads(...asked),
    verify,
  };
  return sessionOf(source, payloads, parts);
}

/**
 * Opens a run from the ledger, read-only: an earlier run, or a run that another tab writes, with its new records as
 * they come.
 */
export async function readRun(
  runtime: Pick<Runtime, 'ledger' | 'follow' | 'runs'>,
  id: string,
  taken?: 'taken',
): Promise<RunSession | undefined> {
  const found = await runtime.ledger.records(id);
  if (found.length === 0) return undefined;
  const row = (await runtime.runs()).find((each) => each.run_id === id);
  const writer = taken ?? 'there';
  // a run that came from a backup is never resumed
  const isForeign = row?.foreign === true;
  const isOver = row?.sealed === true || isForeign;
  const elsewhere = signal<Elsewhere | undefined>(isOver ? undefined : (taken ?? (row?.elsewhere ? 'there' : 'free')));
  const records = signal(found);
  const leaving = new AbortController();
  const payloads = openPayloads(runtime.ledger, id, records);
  const parts = { id, run: undefined, isForeign, proposer: undefined, close: () => leaving.abort(), elsewhere };
  // the writers of every other run announce new records, and the end of their writing
  const onWriter = (isThere: boolean): void => {
    elsewhere.value = isThere ? writer : 'free';
  };
  // a run that cannot be read further stays as it was read: the checks name the fault
  if (!isOver)
    gather(runtime.follow(id, { signal: leaving.signal, onWriter }), openDisplay(records, payloads).add).catch(
      () => undefined,
    );
  return sessionOf(runtime.ledger, payloads, { ...parts, records, view: signal(undefined) });
}

/**
 * Opens a run from a file, to read it, and shows all readable records; the checks report the rest. The file's thread
 * reads it. Rejects where the file holds no run.
 */
export async function openFile(runtime: Runtime, files: FileWorker, given: File): Promise<RunSession> {
  if (given.size > FILE_MAX) throw new Error(texts().fileTooLarge(given.size));
  const opened = await files.call('open', [exportBlob(given)]);
  if (opened.kind !== 'run') throw new Error(texts().noRunInFile);
  const { file, facts } = opened;
  const { session, shown } = readFile(files, { file, facts, fileName: given.name }, (how) =>
    runtime.ledger.check(file.blob, how),
  );
  await shown;
  return { ...session, file };
}

/** Records of a message of the file's thread: a larger message would hold up a frame. */
const PIECE = 1_000;
/** The list is drawn again when it has grown by this factor: a drawing looks at all of it. */
const GROWTH = 1.5;

interface FileRun {
  readonly file: ExportBlob;
  readonly facts: RunSummary;
  readonly fileName: string;
}

/** A run in a file that was opened. Its records are shown as they come; `shown` resolves with the first of them. */
export function readFile(
  files: FileWorker,
  { file, facts, fileName }: FileRun,
  verify: (how: Abortable | undefined) => Promise<Report>,
): { readonly session: RunSession; readonly shown: Promise<void> } {
  const { run_id: id = 'unnamed', records: length } = facts;
  const records = signal<readonly LedgerRecord[]>([]);
  const closing = new AbortController();
  const { signal: closed } = closing;
  const shown = new Promise<void>((resolve, reject) => {
    const read = async (): Promise<void> => {
      let found: LedgerRecord[] = [];
      for (let from = 0; from < length && !closed.aborted; from += PIECE) {
        found = [...found, ...(await files.call('records', [file, from, PIECE]))];
        const isLast = from + PIECE >= length;
        if (!isLast && found.length < records.peek().length * GROWTH) continue;
        if (!closed.aborted) records.value = found;
        if (found.length > 0) resolve();
      }
      resolve();
    };
    read().catch(reject);
  });
  // a list that ends early is what could be read
  shown.catch(() => undefined);
  const source: RunSource = {
    payload: async (_, name) => {
      const bytes = await files.call('payload', [file, typeof name === 'string' ? name : name.sha256]);
      return bytes && typeof name !== 'string' ? unsalted(name, bytes) : bytes;
    },
    payloads: (_, from = 0) => files.call('payloads', [file, from]),
    verify: (_, how) => verify(how),
  };
  const close = (): void => closing.abort();
  const parts = { id, run: undefined, isForeign: true, proposer: undefined, close, fileName };
  const own = { ...parts, records, view: signal(undefined) };
  return { session: sessionOf(source, openPayloads(source, id, records), own), shown };
}

interface SessionParts
  extends Pick<RunSession, 'id' | 'run' | 'isForeign' | 'proposer' | 'records' | 'view' | 'close' | 'fileName'> {
  readonly elsewhere?: ReadonlySignal<Elsewhere | undefined>;
}

/** The place that a run is read from: the ledger of this device, or a file. */
type RunSource = Pick<Runtime['ledger'], 'payload' | 'payloads' | 'verify'>;

function sessionOf(source: RunSource, payloads: Payloads, parts: SessionParts): RunSession {
  const report = signal<Verification>(undefined);
  return {
    ...parts,
    view: byMember(parts.view),
    steps: stepsOf(parts.records),
    report,
    elsewhere: computed(() => (parts.records.value.at(-1)?.kind === 'seal' ? undefined : parts.elsewhere?.value)),
    payload: payloads.view,
    bytes: (name) => source.payload(parts.id, name),
    payloads: (from) => source.payloads(parts.id, from),
    verify: async () => {
      report.value = 'running';
      report.value = await source.verify(parts.id).catch((error: unknown) => ({ impossible: sentenceOf(error) }));
    },
  };
}

/**
 * The steps of a run. A step that has got no record since stays the same object. Records that are added are grouped
 * alone: only the last step of those before can get any.
 */
function stepsOf(records: RunSession['records']): RunSession['steps'] {
  let before: { readonly steps: readonly StepGroup[]; readonly records: readonly LedgerRecord[]; readonly in: string } =
    {
      steps: [],
      records: [],
      in: '',
    };
  return computed(() => {
    const all = records.value;
    // titles are in the language of the page
    const { language } = speech();
    const { steps: known, records: seen } = before;
    const isLonger = before.in === language && seen.length <= all.length && seen.at(-1) === all[seen.length - 1];
    const last = isLonger ? known.at(-1) : undefined;
    const from = last === undefined ? 0 : seen.length - last.records.length;
    const [first, ...rest] = groupSteps(all.slice(from));
    const same = first !== undefined && first.records.length === last?.records.length ? last : first;
    const steps = [...(last === undefined ? [] : known.slice(0, -1)), ...(same ? [same] : []), ...rest];
    before = { steps, records: all, in: language };
    return steps;
  });
}

/** The bytes that the records of a run name, each read once. */
interface Payloads {
  readonly view: RunSession['payload'];
  /** Resolves when the texts of these records are here, which are about to be shown, or are known to be missing. */
  ahead(records: readonly LedgerRecord[]): Promise<unknown>;
}

/** Texts that are asked for together and are more than this are read in one pass over the run: each search for one text begins anew. */
const SEARCHED_MAX = 16;

function openPayloads(
  source: Pick<RunSource, 'payload' | 'payloads'>,
  id: string,
  records: ReadonlySignal<readonly LedgerRecord[]>,
): Payloads {
  const placeOf = payloadPlaces();
  const cells = new Map<string, { readonly view: Signal<PayloadView>; readonly read: Promise<void> }>();
  /** Asked for in this task. */
  let asked: Asked[] = [];
  // bytes that do not match their hash count as absent
  const search = async ({ ref, found }: Asked): Promise<void> => {
    const record = placeOf(records.peek(), ref.sha256);
    const near = record === undefined ? {} : { record };
    found(await source.payload(id, ref, near).catch(() => undefined));
  };
  const pass = async (wanted: Map<string, Asked>): Promise<void> => {
    for (let from: number | undefined = 0; from !== undefined && wanted.size > 0; ) {
      const page: PayloadPage = await source.payloads(id, from);
      for (const { sha256, bytes } of page.payloads) {
        const each = wanted.get(sha256);
        if (each !== undefined && wanted.delete(sha256)) each.found(unsalted(each.ref, bytes));
      }
      from = page.next;
    }
    for (const { found } of wanted.values()) found(undefined);
  };
  const searchAll = (wanted: Map<string, Asked>): void => {
    for (const each of wanted.values()) void search(each);
  };
  const readAsked = (): void => {
    const wanted = new Map(asked.map((each) => [each.ref.sha256, each]));
    asked = [];
    if (wanted.size > SEARCHED_MAX) pass(wanted).catch(() => searchAll(wanted));
    else searchAll(wanted);
  };
  const read = (ref: PayloadRef): Promise<Uint8Array | undefined> =>
    new Promise((found) => {
      if (asked.push({ ref, found }) === 1) queueMicrotask(readAsked);
    });
  const begin = (ref: PayloadRef) => {
    const view = signal<PayloadView>({ state: 'loading' });
    const show = (bytes: Uint8Array | undefined): void => {
      view.value = bytes === undefined ? { state: 'missing' } : { state: 'there', bytes };
    };
    const cell = { view, read: read(ref).then(show) };
    cells.set(ref.sha256, cell);
    return cell;
  };
  const cellOf = (ref: PayloadRef) => cells.get(ref.sha256) ?? begin(ref);
  return {
    view: (ref) => cellOf(ref).view.value,
    ahead: (records) => Promise.all(records.flatMap(stepTexts).map((ref) => cellOf(ref).read)),
  };
}

/** Finds the number of the first record that names a payload, in a list that grows. Each record is looked at once. */
function payloadPlaces(): (records: readonly LedgerRecord[], sha256: string) => number | undefined {
  const places = new Map<string, number>();
  let seen = 0;
  return (records, sha256) => {
    for (const record of records.slice(seen))
      for (const ref of payloadRefs(record)) if (!places.has(ref.sha256)) places.set(ref.sha256, record.run_seq);
    seen = Math.max(seen, records.length);
    return places.get(sha256);
  };
}

interface Asked {
  readonly ref: PayloadRef;
  readonly found: (bytes: Uint8Array | undefined) => void;
}

/** The texts that the panels show with a step: its proposal and the reply. */
function stepTexts({ kind, body }: LedgerRecord): readonly PayloadRef[] {
  return kind === 'proposal' || kind === 'observation' ? [body.payload] : [];
}

async function collect(run: Run, add: (record: LedgerRecord) => void): Promise<void> {
  // a conversation may be taken further after its seal, and then there is more to read
  for (;;) {
    await gather(run.records(), add);
    await nextTurn(run);
  }
}

async function gather(from: AsyncIterable<LedgerRecord>, add: (record: LedgerRecord) => void): Promise<void> {
  for await (const record of from) add(record);
}

/** ms of a frame of the screen. */
const FRAME_MS = 16;
/** ms between two drawings of a run that goes on: four a second at most. */
const DRAWN_MS = 250;
/** A drawing takes at most this share of the time to the next: the run keeps the rest of the thread. */
const DRAWING_SHARE = 1 / 4;
/** ms for which the next page of a finished run is awaited. */
const HELD_MS = 500;
/** A step has fewer records, also one of many operations. */
const STEP_RECORDS = 100;

interface RecordDisplay {
  add(record: LedgerRecord): void;
  /** Shows soon what there is by then. */
  soon(): void;
}

/**
 * Records arrive faster than a person reads. The first are shown within a frame of the screen, with the texts of the
 * newest step where these come within a frame; those of a run that goes on by itself are then shown together. `shown` is
 * called with each batch.
 */
function openDisplay(
  into: Signal<readonly LedgerRecord[]>,
  payloads: Payloads,
  { shown, goesOn, length }: { shown(): void; goesOn(): boolean; length(): number } = {
    shown: () => undefined,
    goesOn: () => true,
    length: () => 0,
  },
): RecordDisplay {
  let waiting: LedgerRecord[] = [];
  let isDue = false;
  let known = into.peek().length;
  /** Times before which no run, and no run that goes on by itself, is drawn again. */
  let [rested, next] = [0, 0];
  const show = async (): Promise<void> => {
    const arrived = waiting;
    waiting = [];
    await Promise.race([payloads.ahead(lastStep(arrived)), pause(FRAME_MS)]);
    const began = performance.now();
    batch(() => {
      if (arrived.length > 0) into.value = [...into.value, ...arrived];
      shown();
    });
    next = began + DRAWN_MS;
    isDue = false;
    void painted().then(() => {
      rested = began + (performance.now() - began) / DRAWING_SHARE;
      return undefined;
    });
    if (waiting.length > 0) soon();
  };
  const soon = (): void => {
    if (isDue) return;
    isDue = true;
    const from = goesOn() ? Math.max(rested, next) : 0;
    setTimeout(due, Math.max(FRAME_MS, from - performance.now()));
  };
  /** Records that waited when a drawing was put off last. */
  let held = 0;
  /** True while more of a run that is read from its beginning is about to come: a drawing looks at all of the list. */
  const isPart = (): boolean => {
    const before = into.peek().length;
    const all = before + waiting.length;
    return !goesOn() && waiting.length > held && all < length() && all < before * GROWTH;
  };
  /** A page of a finished run waits for the rest behind the drawing before it; the records of a step do not. */
  const due = (): void => {
    const isPage = waiting.length > STEP_RECORDS;
    if (isPage && isPart()) {
      held = waiting.length;
      setTimeout(due, HELD_MS);
      return;
    }
    held = 0;
    const rest = isPage ? rested - performance.now() : 0;
    if (rest > 0) setTimeout(show, rest);
    else void show();
  };
  return {
    soon,
    add: (record) => {
      if (record.run_seq < known) return;
      known = record.run_seq + 1;
      waiting.push(record);
      soon();
    },
  };
}

/** The records among these that are of the step of the last one. */
function lastStep(records: readonly LedgerRecord[]): readonly LedgerRecord[] {
  const last = records.at(-1);
  const step = last && stepOf(last);
  return step === undefined ? [] : records.filter((record) => stepOf(record) === step);
}

/** Resolves behind the next frame of the screen; never on a page that nobody sees, and at once without a screen. */
function painted(): Promise<void> {
  if (typeof requestAnimationFrame === 'undefined') return Promise.resolve();
  return new Promise((over) => requestAnimationFrame(() => setTimeout(over)));
}

function pause(ms: number): Promise<void> {
  return new Promise((over) => setTimeout(over, ms));
}

/** Resolves when a run that was over goes on. */
function nextTurn(run: Run): Promise<void> {
  return new Promise((resolve) => {
    const leave = run.watch(({ end }) => {
      if (end !== undefined) return;
      leave();
      resolve();
    });
  });
}
