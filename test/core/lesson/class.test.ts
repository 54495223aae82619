import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classTable, lessonNamed, type PupilWork, workOf } from '../../../core/lesson/class.ts';

const work = (name: string, runs: readonly string[], isShown: boolean): PupilWork => ({
  name,
  files: [],
  ignored: 2,
  lessons: [{ lesson: 1, tasks: [true, isShown], runs, isHandedIn: runs.length > 0 }],
});

test.each([
  ['lesson-4.run.jsonl', 4],
  ['ana.zip: lesson-12.3.run.jsonl', 12],
  ['class\\ana\\Lesson-4.run (1).jsonl', 4],
  ['lesson-4.run.jsonl/notes.jsonl', undefined],
  ['lesson-99.run.jsonl', undefined],
  ['lesson-123.run.jsonl', undefined],
  ['my-lesson-4.jsonl', undefined],
])('the name %s tells lesson %s', (name, lesson) => {
  expect(lessonNamed(name)).toBe(lesson);
});

test('pupils with a run in common are all marked, and the others are solved, not yet or missing', () => {
  const { pupils, ignored } = classTable(
    [
      work('ana', ['1', '2'], true),
      work('ben', ['2'], true),
      work('carl', ['3'], true),
      work('dora', ['4'], false),
      work('emil', [], false),
    ],
    [1],
  );
  const cells = pupils.map(({ lessons: [cell] }) => [cell?.state, cell?.solved, cell?.shared]);
  expect(cells).toEqual([
    ['copied', true, ['ben']],
    ['copied', true, ['ana']],
    ['solved', true, []],
    ['not_yet', false, []],
    ['missing', false, []],
  ]);
  expect(pupils.map(({ shared }) => shared)).toEqual([
    [{ pupil: 'ben', runs: 1, of: 2 }],
    [{ pupil: 'ana', runs: 1, of: 1 }],
    [],
    [],
    [],
  ]);
  expect([pupils.map(({ solved }) => solved), ignored]).toEqual([[1, 1, 1, 0, 0], 10]);
});

test('two pupils of the same name are two pupils', () => {
  const { pupils } = classTable([work('ana', ['1'], true), work('ana', ['1'], true)], [1]);
  expect(pupils.map(({ lessons: [cell] }) => cell?.state)).toEqual(['copied', 'copied']);
});

test('a file that cannot be read solves nothing, whatever its name, and never throws', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const { files, lessons } = workOf('ana', [{ name, fault: 'gone' }], [1, 10]);
      expect(files[0]).toMatchObject({ name, use: 'unread', code: 2 });
      expect(lessons.every(({ tasks }) => !tasks.includes(true))).toBe(true);
    }),
  );
});
