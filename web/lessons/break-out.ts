import { definitionOf, ESCAPES, HONEST } from '../lab/escapes.ts';
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
  goal: 'Twelve attacks are registered, enabled and granted: they may run. Guess of each what ends it, then see, and what it leaves behind.',
  predict: {
    question: 'A guest hangs in native code, where no fuel is counted. What stops it?',
    answers: ['Nothing: the page freezes.', 'Its fuel runs out.', 'A watchdog ends its worker, and a spare goes on.'],
    right: 2,
    because:
      'Fuel is counted where the guest’s own code runs. For all else there is a deadline, and a worker that can be ended.',
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
    ends('Be killed with your worker.', 'native', 'hang_killed'),
    ends('Run out of memory.', 'memory', 'memory_exceeded'),
    ends('Fall to the end of the stack.', 'stack', 'stack_exceeded'),
    ends('Be stopped by a count that is not fuel.', 'promises', 'jobs_exceeded'),
    ends('Flood the answer.', 'output', 'bytes_out_exceeded'),
    ends('Flood the console.', 'console', 'console_exceeded'),
    {
      say: 'Look for a way out, be let to the end, and find none.',
      hint: title('globals'),
      steps: [[called('attack.globals'), receipt('SUCCESS')]],
    },
    {
      say: 'Poison every prototype, and let an honest call follow: it finds its heap as new.',
      hint: `${title('pollute')}, then an honest call`,
      steps: [
        [called('attack.pollute'), receipt('SUCCESS')],
        [called(HONEST.name), receipt('SUCCESS')],
      ],
    },
  ],
  why: 'Every call starts from the same memory, byte for byte, and ends within limits that others enforce. There is nobody to convince in there.',
  key: ['loop', 'native', 'memory', 'stack', 'promises', 'output', 'console', 'globals', 'pollute']
    .map((slug): { send: string } => ({ send: attack(slug) }))
    .concat({ send: call(HONEST.name, '{}') }),
};

function ends(say: string, slug: string, code: string): Task {
  return { say, hint: title(slug), steps: [[receipt('FAILURE', code)]] };
}
