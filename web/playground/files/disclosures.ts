import { type ExportFile, type LedgerRecord, payloadRefs } from '../../../core/index.ts';
import { secretPayloads } from '../../../core/ledger/payloads.ts';
import { recordsIn, stepOf } from '../../records/steps.ts';

/**
 * What a payload discloses. `private`: a text from the moment on at which the run had read private content. `secret`: a
 * text of a step that a capability marks secret, with its salt, or content around the lines that were delivered.
 */
export type Disclosure = 'plain' | 'private' | 'secret';

export const DISCLOSURES: readonly Disclosure[] = ['plain', 'private', 'secret'];

/** Number and size of the payloads of each disclosure that a file holds. */
export type DisclosedParts = { readonly [D in Disclosure]: { readonly payloads: number; readonly bytes: number } };

/** The file's payloads by what they disclose. A payload that no readable record names counts as secret. */
export function partsOf(file: ExportFile): DisclosedParts {
  const named = disclosures(file);
  const count = (wanted: Disclosure) => {
    const own = [...file.payloads].filter(([sha256]) => (named.get(sha256) ?? 'secret') === wanted);
    return { payloads: own.length, bytes: own.reduce((sum, [, { length }]) => sum + length, 0) };
  };
  return { plain: count('plain'), private: count('private'), secret: count('secret') };
}

/** The export without the payloads that are not chosen. Each record and each hash stays as it was. */
export function leaveOut(
  { text, file }: { readonly text: string; readonly file: ExportFile },
  chosen: ReadonlySet<Disclosure>,
): string {
  const named = disclosures(file);
  const isChosen = (line: string): boolean => chosen.has(named.get(hashIn(line) ?? '') ?? 'secret');
  return text
    .split('\n')
    .filter((line) => !line.startsWith('{"payload"') || isChosen(line))
    .join('\n');
}

function hashIn(line: string): string | undefined {
  try {
    const { payload } = JSON.parse(line) as { readonly payload?: { readonly sha256?: string } };
    return payload?.sha256;
  } catch {
    return undefined;
  }
}

/** The disclosure of each named payload: that of the first record that names it. */
function disclosures(file: ExportFile): ReadonlyMap<string, Disclosure> {
  const records = recordsIn(file);
  const secret = secretPayloads(records);
  const unread = privateSince(records);
  const found = new Map<string, Disclosure>();
  for (const record of records)
    for (const ref of payloadRefs(record)) {
      if (secret.has(ref.sha256)) found.set(ref.sha256, 'secret');
      else if (!found.has(ref.sha256)) found.set(ref.sha256, unread(record) ? 'private' : 'plain');
    }
  return found;
}

/** Kinds of a step that can hold what the step itself has read. */
const AFTER_READING: ReadonlySet<string> = new Set([
  'observation',
  'receipt',
  'power',
  'content',
  'parked',
  'progress',
  'approval',
]);

/** Tells records from the first reading of private content on. The labels of a run only grow. */
function privateSince(records: readonly LedgerRecord[]): (record: LedgerRecord) => boolean {
  const first = records.find((record) => labelsOf(record).includes('private'));
  const closed = new Set(records.filter(({ kind }) => kind === 'receipt').map(stepOf));
  // the labels of a step without a receipt are not known
  const hasRead = (step: number | undefined): boolean =>
    (first !== undefined && step === stepOf(first)) || !closed.has(step);
  return (record) =>
    (first !== undefined && record.run_seq > first.run_seq) ||
    (AFTER_READING.has(record.kind) && hasRead(stepOf(record)));
}

function labelsOf({ kind, body }: LedgerRecord): readonly string[] {
  if (kind === 'receipt') return body.evidence.labels;
  return 'labels' in body ? (body.labels ?? []) : [];
}
