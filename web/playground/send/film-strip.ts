import type { GateState, StripGate } from '../../records/gates.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { report as words } from '../../texts/en/report.ts';
import { type Markup, markup } from './markup.ts';
import { durationText, type StepTimes } from './step-times.ts';

const MARKS: { readonly [S in GateState]: string } = {
  passed: '✓',
  stopped: '✕',
  waiting: '…',
  running: '…',
  skipped: '–',
  never: '–',
  ahead: '·',
};

/** The gates of a step in a row, each with its state in words and, where the records tell it, its duration. */
export function filmStrip(gates: readonly StripGate[], { gatesMs }: StepTimes, fuel: number | undefined): Markup {
  const frames = gates.map(({ name, state }) => {
    const { [name]: ms = 0 } = gatesMs;
    const time = ms === 0 || state === 'skipped' || state === 'never' ? '' : markup`<span>${durationText(ms)}</span>`;
    const work = name === 'execute' && fuel !== undefined ? markup`<span>${words().fuel(fuel)}</span>` : '';
    return markup`<li class="${state}"><b>${name}</b><span>${MARKS[state]} ${gateTexts().states[state]}</span>${time}${work}</li>`;
  });
  return markup`<ol class="strip">${frames}</ol>`;
}
