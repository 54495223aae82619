import { isObject } from '../json/value.ts';
import type { ExportFile } from './export.ts';
import { isPayloadRef } from './form.ts';
import type { Draft, LedgerRecord, PayloadRef } from './record.ts';

/** Payloads by their hash, each with the first record that names it; `bytes` is no number where two of them disagree. */
export type Named = ReadonlyMap<string, PayloadRef & { readonly run_seq: number }>;

/** Every payload that the records of a file name; nothing is looked for where none was exported. */
export function namedPayloads({ records, payloads }: ExportFile): Named {
  const named = new Map<string, PayloadRef & { readonly run_seq: number }>();
  if (payloads.size === 0) return named;
  records.forEach((line, run_seq) =>
    visitRefs(line?.record.body, (ref) => {
      const before = named.get(ref.sha256);
      if (before === undefined) named.set(ref.sha256, { ...ref, run_seq });
      // the same bytes cannot have two lengths; they can be all there for one, and over the limit for another
      else if (before.bytes !== ref.bytes) named.set(ref.sha256, { ...before, bytes: Number.NaN, run_seq });
      else if (ref.kept !== undefined) named.set(ref.sha256, { ...before, kept: ref.kept });
    }),
  );
  return named;
}

/**
 * Hashes of the payloads that an export leaves out: everything a step holds whose capability marks it as secret, and of
 * the content that operations found what they gave to nobody: a message that reads one line tells no more. The records
 * stay, and with them every hash in the chain; checks that need the bytes say that they are not there.
 */
export function secretPayloads(
  records: readonly LedgerRecord[],
  marksSecret: (capability_hash: string) => boolean,
): ReadonlySet<string> {
  const steps = new Set<string>();
  const hashes = new Set<string>();
  for (const { kind, body } of records) {
    if (kind !== 'verdict') continue;
    const asked = [body, ...(body.operations ?? [])].flatMap(({ capability_hash }) => capability_hash ?? []);
    if (asked.some(marksSecret)) steps.add(body.step_id);
  }
  for (const { body } of records) {
    const step_id = 'step_id' in body ? body.step_id : 'receipt' in body ? body.receipt.step_id : '';
    if (steps.has(step_id)) visitRefs(body, ({ sha256 }) => void hashes.add(sha256));
  }
  const shown = payloadsIn(records.map(withoutSources));
  for (const sha256 of payloadsIn(records)) if (!shown.has(sha256)) hashes.add(sha256);
  return hashes;
}

/** The record without the texts that its operations were given to work on, as whole as those were. */
function withoutSources(record: Draft): Draft {
  if (record.kind !== 'receipt' || record.body.evidence.operations === undefined) return record;
  const operations = record.body.evidence.operations.map(({ source: _, ...rest }) => rest);
  return { kind: 'receipt', body: { ...record.body, evidence: { ...record.body.evidence, operations } } };
}

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
