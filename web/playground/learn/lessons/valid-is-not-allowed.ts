import { validIsNotAllowed } from '../../../texts/en/lessons/valid-is-not-allowed.ts';
import { call, type Lesson, lesson, receipt } from './lesson.ts';

const SHOPPING = call('notes.put', '{"name":"shopping","text":"Rye, 25 kg"}', 'Keep');
const OTHER = call('notes.put', '{"name":"secrets","text":"The door code"}', 'Keep');
const decided = (decision: string, code?: string) =>
  ({ kind: 'decision', body: { decision, ...(code === undefined ? {} : { code }) } }) as const;

export const VALID_IS_NOT_ALLOWED: Lesson = lesson(validIsNotAllowed, {
  number: 4,
  minutes: 5,
  right: 1,
  capabilities: ['notes.put'],
  grants: [],
  choices: {
    none: [],
    any: [{ capability: 'notes.put', mode: 'allow' }],
    narrow: [
      {
        capability: 'notes.put',
        mode: 'allow',
        where: { type: 'object', properties: { name: { const: 'shopping' } }, required: ['name'] },
      },
    ],
  },
  starters: {
    shopping: SHOPPING,
    other: OTHER,
  },
  tasks: {
    denied: {
      steps: [[{ kind: 'verdict', body: { accepted: true } }, decided('DENIED_POLICY_VIOLATION', 'no_grant')]],
    },
    narrow: {
      steps: [
        [decided('AUTHORIZED'), receipt('SUCCESS')],
        [{ kind: 'decision', body: { code: 'grant_constraint' } }, receipt('FAILURE')],
      ],
    },
  },
  key: [{ send: SHOPPING }, { choice: 2 }, { send: SHOPPING }, { send: OTHER }],
});
