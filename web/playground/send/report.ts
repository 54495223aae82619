import {
  CHECK_NAMES,
  type Check,
  decodeUtf8,
  type ExportFile,
  findingText,
  type LedgerRecord,
  type PayloadRef,
  parseExport,
  type Report,
  sha256Text,
  toneOf,
  UNPROVEN,
  unsalted,
  verdictOf,
} from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import { groupSteps, outcomeOf, type StepGroup } from '../../records/steps.ts';
import { filmStrip } from './film-strip.ts';
import { type Markup, markup } from './markup.ts';
import { REPORT_STYLE } from './report-style.ts';
import { recordsIn } from './run-link.ts';
import { durationText, timesOf } from './step-times.ts';

/** Characters of a text that the report shows; the export has the whole text. */
const SHOWN = 2_000;
/** Steps that the report shows; the export has all of them. */
const STEPS_MAX = 500;

type Texts = (ref: PayloadRef | undefined) => Markup;

/**
 * A run as a page for reading and printing. The page has no script, and its policy permits no loading: each text of the
 * file is in it as text.
 */
export function formatReport(jsonl: string, checks: Report): string {
  const file = parseExport(jsonl);
  const records = recordsIn(file);
  const texts = textsOf(file);
  const groups = groupSteps(records);
  const steps = groups.filter(({ step }) => step !== undefined);
  const policy = `default-src 'none'; style-src '${styleSource()}'; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>Report of run ${(file.run_id ?? 'unnamed').slice(0, 8)}</title>
<style>${REPORT_STYLE}</style>
<main>
<h1>Report of a run</h1>
${opening(file, records, texts)}
${checked(checks)}
${questions(records, texts)}
<h2>${steps.length === 1 ? '1 step' : `${steps.length} steps`}</h2>
${steps.slice(0, STEPS_MAX).map((group) => stepOf(group, recordBefore(records, group), texts))}
${steps.length > STEPS_MAX ? markup`<p>The further ${steps.length - STEPS_MAX} steps are in the export.</p>` : ''}
</main>
</html>
`.toString();
}

function styleSource(): string {
  const bytes = sha256Text(REPORT_STYLE).match(/../gu) ?? [];
  return `sha256-${btoa(String.fromCharCode(...bytes.map((hex) => Number.parseInt(hex, 16))))}`;
}

function recordBefore(records: readonly LedgerRecord[], { records: [first] }: StepGroup): LedgerRecord | undefined {
  return first === undefined ? undefined : records[records.indexOf(first) - 1];
}

/** Reads a text that a record names. A missing text is said to be missing. */
function textsOf({ payloads }: ExportFile): Texts {
  return (ref) => {
    const bytes = ref && payloads.get(ref.sha256);
    if (ref === undefined || bytes === undefined)
      return markup`<p class="soft">Not in this file: left out or erased.</p>`;
    const text = decodeUtf8(unsalted(ref, bytes));
    if (text === undefined) return markup`<p class="soft">${bytes.length} bytes that are no text.</p>`;
    const rest = text.length - SHOWN;
    const more = rest > 0 ? markup`<p class="soft">${rest} further characters are in the export.</p>` : '';
    return markup`<pre dir="auto">${text.slice(0, SHOWN)}</pre>${more}`;
  };
}

function opening(file: ExportFile, records: readonly LedgerRecord[], texts: Texts): Markup {
  const [first] = records;
  const last = records.at(-1);
  const setup = first?.kind === 'configuration' ? first.body : undefined;
  const tasks = records.flatMap((record) => (record.kind === 'task' ? [texts(record.body.text)] : []));
  return markup`<dl>
<dt>Run</dt><dd class="mono">${file.run_id ?? 'unnamed'}</dd>
<dt>Began</dt><dd>${first === undefined ? '' : timeText(first.at)}</dd>
<dt>Lasted</dt><dd>${durationText(Math.max((last?.at ?? 0) - (first?.at ?? 0), 0))}</dd>
<dt>Model</dt><dd>${setup?.model ?? 'unknown'}</dd>
<dt>Dialect</dt><dd>${setup?.dialect ?? 'unknown'}</dd>
</dl>
<h2>${tasks.length > 1 ? 'Tasks' : 'Task'}</h2>${tasks}
<h2>Outcome</h2>${outcome(last, texts)}`;
}

function outcome(last: LedgerRecord | undefined, texts: Texts): Markup {
  if (last?.kind !== 'seal') return markup`<p class="wait">The run has no end in this file.</p>`;
  const { state, code, message } = last.body;
  const tone = state === 'completed' ? 'good' : 'bad';
  return markup`<p class="${tone}">${state}${code === undefined ? '' : ` (${code})`}</p>${message === undefined ? '' : texts(message)}`;
}

/** Wall clock in UTC; a time that no calendar has stays a number. */
function timeText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : `${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

const MARKS: { readonly [S in Check['status']]: string } = { pass: '✓', fail: '✕', not_run: '–' };

function checked(report: Report): Markup {
  const lines = report.checks.map(({ id, status, count, first, skipped }) => {
    const counted = status === 'not_run' ? 'not run' : String(count);
    const fault = first === undefined ? '' : markup`<p>${findingText(id, first)}</p>`;
    const left = skipped === undefined ? '' : markup`<p>${skipped.count} not verified: ${skipped.first.message}</p>`;
    return markup`<li class="${status}">${MARKS[status]} ${CHECK_NAMES[id]} (${counted})${fault}${left}</li>`;
  });
  return markup`<h2>Checks</h2>
<p class="${toneOf(report)}"><strong>${verdictOf(report)}</strong></p>
<ul class="checks">${lines}</ul>
<dl><dt>Head</dt><dd class="mono">${report.records}:${report.head}</dd></dl>
<p class="soft">${UNPROVEN} This report is not the proof: the export is, and npx sallyport verify FILE checks it.</p>`;
}

/** Each question to a person, with its answer. */
function questions(records: readonly LedgerRecord[], texts: Texts): Markup {
  const asked = records.flatMap((record) => {
    const { kind, body } = record;
    if (kind !== 'approval' && kind !== 'consent') return [];
    const { word, summary } = describe(record);
    const place = 'step' in body ? `Step ${body.step}: ` : '';
    const detail = kind === 'consent' ? undefined : body.event === 'asked' ? body.args : body.reason;
    return [
      markup`<li>${timeText(record.at)} · ${place}${word}, ${summary}${detail === undefined ? '' : texts(detail)}</li>`,
    ];
  });
  if (asked.length === 0) return markup`<h2>Questions to a person</h2><p class="soft">No question was asked.</p>`;
  return markup`<h2>Questions to a person</h2><ul class="asked">${asked}</ul>`;
}

function stepOf(group: StepGroup, before: LedgerRecord | undefined, texts: Texts): Markup {
  const times = timesOf(group.records, before);
  const { word, place, tone } = outcomeOf(group);
  const parts = group.records.flatMap((record) => partOf(record, texts));
  return markup`<section>
<h3>Step ${group.step ?? ''} · ${group.title} · <span class="${tone}">${word} ${place}</span></h3>
<p class="soft">${durationText(times.proposalMs)} from the record before to the proposal, ${times.totalMs === 0 ? 'whose records were written together' : `${durationText(times.totalMs)} from the proposal to the receipt`}.</p>
${filmStrip(group.gates, times, fuelOf(group))}
${parts}
</section>`;
}

/** The engine's measure of the work, which no clock changes. */
function fuelOf({ records }: StepGroup): number | undefined {
  return records.find((record) => record.kind === 'receipt')?.body.evidence.fuel;
}

/** The proposal, the reply and the receipt. The receipt is folded; an unfolded receipt prints on a page of its own. */
function partOf({ kind, body, hash }: LedgerRecord, texts: Texts): readonly Markup[] {
  if (kind === 'proposal') return [markup`<h4>Proposal</h4>${texts(body.payload)}`];
  if (kind === 'observation') return [markup`<h4>Reply</h4>${texts(body.payload)}`];
  if (kind !== 'receipt') return [];
  const text = JSON.stringify(body, undefined, 2);
  return [
    markup`<details><summary>Receipt ${hash.slice(0, 12)}…</summary><p class="mono">${hash}</p><pre>${text}</pre></details>`,
  ];
}
