import { flipOneByte } from '../../../texts/en/lessons/flip-one-byte.ts';
import { call, type Lesson, lesson } from './lesson.ts';

const OPENING = ['1 + 1', '2 * 3', '10 / 4'].map((sum) => call('calc.eval', `{"expression":"${sum}"}`, 'Add'));

/** A run of three sums, opened in the audit panel. */
export const SHORT_RUN: Pick<Lesson, 'capabilities' | 'grants' | 'place' | 'opening'> = {
  capabilities: ['calc.eval'],
  grants: [{ capability: 'calc.eval', mode: 'allow' }],
  place: 'audit',
  opening: OPENING,
};

export const FLIP_ONE_BYTE: Lesson = lesson(flipOneByte, {
  number: 10,
  minutes: 4,
  right: 1,
  ...SHORT_RUN,
  starters: {},
  tasks: {
    flip: { audit: { last: 'Flip a byte', fails: ['hashes'], passes: ['form'] } },
    remove: { audit: { last: 'Delete record', fails: ['links'], passes: [] } },
    cut: { audit: { last: 'Cut the end', fails: ['anchor'], passes: ['form', 'hashes', 'links'] } },
  },
  key: [{ tamper: 'Flip a byte' }, { tamper: 'Delete record' }, { tamper: 'Cut the end' }],
});
