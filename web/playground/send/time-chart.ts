import { TIME_PARTS, type TimeSpans, totalsOf } from '../../records/durations.ts';
import type { StepGroup } from '../../records/steps.ts';
import { barsOf, LINE_UNITS, type WaterfallBar } from '../../records/waterfall-bars.ts';
import { report as words } from '../../texts/en/report.ts';
import { type Markup, markup } from './markup.ts';
import { durationText } from './step-times.ts';

/** The time of a step: its bars on the scale of the whole run and on a scale of its own, and the same in words. */
interface StepTime {
  readonly group: StepGroup;
  readonly spans: TimeSpans;
  readonly inRun: readonly WaterfallBar[];
  readonly alone: readonly WaterfallBar[];
}

/** The times of a run's steps as a report draws them, all from the records. */
export interface TimeChart {
  /** All of these steps, one line each; empty without a step that took time. */
  readonly run: Markup;
  /** A single step with its parts in words; empty for a step whose records were written together. */
  step(group: StepGroup): Markup;
}

/** Draws these steps. `recorded`: the times of the run by step, as its records tell them. */
export function timeChart(recorded: ReadonlyMap<number, TimeSpans>, shown: readonly StepGroup[]): TimeChart {
  const spans = shown.map(({ step }) => (step === undefined ? [] : (recorded.get(step) ?? [])));
  const [inRun, alone] = [barsOf(spans, 'run'), barsOf(spans, 'step')];
  const times = shown.map((group, nth) => ({
    group,
    spans: spans[nth] ?? [],
    inRun: inRun[nth] ?? [],
    alone: alone[nth] ?? [],
  }));
  const byGroup = new Map(times.map((time) => [time.group, time]));
  return {
    run: wholeRun(times),
    step: (group) => {
      const time = byGroup.get(group);
      if (time === undefined || time.spans.length === 0) return EMPTY;
      return markup`<div class="time">${svgOf(time.alone, HIDDEN)}<p class="soft">${wordsOf(time.spans)}</p></div>`;
    },
  };
}

const EMPTY = markup``;
/** For a picture whose words stand beside it. */
const HIDDEN = markup`aria-hidden="true"`;

function wholeRun(times: readonly StepTime[]): Markup {
  const totals = totalsOf(times.flatMap(({ spans }) => spans));
  if (totals.all === 0) return EMPTY;
  const key = TIME_PARTS.filter((part) => totals[part] > 0).map(
    (part) =>
      markup`<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="t-${part}" width="10" height="10"></rect></svg> ${words().parts[part]} ${durationText(totals[part])}</li>`,
  );
  return markup`<h2>${words().time}</h2>
<p class="soft">${words().timeIs}</p>
<ul class="parts">${key}<li><strong>${durationText(totals.all)}</strong> ${words().inAll}</li></ul>
<ol class="waterfall">${times.map(line)}</ol>`;
}

function line({ group, spans, inRun }: StepTime): Markup {
  const label = spans.length === 0 ? words().together : wordsOf(spans);
  return markup`<li><span>${group.step ?? ''}</span><span>${group.title}</span>${svgOf(inRun, markup`role="img" aria-label="${label}"`)}<span>${durationText(totalsOf(spans).all)}</span></li>`;
}

function svgOf(bars: readonly WaterfallBar[], label: Markup): Markup {
  const rects = bars.map(
    ({ part, x, width }) =>
      markup`<rect class="t-${part}" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="10"></rect>`,
  );
  return markup`<svg class="bar" viewBox="0 0 ${LINE_UNITS} 10" preserveAspectRatio="none" ${label}><rect class="t-track" y="4.5" width="${LINE_UNITS}" height="1"></rect>${rects}</svg>`;
}

function wordsOf(spans: TimeSpans): string {
  const totals = totalsOf(spans);
  return TIME_PARTS.filter((part) => totals[part] > 0)
    .map((part) => `${words().parts[part]} ${durationText(totals[part])}`)
    .join(', ');
}
