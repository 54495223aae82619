import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

/** A saved report keeps the language in which it was made. */
const en = {
  title: (run: string): string => `Report of run ${run}`,
  heading: 'Report of a run',
  unnamed: 'unnamed',
  unknown: 'unknown',
  steps: (steps: number): string => plural(steps, { one: '# step', other: '# steps' }),
  onlyProblems: (steps: number): string =>
    `Narrowed to ${plural(steps, { one: '# step with a problem', other: '# steps with a problem' })}.`,
  onlySteps: (from: number, to: number | undefined, steps: number): string =>
    `Narrowed to ${plural(steps, { one: '# step', other: '# steps' })}: ${to === undefined ? `from step ${number(from)} on` : `steps ${number(from)} to ${number(to)}`}.`,
  furtherSteps: (steps: number): string => `The further ${number(steps)} steps are in the export.`,
  notInFile: 'Not in this file: left out or erased.',
  noText: (bytes: number): string => `${plural(bytes, { one: '# byte', other: '# bytes' })} that are no text.`,
  furtherCharacters: (characters: number): string => `${number(characters)} further characters are in the export.`,
  run: 'Run',
  began: 'Began',
  lasted: 'Lasted',
  model: 'Model',
  dialect: 'Dialect',
  task: 'Task',
  tasks: 'Tasks',
  outcome: 'Outcome',
  noEnd: 'The run has no end in this file.',
  checks: 'Checks',
  notRun: 'not run',
  notVerified: (places: number): string => `In ${plural(places, { one: '# place', other: '# places' })}: `,
  head: 'Head',
  proof: 'This report is not the proof: the export is, and npx sallyport verify FILE checks it.',
  questions: 'Questions to a person',
  noQuestions: 'No question was asked.',
  inStep: (step: number): string => `Step ${step}: `,
  step: (step: number): string => `Step ${step}`,
  duration: (proposal: string, rest: string): string =>
    `${proposal} from the record before to the proposal, ${rest} from the proposal to the receipt.`,
  durationTogether: (proposal: string): string =>
    `${proposal} from the record before to the proposal, whose records were written together.`,
  proposal: 'Proposal',
  reply: 'Reply',
  receipt: (hash: string): string => `Receipt ${hash}…`,
  fuel: (fuel: number): string => `fuel ${fuel}`,
  time: 'Time',
  timeIs:
    'The times of the records, without the time between steps. The model’s time holds idle time, and the disk’s time is in the other parts. Clocks are not proven.',
  inAll: 'in all',
  parts: { model: 'model', gates: 'gates', sandbox: 'sandbox', person: 'person', disk: 'disk' },
  together: 'Its records were written together',
};

export type ReportTexts = typeof en;
export const report: Area<ReportTexts> = area('report', en);
