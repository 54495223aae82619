import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number } from '../intl.ts';

const en = {
  runEnded: 'The run has ended. Start another.',
  time: 'Time, here and now',
  fuel: 'Fuel, the same everywhere',
  powerCalls: 'Power calls',
  console: 'Console',
  firstLines: (shown: number, all: number): TemplateResult =>
    html` <span class="soft">· the first ${number(shown)} of ${number(all)} lines</span>`,

  /** The place where a limit stopped a call. */
  stopped: {
    deadline: 'A deadline stopped it, so the line differs each time.',
    where: 'At which line?',
    looking: 'Making the call again, in a sandbox of its own…',
    thrown: (line: number, column: number): string => `Thrown at line ${line}, column ${column} of its source.`,
    goThere: 'Show it in the source',
    show: 'Show the refused result',
    refused: 'The result that was refused',
    notRepeated: 'The repeated call did not give the same result.',
    unknown: 'The repeated call did not show its line.',
    about: (line: number, column: number): string =>
      `About line ${line}, column ${column} of its source. The call was made again, and ended at the same operation.`,
  },
};

export type LabTexts = typeof en;
export const lab: Area<LabTexts> = area('lab', en);
