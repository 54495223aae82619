import { decodeUtf8, encodeText } from '../json/utf8.ts';
import type { JsonValue } from '../json/value.ts';
import type { ExportFile } from '../ledger/export.ts';
import { parseJson } from '../ledger/line.ts';
import { type PayloadRef, unsalted } from '../ledger/payload-ref.ts';
import type { Bodies, LedgerRecord, RecordKind } from '../ledger/record.ts';

/**
 * A recorded run, read from its beginning, without the messages of hosts that were turned away: they take no part in it,
 * and may stand anywhere. Its form has been verified; its content is a stranger's.
 */
export interface Tape {
  readonly records: readonly LedgerRecord[];
  /** Canonical texts of the bodies. */
  readonly bodies: readonly string[];
  readonly payloads: ReadonlyMap<string, Uint8Array>;
}

export function tapeOf({ records, payloads }: ExportFile): Tape {
  const lines = records.flatMap((line) => (line === undefined || line.record.kind === 'rejection' ? [] : [line]));
  return { records: lines.map(({ record }) => record), bodies: lines.map(({ body }) => body), payloads };
}

/**
 * The stored bytes of a payload, its salt included. A payload over the size limit is stored only in part, from its
 * beginning.
 */
export function storedOf({ payloads }: Tape, ref: PayloadRef): Uint8Array | undefined {
  return (ref.kept ?? ref.bytes) === ref.bytes ? payloads.get(ref.sha256) : undefined;
}

/** The bytes that a record names, without their salt. */
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

/** Finds bytes, or a placeholder for them: for the context, which is never judged. */
export function bytesOrPlaceholder({ payloads }: Tape): (ref: PayloadRef) => Uint8Array {
  return ({ sha256 }) => payloads.get(sha256) ?? PLACEHOLDER;
}

/** The first record of this kind in the step that the test accepts, from this index to the step's receipt. */
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

/** Index of the step's receipt, if the step was closed. */
export function receiptAt({ records }: Tape, from: number): number | undefined {
  for (let at = from; at < records.length; at++) if (records[at]?.kind === 'receipt') return at;
  return undefined;
}

/** Records of the step before this index, from its proposal on. */
export function stepBefore({ records }: Tape, at: number): readonly LedgerRecord[] {
  const from = records.findLastIndex(({ kind }, place) => place < at && kind === 'proposal');
  return records.slice(Math.max(from, 0), at);
}
