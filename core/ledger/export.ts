import { type LedgerDetails, refuse } from '../errors/ledger.ts';
import type { Code } from '../errors.ts';
import { hashBytes, hashText, isHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8, encodeWellFormed } from '../json/utf8.ts';
import { isCount, type JsonValue } from '../json/value.ts';
import { demand, LIST, STRING } from '../option.ts';
import type { Refused } from '../outcome.ts';
import { type Form, isHex, isRunId, isText, oneOf, shaped, type Test, violation } from './form.ts';
import { isCanonical, parseJson, type ReadRecord, readRecord } from './line.ts';
import { NO_PREV } from './record.ts';
import { merkleRootOf } from './tree.ts';

/** Bytes that records name. */
export interface ExportedPayload {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The first line of an export. */
interface Header {
  readonly format: 'sallyport-export/1';
  readonly run_id: string;
}

/** Count and hashes of an export, from its last line. Cutting records off at the end requires changing it. */
export interface End {
  readonly count: number;
  readonly head: string;
  /** RFC 6962 tree over the records' hashes. */
  readonly root: string;
}

/**
 * A run as canonical JSONL: a header, each record as the text that was hashed, the payloads, and an end line. The texts
 * are written as they are stored, also damaged texts: a verifier reports their faults.
 */
export function formatExport(run_id: string, texts: readonly string[], payloads: readonly ExportedPayload[]): string {
  demand('run_id', run_id, STRING);
  demand('texts', texts, LIST);
  demand('payloads', payloads, LIST);
  const once = new Map(payloads.map((payload) => [payload.sha256, payload]));
  const lines = [
    canonicalText({ format: 'sallyport-export/1', run_id } satisfies Header),
    ...texts,
    ...[...once.values()].map(payloadLine),
    canonicalText({ end: endOf(texts.map(hashIn)) }),
  ];
  return `${lines.join('\n')}\n`;
}

/** The end line's content for records with these hashes. */
export function endOf(hashes: readonly string[]): End {
  return { count: hashes.length, head: hashes.at(-1) ?? NO_PREV, root: hashText(merkleRootOf(hashes)) };
}

function hashIn(text: string): string {
  const line = readRecord(text);
  return typeof line === 'string' ? NO_PREV : line.record.hash;
}

/** A payload's line: as readable text where the bytes are UTF-8, else in hex. */
function payloadLine({ sha256, bytes }: ExportedPayload): string {
  const text = decodeUtf8(bytes);
  return canonicalText({ payload: text === undefined ? { sha256, hex: hashText(bytes) } : { sha256, text } });
}

/** A fault, and the record at which it shows. */
export interface Finding {
  readonly run_seq: number;
  readonly code: Code;
  readonly message: string;
}

export function finding<C extends keyof LedgerDetails>(run_seq: number, code: C, details: LedgerDetails[C]): Finding {
  return found(run_seq, refuse(code, details));
}

export function found(run_seq: number, { refusal: { code, message } }: Refused): Finding {
  return { run_seq, code, message };
}

/** An export as far as it can be read. Its content is a stranger's. */
export interface ExportFile {
  readonly run_id: string | undefined;
  /** By their place in the file; undefined where a line is no record. */
  readonly records: readonly (ReadRecord | undefined)[];
  readonly payloads: ReadonlyMap<string, Uint8Array>;
  readonly end: End | undefined;
  /** The first line ends in CR LF, which no line of an export does. */
  readonly isCrLf?: true;
  /** Differences from the output of `formatExport`, in the order of the file. */
  readonly faults: readonly Finding[];
}

/** Work in slices of a few milliseconds: a thread that also draws rests between two. Yields the share that is done. */
export type WorkSlices<T> = Generator<number, T>;

/** Does all slices at once. */
export function atOnce<T>(slices: WorkSlices<T>): T {
  let next = slices.next();
  while (next.done !== true) next = slices.next();
  return next.value;
}

/** Lines, or payloads, of a slice. */
export const SLICE = 128;

/** Reads any text as an export, and lists its faults in `faults`. Never throws. */
export function parseExport(text: string): ExportFile {
  return atOnce(parseSlices(text));
}

/** The same in slices. */
export function* parseSlices(text: string): WorkSlices<ExportFile> {
  demand('text', text, STRING);
  const faults: Finding[] = [];
  const lines = linesOf(text, faults);
  const isCut = takeTorn(lines);
  const header = lineAs(lines.shift(), HEADER) as Header | undefined;
  if (header === undefined) faults.push(finding(0, 'export_malformed', { what: 'no header' }));
  const end = lineAs(lines.at(-1), END_LINE) as { readonly end: End } | undefined;
  if (end !== undefined || lines.at(-1)?.startsWith('{"end":') === true) lines.pop();
  const border = lines.findIndex((line) => line.startsWith('{"payload":'));
  const records = yield* readRecords(border < 0 ? lines : lines.slice(0, border), lines.length, faults);
  const payloads = yield* readPayloads(border < 0 ? [] : lines.slice(border), records.length, faults);
  if (end === undefined) faults.push(finding(records.length, 'export_cut', { records: records.length }));
  else if (isCut) faults.push(finding(records.length, 'export_malformed', { what: 'the last line does not end' }));
  const ends = /^[^\n]*\r\n/.test(text) ? ({ isCrLf: true } as const) : {};
  return { run_id: header?.run_id, records, payloads, end: end?.end, ...ends, faults };
}

/**
 * Every line ends with LF. True if the text does not end with LF. A cut line behind the last LF is removed; a line that
 * is JSON stays.
 */
function takeTorn(lines: string[]): boolean {
  const torn = lines.pop() ?? '';
  if (torn !== '' && parseJson(torn) !== undefined) lines.push(torn);
  return torn !== '';
}

/** No line that we write is shorter, but for a few. A file of line feeds would become as many objects as it has bytes. */
const LINE_UNITS = 48;
const LINES_SPARE = 100;
/** Further faults would not add to the proof that a file is broken. */
const FAULTS_MAX = 1_000;

function linesOf(text: string, faults: Finding[]): string[] {
  const most = text.length / LINE_UNITS + LINES_SPARE;
  let at = -1;
  for (let lines = 0; lines <= most; lines++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.split('\n');
  }
  faults.push(finding(0, 'export_malformed', { what: 'more lines than it could have' }));
  return [''];
}

/** True when the list of faults is full; the rest is then not read. */
function isEnough(faults: Finding[], run_seq: number): boolean {
  if (faults.length < FAULTS_MAX) return false;
  if (faults.length === FAULTS_MAX) faults.push(finding(run_seq, 'export_malformed', { what: 'too much of it' }));
  return true;
}

interface PayloadLine {
  readonly payload: { readonly sha256: string; readonly text?: string; readonly hex?: string };
}

const HEADER: Form<Header> = { format: oneOf('sallyport-export/1'), run_id: isRunId };
const END: Form<End> = { count: isCount, head: isHash, root: isHash };
const END_LINE = { end: shaped(END) };
const AS_TEXT = { payload: shaped({ sha256: isHash, text: isText }) };
const AS_HEX = { payload: shaped({ sha256: isHash, hex: isHex }) };

/** The canonical line as an object of this form; undefined for any other line. */
function lineAs(line: string | undefined, form: { readonly [name: string]: Test }): JsonValue | undefined {
  const value = line === undefined ? undefined : parseJson(line);
  if (value === undefined || line === undefined) return undefined;
  return violation(value, form) === undefined && isCanonical(value, line) ? value : undefined;
}

/** `all`: number of lines of the file. */
function* readRecords(
  lines: readonly string[],
  all: number,
  faults: Finding[],
): WorkSlices<(ReadRecord | undefined)[]> {
  const records: (ReadRecord | undefined)[] = [];
  for (const line of lines) {
    if (isEnough(faults, records.length)) break;
    if (records.length % SLICE === SLICE - 1) yield records.length / all;
    const read = readRecord(line);
    if (typeof read === 'string') faults.push(finding(records.length, 'record_malformed', { what: read }));
    records.push(typeof read === 'string' ? undefined : read);
  }
  return records;
}

/** `run_seq`: number of records before the payloads. */
function* readPayloads(
  lines: readonly string[],
  run_seq: number,
  faults: Finding[],
): WorkSlices<ReadonlyMap<string, Uint8Array>> {
  const payloads = new Map<string, Uint8Array>();
  for (const [at, line] of lines.entries()) {
    if (isEnough(faults, run_seq)) break;
    if (at % SLICE === SLICE - 1) yield (run_seq + at) / (run_seq + lines.length);
    const read = readPayload(line);
    if (read === undefined) faults.push(finding(run_seq, 'export_malformed', { what: 'a payload line that is none' }));
    else if (payloads.has(read.sha256)) faults.push(finding(run_seq, 'export_malformed', { what: 'a payload twice' }));
    else payloads.set(read.sha256, read.bytes);
  }
  return payloads;
}

function readPayload(line: string): ExportedPayload | undefined {
  const read = (lineAs(line, AS_TEXT) ?? lineAs(line, AS_HEX)) as PayloadLine | undefined;
  if (read === undefined) return undefined;
  const { sha256, text, hex } = read.payload;
  return { sha256, bytes: text === undefined ? hashBytes(hex ?? '') : encodeWellFormed(text) };
}
