import {
  type Check,
  decodeUtf8,
  type Finding,
  findingText,
  type HeldAgainst,
  type LedgerRecord,
  type PayloadRef,
  type ReceiptTally,
  type Report,
  sha256Text,
  tallyText,
  unsalted,
  type WorkSlices,
} from '../../../core/index.ts';
import { atOnce } from '../../../core/ledger/export.ts';
import { describe } from '../../records/describe.ts';
import type { GateState, StripGate } from '../../records/gates.ts';
import { groupSteps, outcomeOf, outcomeText, type StepGroup } from '../../records/steps.ts';
import { spokenVerdict } from '../../shared/verdict.ts';
import { speech } from '../../texts/area.ts';
import { auditView } from '../../texts/en/audit-view.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { report as words } from '../../texts/en/report.ts';
import { universalTime } from '../../texts/intl.ts';
import { withoutAdvice } from '../../texts/recorded.ts';
import { type ReportedRun, type ReportedSteps, STEPS_MAX } from '../files/reported-run.ts';
import { type Markup, markup } from './markup.ts';
import { durationText, type StepTimes, timesOf } from './step-times.ts';
import { type TimeChart, timeChart } from './time-chart.ts';

/** Characters of a text that the report shows; the export has the whole text. */
const SHOWN = 2_000;
/** Steps between two rests. */
const STEPS_SLICE = 25;

function narrowed(wanted: ReportedSteps, count: number): string {
  return wanted === 'problems' ? words().onlyProblems(count) : words().onlySteps(wanted.from, wanted.to, count);
}

type Texts = (ref: PayloadRef | undefined) => Markup;

/**
 * A run as a page for reading and printing. The page has no script, and its policy permits no loading: each text of the
 * file is in it as text.
 */
export function formatReport(run: ReportedRun, checks: Report, held: HeldAgainst = {}, wanted?: ReportedSteps): string {
  return atOnce(reportSlices(run, checks, held, wanted));
}

/** The same in slices. */
export function* reportSlices(
  run: ReportedRun,
  checks: Report,
  held: HeldAgainst = {},
  wanted: ReportedSteps = { from: 1 },
): WorkSlices<string> {
  const texts = textsOf(run);
  const groups = run.listed.flatMap(({ records }) => groupSteps(records).slice(0, 1));
  const chart = timeChart(new Map(run.listed.map(({ step, spans }) => [step, spans])), groups);
  const sections: Markup[] = [];
  for (const [nth, group] of groups.entries()) {
    if (nth % STEPS_SLICE === 0) yield nth / groups.length;
    sections.push(stepOf(group, run.listed[nth]?.before, texts, chart));
  }
  const policy = `default-src 'none'; style-src '${styleSource()}'; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
<html lang="${speech().language}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${words().title((run.run_id ?? words().unnamed).slice(0, 8))}</title>
<style>${REPORT_STYLE}</style>
<main>
<h1>${words().heading}</h1>
${opening(run, texts)}
${checked(checks, held)}
${questions(run, texts)}
${chart.run}
<h2>${words().steps(run.steps)}</h2>
${run.chosen === run.steps ? '' : markup`<p class="soft">${narrowed(wanted, run.chosen)}</p>`}
${sections}
${run.chosen > STEPS_MAX ? markup`<p>${words().furtherSteps(run.chosen - STEPS_MAX)}</p>` : ''}
</main>
</html>
`.toString();
}

function styleSource(): string {
  const bytes = sha256Text(REPORT_STYLE).match(/../gu) ?? [];
  return `sha256-${btoa(String.fromCharCode(...bytes.map((hex) => Number.parseInt(hex, 16))))}`;
}

/** Reads a text that a record names. A missing text is said to be missing. */
function textsOf({ payloads }: ReportedRun): Texts {
  return (ref) => {
    const bytes = ref && payloads.get(ref.sha256);
    if (ref === undefined || bytes === undefined) return markup`<p class="soft">${words().notInFile}</p>`;
    const text = decodeUtf8(unsalted(ref, bytes));
    if (text === undefined) return markup`<p class="soft">${words().noText(bytes.length)}</p>`;
    const rest = text.length - SHOWN;
    const more = rest > 0 ? markup`<p class="soft">${words().furtherCharacters(rest)}</p>` : '';
    return markup`<pre dir="auto">${text.slice(0, SHOWN)}</pre>${more}`;
  };
}

function opening({ run_id, first, last, tally, ...run }: ReportedRun, texts: Texts): Markup {
  const setup = first?.kind === 'configuration' ? first.body : undefined;
  const tasks = run.tasks.flatMap((record) => (record.kind === 'task' ? [texts(record.body.text)] : []));
  return markup`<dl>
<dt>${words().run}</dt><dd class="mono">${run_id ?? words().unnamed}</dd>
<dt>${words().began}</dt><dd>${first === undefined ? '' : universalTime(first.at)}</dd>
<dt>${words().lasted}</dt><dd>${durationText(Math.max((last?.at ?? 0) - (first?.at ?? 0), 0))}</dd>
<dt>${words().model}</dt><dd>${setup?.model ?? words().unknown}</dd>
<dt>${words().dialect}</dt><dd>${setup?.dialect ?? words().unknown}</dd>
</dl>
<h2>${tasks.length > 1 ? words().tasks : words().task}</h2>${tasks}
<h2>${words().outcome}</h2>${outcome(last, texts)}${receiptsSay(tally)}`;
}

function outcome(last: LedgerRecord | undefined, texts: Texts): Markup {
  if (last?.kind !== 'seal') return markup`<p class="wait">${words().noEnd}</p>`;
  const { state, code, message } = last.body;
  const tone = state === 'completed' ? 'good' : 'bad';
  return markup`<p class="${tone}">${endWord(state)}${code === undefined ? '' : ` (${code})`}</p>${message === undefined ? '' : texts(message)}`;
}

/** The words of a model prove nothing, so the numbers of the receipts stand beside them. */
function receiptsSay(tally: ReceiptTally): Markup {
  const { tally: texts } = recordTexts();
  return markup`<dl><dt>${texts.title}</dt><dd>${tallyText(tally, texts)}</dd></dl>`;
}

/** A sentence of the checks, which are in English. */
function english(text: string): Markup {
  return speech().language === 'en' ? markup`${text}` : markup`<span lang="en">${text}</span>`;
}

/** A stranger's file may name another state. */
function endWord(state: string): string {
  const ends: { readonly [state: string]: string } = recordTexts().ends;
  return Object.hasOwn(ends, state) ? (ends[state] ?? state) : state;
}

const MARKS: { readonly [S in Check['status']]: string } = { pass: '✓', fail: '✕', not_run: '–' };

function checked(report: Report, held: HeldAgainst): Markup {
  const { checks } = auditView();
  const { tone, sentence, compared, unproven = '' } = spokenVerdict(report, held);
  const leftOut = ({ count, first }: NonNullable<Check['skipped']>): Markup =>
    markup`<p>${words().notVerified(count)}${withGist(first, first.message)}</p>`;
  const lines = report.checks.map(({ id, status, count, first, skipped, parts = [] }) => {
    const counted = status === 'not_run' ? words().notRun : String(count);
    const fault = first === undefined ? '' : markup`<p>${withGist(first, findingText(id, first))}</p>`;
    const left = skipped === undefined ? '' : leftOut(skipped);
    const inside = parts.map(
      (part) =>
        markup`<li class="${part.status}">${MARKS[part.status]} ${checks.parts[part.id]} (${words().notRun})${leftOut(part.skipped)}</li>`,
    );
    const list = inside.length === 0 ? '' : markup`<ul>${inside}</ul>`;
    return markup`<li class="${status}">${MARKS[status]} ${checks.names[id]} (${counted})${fault}${left}${list}</li>`;
  });
  return markup`<h2>${words().checks}</h2>
<p class="${tone}"><strong>${sentence}</strong></p>
${compared.map((each) => markup`<p class="soft">${each}</p>`)}
<ul class="checks">${lines}</ul>
<dl><dt>${words().head}</dt><dd class="mono">${report.records}:${report.head}</dd></dl>
<p class="soft">${unproven} ${words().proof}</p>`;
}

/** A finding's English sentence; in a report in another language, the advice of its code in that language before it. */
function withGist({ code }: Finding, recorded: string): Markup {
  return speech().language === 'en'
    ? markup`${recorded}`
    : markup`${remedies()[code]} ${english(withoutAdvice(recorded, remedies.english[code]))}`;
}

/** Each question to a person, with its answer. */
function questions({ questions: records }: ReportedRun, texts: Texts): Markup {
  const asked = records.flatMap((record) => {
    const { kind, body } = record;
    if (kind !== 'approval' && kind !== 'consent') return [];
    const { word, summary } = describe(record);
    const place = 'step' in body ? words().inStep(body.step) : '';
    const detail =
      kind === 'consent'
        ? undefined
        : body.event === 'asked'
          ? body.args
          : body.event === 'part'
            ? undefined
            : body.reason;
    return [
      markup`<li>${universalTime(record.at)} · ${place}${word}, ${summary}${detail === undefined ? '' : texts(detail)}</li>`,
    ];
  });
  if (asked.length === 0) return markup`<h2>${words().questions}</h2><p class="soft">${words().noQuestions}</p>`;
  return markup`<h2>${words().questions}</h2><ul class="asked">${asked}</ul>`;
}

function stepOf(group: StepGroup, before: LedgerRecord | undefined, texts: Texts, chart: TimeChart): Markup {
  const times = timesOf(group.records, before);
  const { tone } = outcomeOf(group);
  const parts = group.records.flatMap((record) => partOf(record, texts));
  return markup`<section>
<h3>${words().step(group.step ?? 0)} · ${group.title} · <span class="${tone}">${outcomeText(group)}</span></h3>
<p class="soft">${lasted(times)}</p>
${chart.step(group)}
${filmStrip(group.gates, times, fuelOf(group))}
${parts}
</section>`;
}

function lasted({ proposalMs, totalMs }: StepTimes): string {
  const proposal = durationText(proposalMs);
  return totalMs === 0 ? words().durationTogether(proposal) : words().duration(proposal, durationText(totalMs));
}

/** The engine's measure of the work, which no clock changes. */
function fuelOf({ records }: StepGroup): number | undefined {
  return records.find((record) => record.kind === 'receipt')?.body.evidence.fuel;
}

/** The proposal, the reply and the receipt. The receipt is folded; an unfolded receipt prints on a page of its own. */
function partOf({ kind, body, hash }: LedgerRecord, texts: Texts): readonly Markup[] {
  if (kind === 'proposal') return [markup`<h4>${words().proposal}</h4>${texts(body.payload)}`];
  if (kind === 'observation') return [markup`<h4>${words().reply}</h4>${texts(body.payload)}`];
  if (kind !== 'receipt') return [];
  const text = JSON.stringify(body, undefined, 2);
  return [
    markup`<details><summary>${words().receipt(hash.slice(0, 12))}</summary><p class="mono">${hash}</p><pre>${text}</pre></details>`,
  ];
}

const GATE_MARKS: { readonly [S in GateState]: string } = {
  passed: '✓',
  stopped: '✕',
  waiting: '…',
  running: '…',
  skipped: '–',
  never: '–',
  ahead: '·',
};

/** The gates of a step in a row, each with its state in words and, where the records tell it, its duration. */
function filmStrip(gates: readonly StripGate[], { gatesMs }: StepTimes, fuel: number | undefined): Markup {
  const frames = gates.map(({ name, state }) => {
    const { [name]: ms = 0 } = gatesMs;
    const time = ms === 0 || state === 'skipped' || state === 'never' ? '' : markup`<span>${durationText(ms)}</span>`;
    const work = name === 'execute' && fuel !== undefined ? markup`<span>${words().fuel(fuel)}</span>` : '';
    return markup`<li class="${state}"><b>${name}</b><span>${GATE_MARKS[state]} ${gateTexts().states[state]}</span>${time}${work}</li>`;
  });
  return markup`<ol class="strip">${frames}</ol>`;
}

/**
 * Looks of a report. The policy of the page names this text by its hash, and `markup` writes it: it has no character
 * that HTML escapes.
 */
const REPORT_STYLE: string = [
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;--good:light-dark(#17633a,#7fd6a2);--own:light-dark(#0a5c78,#7cd0ea);--wait:light-dark(#7a4b00,#f2c063);--bad:light-dark(#a11b12,#ff9d93);--soft:light-dark(#4d565c,#aeb8be);--line:light-dark(#c9d0d4,#46525a)}',
  'body{margin:0}',
  'main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}',
  'h1,h2,h3{line-height:1.3;text-wrap:balance}',
  'h2{margin:2rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}',
  'h3{margin:0;overflow-wrap:anywhere}',
  'dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1rem;margin:1rem 0}',
  'dt{color:var(--soft)}',
  'dd{margin:0;overflow-wrap:anywhere}',
  'ol,ul{margin:0;padding:0;list-style:none}',
  '.good,.passed{color:var(--good)}.own{color:var(--own)}.wait,.waiting,.running{color:var(--wait)}.bad,.stopped,.fail{color:var(--bad)}',
  '.soft,.skipped,.never,.ahead,.not_run{color:var(--soft)}',
  '.mono,pre{font-family:ui-monospace,monospace;font-size:.875rem}',
  'pre{margin:.25rem 0;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.375rem;white-space:pre-wrap;overflow-wrap:anywhere}',
  'section{margin:1rem 0;padding:1rem 0;border-top:1px solid var(--line)}',
  'h4{margin:.75rem 0 0;color:var(--soft);font-size:.875rem;font-weight:400}',
  '.strip{display:grid;grid-template-columns:repeat(10,minmax(0,1fr));gap:.25rem;margin:.75rem 0}',
  '.strip li{padding:.25rem;border:1px solid var(--line);border-radius:.375rem;font-size:.75rem;line-height:1.35;text-align:center;overflow-wrap:anywhere}',
  '.strip .passed,.strip .stopped,.strip .waiting{border-color:currentcolor}',
  '.strip b,.strip span{display:block}.strip b{color:light-dark(#14191c,#eef2f4)}',
  '.strip .never,.strip .ahead{border-style:dashed}',
  '.t-model{fill:light-dark(#0a5c78,#7cd0ea)}.t-gates{fill:light-dark(#14191c,#eef2f4)}.t-sandbox{fill:var(--good)}.t-person{fill:var(--wait)}.t-disk{fill:light-dark(#7d8892,#6d7a84)}.t-track{fill:var(--line)}',
  'svg.bar{display:block;width:100%;height:.875rem;overflow:visible;forced-color-adjust:none}svg.key{width:.75rem;height:.75rem;forced-color-adjust:none}',
  '.parts{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.5rem 0}.time{margin:.5rem 0}.time p{margin:.25rem 0 0;font-size:.875rem}',
  '.waterfall li{display:grid;grid-template-columns:2.25rem minmax(4rem,11rem) minmax(0,1fr) 5rem;align-items:center;gap:0 .625rem;min-height:1.75rem}',
  '.waterfall span{overflow-wrap:anywhere}.waterfall span:first-child{color:var(--soft);text-align:right}.waterfall span:last-child{text-align:right;font-variant-numeric:tabular-nums}',
  'summary{cursor:pointer}',
  '@media(max-width:44rem){.strip{grid-template-columns:repeat(auto-fill,minmax(5.75rem,1fr))}dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:.5rem}.waterfall li{grid-template-columns:1.75rem minmax(0,1fr) 5rem;padding:.25rem 0}.waterfall svg{grid-row:2;grid-column:2/-1}}',
  '@page{margin:15mm}',
  '@media print{:root{color-scheme:light;font-size:11pt}main{max-width:none;padding:0}section,.strip,.strip li,.checks li,.asked li,.waterfall li,.time{break-inside:avoid}h1,h2,h3,h4{break-after:avoid}section,h2{border-top-color:#999}details:not([open]){display:none}details[open]{break-before:page;break-after:page}details[open] pre{border:0;padding:0;font-size:8pt}}',
].join('');
