import type { Notice } from '../../../workers/api.ts';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

type NoticeCode = Notice['code'];

const en = {
  /** Names of actions, before ` failed: ` and the reason. */
  actions: {
    fork: 'The fork',
    listRuns: 'Listing earlier runs',
    run: 'The run',
    step: 'The step',
    abort: 'Aborting',
    pause: 'Pausing',
    cancelRequest: 'Cancelling the request',
    answer: 'The answer',
    nextTask: 'The next task',
    export: 'Exporting',
    openFile: 'Opening the file',
    verify: 'Verifying',
    follow: 'Following the run',
    takeOver: 'Taking over',
    papers: 'Laying out the papers',
  },
  failed: (action: string, why: string): string => `${action} failed: ${why}`,
  noModel: 'this run has no model that is ready. Choose one under Who proposes, or propose yourself.',
  noScenario: 'it is of no scenario that is known here.',
  proposalsMissing: 'not every proposal of this run is on this device.',
  fileTooLarge: (bytes: number): string => `it has ${byteCount(bytes)}, the limit is 64 MB.`,
  noRunInFile: 'it holds no record of a run. Audit says more.',
  sessionOf: (caller: string): string => `Session of ${caller}`,
  undoOf: (run: string): string => `Undo of run ${run}`,

  /** A run in a list. */
  row: {
    /** A run without a task, or one whose text was erased. */
    unnamed: 'No task, or its text was erased',
    inOtherTab: 'in another tab',
    fromBackup: 'from a backup',
    sealed: 'sealed',
    open: 'open',
    records: (records: number): string => plural(records, { one: '# record', other: '# records' }),
    filter: 'Filter by task, outcome, model, date or id',
    found: (found: number, all: number): string => `${number(found)} of ${number(all)} runs`,
  },

  bar: {
    export: 'Export',
    continue: 'Continue',
    takeOver: 'Take over',
    newRun: 'New run',
    step: 'Step',
    pause: 'Pause',
    run: 'Run',
    abort: 'Abort…',
  },

  abort: {
    title: 'End this run?',
    what: 'An aborted run cannot go on. Its records stay and can be verified.',
    keep: 'Keep the run',
    end: 'End the run',
  },

  /** The word of each state of a run, and its sentence. */
  status: {
    starting: 'Starting',
    readOnly: 'Read only',
    readRun: 'An earlier run. It can be read, verified and exported.',
    readSession: 'A session that was closed. It can be read, verified and exported.',
    approval: 'Waiting for approval',
    approvalOf: (capability: string): string => `Paused. ${capability} needs your approval.`,
    consent: 'Waiting for consent',
    consentTo: (origin: string): string => `Paused. The next request would send private data to ${origin}.`,
    /** After the sentence of a question, where there is a keyboard. */
    questionKey: 'F8 goes to the question.',
    model: 'Waiting for the model',
    waitsFor: (model: string): string => `Waiting for ${model}.`,
    modelAnswers: (model: string): string => `${model} is answering.`,
    modelWaits: (paused: boolean, reason: string, time: string): string =>
      `${paused ? 'Paused' : 'Running'}. ${reason} The model has not answered since ${time}. ${paused ? 'Run asks again.' : 'It is asked again soon.'}`,
    said: (text: string): string => ` It said: ${text}`,
    yourTurn: 'Your turn',
    youAreTheModel: 'You are the model. Send a proposal.',
    running: 'Running',
    runningSentence: 'Running.',
    phases: {
      INPUT_RECEIVED: 'Waiting for a proposal.',
      PROTOCOL_VALIDATING: 'Validating the proposal.',
      AUTHORIZATION_EVALUATING: 'Deciding whether it is permitted.',
      CAPABILITY_EXECUTING: 'Executing in the sandbox.',
      MEMORY_COMMITTING: 'Writing the receipt.',
    },
    ready: 'Ready',
    readySentence: 'Paused before the first step. Nothing has run yet.',
    interrupted: 'Interrupted',
    cutOff: (step: number): string =>
      `Step ${step} was cut off. Whether it took effect is unknown; nothing was run again.`,
    resumed: 'Resumed',
    resumedAt: (seq: number): string => `Resumed where it stopped, as record ${seq} says. No step was run again.`,
    paused: 'Paused',
    pausedAfter: (ending: string): string => `Paused. ${ending}`,
    stepDone: (step: number): string => `Step ${step} is done.`,
    passed: (step: number, title: string): string => `Step ${step}, ${title}, passed every gate.`,
    stopped: (step: number, title: string, gate: string, code: string): string =>
      `Step ${step}, ${title}, was stopped at ${gate}: ${code}.`,
    followed: 'Followed',
    followedSentence: 'Its program has this session open. It is shown as it is written there.',
    unfinished: 'Unfinished',
    leftSentence: 'No program has this session open. The program that began it can resume it.',
    elsewhere: {
      there: { word: 'In another tab', sentence: 'Another tab has this run. It is shown as it is written there.' },
      taken: {
        word: 'Taken over',
        sentence: 'Another tab has this run: it was taken over there. It is shown as it is written there.',
      },
      free: {
        word: 'Unfinished',
        sentence: 'No tab has this run open. It can be continued here, from its last record.',
      },
      taking: {
        word: 'Taking over',
        sentence: 'Waiting for the other tab to finish its step and release the run. A frozen tab must wake first.',
      },
    },
    completed: 'Completed',
    completedIn: (after: string): string => `Completed in ${after}.`,
    aborted: 'Aborted',
    abortedAfter: (after: string): string => `Aborted after ${after}. The log is closed and can be verified.`,
    limit: 'Limit reached',
    limitAfter: (after: string, code: string): string => `Stopped by a limit after ${after}: ${code}.`,
    failed: 'Failed',
    failedAfter: (after: string, code: string): string => `Failed after ${after}: ${code}.`,
    noCode: 'no code',
    steps: (steps: number): string => plural(steps, { one: '# step', other: '# steps' }),
    stepsAndTokens: (steps: string, tokens: number): string =>
      `${steps} and ${plural(tokens, { one: '# token', other: '# tokens' })}`,
  },
  /** A hint of the kernel to the developer; `message` is the kernel's own sentence. */
  notice: (_code: NoticeCode, message: string): string => message,
};

export type RunTexts = typeof en;
export const run: Area<RunTexts> = area('run', en);
