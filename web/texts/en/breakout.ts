import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  title: 'Break out',
  attacks: 'Attacks',
  groups: { guest: 'Hostile code, in the sandbox', proposal: 'Hostile proposals, at the gates' },
  score: (left: number, tried: number): TemplateResult =>
    html`<strong class=${left === 0 ? '' : 'bad'}>${number(left)}</strong> of ${plural(tried, { one: '# attempt', other: '# attempts' })} left the sandbox`,
  pause: (ms: number): string => ` · this page never waited longer than ${number(ms)} ms`,
  progress: (done: number, of: number): string => `${number(done)} of ${number(of)} `,
  save: 'Save the ledger',
  runAll: (attempts: number): string => `Run all ${number(attempts)}`,
  cancel: 'Cancel',
  faces: { underWay: 'under way', notTried: 'not tried', held: 'held', unexpected: 'not as expected' },
  try: 'Try it',
  tryAgain: 'Try it again',
  proposalBytes: 'The proposal, byte for byte',
  proposal: 'Proposal',
  guestSource: 'The guest’s source',
  source: 'Source',
  reached: (names: unknown): TemplateResult => html`It reached ${names}.`,
  ranToEnd: 'It ran to its end and reached no forbidden name.',
  gates: 'Gates of this attack',
  stoppedBy: 'Stopped by',
  notStopped: 'not stopped',
  where: 'Where',
  nowhere: 'nowhere',
  next: 'The next call',
  nextGood: (ms: number): string => `went through, on a fresh heap, ${number(Math.round(ms))} ms`,
  nextBad: (ms: number): string => `failed, ${number(Math.round(ms))} ms`,
  told: 'What the model is told',
  reply: 'Reply to the model',
};

export type BreakoutTexts = typeof en;
export const breakout: Area<BreakoutTexts> = area('breakout', en);
