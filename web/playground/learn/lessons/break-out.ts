import { definitionOf, HONEST } from '../../breakout/escape-capability.ts';
import { ESCAPES } from '../../breakout/escapes.ts';
import { call, called, type Lesson, receipt, type Task } from './lesson.ts';

const CHOSEN = [
  'loop',
  'swallow',
  'regex',
  'native',
  'memory',
  'stack',
  'promises',
  'output',
  'console',
  'globals',
  'constructor',
  'pollute',
];
const TWELVE = CHOSEN.flatMap((slug) => ESCAPES.filter((escape) => escape.slug === slug));
const OWN = [...TWELVE.map(definitionOf), HONEST];
const attack = (slug: string) => call(`attack.${slug}`, '{}', 'Break out');
const title = (slug: string) => TWELVE.find((escape) => escape.slug === slug)?.title ?? slug;

export const BREAK_OUT: Lesson = {
  number: 6,
  title: 'Break out',
  minutes: 6,
  goal: 'Twelve attacks are registered, enabled and granted, so they run. Guess what ends each attack, then see it, and see what it leaves behind.',
  predict: {
    question: 'A guest hangs in native code, where no fuel is counted. What stops it?',
    answers: ['Nothing: the page freezes.', 'Its fuel runs out.', 'A watchdog ends its worker, and a spare goes on.'],
    right: 2,
    because:
      'Fuel counts the operations of the guest’s own code. Native code has a deadline, and a watchdog ends the worker that passes it.',
  },
  capabilities: [],
  own: OWN,
  grants: OWN.map(({ name }) => ({ capability: name, mode: 'allow' })),
  starters: [
    ...TWELVE.map(({ slug, title: word }) => ({ word, text: attack(slug) })),
    { word: 'An honest call', text: call(HONEST.name, '{}') },
  ],
  tasks: [
    ends('Run out of fuel.', 'loop', 'fuel_exhausted'),
    ends('Hang in native code: the worker is killed.', 'native', 'hang_killed'),
    ends('Run out of memory.', 'memory', 'memory_exceeded'),
    ends('Run out of stack.', 'stack', 'stack_exceeded'),
    ends('Hit a limit other than fuel: promise jobs.', 'promises', 'jobs_exceeded'),
    ends('Return more bytes than an answer may have.', 'output', 'bytes_out_exceeded'),
    ends('Write more to the console than it may hold.', 'console', 'console_exceeded'),
    {
      say: 'Look for a way out. The attack runs to its end and finds none.',
      hint: title('globals'),
      steps: [[called('attack.globals'), receipt('SUCCESS')]],
    },
    {
      say: 'Change every prototype, then make an honest call: its heap is as new.',
      hint: `${title('pollute')}, then an honest call`,
      steps: [
        [called('attack.pollute'), receipt('SUCCESS')],
        [called(HONEST.name), receipt('SUCCESS')],
      ],
    },
  ],
  why: 'Every call starts from the same memory, byte for byte. The host enforces the limits from outside, so code in the sandbox cannot talk its way out.',
  key: ['loop', 'native', 'memory', 'stack', 'promises', 'output', 'console', 'globals', 'pollute']
    .map((slug): { send: string } => ({ send: attack(slug) }))
    .concat({ send: call(HONEST.name, '{}') }),
};

function ends(say: string, slug: string, code: string): Task {
  return { say, hint: title(slug), steps: [[receipt('FAILURE', code)]] };
}
