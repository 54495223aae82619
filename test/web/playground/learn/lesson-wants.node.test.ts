import { expect, test } from 'vitest';
import { LESSON_WANTS } from '../../../../core/lesson/wants.generated.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';

/**
 * The evidence that the command asks for, as a module of data: `npx vitest run
 * test/web/playground/learn/lesson-wants.node.test.ts -u` writes it anew.
 */
test('the command asks for the same evidence as the lessons', async () => {
  const wants = LESSONS.map(({ tasks }) =>
    tasks.map(({ steps, audit }) => ({ ...(steps && { steps }), ...(audit && { audit }) })),
  );
  const text = [
    '/** Written by `test/web/playground/learn/lesson-wants.node.test.ts` from `web/playground/learn/lessons`: what shows that each task of each lesson was done. */',
    "import type { TaskWant } from './shows.ts';",
    '',
    `export const LESSON_WANTS: readonly (readonly TaskWant[])[] = ${JSON.stringify(wants)};`,
    '',
  ].join('\n');
  await expect(text).toMatchFileSnapshot('../../../../core/lesson/wants.generated.ts');
  expect(LESSON_WANTS).toEqual(wants);
});
