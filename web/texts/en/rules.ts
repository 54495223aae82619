import { RULE_WORDS, type RuleWords } from '../../../core/privilege/words.ts';
import { type Area, area } from '../area.ts';
import { dateTime, number, plural } from '../intl.ts';

const calls = (count: number): string => plural(count, { one: '# call', other: '# calls' });

const en = {
  /** The words of every rule: the same that the command line prints. */
  words: RULE_WORDS as RuleWords,
  forms: {
    constant: 'this value alone',
    values: 'one of these values',
    range: 'a range',
    folder: 'inside of a folder',
    origin: 'at a web address',
    prefix: 'with a beginning',
    format: 'of a format',
    length: 'up to a length',
    list: 'a list',
    object: 'an object',
    either: 'of several kinds',
    any: 'anything of its kind',
  },
  /** Beside an approval card and in the list of a tool. */
  recent: (count: number): string => `${calls(count)} of this kind in the last hour`,
  propose: 'Propose a rule',

  watch: {
    title: 'Watch it',
    what: 'Its calls run where no grant of it speaks, and are recorded, until the watch ends. Then propose a rule. The guard asks as before.',
    length: 'For',
    egress: 'Let it send data out, too: otherwise each such call asks',
    begin: 'Begin to watch',
    begun: (until: number): string => `Watching until ${dateTime(until)}, in runs that start from now on.`,
  },

  title: 'A rule from what ran',
  close: 'Close',
  reading: 'Reading the recorded calls…',
  readShare: (percent: number): string => `Reading the recorded calls: ${number(percent)} %`,
  cancel: 'Cancel',
  canceled: 'Canceled. Nothing was changed.',
  again: 'Read again',
  failed: (why: string): string => `The rule could not be made: ${why}`,
  none: 'No recorded call of this tool has run with arguments that are still here. Let it run a few times, then propose a rule.',
  noneLeft: 'You have left out every call, so the rule would cover none.',
  backToProposal: 'Back to the proposal',
  rest: (count: number): string =>
    `It rests on ${calls(count)}. ${count < 5 ? 'That is little: the next call may well be another.' : 'What was never seen is not covered.'}`,

  inWords: 'The rule in words',
  mode: 'A call that it covers',
  modes: { allow: 'runs without a question', ask: 'asks me' },
  keeps: {
    untrusted: 'It keeps asking: every value was seen after a stranger’s text was read, which may have chosen it.',
    refused:
      'It keeps asking: you or the guard have refused a call that it covers. Leave out that call’s values to permit the others.',
  },
  allows: {
    write: 'This tool changes data. With this rule, each call of the list below would have run without you.',
    egress: 'This tool sends data out. With this rule, each call of the list below would have run without you.',
  },
  guard: 'After a stranger’s text was read, the guard still asks about such calls.',

  places: 'Its arguments',
  whole: 'the arguments',
  form: 'How wide',
  seen: 'Seen. Clear a value to leave out its calls:',
  beyond: 'Seen after reading a stranger’s text. Tick a value only if you would have chosen it:',
  unquoted: 'Its values are secret or long, and are not shown.',
  taken: (count: number): string => plural(count, { one: '# value taken in', other: '# values taken in' }),
  offered: (count: number): string =>
    plural(count, { one: '# value behind a stranger’s text', other: '# values behind a stranger’s text' }),

  covers: (count: number): string => `Covers ${calls(count)}`,
  refuses: (count: number): string => `Would have refused ${calls(count)}`,
  asksOutside: (count: number): string => `Would have asked about ${calls(count)}`,
  noCall: 'No call.',
  newest: (count: number): string => `The newest ${number(count)} are shown.`,
  ends: { ran: 'ran', denied: 'you said no', refused: 'refused', open: 'was not answered' },
  hidden: 'arguments not shown',
  openStep: (step: number): string => `Open step ${number(step)}`,
  step: (step: number): string => `Step ${number(step)}`,

  attempt: 'Try it',
  trying: 'Deciding the recorded calls again…',
  tried: 'Tried on what was recorded',
  unknownPath: 'What a run would have done behind a refusal is not known.',
  unchanged: 'Every recorded call would have gone as it went.',
  replaces: (count: number): string =>
    plural(count, {
      one: 'It takes the place of # permission of this tool, which ends at once. Denials stay.',
      other: 'It takes the place of # permissions of this tool, which end at once. Denials stay.',
    }),
  accept: 'Accept the rule',
  accepting: 'Writing the rule…',
  notAccepted: (why: string): string => `The rule was not accepted: ${why}`,
  changed: 'The tool has another definition by now. Close this, and propose a rule anew.',
  accepted: 'The rule holds for runs that start from now on. It stands in the list of grants, where you can revoke it.',
};

export type RulesTexts = typeof en;
export const rules: Area<RulesTexts> = area('rules', en);
