import { call, type Lesson, receipt } from './lesson.ts';

const SHOPPING = call('notes.put', '{"name":"shopping","text":"Rye, 25 kg"}', 'Keep');
const OTHER = call('notes.put', '{"name":"secrets","text":"The door code"}', 'Keep');
const decided = (decision: string, code?: string) =>
  ({ kind: 'decision', body: { decision, ...(code === undefined ? {} : { code }) } }) as const;

export const VALID_IS_NOT_ALLOWED: Lesson = {
  number: 4,
  title: 'Valid is not allowed',
  minutes: 5,
  goal: 'Propose a valid call without a grant. Then choose the narrowest grant that still allows you to keep the shopping list.',
  predict: {
    question: 'notes.put exists, is enabled, and its arguments are right. There is no grant. What happens?',
    answers: ['It runs: it is valid.', 'It is denied at authorize.', 'A person is asked.'],
    right: 1,
    because: 'Without a grant a call is denied. A person is asked only if a grant says so.',
  },
  capabilities: ['notes.put'],
  grants: [],
  choices: [
    { word: 'No grant', grants: [] },
    { word: 'Any note, as often as it likes', grants: [{ capability: 'notes.put', mode: 'allow' }] },
    {
      word: 'Only the note called shopping',
      grants: [
        {
          capability: 'notes.put',
          mode: 'allow',
          where: { type: 'object', properties: { name: { const: 'shopping' } }, required: ['name'] },
        },
      ],
    },
  ],
  starters: [
    { word: 'Keep the shopping list', text: SHOPPING },
    { word: 'Keep something else', text: OTHER },
  ],
  tasks: [
    {
      say: 'Without a grant: denied, though valid.',
      hint: 'Send the shopping list as it is.',
      steps: [[{ kind: 'verdict', body: { accepted: true } }, decided('DENIED_POLICY_VIOLATION', 'no_grant')]],
    },
    {
      say: 'With the narrowest grant: the shopping list is kept, and another note is denied in the same run.',
      hint: 'Try both notes under each grant.',
      steps: [
        [decided('AUTHORIZED'), receipt('SUCCESS')],
        [{ kind: 'decision', body: { code: 'grant_constraint' } }, receipt('FAILURE')],
      ],
    },
  ],
  why: 'A valid call still needs a grant. A grant names a definition by its hash, and can restrict the arguments.',
  key: [{ send: SHOPPING }, { choice: 2 }, { send: SHOPPING }, { send: OTHER }],
};
