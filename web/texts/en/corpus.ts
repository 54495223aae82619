import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  added: (name: string, added: number, changed: number, unchanged: number): string =>
    `${name}: ${number(added)} added, ${number(changed)} changed, ${number(unchanged)} unchanged.`,
  noFiles: (name: string): string => `${name} has no files. Nothing was added.`,
  noneMatches: (name: string, files: number): string =>
    `None of the ${number(files)} files of ${name} matches the patterns. Change them, or pick the files one by one.`,
  /** The patterns select no file, and those for notes would. */
  notesInstead: (name: string, notes: number): string =>
    `No file of ${name} matches the patterns, but ${plural(notes, { one: '# is', other: '# are' })} Markdown or text.`,
  /** Why a file is left out; it follows the path of the file and a colon. */
  leftOut: {
    notText: (byte: number): string => `it is not UTF-8 text: byte ${number(byte)} is invalid`,
    large: (size: number, most: number): string => `it has ${byteCount(size)}, and the limit is ${byteCount(most)}`,
    /** The reason is the kernel's, in English. */
    path: (reason: string): string => `its name is not taken: ${reason}`,
    twice: 'another file has the same name',
  },
  cancelled: 'Cancelled. Nothing was added.',
  large: 'These files replace files that are here, more than this page can bring back. Nothing was added yet.',
  filesRestored: 'The files are as they were before.',
  removed: (path: string): string => `${path} was removed.`,
  back: (name: string): string => `${name} is back.`,
  takenBack: (step: number): string => `The changes of step ${step} were taken back.`,
  stepBack: (step: number): string => `The changes of step ${step} are back.`,
  largeStep: (step: number): string =>
    `The files of step ${step} hold more text than this page can bring back. Nothing was taken back yet.`,
  symbols: {
    defined: (symbol: string): string => `${symbol} is defined.`,
    forgotten: (symbol: string): string => `${symbol} was forgotten.`,
    imported: (symbols: number): string =>
      `${plural(symbols, { one: '# symbol was', other: '# symbols were' })} taken in.`,
    restored: 'The symbols are as they were before.',
  },
  /** Runs that read the person's own files. */
  own: {
    /** The name of a run about them. */
    name: 'Your files',
    task: 'What are my files about?',
    question: 'Your question about these files',
    example: 'When is my appointment?',
    ask: 'Ask',
    /** The switch. */
    may: (files: number): string =>
      `Runs may search and read your ${plural(files, { one: '# file', other: '# files' })}`,
    on: 'A model on this device reads parts of them without asking you. A model elsewhere gets no text before you say yes.',
    off: 'No run can search or read them, in any wire form.',
    revoked:
      'You have revoked the grant for content.read, so no run can search or read them. Turn this on to give it again.',
    partly:
      'A grant is missing or denied, so a run may reach a part of them. Turn this on, or on and off, to decide on all.',
    answers: (model: string, place: string): string => `${model}, ${place}, answers.`,
    noModel: 'You choose the model that answers when you ask.',
    unreached: (files: number): string =>
      `A run could not reach your ${plural(files, { one: '# file', other: '# files' })} now.`,
    mend: 'Let runs read them',
    empty: 'There are no files yet, so this run cannot answer from them.',
    add: 'Add files',
    /** Said before a run of another scenario. */
    beside: (files: number): string =>
      `This run works for its own scenario. It may also read your ${plural(files, { one: '# file', other: '# files' })}.`,
    only: 'Ask about my files',
    /** Said in the place of all this while a script proposes. */
    script: (files: number): string =>
      `A script proposes in this run, and it does not read your ${plural(files, { one: 'file', other: '# files' })}. A model can answer from ${plural(files, { one: 'it', other: 'them' })}.`,
  },
  files: (files: number): string => plural(files, { one: '# file', other: '# files' }),
  dropped: (items: number): string => `${number(items)} dropped`,
};

export type CorpusTexts = typeof en;
export const corpus: Area<CorpusTexts> = area('corpus', en);
