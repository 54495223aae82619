import { definitionOf, ESCAPES, HONEST } from '../lab/escapes.ts';
import { call, called, type Lesson, receipt } from './lesson.ts';

const CHOSEN = ['loop', 'native', 'output', 'constructor', 'pollute'];
const OWN = [...ESCAPES.filter(({ slug }) => CHOSEN.includes(slug)).map(definitionOf), HONEST];
const attack = (slug: string) => call(`attack.${slug}`, '{}', 'Break out');

export const BREAK_OUT: Lesson = {
  number: 6,
  title: 'Break out',
  minutes: 6,
  goal: 'Hostile code is registered, enabled and granted: it may run. Find out what ends it, and what it leaves behind.',
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
    ...CHOSEN.map((slug) => ({ word: slug, text: attack(slug) })),
    { word: 'an honest call', text: call(HONEST.name, '{}') },
  ],
  tasks: [
    { say: 'Run out of fuel.', hint: 'loop', steps: [[receipt('FAILURE', 'fuel_exhausted')]] },
    { say: 'Be killed with your worker.', hint: 'native', steps: [[receipt('FAILURE', 'hang_killed')]] },
    { say: 'Flood the answer.', hint: 'output', steps: [[receipt('FAILURE', 'bytes_out_exceeded')]] },
    {
      say: 'Poison every prototype, and let an honest call follow: it finds its heap as new.',
      hint: 'pollute, then an honest call',
      steps: [
        [called('attack.pollute'), receipt('SUCCESS')],
        [called(HONEST.name), receipt('SUCCESS')],
      ],
    },
  ],
  why: 'Every call starts from the same memory, byte for byte, and ends within limits that others enforce. There is nobody to convince in there.',
  key: ['loop', 'native', 'output', 'pollute']
    .map((slug): { send: string } => ({ send: attack(slug) }))
    .concat({ send: call(HONEST.name, '{}') }),
};
