import type { CapabilityDefinition } from '../../../../workers/api.ts';
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
  goal: 'Reload the page in the middle of a run, and finish the run. Then run a recorded run of dice again, and see when the result differs.',
  predict: {
    question: 'The page goes away between two steps. What happens to the run?',
    answers: [
      'It starts from the beginning.',
      'It is lost.',
      'It goes on where it stood, and says that it was interrupted.',
    ],
    right: 2,
    because: 'A step counts once its receipt is on the disk. Resuming adds a record of its own.',
  },
  capabilities: [],
  own: [DICE],
  grants: [{ capability: DICE.name, mode: 'allow' }],
  place: 'page',
  opening: [ROLL, ROLL],
  starters: [],
  tasks: [
    {
      say: 'Finish a run that you interrupted by reloading the page.',
      hint: 'Run: Step, Step; reload this page; Run; answer the question.',
      steps: [
        [{ kind: 'receipt', body: {} }],
        [{ kind: 'state', body: { event: 'resumed' } }],
        [{ kind: 'receipt', body: { receipt: { status: 'SUCCESS' } } }],
        [{ kind: 'seal', body: { state: 'completed' } }],
      ],
    },
    {
      say: 'Another run of yours rolled dice twice. Run it again: the same numbers come up, because the ledger stored them.',
      hint: '“Run it again” is below the checks.',
      audit: { fails: [], passes: [], proves: ['replay', 'decisions', 'hashes'] },
    },
    {
      say: 'In a copy, lower the recorded cost of a roll, with every hash made anew. Run the copy again: the cost differs.',
      hint: 'Change a cost, then “Run it again”.',
      audit: { last: 'Change a cost', fails: ['replay'], passes: [], proves: ['hashes', 'links'] },
    },
  ],
  why: 'A call is recorded before it runs, and a recorded call never runs twice, so an interrupted run loses nothing. Random numbers are recorded too, so every reader of the ledger can run it again and compare.',
  key: [{ unplug: true }, { replay: true }, { tamper: 'Change a cost' }, { replay: true }],
};
