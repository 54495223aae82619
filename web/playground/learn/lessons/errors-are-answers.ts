import { errorsAreAnswers } from '../../../texts/en/lessons/errors-are-answers.ts';
import { call, called, type Lesson, lesson, receipt, rejected } from './lesson.ts';

const WRONG = call('unit.convert', '{"value":"250","from":"g","to":"kg"}', 'Weigh');
const RIGHT = call('unit.convert', '{"value":250,"from":"g","to":"kg"}', 'Weigh');

export const ERRORS_ARE_ANSWERS: Lesson = lesson(errorsAreAnswers, {
  number: 3,
  minutes: 4,
  right: 1,
  capabilities: ['unit.convert'],
  grants: [{ capability: 'unit.convert', mode: 'allow' }],
  starters: { wrong: WRONG },
  tasks: {
    refused: {
      steps: [[rejected('arguments', 'arguments_schema'), { kind: 'observation', body: { status: 'error' } }]],
    },
    corrected: {
      steps: [
        [rejected('arguments'), receipt('FAILURE')],
        [called('unit.convert'), receipt('SUCCESS')],
      ],
    },
  },
  key: [{ send: WRONG }, { send: RIGHT }],
});
