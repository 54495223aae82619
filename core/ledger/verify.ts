import { isHash, sha256Hex } from '../hash.ts';
import { isCount, isObject } from '../json/value.ts';
import { demand, type OptionType, optionsOf } from '../option.ts';
import { type Anchor, readAnchor } from './anchor.ts';
import { otherBehaviour } from './behaviour.ts';
import { hashOf, type RunHead } from './chain.ts';
import { ANCHOR, checksOf, type Findings, isOk, type Report, STORED } from './checks.ts';
import {
  atOnce,
  type End,
  type ExportFile,
  endOf,
  type Finding,
  finding,
  found,
  parseExport,
  SLICE,
  type WorkSlices,
} from './export.ts';
import { alteredParts, type ReadRecord } from './line.ts';
import type { PayloadRef } from './payload-ref.ts';
import { namedPayloads, type PayloadNames } from './payloads.ts';
import { type LedgerRecord, NO_PREV } from './record.ts';

export interface VerifyOptions {
  readonly anchor?: Anchor;
  /**
   * Length and head of the run in the store that it came from. Equality is no proof to a stranger, so without an anchor
   * the check `anchor` stays `not_run`, with the reason `anchor_of_store`; another head fails it (`store_disagrees`).
   */
  readonly stored?: RunHead;
}

/**
 * Verifies an exported run. Never throws for any text; throws `option_invalid` for wrong options.
 *
 * `form`: the file is, byte for byte, an output of `formatExport`. `hashes`: bodies, records and payloads match their
 * hashes. `links`: the records are one unbroken run from its first, as long as the end line says. `anchor`: the run is
 * the noted run. `decisions` and `replay`: the recorded verdicts and results come out again.
 *
 * Without an anchor no check can tell a run from a forged run in its place: the writer of a file can hash it anew. Nor
 * do the checks prove that the wall clock was right, that a left-out payload ever existed, or that the machine was free
 * of intruders.
 */
export function verifyExport(text: string, options: VerifyOptions = {}): Report {
  return verifyFile(parseExport(text), options);
}

/** The same for a file that is parsed already. */
export function verifyFile(file: ExportFile, options: VerifyOptions = {}): Report {
  return atOnce(verifySlices(file, options));
}

/** The same in slices. */
export function* verifySlices(file: ExportFile, options: VerifyOptions = {}): WorkSlices<Report> {
  demand('file', file, FILE);
  const held = optionsOf(options, { anchor: ANCHOR, stored: STORED });
  if (isAbsent(file)) return absent(file);
  const readable = file.faults.length === 0;
  const sum = endOf(hashesOf(file));
  const named = namedPayloads(file);
  const hashes = yield* checkHashes(file, named);
  const checks = checksOf({
    form: checkForm(file),
    hashes,
    links: checkLinks(file, sum, readable && hashes.wrong.length === 0 ? named : undefined),
    anchor: checkAnchors(file, held),
    decisions: undecidable(file),
    replay: undecidable(file),
  });
  return { ok: isOk(checks), checks, records: sum.count, head: sum.head, root: sum.root };
}

/** True for a file without a header and without a record: there is no run to check. */
function isAbsent({ run_id, records }: ExportFile): boolean {
  return run_id === undefined && records.every((line) => line === undefined);
}

function absent({ isCrLf }: ExportFile): Report {
  const form = { count: 1, wrong: [finding(0, 'export_absent', isCrLf ? { ends: 'CR LF' } : {})] };
  const none = { hashes: undefined, links: undefined, anchor: undefined, decisions: undefined, replay: undefined };
  const { count, head, root } = endOf([]);
  return { ok: false, checks: checksOf({ form, ...none }), records: count, head, root };
}

/** Skips `decisions` and `replay` for a run that was decided by other rules than ours. */
function undecidable({ records: [first] }: ExportFile): Findings | undefined {
  const other = otherBehaviour(first?.record);
  return other && { count: 0, wrong: [], skipped: [found(0, other)] };
}

const FILE: OptionType = [
  'a file that parseExport has read',
  (value) => isObject(value) && Array.isArray(value['faults']),
];

function checkForm(file: ExportFile): Findings {
  // Header and end line are two things more than records and payloads.
  return { count: file.records.length + file.payloads.size + 2, wrong: inOrder(file.faults) };
}

function* checkHashes(file: ExportFile, named: PayloadNames): WorkSlices<Findings> {
  const end = file.records.length;
  const count = end + file.payloads.size;
  const wrong: Finding[] = [];
  const skipped: Finding[] = [];
  for (let from = 0; from < end; from += RECORDS_SLICE) {
    yield from / count;
    wrong.push(...wrongHashes(file, from));
  }
  let at = 0;
  for (const [sha256, bytes] of file.payloads) {
    if (at++ % SLICE === 0) yield (end + at) / count;
    const name = named.get(sha256);
    if (!isRight(sha256, bytes, name)) wrong.push(finding(name?.run_seq ?? end, 'payload_altered', { sha256 }));
    const [limit, used] = [bytes.length, name?.bytes ?? bytes.length];
    if (limit < used) skipped.push(finding(name?.run_seq ?? end, 'payload_beginning', { limit, used }));
  }
  return { count, wrong: inOrder(wrong), skipped };
}

/** Records whose hashes a host computes at once, several at a time. */
const RECORDS_SLICE = 1_024;

/**
 * True if the payload matches its reference. Of a payload over the limit only the beginning is kept, which cannot be
 * hashed to the whole's hash.
 */
function isRight(sha256: string, payload: Uint8Array, name: PayloadRef | undefined): boolean {
  const { bytes, kept = bytes } = name ?? { bytes: payload.length };
  return payload.length === bytes ? sha256Hex(payload) === sha256 : kept < bytes && payload.length === kept;
}

function wrongHashes({ records }: ExportFile, from: number): Finding[] {
  const lines = records.slice(from, from + RECORDS_SLICE);
  const altered = alteredParts(lines.filter((line) => line !== undefined));
  let at = 0;
  return lines.flatMap((line, nth) => {
    const part = line === undefined ? undefined : altered[at++];
    return part === undefined ? [] : [finding(from + nth, `${part}_altered`, {})];
  });
}

/**
 * Checks the links. Payloads of an altered or missing record have no name; this is not a second fault, so stray
 * payloads are checked last.
 */
function checkLinks(file: ExportFile, sum: End, named: PayloadNames | undefined): Findings {
  const wrong = [...file.records.flatMap((_, run_seq) => wrongLink(file, run_seq)), ...wrongEnd(file.end, sum)];
  return {
    count: file.records.length,
    wrong: wrong.length > 0 || named === undefined ? wrong : strayPayloads(file, named),
  };
}

function strayPayloads(file: ExportFile, named: PayloadNames): Finding[] {
  const stray = [...file.payloads.keys()].filter((sha256) => !named.has(sha256));
  return stray.map((sha256) => finding(file.records.length, 'payload_unnamed', { sha256 }));
}

/** Reason why the record at this place cannot be the run's next record. */
function wrongLink({ records, run_id }: ExportFile, run_seq: number): Finding[] {
  const broken = (what: string): Finding[] => [finding(run_seq, 'chain_broken', { what })];
  const record = records[run_seq]?.record;
  if (record === undefined) return broken('no record stands here');
  if (record.run_id !== run_id) return broken('this record is of another run');
  if (record.run_seq !== run_seq) return broken(`record ${record.run_seq} stands in the place of ${run_seq}`);
  if (run_seq === 0) return isFirst(record) ? [] : broken('a run begins with its configuration');
  const before = records[run_seq - 1];
  if (before === undefined) return [];
  if (record.prev !== before.record.hash) return [unlinked(before, run_seq)];
  if (before.record.kind === 'seal' && !opensTurn(before.record, record)) return broken('it stands behind the seal');
  // a run has one clock, which never goes back; the log of a device has the clocks of all of its processes
  if (run_id !== 'system' && record.at < before.record.at && [before, records[run_seq]].every(isUnaltered))
    return broken(`its time is ${before.record.at - record.at} ms before that of the record before it`);
  return record.epoch < before.record.epoch ? broken('its epoch is over') : [];
}

/** True for a record that matches its own hash; another is a fault of `hashes` already. */
function isUnaltered(line: ReadRecord | undefined): boolean {
  return line !== undefined && hashOf(line.parts) === line.record.hash;
}

/** A turn that was completed may be followed only by the person's next task. */
function opensTurn(seal: LedgerRecord, next: LedgerRecord): boolean {
  return next.kind === 'task' && seal.kind === 'seal' && seal.body.state === 'completed';
}

function isFirst({ kind, prev, run_id }: LedgerRecord): boolean {
  return prev === NO_PREV && (kind === 'configuration' || run_id === 'system');
}

/** A record whose own hash is wrong is to blame for the link behind it. */
function unlinked(before: ReadRecord, run_seq: number): Finding {
  const altered = hashOf(before.parts) !== before.record.hash;
  const what = altered ? 'the next record names another hash' : 'it does not follow the record before it';
  return finding(altered ? run_seq - 1 : run_seq, 'chain_broken', { what });
}

function wrongEnd(end: End | undefined, sum: End): Finding[] {
  if (end === undefined) return [finding(sum.count, 'export_cut', { records: sum.count })];
  const differs = (what: string): Finding[] => [finding(Math.min(sum.count, end.count), 'end_disagrees', { what })];
  if (end.count !== sum.count) return differs(`it counts ${end.count} records, the file has ${sum.count}`);
  if (end.head !== sum.head) return differs('another head');
  return end.root === sum.root ? [] : differs('another root');
}

function checkAnchors(file: ExportFile, { anchor, stored }: VerifyOptions): Findings | undefined {
  const own = stored === undefined ? undefined : checkStored(file, stored);
  if (anchor === undefined) return own;
  const given = checkAnchor(file, anchor);
  return { ...given, wrong: [...given.wrong, ...(own?.wrong ?? [])] };
}

/** A run may have grown since its store was asked. */
function checkStored(file: ExportFile, { records, head }: RunHead): Findings {
  const hashes = hashesOf(file);
  const differs = (what: string): Findings => ({
    count: 1,
    wrong: [finding(hashes.length, 'store_disagrees', { what })],
  });
  if (records > hashes.length) return differs(`it has ${records} records there, the file has ${hashes.length}`);
  if ((hashes[records - 1] ?? NO_PREV) !== head) return differs(`its first ${records} records are others there`);
  return { count: 0, wrong: [], skipped: [finding(hashes.length, 'anchor_of_store', {})] };
}

/** A run may have grown since its anchor was noted: the anchored records must still be its beginning. */
function checkAnchor(file: ExportFile, anchor: Anchor): Findings {
  const hashes = hashesOf(file);
  const wrong = (code: 'anchor_disagrees' | 'anchor_malformed', what: string): Findings => ({
    count: 1,
    wrong: [finding(hashes.length, code, { what })],
  });
  const isText = typeof anchor === 'string' || 'text' in anchor;
  const noted = isText ? readAnchor(typeof anchor === 'string' ? anchor : anchor.text, hashes, file.run_id) : anchor;
  if ('malformed' in noted) return wrong('anchor_malformed', noted.malformed);
  if ('disagrees' in noted) return wrong('anchor_disagrees', noted.disagrees);
  const [length, hash] = 'head' in noted ? [noted.count, noted.head] : [noted.size, noted.root];
  if (!isCount(length) || !isHash(hash))
    return wrong('anchor_malformed', 'it is neither {count, head} nor {size, root}');
  if (length > hashes.length)
    return wrong('anchor_disagrees', `it was taken at ${length} records, the file has ${hashes.length}`);
  const { head, root } = endOf(hashes.slice(0, length));
  if (hash === ('head' in noted ? head : root))
    return 'foreign' in noted ? broughtBy(hashes.length) : { count: 1, wrong: [] };
  return wrong('anchor_disagrees', `its first ${length} records are others`);
}

/** Skips the anchor of a run that a backup brought: its log has it from a file of whoever made the run. */
function broughtBy(records: number): Findings {
  return { count: 0, wrong: [], skipped: [finding(records, 'anchor_foreign', {})] };
}

/** The records' hashes as they stand; a line that is not a record counts as `NO_PREV`. */
function hashesOf(file: ExportFile): string[] {
  return file.records.map((line) => line?.record.hash ?? NO_PREV);
}

function inOrder(wrong: readonly Finding[]): Finding[] {
  return wrong.toSorted((one, other) => one.run_seq - other.run_seq);
}
