import type { Signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { RunRow } from '../../../workers/api.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { run } from '../../texts/en/run.ts';
import { dateTime } from '../../texts/intl.ts';
import { shown } from '../parts/text.ts';
import { sessionName } from './session-caller.ts';

/** The beginning of a run's first task, or the name of a session; undefined where its text was erased. */
function runName({ task, caller }: Pick<RunRow, 'task' | 'caller'>): string | undefined {
  return caller === undefined ? task : sessionName({ label: caller, labels: [] });
}

/** A run as every list shows it: its task, and in small letters its outcome, `more`, date, model and size. */
export function runRow(row: RunRow, more: readonly string[] = []): TemplateResult {
  const name = runName(row);
  const { word, tone } = outcomeOf(row);
  const facts = [...more, ...factsOf(row)].map((fact) => html` · <bdi>${shown(fact)}</bdi>`);
  return html`<span class="run"><span class="task" dir="auto">${name === undefined ? html`<span class="soft">${run().row.unnamed}</span>` : shown(clipped(name))}</span><span class="facts soft"><span class=${tone}>${word}</span>${facts}</span></span>`;
}

/** The same in a line of text, for a list that shows nothing else. */
export function runText(row: RunRow): string {
  const name = clipped(runName(row) ?? run().row.unnamed, LINE_UNITS);
  return [name, outcomeOf(row).word, ...factsOf(row)].join(' · ');
}

function factsOf({ model, at, records, run_id }: RunRow): readonly string[] {
  return [
    dateTime(at),
    ...(model === undefined ? [] : [clipped(model)]),
    run().row.records(records),
    run_id.slice(0, 8),
  ];
}

interface RunOutcome {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'wait' | '';
}

function outcomeOf({ elsewhere, foreign, sealed, ended }: RunRow): RunOutcome {
  const { row: texts } = run();
  const word = ended === undefined ? texts[sealed ? 'sealed' : 'open'] : recordTexts().ends[ended];
  const tone = ended === undefined ? '' : ended === 'completed' ? 'good' : 'bad';
  if (elsewhere) return { word: texts.inOtherTab, tone: 'wait' };
  return { word: foreign ? `${word}, ${texts.fromBackup}` : word, tone };
}

/** As much of a stranger's text as tells runs apart. */
function clipped(text: string, units = TASK_UNITS): string {
  return text.length <= units ? text : `${text.slice(0, units).toWellFormed()}…`;
}

const TASK_UNITS = 160;
const LINE_UNITS = 60;

/** Two lines for the task, and two for the rest. */
export const runRowStyles: CSSResult = css`
  .run {
    display: grid;
    flex: 1;
    gap: 0.125rem;
    min-width: 0;
    text-align: start;
    white-space: normal;
  }
  .run > * {
    display: -webkit-box;
    overflow: hidden;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    overflow-wrap: anywhere;
  }
  .facts {
    font-size: 0.875rem;
  }
`;

/** Line of a list of runs. */
export interface ListedRun {
  readonly kind: 'row';
  readonly key: string;
  readonly run: RunRow;
}

export function runLines(runs: readonly RunRow[]): readonly ListedRun[] {
  return runs.map((each) => ({ kind: 'row', key: each.run_id, run: each }));
}

/** A shorter list is read faster than it is searched. */
const FILTERED_MIN = 8;

/** The field that narrows a list of runs. `found`: the number of runs that it leaves. */
export function runFilter(typed: Signal<string>, found: number, all: number): TemplateResult {
  const { row: texts } = run();
  const type = (event: Event): void => {
    typed.value = (event.target as HTMLInputElement).value;
  };
  if (all < FILTERED_MIN) return html``;
  return html`<label class="filter"><span class="unseen">${texts.filter}</span><input type="search" placeholder=${texts.filter} .value=${typed.value} @input=${type} /></label>
    ${found === all ? '' : html`<p class="soft" role="status">${texts.found(found, all)}</p>`}`;
}

/** The runs whose task, outcome, model, date or dialect have each typed word, or whose id begins with it. */
export function runsWith(rows: readonly RunRow[], typed: string): readonly RunRow[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const { model = '', dialect, at, run_id } = row;
    const text = [runName(row) ?? '', outcomeOf(row).word, model, dialect, dateTime(at)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word) || run_id.startsWith(word));
  });
}
