import { byteCount, byteSize } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const characters = (n: number): string => plural(n, { one: '# character', other: '# characters' });

const en = {
  close: 'Close',
  title: 'Send this run',
  exportTitle: 'Export this run',
  archiveTitle: 'Archive this run',
  looking: 'Looking at its size…',
  makeLink: 'Make the link',
  saveFile: 'Save as a file',
  saveReport: 'Save a report',
  savePage: 'Save as a page',
  cancel: 'Cancel',
  cancelled: 'Cancelled. Change a choice above to prepare it again.',
  pageIs: 'A page is one file with the run and its checks, and needs no network.',
  /** Steps of a report. */
  report: {
    steps: 'A report lists',
    all: 'every step',
    problems: 'steps with a problem',
    range: 'a range of steps',
    from: 'from',
    to: 'to',
  },
  reportIs: 'A report is one file for reading and printing. It has no script, and it loads nothing.',
  discloses: 'What it discloses',
  always: (records: number): string =>
    `Always: ${plural(records, { one: '# record', other: '# records' })} with the names of the model and the capabilities, times, decisions, codes and hashes.`,
  disclosures: {
    plain: {
      word: 'Texts',
      what: 'task, proposals, arguments, results, replies, the definitions of the capabilities, and the grants',
    },
    private: { word: 'Private texts', what: 'every text from the first reading of private content on' },
    secret: {
      word: 'Secret texts',
      what: 'texts of secret capabilities with their salts, and the lines around those that were read',
    },
  },
  none: (word: string): string => `${word}: none in this run.`,
  amount: (payloads: number, bytes: number): string =>
    `(${plural(payloads, { one: '# item', other: '# items' })}, ${byteSize(bytes)})`,
  link: 'The link',
  linkIs:
    'The run is in the part after the #, which browsers never send to a server. It stays in the history of browsers that open it, and in each chat or mail that carries it.',
  copyLink: 'Copy the link',
  saved: 'Saved.',
  copied: 'Copied.',

  offer: {
    leftOut: (texts: number): string =>
      ` ${plural(texts, { one: '# text', other: '# texts' })} left out: a check that needs such a text says that it was not made.`,
    asFile: (bytes: number): string => `As a file it has ${byteCount(bytes)}.`,
    asPage: (bytes: number): string => `As a page it has about ${byteSize(bytes)} and 0.2 MB of code.`,
    tooManyBytes: (limit: number, file: string): string =>
      `Too large for a link: a link holds at most ${byteCount(limit)}. ${file} Save the file instead.`,
    tooLong: (length: number, limit: number, file: string): string =>
      `Too large for a link: it would have ${characters(length)}, the limit is ${number(limit)}. ${file} Save the file instead.`,
    fits: (length: number, places: string, file: string): string =>
      `The link would have ${characters(length)}: ${places}. ${file}`,
    places: {
      chat: 'it fits a chat message',
      most: 'it fits most places',
      few: 'many chats cut it, so a page or a mail is a better place',
    },
  },

  import: {
    title: 'A run from elsewhere',
    given: 'An export, a link with a run, or the address of an export',
    asking: 'Asking…',
    open: 'Open',
    openLink: 'Look at this link',
    openText: 'Open this text',
    ask: (host: string): string => `Ask ${host}`,
    pasted: 'what was pasted',
    noRequest: 'A text and a link stay in this page: no request is made for them.',
    request: (host: string): string =>
      `A worker of this page asks ${host} for this address, without cookies. The server sees the address of your device and of this page. It has to allow this page to read the answer.`,
    answered: (status: number): string => `The server answered ${status}.`,
  },

  sent: {
    reading: 'Reading the link…',
    facts: (run: {
      readonly records: number;
      readonly steps: number;
      readonly characters: number;
      readonly bytes: number;
    }): string =>
      `${plural(run.records, { one: '# record', other: '# records' })}, ${plural(run.steps, { one: '# step', other: '# steps' })}; ${characters(run.characters)} in the link, ${byteCount(run.bytes)} unfolded`,
    thisRun: (facts: string): string => `A link brought this run (${facts}).`,
    otherRun: (facts: string): string => `A link brought another run (${facts}).`,
    untouched: ' None of it was run, nothing was fetched for it, and no grant of this device has changed.',
    open: 'Open it instead of this file',
    leave: 'Go on without it',
    byLink: (id: string): string => `${id} by link`,
    refused: (reason: string): string =>
      `This link cannot be opened: ${reason}. Nothing was run, and nothing was fetched.`,
    noText: 'what is inside is no text',
    noRecord: 'it holds no record of a run',
  },

  fork: {
    leftOut: (step: number): string =>
      `the proposal of step ${step} was left out of the file. Fork there or before it.`,
  },
};

export type SendTexts = typeof en;
export const send: Area<SendTexts> = area('send', en);
