import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

/** A piece of a sentence that the view draws: a name, a hash, a stranger's text. */
type Piece = TemplateResult | string | readonly TemplateResult[];

const en = {
  /** The list of lessons. */
  title: 'Learn',
  lead: 'Thirteen lessons of a few minutes. In each you first guess what will happen, then try it with the real gates, the real sandbox and a real ledger, and then read the answer. The ledger ticks off what you have done, and you can save it as evidence.',
  begin: 'Begin',
  goOn: 'Go on',
  onceMore: 'Once more',
  doneHere: (done: number, all: number): string => `${number(done)} of ${number(all)} done on this device`,
  whatEvidenceSays: '“sallyport verify --lesson N” says what they show',
  saveAll: (runs: number): string => `Save all evidence, ${plural(runs, { one: '# run', other: '# runs' })}`,
  forget: 'Forget my progress',
  forgotten: 'Your progress was forgotten.',
  undo: 'Undo',
  done: 'done',
  someTasks: (done: number, all: number): string => `${number(done)} of ${number(all)} tasks`,
  minutes: (minutes: number): string => `${number(minutes)} minutes`,

  /** An open lesson. */
  lesson: {
    way: 'Lessons',
    all: 'All lessons',
    place: (lesson: number, last: number): string => `Lesson ${lesson} of ${last}`,
    projector: 'Projector',
    previous: 'Previous',
    next: 'Next',
    label: 'Lesson',
    turn: 'Your turn',
    expect: 'What do you expect?',
    yourGuess: 'your guess',
    right: 'You guessed right.',
    wrong: (answer: string): string => `Not what you guessed: ${answer}`,
    guessed: 'Your guess is kept. Now find out: the answer comes when the tasks are done.',
    tasks: 'What to do',
    taskDone: ', done',
    taskOpen: ', not done',
    hint: 'Hint',
    solved: 'Done: the ledger shows it',
    save: 'Save the evidence',
    evidence: (files: number, lesson: number): string =>
      `${plural(files, { one: 'One file', other: '# files' })}; “sallyport verify --lesson ${lesson}” says what ${plural(files, { one: 'it shows', other: 'they show together' })}.`,
  },

  /** The learner's side of a lesson. */
  bench: {
    gates: 'Gates',
    guessFirst: 'Guess first. Then it is your turn.',
    grant: 'Grant',
    sourceOf: (capability: string): string => `Source of ${capability}`,
    source: 'Source',
    faultAt: (line: number, column: number): string => `Line ${line}, column ${column}. `,
    load: 'Load it into a new run',
    paper: 'The paper',
    change: 'Change the paper',
    changed: (to: Piece): TemplateResult => html`Changed: the mill is paid “${to}” now.`,
    willChange: (from: Piece, to: Piece): TemplateResult => html`“${from}” becomes “${to}”.`,
    question: 'What do you ask of the small model?',
    askFor: 'Ask for',
    ask: 'Ask it',
    hold: 'Hold it to the form',
    youSend: 'You are the model. What do you send?',
    itSays: 'What it says. Send it.',
    beginWith: 'Begin with',
    send: 'Send',
    personAsked: 'A person is asked.',
    throughGates: 'Through the gates…',
    yourGates: 'Gates of your proposal',
    told: 'The model is told',
    reply: 'Reply to the model',
    earlier: 'Before that',
    making: 'Making a run to audit…',
    noted: (head: string): TemplateResult => html`The head you noted: <span class="mono">${head}…</span>`,
    putBack: 'Put the head back',
    passed: 'Through every gate',
    /** Without a step, the run itself was stopped. */
    stopped: (step: string | undefined, code: string): TemplateResult =>
      html`Stopped at ${step ?? 'the end'}: <span class="mono">${code}</span>`,
    realThing: {
      title: 'On the real thing',
      go: (): TemplateResult => html`Go to the Run panel, and press <strong>Step</strong> twice.`,
      reload: 'Go offline if you like, and reload this page, or close the tab and open it again.',
      run: (): TemplateResult => html`Let the run go on with <strong>Run</strong>, and answer the question it raises.`,
      back: 'Come back here: a second run waits to be played again.',
      toRun: 'To the Run panel',
      look: 'Look at the runs on this device',
    },
    notLoaded: 'The small model could not be loaded. Ask it again online.',
  },
};

export type LearnTexts = typeof en;
export const learn: Area<LearnTexts> = area('learn', en);
