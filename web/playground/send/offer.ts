import { type ExportFile, type LedgerRecord, parseExport, payloadRefs } from '../../../core/index.ts';
import { secretPayloads } from '../../../core/ledger/payloads.ts';
import { recordsIn, stepOf } from '../../records/steps.ts';
import { send } from '../../texts/en/send.ts';
import { packRun, RUN_LINK } from './run-link.ts';

/** An export as it would be sent: nothing has left the page. */
export interface SendOffer {
  readonly text: string;
  readonly run_id: string;
  readonly bytes: number;
  /** The packed run; undefined where it is too large for a link. */
  readonly packed: string | undefined;
  /** A sentence about the size. */
  readonly size: string;
  /** What the left out texts mean for the checks; empty where none is left out. */
  readonly leftOut: string;
}

/** Makes the export with the chosen disclosures alone, and packs it. */
export async function offerOf(
  jsonl: string,
  chosen: ReadonlySet<Disclosure>,
  parts: DisclosedParts,
): Promise<SendOffer> {
  const text = leaveOut(jsonl, chosen);
  const bytes = new Blob([text]).size;
  const packed = bytes > RUN_LINK.bytesMax ? undefined : await packRun(text);
  const fits = packed === undefined || packed.length > RUN_LINK.charactersMax ? undefined : packed;
  const left = DISCLOSURES.filter((each) => !chosen.has(each)).reduce((sum, each) => sum + parts[each].payloads, 0);
  return {
    text,
    run_id: parseExport(text).run_id ?? 'unnamed',
    bytes,
    packed: fits,
    size: sizeText(bytes, packed),
    leftOut: left === 0 ? '' : send().offer.leftOut(left),
  };
}

function sizeText(bytes: number, packed: string | undefined): string {
  const { offer: texts } = send();
  const file = texts.asFile(bytes);
  if (packed === undefined) return texts.tooManyBytes(RUN_LINK.bytesMax, file);
  if (packed.length > RUN_LINK.charactersMax) return texts.tooLong(packed.length, RUN_LINK.charactersMax, file);
  return texts.fits(packed.length, placesFor(packed.length), file);
}

function placesFor(characters: number): string {
  const { places } = send().offer;
  if (characters <= 2_000) return places.chat;
  return characters <= 8_000 ? places.most : places.few;
}

/**
 * What a payload discloses. `private`: a text from the moment on at which the run had read private content. `secret`: a
 * text of a step that a capability marks secret, with its salt, or content around the lines that were delivered.
 */
export type Disclosure = 'plain' | 'private' | 'secret';

export const DISCLOSURES: readonly Disclosure[] = ['plain', 'private', 'secret'];

/** Number and size of the payloads of each disclosure that a file holds. */
export type DisclosedParts = { readonly [D in Disclosure]: { readonly payloads: number; readonly bytes: number } };

/** The file's payloads by what they disclose. A payload that no readable record names counts as secret. */
export function partsOf(jsonl: string): DisclosedParts {
  const file = parseExport(jsonl);
  const named = disclosures(file);
  const count = (wanted: Disclosure) => {
    const own = [...file.payloads].filter(([sha256]) => (named.get(sha256) ?? 'secret') === wanted);
    return { payloads: own.length, bytes: own.reduce((sum, [, { length }]) => sum + length, 0) };
  };
  return { plain: count('plain'), private: count('private'), secret: count('secret') };
}

/** The export without the payloads that are not chosen. Each record and each hash stays as it was. */
export function leaveOut(jsonl: string, chosen: ReadonlySet<Disclosure>): string {
  const named = disclosures(parseExport(jsonl));
  const isChosen = (line: string): boolean => chosen.has(named.get(hashIn(line) ?? '') ?? 'secret');
  return jsonl
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
