import type { CapabilityDefinition } from '../../../workers/api.ts';
import { guestsInEnglish } from '../../texts/en/breakout.ts';
import type { Escape } from './escapes.ts';

/** The result lists the names that the guest reached. Each entry in the list is an escape. */
const RESULT = {
  type: 'object',
  properties: { reached: { type: 'array', items: { type: 'string' } }, saw: { type: 'string' } },
  required: ['reached'],
  additionalProperties: false,
} as const;

const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const;

/** The honest call made after each attack: it reports any trace that the attack left behind. */
export const HONEST: CapabilityDefinition = {
  name: 'still.here',
  version: '1.0.0',
  description: 'Says whether its heap is as new.',
  args: NOTHING,
  result: RESULT,
  effect: 'pure',
  source: `export default () => ({
  reached: [
    ...('polluted' in {} ? ['a poisoned prototype'] : []),
    ...(globalThis.kept === undefined ? [] : ['a message left behind']),
    ...(JSON.stringify([]) === '[]' ? [] : ['a rewritten JSON']),
  ],
});`,
};

export function nameOf({ slug }: Escape): string {
  return `attack.${slug}`;
}

export function definitionOf(escape: Escape): CapabilityDefinition {
  const { slug, source, limits } = escape;
  return {
    name: nameOf(escape),
    version: '1.0.0',
    description: guestsInEnglish[slug].caption,
    args: NOTHING,
    result: RESULT,
    effect: 'pure',
    source,
    ...(limits === undefined ? {} : { limits }),
  };
}
