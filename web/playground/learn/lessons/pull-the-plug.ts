import type { CapabilityDefinition } from '../../../../workers/api.ts';
import { pullThePlug } from '../../../texts/en/lessons/pull-the-plug.ts';
import { call, type Lesson, lesson } from './lesson.ts';

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

export const PULL_THE_PLUG: Lesson = lesson(pullThePlug, {
  number: 12,
  minutes: 6,
  right: 2,
  capabilities: [],
  own: [DICE],
  grants: [{ capability: DICE.name, mode: 'allow' }],
  place: 'page',
  opening: [ROLL, ROLL],
  starters: {},
  tasks: {
    resume: {
      steps: [
        [{ kind: 'receipt', body: {} }],
        [{ kind: 'state', body: { event: 'resumed' } }],
        [{ kind: 'receipt', body: { receipt: { status: 'SUCCESS' } } }],
        [{ kind: 'seal', body: { state: 'completed' } }],
      ],
    },
    replay: { audit: { fails: [], passes: [], proves: ['replay', 'decisions', 'hashes'] } },
    cost: { audit: { last: 'Change a cost', fails: ['replay'], passes: [], proves: ['hashes', 'links'] } },
  },
  key: [{ unplug: true }, { replay: true }, { tamper: 'Change a cost' }, { replay: true }],
});
