import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { explainSteps, explanationLines } from '../../../core/ledger/explain.ts';
import { type ExportFile, parseExport } from '../../../core/ledger/export.ts';
import { type PayloadRef, unsalted } from '../../../core/ledger/payload-ref.ts';
import { payloadRefs } from '../../../core/ledger/payloads.ts';
import { isKind, type LedgerRecord } from '../../../core/ledger/record.ts';
import { TALLY_WORDS, tallyOf, tallyText } from '../../../core/ledger/tally.ts';
import { visibleLine, visibleText } from '../../../core/text/visible.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { openExport } from './open.ts';

export const show: Command = {
  name: 'show',
  summary: 'Shows the records of an exported run, whether or not it is intact.',
  operands: '[FILE]',
  options: {
    record: { value: 'N|HASH', help: 'One record in full, by its number or the beginning of its hash.' },
    from: { value: 'N', help: 'Begin at this record.' },
    only: { value: 'KIND', help: 'Records of these kinds alone, for example receipt or decision,approval.' },
  },
  examples: [
    'sallyport show run.jsonl',
    'sallyport show run.jsonl --record 7        # with the payloads it names',
    'sallyport show run.jsonl --record 9f2c0a',
    'sallyport show run.jsonl --from 40000 --only receipt',
    'sallyport show run.jsonl --json | jq .kind # one record a line',
  ],
  run: showFile,
};

async function showFile(call: CommandCall): Promise<number> {
  const { terminal, json, options } = call;
  const file = parseExport(await openExport(call));
  const records = file.records.flatMap((line) => (line === undefined ? [] : [line.record]));
  const wanted = options['record'];
  if (typeof wanted === 'string') showRecord(find(records, wanted), file, call);
  else {
    const isShown = shownIn(call);
    if (json) for (const record of records.filter(isShown)) terminal.printJson(record);
    else showRun(records, isShown, file, call);
  }
  for (const { run_seq, message } of file.faults) terminal.complain(`Record ${run_seq}: ${message}`);
  return file.faults.length === 0 ? EXIT.ok : EXIT.malformed;
}

/** The records, a line each. Below a receipt stands what the guest threw or logged, below a seal the last words and the numbers of the receipts. */
function showRun(
  records: readonly LedgerRecord[],
  isShown: (record: LedgerRecord) => boolean,
  { payloads }: ExportFile,
  { terminal }: CommandCall,
): void {
  const bytesOf = (ref: PayloadRef): Uint8Array | undefined => {
    const bytes = payloads.get(ref.sha256);
    return bytes && unsalted(ref, bytes);
  };
  const below = (text: string): void => terminal.print(`${' '.repeat(21)}${visibleLine(text)}`);
  const explained = new Map(explainSteps(records, bytesOf).map((each) => [each.step, each]));
  for (const [place, record] of records.entries()) {
    if (!isShown(record)) continue;
    terminal.print(lineOf(record));
    if (record.kind === 'receipt') {
      const step = explained.get(record.body.evidence.step);
      if (step !== undefined) explanationLines(step).forEach(below);
    }
    if (record.kind !== 'seal') continue;
    const { message } = record.body;
    if (message !== undefined) below(`last words: ${decodeUtf8(bytesOf(message) ?? NONE) ?? ''}`);
    below(`${TALLY_WORDS.title.toLowerCase()}: ${tallyText(tallyOf(records, place + 1), TALLY_WORDS)}`);
  }
}

/** The records that `--from` and `--only` choose. */
function shownIn({ options: { from, only } }: CommandCall): (record: LedgerRecord) => boolean {
  if (from !== undefined && !/^\d{1,9}$/.test(String(from)))
    throw new UsageError('--from takes the number of a record');
  const kinds = only === undefined ? undefined : String(only).split(',');
  const unknown = kinds?.find((kind) => !isKind(kind));
  if (unknown !== undefined) throw new UsageError(`--only takes kinds of records: ${unknown} is none`);
  return ({ run_seq, kind }) => run_seq >= Number(from ?? 0) && (kinds === undefined || kinds.includes(kind));
}

const NONE = new TextEncoder().encode('(not in this file)');

function find(records: readonly LedgerRecord[], wanted: string): LedgerRecord {
  const found = records.find(({ run_seq, hash }) =>
    /^\d{1,6}$/.test(wanted) ? run_seq === Number(wanted) : hash.startsWith(wanted),
  );
  if (found === undefined) throw new UsageError(`There is no record ${wanted}`);
  return found;
}

function lineOf(record: LedgerRecord): string {
  const { run_seq, hash, kind, body } = record;
  const gist = [...gistOf(body), ...outcomeOf(record)].join(' ');
  return visibleLine(`${String(run_seq).padStart(5)}  ${hash.slice(0, 12)}  ${kind.padEnd(13)} ${gist}`.trimEnd());
}

/** The short members of a body: codes, names and numbers. */
function gistOf(body: LedgerRecord['body']): readonly string[] {
  const shown = Object.entries(body).filter(([, value]) => typeof value === 'string' && value.length <= 24);
  return shown.map(([name, value]) => `${name}=${String(value)}`);
}

/** Outcome of a record, where it is nested in the body. */
function outcomeOf({ kind, body }: LedgerRecord): readonly string[] {
  const code = (reason: { readonly code: string } | undefined) => (reason === undefined ? [] : [`code=${reason.code}`]);
  if (kind === 'verdict') return code(body.refusal);
  if (kind === 'decision') return body.watched ? ['watched'] : [];
  if (kind === 'approval') return body.event === 'answered' ? [`approved=${body.approved}`] : [];
  if (kind !== 'receipt') return [];
  const { reason, declared_effects = [], powers = [] } = body.evidence;
  const watched = powers.some((each) => each.watched) ? ['watched'] : [];
  const declared = declared_effects.map(({ capability, effect }) => `declared=${capability}:${effect}`);
  return [`status=${body.receipt.status}`, ...code(reason), ...watched, ...declared];
}

function showRecord(record: LedgerRecord, { payloads }: ExportFile, { terminal, json }: CommandCall): void {
  const decoder = new TextDecoder();
  const texts = Object.fromEntries(namedBy(record, payloads).map(([sha256, bytes]) => [sha256, decoder.decode(bytes)]));
  if (json) return terminal.printJson({ record, payloads: texts });
  terminal.print(visibleText(JSON.stringify(record, null, 2)));
  for (const [sha256, content] of Object.entries(texts)) {
    terminal.print(`\npayload ${sha256}`);
    // Indented, so that no line of a stranger's text looks like a line of this command.
    for (const line of visibleText(content).split('\n')) terminal.print(`    ${line}`);
  }
}

/** The payloads that a record names. A payload of a secret step is shown without its salt. */
function namedBy(record: LedgerRecord, payloads: ExportFile['payloads']): readonly (readonly [string, Uint8Array])[] {
  return payloadRefs(record).flatMap((ref) => {
    const bytes = payloads.get(ref.sha256);
    return bytes === undefined ? [] : [[ref.sha256, unsalted(ref, bytes)] as const];
  });
}
