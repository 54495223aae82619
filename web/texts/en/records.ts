import { TALLY_WORDS, type TallyWords } from '../../../core/index.ts';
import { type Area, area } from '../area.ts';
import { list, number, plural } from '../intl.ts';

const en = {
  /** The word of a record in a list. A filter such as `status:denied` finds it. */
  words: {
    configured: 'configured',
    task: 'task',
    received: 'received',
    edited: 'edited by a person',
    rejected: 'rejected',
    valid: 'valid',
    authorized: 'authorized',
    asksPerson: 'asks a person',
    asksAuthorizer: 'asks the authorizer',
    denied: 'denied',
    waiting: 'waiting',
    approved: 'approved',
    saidNo: 'said no',
    signedPart: 'signed',
    consentAsked: 'consent asked',
    consentGiven: 'consent given',
    consentRefused: 'consent refused',
    revoked: 'revoked',
    starting: 'starting',
    power: 'power',
    powerAnswered: 'power answered',
    parked: 'parked',
    settled: 'settled',
    read: 'read',
    written: 'written',
    replied: 'replied',
    receipt: 'receipt',
    turnedAway: 'turned away',
    outcomeTaken: 'outcome taken',
    resumed: 'resumed',
    interrupted: 'interrupted',
    modelFailed: 'model failed',
  },
  /** The end of a turn or a run. */
  ends: { completed: 'completed', aborted: 'aborted', limit: 'limit', failed: 'failed' },
  /** An entry of the log itself: its word, and what happened. */
  logWords: {
    lost: 'lost',
    restored: 'restored',
    backup_made: 'backed up',
    backup_restored: 'brought back',
    archived: 'archived',
    deleted: 'deleted',
    erased: 'erased',
    forgotten: 'forgotten',
    cleared: 'cleared',
    notified: 'notified',
    undone: 'undone',
  },
  log: {
    lost: 'the browser lost the log; a new epoch begins',
    restored: 'the browser lost the log; every record was restored',
    backup_made: 'a backup of the whole log was made',
    backup_restored: 'a backup was restored',
    archived: 'a run was archived',
    deleted: 'a run was deleted',
    erased: 'bytes were erased',
    forgotten: 'stored values were erased',
    cleared: 'a person has cleared a source that held values were handed to',
    notified: 'a message about an open question was sent, or could not be sent',
    undone: 'the changes of a step were taken back',
  },
  /** Reads of a running program. */
  reads: (reads: number): string => plural(reads, { one: '# read', other: '# reads' }),
  labels: { private: 'private', untrusted: 'untrusted' },
  /** Why a person is asked, as the guard or the grant says it. */
  why: {
    grant: 'the grant says to ask',
    untrusted: 'the model has read untrusted data',
    private_and_untrusted: 'the model has read private and untrusted data',
    held: 'the grant does not accept its held values',
    held_private: 'it sends out a private held value',
    authorizer: 'its rules have to permit it, too',
  },
  /** The result that a record states. */
  status: { success: 'success', error: 'error', failure: 'failure', partial: 'partial' },
  /** The contents of a valid proposal without a name of its own. */
  aCall: 'a call',
  aMessage: 'a message',
  done: 'done',
  session: (caller: string): string => `session of ${caller}`,
  undo: (calls: number, run: string): string =>
    `takes back ${plural(calls, { one: '# call', other: '# calls' })} of the run ${run}`,
  fromStart: (labels: readonly string[]): string => `${list(labels)} from the start`,
  at: (gate: string): string => `at ${gate}`,
  disabled: (capability: string): string => `${capability} is disabled`,
  grantOf: (capability: string): string => `a grant of ${capability}`,
  bytesTo: (bytes: number, origin: string): string => `${number(bytes)} to ${origin}`,
  needsApproval: (capability: string): string => `${capability} needs approval`,
  once: 'once',
  withChange: 'with a change',
  againInRun: 'and again in this run',
  answeredByProgram: 'answered by a program',
  answeredByAuthorizer: 'answered by the authorizer',
  answeredByNobody: 'nobody could be asked',
  answeredLater: 'a person is asked before the next request',
  approverFailed: 'the approver failed',
  signedBy: (name: string): string => `signed by ${name}`,
  keptUntilAnswer: 'kept until its power answers',
  /** By a watch, and by no grant of its own. */
  watched: (capability: string): string => `${capability}, by a watch`,
  carriedOut: 'carried out by the program',
  sentAgain: 'sent twice, because the server had forgotten its session',
  declared: (capability: string, effect: string): string =>
    `${capability} counts as ${effect}, as a person has declared`,
  /** A result that the model was told for bits; `drops`: without counting as untrusted. */
  released: (bits: number, drops: boolean): string =>
    `released for ${en.bits(bits)}${drops ? '; whoever wrote the value may choose among these answers' : ''}`,
  bits: (bits: number): string => plural(bits, { one: '# bit', other: '# bits' }),
  /** The model has the handle, and not the result. */
  heldAs: (handle: string): string => `held as ${handle}`,
  toldHandle: (handle: string): string => `with the handle ${handle}`,
  fuel: (fuel: number): string => `${number(fuel)} fuel`,
  cutOff: 'cut off; the outcome is unknown',
  noAnswer: 'the model did not answer',
  steps: (steps: number): string => plural(steps, { one: '# step', other: '# steps' }),
  firstKept: (bytes: string, kept: number): string => `${bytes}, the first ${number(kept)} kept`,
  /** The title of a step without a capability, and of the records beside the steps. */
  titles: {
    say: 'a message',
    finish: 'the end',
    work: 'a work order',
    call: 'a proposal',
    run: 'The run',
    end: 'The end of the run',
  },
  messages: (messages: number): string => plural(messages, { one: '# message', other: '# messages' }),
  sameAs: (step: string): string => `of step ${step}`,
  operations: (operations: number): string => plural(operations, { one: '# operation', other: '# operations' }),
  /** The end of a step in a list, and the place where it ended. */
  outcomes: { stopped: 'stopped', waits: 'waits', passed: 'passed', underWay: 'under way' },
  forYou: 'for you',
  /** What the receipts of a turn say, in numbers: it stands beside the last words of the model. */
  tally: TALLY_WORDS as TallyWords,
  moreValues: (values: number): string =>
    `${plural(values, { one: '# more value', other: '# more values' })} in the records.`,
};

export type RecordTexts = typeof en;
export const records: Area<RecordTexts> = area('records', en);
/** The English texts: a filter in English finds records on a page in any language. */
export const englishRecords: RecordTexts = en;
