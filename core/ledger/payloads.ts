import { isObject } from '../json/value.ts';
import { demand, type OptionType } from '../option.ts';
import type { ExportFile } from './export.ts';
import { isPayloadRef } from './form.ts';
import type { PayloadRef } from './payload-ref.ts';
import type { Draft, LedgerRecord } from './record.ts';

/** Payloads by their hash, each with the first record that names it; `bytes` is NaN where two records disagree. */
export type PayloadNames = ReadonlyMap<string, PayloadRef & { readonly run_seq: number }>;

/** Every payload that the records of a file name; empty for a file without payloads. */
export function namedPayloads({ records, payloads }: ExportFile): PayloadNames {
  const named = new Map<string, PayloadRef & { readonly run_seq: number }>();
  if (payloads.size === 0) return named;
  records.forEach((line, run_seq) =>
    visitRefs(line?.record.body, (ref) => {
      const before = named.get(ref.sha256);
      if (before === undefined) named.set(ref.sha256, { ...ref, run_seq });
      // the same bytes cannot have two lengths; they can be whole for one record, and over the limit for another
      else if (before.bytes !== ref.bytes) named.set(ref.sha256, { ...before, bytes: Number.NaN, run_seq });
      else if (ref.kept !== undefined) named.set(ref.sha256, { ...before, kept: ref.kept });
    }),
  );
  return named;
}

/**
 * Hashes of the payloads that an export leaves out: all payloads of a secret step, which its records name with a salt,
 * and the content around the lines that an operation delivered: an export shows no more than the message read. The
 * records and every hash of the chain stay. Checks that need the left-out bytes report them as absent.
 */
export function secretPayloads(records: readonly LedgerRecord[]): ReadonlySet<string> {
  const refs = records.flatMap(payloadRefs);
  const shown = payloadsIn(records.map(withoutSources));
  return new Set(refs.flatMap(({ sha256, salt }) => (salt !== undefined || !shown.has(sha256) ? [sha256] : [])));
}

/** The record without references to the source texts of its operations, and to the files that a message has changed. */
function withoutSources(record: Draft): Draft {
  if (record.kind === 'progress' && record.body.event === 'operation') {
    const { staged: _, evidence, ...body } = record.body;
    const { source: __, ...rest } = evidence;
    return { kind: 'progress', body: { ...body, evidence: rest } };
  }
  if (record.kind !== 'receipt' || record.body.evidence.operations === undefined) return record;
  const operations = record.body.evidence.operations.map(({ source: _, ...rest }) => rest);
  return { kind: 'receipt', body: { ...record.body, evidence: { ...record.body.evidence, operations } } };
}

/** The payloads that a record names, each as often as it names it. */
export function payloadRefs(record: Pick<LedgerRecord, 'body'>): readonly PayloadRef[] {
  demand('record', record, RECORD);
  const refs: PayloadRef[] = [];
  visitRefs(record.body, (ref) => void refs.push(ref));
  return refs;
}

const RECORD: OptionType = ['a record', (value) => isObject(value) && isObject(value['body'])];

/** Hashes of the payloads that these records name. */
export function payloadsIn(records: readonly Draft[]): ReadonlySet<string> {
  const hashes = new Set<string>();
  for (const { body } of records) visitRefs(body, ({ sha256 }) => void hashes.add(sha256));
  return hashes;
}

/** The payload refs anywhere in a body; a body that was read is bounded in depth. */
function visitRefs(value: unknown, visit: (ref: PayloadRef) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isObject(value) && Object.hasOwn(value, 'sha256') && isPayloadRef(value)) visit(value as unknown as PayloadRef);
  else for (const member of Object.values(value)) visitRefs(member, visit);
}
