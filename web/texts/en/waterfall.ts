import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  label: 'Time of each step',
  totals: 'Time of all steps',
  scale: 'Scale',
  scales: { run: 'Whole run', step: 'Each step' },
  parts: { model: 'model', gates: 'gates', sandbox: 'sandbox', person: 'person', disk: 'disk' },
  none: 'No step to show.',
  betweenSteps: 'The time between steps is left out.',
  fromRecords:
    'Steps that ran before this page was opened have the times of their records. There the model’s time holds idle time, and the disk’s time is in the other parts.',
  firstShown: 'First shown step',
  /** The part of all steps that the list shows. */
  shownSteps: (from: number, to: number, all: number): string =>
    `Steps ${number(from)} to ${number(to)} of ${number(all)}`,
  inSteps: (steps: number): string => `in ${plural(steps, { one: '# step', other: '# steps' })}`,
  byRecords: (duration: string): string => `${duration} by its records`,
};

export type WaterfallTexts = typeof en;
export const waterfall: Area<WaterfallTexts> = area('waterfall', en);
