import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  title: 'Break out',
  attacks: 'Attacks',
  groups: { guest: 'Hostile code, in the sandbox', proposal: 'Hostile proposals, at the gates' },
  score: (left: number, tried: number): TemplateResult =>
    tried === 0
      ? html`No attempt was made yet`
      : html`<strong class=${left === 0 ? '' : 'bad'}>${number(left)}</strong> of ${plural(tried, { one: '# attempt', other: '# attempts' })} left the sandbox`,
  pause: (ms: number): string => ` · this page never waited longer than ${number(ms)} ms`,
  progress: (done: number, of: number): string => `${number(done)} of ${number(of)} `,
  save: 'Save the ledger',
  runAll: (attempts: number): string => `Run all ${number(attempts)}`,
  cancel: 'Cancel',
  faces: { underWay: 'under way', notTried: 'not tried', held: 'held', unexpected: 'not as expected' },
  try: 'Try it',
  tryAgain: 'Try it again',
  proposalBytes: 'The proposal, byte for byte',
  proposal: 'Proposal',
  guestSource: 'The guest’s source',
  source: 'Source',
  reached: (names: unknown): TemplateResult => html`It reached ${names}.`,
  ranToEnd: 'It ran to its end and reached no forbidden name.',
  gates: 'Gates of this attack',
  stoppedBy: 'Stopped by',
  notStopped: 'not stopped',
  where: 'Where',
  nowhere: 'nowhere',
  next: 'The next call',
  nextGood: (ms: number): string => `went through, on a fresh heap, ${number(Math.round(ms))} ms`,
  nextBad: (ms: number): string => `failed, ${number(Math.round(ms))} ms`,
  told: 'What the model is told',
  reply: 'Reply to the model',
};

export type BreakoutTexts = typeof en;
export const breakout: Area<BreakoutTexts> = area('breakout', en);

const attackWords = {
  /** Hostile guests: the attempt, and the reason why it does not work. */
  guests: {
    loop: {
      title: 'Loop for ever',
      caption: 'Fuel counts every turn, the same in every browser. At the limit the loop is ended.',
    },
    swallow: {
      title: 'Swallow the stop',
      caption: 'Catches every exception and goes on. The stop is not an exception, so the code cannot catch it.',
    },
    native: {
      title: 'Hang in native code',
      caption:
        'A search over 2⁵³ places, inside the engine, where no fuel is counted. A watchdog ends the whole worker; a warm spare goes on.',
    },
    regex: {
      title: 'A hungry pattern',
      caption: 'Forty letters keep this expression busy for a thousand years. Matching costs fuel, too.',
    },
    memory: {
      title: 'Eat all memory',
      caption:
        'The heap is a WebAssembly memory with a hard maximum. At the maximum the call ends, and its heap is thrown away.',
    },
    stack: {
      title: 'Fall without a floor',
      caption: 'Recursion ends at the guest’s own stack, long before the host’s.',
    },
    promises: {
      title: 'A storm of promises',
      caption: 'Each job is too short for the fuel counter to see. So the jobs are counted.',
    },
    output: {
      title: 'Flood the answer',
      caption: 'Returns a megabyte instead of a sentence. The host measures the result before it reads it.',
    },
    console: { title: 'Flood the console', caption: 'The log has a limit of its own. At the limit the call ends.' },
    globals: {
      title: 'Look for a way out',
      caption: 'Looks for the network, the page, workers, storage and shared memory. The sandbox has none of them.',
    },
    import: {
      title: 'Import a module from a server',
      caption: 'There is no loader behind import(): not for the network, not for the engine’s own library.',
    },
    constructor: {
      title: 'Climb the constructors',
      caption: 'Every function leads to Function, and Function to the global object. That object is the sandbox’s own.',
    },
    pollute: {
      title: 'Poison every prototype',
      caption: 'Rewrites JSON, Promise and Object to harm the next call. The next call starts from a fresh heap.',
    },
    ticket: {
      title: 'Forge a power',
      caption:
        'Uses powers that it never declared, and tries to answer its own calls. The host passes powers by name, and frozen.',
    },
    proxy: {
      title: 'Answer with a trap',
      caption: 'Returns a proxy that never ends. The sandbox writes it out on the guest’s own fuel.',
    },
    thenable: {
      title: 'A promise that never settles',
      caption: 'Returns a thenable that resolves to itself for ever. Each turn is a job, and jobs are counted.',
    },
    proto: {
      title: 'A result that changes yours',
      caption:
        'Returns a member called __proto__ to harm a program that merges answers. The schema does not list it, so the answer is dropped.',
    },
    deep: {
      title: 'A well of brackets',
      caption: 'Returns half a million levels of nesting. The guest runs out of its own stack while it parses them.',
    },
    clock: {
      title: 'Measure and guess',
      caption:
        'Looks for a moving clock and for unrecorded random numbers. In the sandbox time stands still, and random numbers are recorded.',
    },
  },
  /** Hostile proposals: the attempt, and the reason why it does not work. */
  proposals: {
    prose: {
      title: 'A sentence',
      caption: 'Claims that the action was done. Prose is not a proposal, and only receipts prove an action.',
    },
    comment: {
      title: 'A comment',
      caption: 'Puts a comment before the JSON. JSON has no comments, so the parser refuses it.',
    },
    sameKey: {
      title: 'The same key twice',
      caption: 'Most parsers take the last value, and some take the first. The gate refuses both.',
    },
    escapedKey: {
      title: 'The same key, spelt differently',
      caption: 'The second key is the first key with an escaped letter. The gate compares names after unescaping.',
    },
    halfCharacter: {
      title: 'Half a character',
      caption: 'Half of a surrogate pair changes when a program encodes it. The gate refuses it.',
    },
    depth: {
      title: 'A very deep value',
      caption:
        'Nests so deep that reading it could overflow the stack. The gate limits the depth before it reads further.',
    },
    number: {
      title: 'A number that changes',
      caption: 'It would be read as a different number, ending in 2, so the call would differ from the approved call.',
    },
    twoAnswers: {
      title: 'Two answers at once',
      caption: 'A next step and an end in the same proposal. The gate does not choose between them, and refuses both.',
    },
    dialect: {
      title: 'Another dialect',
      caption: 'A good FemtoClaw call, in a run that speaks XCT. The dialect is chosen, never guessed.',
    },
    member: {
      title: 'A member too many',
      caption: 'Brings its own approval along. Unknown members are refused, not ignored.',
    },
    truthy: {
      title: 'A truthy end',
      caption: 'The member has to be true. The text has the wrong type, and the gate does not convert it.',
    },
    network: {
      title: 'A way to the network',
      caption: 'The capability does not exist, so no grant can permit it. The kernel has no network either.',
    },
    lookalike: {
      title: 'A name that looks right',
      caption: 'The first e is Cyrillic. Names are compared code unit by code unit, not by how they look.',
    },
    inherited: {
      title: 'A borrowed name',
      caption:
        'Every JavaScript object inherits this name. The registry holds only registered names and inherits none.',
    },
    prototype: {
      title: 'A poisoned prototype',
      caption:
        'Hopes that a program merges it into an object. The schema does not list this argument, so it is refused.',
    },
    order: {
      title: 'An order without authority',
      caption: 'The call is valid, but no grant permits it, so it is denied.',
    },
  },
};

export type AttackTexts = typeof attackWords;
export const attacks: Area<AttackTexts> = area('attacks', attackWords);

/** The English texts of the guests: a guest's definition is recorded, and its description is English. */
export const guestsInEnglish: AttackTexts['guests'] = attackWords.guests;
