import { type Area, area } from '../area.ts';

const en = {
  /** The question of each gate, in plain words. */
  questions: {
    parse: 'Is it JSON, in UTF-8, within the limits?',
    structure: 'Is it a single object without unknown members?',
    form: 'Is it exactly one of the known forms?',
    capability: 'Does the named capability exist?',
    arguments: 'Do the arguments match its schema?',
    verdict: 'Are the results of these checks recorded?',
    authorize: 'Does a grant permit this call?',
    approve: 'Does a person have to say yes?',
    execute: 'Does it finish inside the sandbox and its limits?',
    receipt: 'Is the outcome in the ledger?',
  },
  /** Each state of a gate. */
  states: {
    passed: 'passed',
    stopped: 'stopped here',
    waiting: 'waits for a person',
    running: 'under way',
    skipped: 'not needed',
    never: 'never reached',
    ahead: 'ahead',
  },
};

export type GateTexts = typeof en;
export const gates: Area<GateTexts> = area('gates', en);
