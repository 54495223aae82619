import { decodeUtf8, encodeText } from '../json/utf8.ts';
import type { JsonValue } from '../json/value.ts';
import type { ExportFile } from '../ledger/export.ts';
import { parseJson } from '../ledger/line.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Bodies, LedgerRecord, RecordKind } from '../ledger/record.ts';
import { unsalted } from '../ledger/salt.ts';

/** A recorded run, to be read from its beginning. Its form is right; what it says is a stranger's. */
export interface Tape {
  readonly records: readonly LedgerRecord[];
  /** Canonical texts of the bodies. */
  readonly bodies: readonly string[];
  readonly payloads: ReadonlyMap<string, Uint8Array>;
}

export function tapeOf({ records, payloads }: ExportFile): Tape {
  const lines = records.flatMap((line) => (line === undefined ? [] : [line]));
  return { records: lines.map(({ record }) => record), bodies: lines.map(({ body }) => body), payloads };
}

/** What is stored of a payload, its salt included. Of what was over the size limit only the beginning is there. */
export function storedOf({ payloads }: Tape, ref: PayloadRef): Uint8Array | undefined {
  return (ref.kept ?? ref.bytes) === ref.bytes ? payloads.get(ref.sha256) : undefined;
}

/** The bytes a record names, without their salt. */
export function bytesOf(tape: Tape, ref: PayloadRef): Uint8Array | undefined {
  const stored = storedOf(tape, ref);
  return stored && unsalted(ref, stored);
}

export function textOf(tape: Tape, ref: PayloadRef): string | undefined {
  const bytes = bytesOf(tape, ref);
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

export function jsonOf(tape: Tape, ref: PayloadRef): JsonValue | undefined {
  const text = textOf(tape, ref);
  return text === undefined ? undefined : parseJson(text);
}

const PLACEHOLDER = encodeText('(not in this file)');

/** Finds bytes, or something in their place: for what is only remembered, never judged. */
export function bytesOrPlaceholder({ payloads }: Tape): (ref: PayloadRef) => Uint8Array {
  return ({ sha256 }) => payloads.get(sha256) ?? PLACEHOLDER;
}

/** What a step left under a kind, from a place on: the first that the test accepts, no further than its receipt. */
export function inStep<K extends RecordKind>(
  { records }: Tape,
  from: number,
  kind: K,
  accepts: (body: Bodies[K]) => boolean = () => true,
): Bodies[K] | undefined {
  for (let at = from; at < records.length; at++) {
    const record = records[at];
    if (record?.kind === kind && accepts(record.body as Bodies[K])) return record.body as Bodies[K];
    if (record?.kind === 'receipt') return undefined;
  }
  return undefined;
}

/** Where the step's receipt is, if the step was closed. */
export function receiptAt({ records }: Tape, from: number): number | undefined {
  for (let at = from; at < records.length; at++) if (records[at]?.kind === 'receipt') return at;
  return undefined;
}

/** What is recorded of a step before this place, from its proposal on. */
export function stepBefore({ records }: Tape, at: number): readonly LedgerRecord[] {
  const from = records.findLastIndex(({ kind }, place) => place < at && kind === 'proposal');
  return records.slice(Math.max(from, 0), at);
}
