import { CHECK_NAMES, type CheckId, TALLY_WORDS, type TallyWords } from '../../../core/index.ts';
import { type Area, area } from '../area.ts';

/** The words of a run that was saved as a page. They are written into that page, so each is a text with `{values}`. */
const en = {
  title: 'Sallyport run',
  checks: CHECK_NAMES as { readonly [C in CheckId]: string },
  /** While the checks are made. */
  checking: 'Checking this run…',
  notRun: 'not run',
  notInPage: 'not in a page',
  /** Before what is wrong with a record; in English the finding itself says it. */
  record: 'Record {seq}: ',
  head: 'head {records}:{head}',
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
    watched: 'Step {step}: {capability} is permitted by a watch, and by no grant of its own',
    mustAsk: 'Step {step}: {capability}: a person has to be asked',
    denied: 'Step {step}: {capability}: denied ({code})',
    asked: 'Step {step}: a person was asked about {capability}',
    yes: 'Step {step}: yes',
    no: 'Step {step}: no: {text}',
    receipt: 'Step {step}: {status}',
    receiptCode: 'Step {step}: {status} ({code})',
    ended: 'Ended: {state}',
    endedCode: 'Ended: {state} ({code})',
    /** Behind the last words. */
    tally: TALLY_WORDS as TallyWords,
  },
};

export type SavedPageTexts = typeof en;
export const savedPage: Area<SavedPageTexts> = area('saved-page', en);
