import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import {
  type ExportFile,
  type Label,
  type LedgerRecord,
  type PayloadRef,
  parseExport,
  type Report,
  unsalted,
} from '../../../core/index.ts';
import type { Run, Runtime, RunView } from '../../../workers/api.ts';
import { groupSteps, recordsIn, type StepGroup } from '../../records/steps.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { run as texts } from '../../texts/en/run.ts';
import type { ProposerChoice } from './proposer.ts';

/** Bytes that a record names: still loading, there, or not on this device. */
export type PayloadView =
  | { readonly state: 'loading' | 'missing' }
  | { readonly state: 'there'; readonly bytes: Uint8Array };

/** Not requested yet, under way, finished, or impossible with its reason. */
export type Verification = undefined | 'running' | Report | { readonly impossible: string };

/** Another tab has it, took it over from here, or no tab has it. */
export type Elsewhere = 'there' | 'taken' | 'free';

/** An open run: a live run that can be driven, or an earlier run that can only be read. */
export interface RunSession {
  readonly id: string;
  readonly run: Run | undefined;
  /** The file it was read from, if it was. */
  readonly text?: string;
  readonly fileName?: string;
  /** The records came with a file or a backup: a stranger may have written them. */
  readonly isForeign: boolean;
  readonly proposer: ProposerChoice | undefined;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
  readonly steps: ReadonlySignal<readonly StepGroup[]>;
  readonly view: ReadonlySignal<RunView | undefined>;
  readonly report: ReadonlySignal<Verification>;
  /** For a run that has not ended and is only read here: its writer. */
  readonly elsewhere: ReadonlySignal<Elsewhere | undefined>;
  /** Reading it inside a view asks for the bytes once and renders again when they are there. */
  payload(ref: PayloadRef): PayloadView;
  /** By a reference without its salt, by a hash alone as it is stored. */
  bytes(name: string | PayloadRef): Promise<Uint8Array | undefined>;
  /** Never rejects: a verification that could not be made is a state of `report`. */
  verify(): Promise<void>;
  close(): void;
}

/** The labels that a run began with. */
export function labelsIn([first]: readonly LedgerRecord[]): readonly Label[] {
  return first?.kind === 'configuration' ? (first.body.labels ?? []) : [];
}

/** A stranger may have written the task and the proposals: its fork makes none by itself. */
export function isStrange({ isForeign, records }: Pick<RunSession, 'isForeign' | 'records'>): boolean {
  return isForeign || labelsIn(records.value).includes('untrusted');
}

/** Follows a live run, record by record. */
export function followRun(runtime: Runtime, run: Run, proposer: ProposerChoice): RunSession {
  const records = signal<readonly LedgerRecord[]>([]);
  const view = signal<RunView | undefined>(run.view);
  const stop = run.watch((next) => {
    view.value = next;
  });
  // why there are no more of them, the result of the run says
  collect(run, records).catch(() => undefined);
  return sessionOf(runtime.ledger, { id: run.id, run, isForeign: false, proposer, records, view, close: stop });
}

/**
 * Opens a run from the ledger, read-only: an earlier run, or a run that another tab writes, with its new records as
 * they come.
 */
export async function readRun(runtime: Runtime, id: string, taken?: 'taken'): Promise<RunSession | undefined> {
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
  const parts = { id, run: undefined, isForeign, proposer: undefined, close: () => leaving.abort(), elsewhere };
  // the writers of every other run announce new records, and the end of their writing
  const onWriter = (isThere: boolean): void => {
    elsewhere.value = isThere ? writer : 'free';
  };
  // a run that cannot be read further stays as it was read: the checks name the fault
  if (!isOver)
    gather(runtime.follow(id, { signal: leaving.signal, onWriter }), adderTo(records)).catch(() => undefined);
  return sessionOf(runtime.ledger, { ...parts, records, view: signal(undefined) });
}

/** A larger file is refused before it is read. */
const FILE_MAX: number = 64 << 20;

/** Opens a run from a file, to read it; rejects where the file holds no run. */
export async function openFile(runtime: Runtime, file: File): Promise<RunSession> {
  if (file.size > FILE_MAX) throw new Error(texts().fileTooLarge(file.size));
  const found = readFile(runtime, await file.text(), file.name);
  if (found === undefined) throw new Error(texts().noRunInFile);
  return found;
}

function payloadIn({ payloads }: ExportFile, name: string | PayloadRef): Uint8Array | undefined {
  if (typeof name === 'string') return payloads.get(name);
  const bytes = payloads.get(name.sha256);
  return bytes && unsalted(name, bytes);
}

/** Shows all readable records; the checks report the rest. */
function readFile({ ledger }: Runtime, text: string, fileName: string): RunSession | undefined {
  const file = parseExport(text);
  const records = recordsIn(file);
  if (records.length === 0) return undefined;
  const id = file.run_id ?? 'unnamed';
  const parts = { id, run: undefined, isForeign: true, proposer: undefined, close: () => {}, text, fileName };
  return sessionOf(
    { payload: async (_, name) => payloadIn(file, name), verify: (_, how) => ledger.check(text, how) },
    { ...parts, records: signal(records), view: signal(undefined) },
  );
}

interface SessionParts
  extends Pick<
    RunSession,
    'id' | 'run' | 'isForeign' | 'proposer' | 'records' | 'view' | 'close' | 'text' | 'fileName'
  > {
  readonly elsewhere?: ReadonlySignal<Elsewhere | undefined>;
}

function sessionOf(source: Pick<Runtime['ledger'], 'payload' | 'verify'>, parts: SessionParts): RunSession {
  const payloads = new Map<string, Signal<PayloadView>>();
  const report = signal<Verification>(undefined);
  return {
    ...parts,
    steps: computed(() => groupSteps(parts.records.value)),
    report,
    elsewhere: computed(() => (parts.records.value.at(-1)?.kind === 'seal' ? undefined : parts.elsewhere?.value)),
    payload: (ref) => {
      const known = payloads.get(ref.sha256);
      if (known !== undefined) return known.value;
      const cell = signal<PayloadView>({ state: 'loading' });
      payloads.set(ref.sha256, cell);
      void load(source, parts.id, ref, cell);
      return cell.value;
    },
    bytes: (name) => source.payload(parts.id, name),
    verify: async () => {
      report.value = 'running';
      report.value = await source.verify(parts.id).catch((error: unknown) => ({ impossible: sentenceOf(error) }));
    },
  };
}

async function load(
  source: Pick<Runtime['ledger'], 'payload'>,
  id: string,
  ref: PayloadRef,
  cell: Signal<PayloadView>,
): Promise<void> {
  // bytes that do not match their hash count as absent
  const bytes = await source.payload(id, ref).catch(() => undefined);
  cell.value = bytes === undefined ? { state: 'missing' } : { state: 'there', bytes };
}

async function collect(run: Run, into: Signal<readonly LedgerRecord[]>): Promise<void> {
  const add = adderTo(into);
  // a conversation may be taken further after its seal, and then there is more to read
  for (;;) {
    await gather(run.records(), add);
    await nextTurn(run);
  }
}

async function gather(from: AsyncIterable<LedgerRecord>, add: (record: LedgerRecord) => void): Promise<void> {
  for await (const record of from) add(record);
}

/** Records arrive faster than a person reads: they are shown in batches of a screen frame. */
function adderTo(into: Signal<readonly LedgerRecord[]>): (record: LedgerRecord) => void {
  let batch: LedgerRecord[] = [];
  let known = into.peek().length;
  const flush = (): void => {
    into.value = [...into.value, ...batch];
    batch = [];
  };
  return (record) => {
    if (record.run_seq < known) return;
    if (batch.length === 0) setTimeout(flush, 16);
    batch.push(record);
    known = record.run_seq + 1;
  };
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
