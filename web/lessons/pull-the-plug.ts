import type { CapabilityDefinition } from '../../workers/api.ts';
import { call, type Lesson } from './lesson.ts';

/** It asks for chance, and is given it through a power: so the ledger has it too. */
const DICE: CapabilityDefinition = {
  name: 'dice.roll',
  version: '1.0.0',
  description: 'Rolls two dice.',
  args: { type: 'object', additionalProperties: false },
  effect: 'pure',
  powers: ['random'],
  source: `export default async (args, powers) => {
  const roll = async () => 1 + Math.floor((await powers.random()) * 6);
  return [await roll(), await roll()];
};
`,
};
const ROLL = call(DICE.name, '{}', 'Roll the dice');

export const PULL_THE_PLUG: Lesson = {
  number: 12,
  title: 'Pull the plug, play it again',
  minutes: 6,
  goal: 'Reload the page in the middle of a run, and take the run to its end. Then play a run again that rolled dice, and find out when it comes out differently.',
  predict: {
    question: 'The page goes away between two steps. What happens to the run?',
    answers: [
      'It starts from the beginning.',
      'It is lost.',
      'It goes on where it stood, and says that it was interrupted.',
    ],
    right: 2,
    because:
      'A step counts once its receipt is on the disk. What was acknowledged stays, and coming back is a record of its own.',
  },
  capabilities: [],
  own: [DICE],
  grants: [{ capability: DICE.name, mode: 'allow' }],
  place: 'page',
  opening: [ROLL, ROLL],
  starters: [],
  tasks: [
    {
      say: 'One run on this device has receipts from before and from after it was taken up again, and an end.',
      hint: 'Run: Step, Step; reload this page; Run; answer the question.',
      steps: [
        [{ kind: 'receipt', body: {} }],
        [{ kind: 'state', body: { event: 'resumed' } }],
        [{ kind: 'receipt', body: { receipt: { status: 'SUCCESS' } } }],
        [{ kind: 'seal', body: { state: 'completed' } }],
      ],
    },
    {
      say: 'Another run of yours rolled dice twice. Run it again: the same eyes come up, because the ledger kept what chance had said.',
      hint: '“Run it again” is below the checks.',
      audit: { fails: [], passes: [], proves: ['replay', 'decisions', 'hashes'] },
    },
    {
      say: 'Let the copy say that a roll was cheaper, with every hash made anew, and run that again: it comes out differently.',
      hint: 'Change a cost, then “Run it again”.',
      audit: { last: 'Change a cost', fails: ['replay'], passes: [], proves: ['hashes', 'links'] },
    },
  ],
  why: 'Nothing runs that was not written down first, and nothing that was written down runs twice. That is why pulling the plug is boring. And since even chance is written down, whoever has the ledger can do all of it again, and see whether it is true.',
  key: [{ unplug: true }, { replay: true }, { tamper: 'Change a cost' }, { replay: true }],
};
