import { isObject } from '../json/value.ts';
import type { ExportFile } from './export.ts';
import { isPayloadRef } from './form.ts';
import type { Draft, LedgerRecord, PayloadRef } from './record.ts';

/** Payloads by their hash, each with the first record that names it. */
export type Named = ReadonlyMap<string, PayloadRef & { readonly run_seq: number }>;

/** Every payload that the records of a file name; nothing is looked for where none was exported. */
export function namedPayloads({ records, payloads }: ExportFile): Named {
  const named = new Map<string, PayloadRef & { readonly run_seq: number }>();
  if (payloads.size === 0) return named;
  records.forEach((line, run_seq) =>
    visitRefs(line?.record.body, (ref) => {
      if (!named.has(ref.sha256)) named.set(ref.sha256, { ...ref, run_seq });
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
