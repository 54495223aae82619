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

/** Secret capabilities of a run, by its recorded registry. */
export interface SecretMarks {
  readonly isSecret: (capability_hash: string) => boolean;
  /** True if the registry has a secret capability. */
  readonly any: boolean;
}

/**
 * Hashes of the payloads that an export leaves out: all payloads of a secret step, and the content around the lines
 * that an operation delivered: an export shows no more than the message read. The records and every hash of the chain
 * stay. Checks that need the left-out bytes report them as absent.
 */
export function secretPayloads(records: readonly LedgerRecord[], marks: SecretMarks): ReadonlySet<string> {
  const hashes = new Set<string>();
  const steps = unsaltedSecrets(records, marks);
  for (const record of records) {
    const { body } = record;
    const step_id = 'step_id' in body ? body.step_id : 'receipt' in body ? body.receipt.step_id : '';
    for (const { sha256, salt } of payloadRefs(record))
      if (salt !== undefined || steps.has(step_id)) hashes.add(sha256);
  }
  const shown = payloadsIn(records.map(withoutSources));
  for (const sha256 of payloadsIn(records)) if (!shown.has(sha256)) hashes.add(sha256);
  return hashes;
}

/**
 * Steps whose secrecy follows only from their verdict: earlier versions wrote records without a salt. A step that was
 * refused before its capability was known may have been meant for a secret capability.
 */
function unsaltedSecrets(records: readonly LedgerRecord[], { isSecret, any }: SecretMarks): ReadonlySet<string> {
  const [first] = records;
  const isOld = first?.kind !== 'configuration' || first.body.behaviour < SALTED_SINCE;
  const steps = new Map<string, boolean>();
  for (const { kind, body } of records) {
    if (kind === 'proposal') steps.set(body.step_id, isOld && any);
    if (kind !== 'verdict') continue;
    const called = [body, ...(body.operations ?? [])].flatMap(({ capability_hash }) => capability_hash ?? []);
    const isUnknown = !body.accepted && isOld && any;
    steps.set(body.step_id, called.some(isSecret) || isUnknown);
  }
  return new Set([...steps].flatMap(([step_id, is]) => (is ? [step_id] : [])));
}

/** The behaviour from which on secret steps are salted. */
const SALTED_SINCE = 2;

/** The record without references to the source texts of its operations. */
function withoutSources(record: Draft): Draft {
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
