import { CHECK_NAMES, type CheckId, UNPROVEN } from '../../../core/index.ts';
import { type Area, area } from '../area.ts';

/** The words of a run that was saved as a page. They are written into that page, so each is a text with `{values}`. */
const en = {
  title: 'Sallyport run',
  checks: CHECK_NAMES as { readonly [C in CheckId]: string },
  notRun: 'not run',
  notInPage: 'not in a page',
  verdicts: {
    consistent: 'No check failed over {records} records',
    consistentOne: 'No check failed over 1 record',
    anchored: ', and the head is the one you noted.',
    unanchored: '. Its origin is unknown: no head from elsewhere was given.',
    undecided: ' Its decisions were not made again.',
    anchor_unread: 'The head you gave cannot be read, so nothing was compared with it.',
    other_run: 'Consistent, but not the run you expected.',
    no_export: 'This file is no export of a run.',
    cut: 'Cut off: records 0 to {last} are intact, and what came behind them is missing.',
    cutAll: 'Cut off: of this export there is nothing but its header.',
    differs: 'Intact, but run again it differs at record {place}.',
    does_not_follow: 'The chain holds, but record {place} does not follow from what is recorded before it.',
    not_intact: 'Not intact: first problem at record {place} of {records}.',
  },
  /** Before what is wrong with a record; in English the finding itself says it. */
  record: 'Record {seq}: ',
  head: 'head {records}:{head}',
  unproven: UNPROVEN as string,
  headField: 'The head that you noted: COUNT:HEAD, or a checkpoint',
  elsewhere:
    'This page cannot make the decisions or the calls again. To do that, open this file in the Audit page of Sallyport, or run npx sallyport replay FILE.',
  happened: 'What happened',
  records: 'Records',

  story: {
    missing: '(not in this file)',
    quoted: '“{text}”',
    began: 'Began with the model {model}, in the dialect {dialect}',
    task: 'Task: {text}',
    refused: 'Step {step}: refused at the gate {gate} ({code})',
    valid: 'Step {step}: asked for {capability}, and was valid',
    nothing: 'nothing',
    mustAsk: 'Step {step}: {capability}: a person has to be asked',
    denied: 'Step {step}: {capability}: denied ({code})',
    asked: 'Step {step}: a person was asked about {capability}',
    yes: 'Step {step}: yes',
    no: 'Step {step}: no: {text}',
    receipt: 'Step {step}: {status}',
    receiptCode: 'Step {step}: {status} ({code})',
    ended: 'Ended: {state}',
    endedCode: 'Ended: {state} ({code})',
  },
};

export type SavedPageTexts = typeof en;
export const savedPage: Area<SavedPageTexts> = area('saved-page', en);
