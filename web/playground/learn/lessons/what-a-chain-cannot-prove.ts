import { whatAChainCannotProve } from '../../../texts/en/lessons/what-a-chain-cannot-prove.ts';
import { SHORT_RUN } from './flip-one-byte.ts';
import { type Lesson, lesson } from './lesson.ts';

export const WHAT_A_CHAIN_CANNOT_PROVE: Lesson = lesson(whatAChainCannotProve, {
  ...SHORT_RUN,
  number: 11,
  minutes: 4,
  right: 2,
  starters: {},
  tasks: {
    rewrite: { audit: { last: 'Rewrite whole chain', fails: [], passes: ['form', 'hashes', 'links', 'anchor'] } },
    restore: { audit: { last: 'Rewrite whole chain', fails: ['anchor'], passes: ['form', 'hashes', 'links'] } },
  },
  key: [{ anchor: 'clear' }, { tamper: 'Rewrite whole chain' }, { anchor: 'restore' }],
});
