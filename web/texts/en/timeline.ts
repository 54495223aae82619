import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { list, number, plural } from '../intl.ts';

const en = {
  title: 'Ledger',
  time: 'Time',
  records: (records: number): TemplateResult =>
    html`${number(records)}<span class="unit"> ${plural(records, { one: 'record', other: 'records' })}</span>`,
  someRecords: (some: number, all: number): string => `${number(some)} of ${number(all)}`,
  problems: (problems: number): TemplateResult =>
    html`${number(problems)} <span class="unit">${plural(problems, { one: 'problem', other: 'problems' })}</span>`,
  previousProblem: 'Previous problem',
  nextProblem: 'Next problem',
  later: (duration: string): string => `${duration} later`,
  pinned: 'pinned',
  /** A step, its title, and how it ended. */
  step: (step: number, title: string, outcome: string): string => `Step ${step}, ${title}, ${outcome}`,

  filter: {
    label: 'Filter records',
    placeholder: 'words, type: tool: status: proposed:',
    unknown: (terms: readonly string[], fields: readonly string[]): string =>
      `No field called ${terms.join(', ')}. Fields are ${list(fields)}.`,
    suggested: 'Suggested filters',
    empty: (): TemplateResult => html`No records yet. <strong>Step</strong> asks for the first proposal.`,
    none: 'No record matches the filter, in its line or in its content.',
    showAll: (records: number): string => `Show all ${number(records)}`,
    found: (records: number, sides: string): string =>
      `Found in ${plural(records, { one: '# record', other: '# records' })}: ${sides}`,
    /** A search that has not read all texts yet. */
    reading: (read: number, all: number): string => `Still reading: ${number(read)} of ${number(all)} records`,
    /** Records whose text the model proposed, that answered it, or that the kernel recorded. */
    sides: {
      proposed: (records: number): string => `${number(records)} proposed`,
      answered: (records: number): string => `${number(records)} answered`,
      recorded: (records: number): string => `${number(records)} recorded`,
    },
  },

  scrubber: {
    label: 'Look back',
    place: (seq: number, last: number): string => `record ${seq} of ${last}`,
    of: (seq: number, last: number): string => `${seq} of ${last}`,
    end: 'at the end',
    toEnd: 'Back to the end',
  },
};

export type TimelineTexts = typeof en;
export const timeline: Area<TimelineTexts> = area('timeline', en);
