import { GATE_WORDS, type GateState, type StripGate } from '../../records/gates.ts';
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

/** The gates of a step in a row, each with its state in words and, where a record tells it, its duration. */
export function filmStrip(gates: readonly StripGate[], { gatesMs }: StepTimes): Markup {
  const frames = gates.map(({ name, state }) => {
    const ms = state === 'passed' || state === 'stopped' || state === 'waiting' ? gatesMs[name] : undefined;
    const time = ms === undefined ? '' : markup`<span>${durationText(ms)}</span>`;
    return markup`<li class="${state}"><b>${name}</b><span>${MARKS[state]} ${GATE_WORDS[state]}</span>${time}</li>`;
  });
  return markup`<ol class="strip">${frames}</ol>`;
}
