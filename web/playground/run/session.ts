import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import {
  type ExportFile,
  type LedgerRecord,
  type PayloadRef,
  parseExport,
  type Report,
  unsalted,
  verifyExport,
} from '../../../core/index.ts';
import type { Run, Runtime, RunView } from '../../../workers/api.ts';
import { groupSteps, type StepGroup } from '../../records/steps.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Proposer } from './proposer.ts';

/** Bytes that a record names: still loading, there, or not on this device. */
export type Payload =
  | { readonly state: 'loading' | 'missing' }
  | { readonly state: 'there'; readonly bytes: Uint8Array };

/** Nothing asked yet, under way, done, or why it could not be done. */
export type Verification = undefined | 'running' | Report | { readonly impossible: string };

/** Another tab has it, took it over from here, or no tab has it. */
export type Elsewhere = 'there' | 'taken' | 'free';

/** One run as it is looked at: a live one that can be driven, or an earlier one that can only be read. */
export interface Session {
  readonly id: string;
  readonly run: Run | undefined;
  /** The file it was read from, if it was. */
  readonly text?: string;
  readonly proposer: Proposer | undefined;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
  readonly steps: ReadonlySignal<readonly StepGroup[]>;
  readonly view: ReadonlySignal<RunView | undefined>;
  readonly report: ReadonlySignal<Verification>;
  /** Of a run that is not over and only read here: who writes it. */
  readonly elsewhere: ReadonlySignal<Elsewhere | undefined>;
  /** Reading it inside a view asks for the bytes once and renders again when they are there. */
  payload(ref: PayloadRef): Payload;
  /** By a reference without its salt, by a hash alone as it is stored. */
  bytes(name: string | PayloadRef): Promise<Uint8Array | undefined>;
  /** Never rejects: a verification that could not be made is a state of `report`. */
  verify(): Promise<void>;
  close(): void;
}

/** Follows a live run, record by record. */
export function followRun(runtime: Runtime, run: Run, proposer: Proposer): Session {
  const records = signal<readonly LedgerRecord[]>([]);
  const view = signal<RunView | undefined>(run.view);
  const stop = run.watch((next) => {
    view.value = next;
  });
  // why there are no more of them, the result of the run says
  collect(run, records).catch(() => undefined);
  return sessionOf(runtime.ledger, { id: run.id, run, proposer, records, view, close: stop });
}

/** Opens a run from the ledger, read-only: an earlier one, or one that another tab writes, as it is written. */
export async function readRun(runtime: Runtime, id: string, taken?: 'taken'): Promise<Session | undefined> {
  const found = await runtime.ledger.records(id);
  if (found.length === 0) return undefined;
  const row = (await runtime.runs()).find((each) => each.run_id === id);
  const writer = taken ?? 'there';
  // nobody goes on with a run that came from a backup
  const isOver = row?.sealed === true || row?.foreign === true;
  const elsewhere = signal<Elsewhere | undefined>(isOver ? undefined : (taken ?? (row?.elsewhere ? 'there' : 'free')));
  const records = signal(found);
  const leaving = new AbortController();
  const parts = { id, run: undefined, proposer: undefined, close: () => leaving.abort(), elsewhere };
  // of any other run it may be heard how it goes on, or that nobody goes on with it
  const onWriter = (isThere: boolean): void => {
    elsewhere.value = isThere ? writer : 'free';
  };
  // what cannot be read on stays as it was read: the checks say what is the matter with it
  if (!isOver)
    gather(runtime.follow(id, { signal: leaving.signal, onWriter }), adderTo(records)).catch(() => undefined);
  return sessionOf(runtime.ledger, { ...parts, records, view: signal(undefined) });
}

/** A larger file is refused before it is read. */
const FILE_MAX: number = 64 << 20;

/** Opens a run from a file, to read it; rejects where there is none in it. */
export async function openFile(file: File): Promise<Session> {
  if (file.size > FILE_MAX) throw new Error(`it has ${file.size.toLocaleString()} bytes, the limit is 64 MB.`);
  const found = readFile(await file.text());
  if (found === undefined) throw new Error('it holds no record of a run. Audit says more.');
  return found;
}

function payloadIn({ payloads }: ExportFile, name: string | PayloadRef): Uint8Array | undefined {
  if (typeof name === 'string') return payloads.get(name);
  const bytes = payloads.get(name.sha256);
  return bytes && unsalted(name, bytes);
}

/** Everything that can be read of it is shown, and the checks say the rest. */
function readFile(text: string): Session | undefined {
  const file = parseExport(text);
  const records = file.records.flatMap((line) => (line === undefined ? [] : [line.record]));
  if (records.length === 0) return undefined;
  const parts = { id: file.run_id ?? 'unnamed', run: undefined, proposer: undefined, close: () => {}, text };
  return sessionOf(
    { payload: async (_, name) => payloadIn(file, name), verify: async () => verifyExport(text) },
    { ...parts, records: signal(records), view: signal(undefined) },
  );
}

interface Parts extends Pick<Session, 'id' | 'run' | 'proposer' | 'records' | 'view' | 'close' | 'text'> {
  readonly elsewhere?: ReadonlySignal<Elsewhere | undefined>;
}

function sessionOf(source: Pick<Runtime['ledger'], 'payload' | 'verify'>, parts: Parts): Session {
  const payloads = new Map<string, Signal<Payload>>();
  const report = signal<Verification>(undefined);
  return {
    ...parts,
    steps: computed(() => groupSteps(parts.records.value)),
    report,
    elsewhere: computed(() => (parts.records.value.at(-1)?.kind === 'seal' ? undefined : parts.elsewhere?.value)),
    payload: (ref) => {
      const known = payloads.get(ref.sha256);
      if (known !== undefined) return known.value;
      const cell = signal<Payload>({ state: 'loading' });
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
  cell: Signal<Payload>,
): Promise<void> {
  // bytes that are not what they are named by are none
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

/** Records come one by one and faster than anyone reads: they are shown in batches of one screen frame. */
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
