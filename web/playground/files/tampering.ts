import {
  type Draft,
  type ExportFile,
  extend,
  formatExport,
  type LedgerRecord,
  NO_RECORDS,
  type RunHead,
} from '../../../core/index.ts';
import { recordsIn } from '../../records/steps.ts';
import type { AuditViewTexts } from '../../texts/en/audit-view.ts';

/** A text of an export, and the export as it was read from it. */
export interface TamperedText {
  readonly text: string;
  readonly file: ExportFile;
}

/** A way to falsify a copy of an export. Each takes the text and the record aimed at, and gives another text. */
export interface Tampering {
  /** The name by which a lesson's task asks for it. The page shows the word of its language. */
  readonly word: string;
  readonly way: keyof AuditViewTexts['falsify']['ways'];
  readonly apply: (read: TamperedText, seq: number) => string;
}

export const TAMPERINGS: readonly Tampering[] = [
  { word: 'Flip a byte', way: 'flipByte', apply: flipByte },
  { word: 'Delete record', way: 'deleteRecord', apply: deleteRecord },
  { word: 'Swap two', way: 'swapRecords', apply: swapRecords },
  { word: 'Cut the end', way: 'cutEnd', apply: cutEnd },
  { word: 'Change a decision', way: 'changeDecision', apply: changeDecision },
  { word: 'Change a cost', way: 'changeCost', apply: changeCost },
  { word: 'Rewrite whole chain', way: 'rewriteChain', apply: rewriteChain },
];

/** Line 0 is the header, so record `seq` stands on line `seq + 1`. */
function lineOf(seq: number): number {
  return seq + 1;
}

function flipByte({ text }: TamperedText, seq: number): string {
  const lines = text.split('\n');
  const line = lines[lineOf(seq)];
  if (line === undefined) return text;
  const at = flippable(line);
  const flipped = String.fromCharCode(line.charCodeAt(at) ^ 1);
  return lines.with(lineOf(seq), line.slice(0, at) + flipped + line.slice(at + 1)).join('\n');
}

/** Index of a digit inside the body if there is one: the line stays JSON, with another meaning. */
function flippable(line: string): number {
  const body = Math.max(line.indexOf('"body":'), 0);
  const digit = line.slice(body).search(/[2-8]/u);
  return digit < 0 ? Math.floor(line.length / 2) : body + digit;
}

function deleteRecord({ text }: TamperedText, seq: number): string {
  return text.split('\n').toSpliced(lineOf(seq), 1).join('\n');
}

function swapRecords({ text }: TamperedText, seq: number): string {
  const lines = text.split('\n');
  const [one, other] = [lines[lineOf(seq)], lines[lineOf(seq) + 1]];
  if (one === undefined || other?.startsWith('{"at":') !== true) return text;
  return lines
    .with(lineOf(seq), other)
    .with(lineOf(seq) + 1, one)
    .join('\n');
}

const CUT = 3;

function cutEnd(read: TamperedText): string {
  const { length } = read.file.records;
  const lines = read.text.split('\n').slice(1, 1 + length);
  return rebuild(read, lines.slice(0, Math.max(length - CUT, 1)));
}

function rewriteChain(read: TamperedText): string {
  return rewrite(read, renamed);
}

/** The chosen record if it is of use, or the first record that is: a falsification always has a target. */
function aimed({ file }: TamperedText, seq: number, isOfUse: (record: LedgerRecord) => boolean): number | undefined {
  const records = recordsIn(file).filter(isOfUse);
  return (records.find(({ run_seq }) => run_seq === seq) ?? records[0])?.run_seq;
}

function changeDecision(read: TamperedText, seq: number): string {
  const target = aimed(read, seq, ({ kind }) => kind === 'decision');
  return rewrite(read, (record) => {
    if (record.kind !== 'decision' || record.run_seq !== target) return record;
    const { code: _, ...body } = record.body;
    const decision = body.decision === 'AUTHORIZED' ? 'REQUIRES_APPROVAL' : 'AUTHORIZED';
    return { kind: record.kind, body: { ...body, decision } };
  });
}

function changeCost(read: TamperedText, seq: number): string {
  const target = aimed(read, seq, (record) => record.kind === 'receipt' && record.body.evidence.fuel !== undefined);
  return rewrite(read, (record) => {
    if (record.kind !== 'receipt' || record.run_seq !== target) return record;
    const { receipt, evidence } = record.body;
    return { kind: record.kind, body: { receipt, evidence: { ...evidence, fuel: 1 } } };
  });
}

/** Some records changed, and all of them chained and hashed again. */
function rewrite(read: TamperedText, change: (record: LedgerRecord) => Draft): string {
  let head: RunHead = NO_RECORDS;
  const texts = recordsIn(read.file).map((record) => {
    const link = extend(head, change(record), record);
    head = { records: head.records + 1, head: link.record.hash };
    return link.text;
  });
  return texts.length === 0 ? read.text : rebuild(read, texts);
}

function renamed(record: LedgerRecord): Draft {
  return record.kind === 'configuration'
    ? { kind: record.kind, body: { ...record.body, model: 'someone else' } }
    : record;
}

/** A well-formed file of these records, with the payloads that they still name. */
function rebuild({ text, file: { run_id, payloads } }: TamperedText, records: readonly string[]): string {
  if (run_id === undefined) return text;
  const named = new Set(records.flatMap((line) => Array.from(line.matchAll(NAMED), ([, sha256]) => sha256)));
  const kept = [...payloads].flatMap(([sha256, bytes]) => (named.has(sha256) ? [{ sha256, bytes }] : []));
  return formatExport(run_id, records, kept);
}

/** A reference to a payload, in the canonical spelling. */
const NAMED = /"sha256":"([0-9a-f]{64})"/gu;
