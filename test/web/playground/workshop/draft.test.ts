import { expect, it } from 'vitest';
import { BLANK, readDraft } from '../../../../web/playground/workshop/draft.ts';
import { spoken } from '../../texts/spoken.ts';

const problemOf = (args: string) => {
  const read = readDraft({ ...BLANK, args });
  return read.ok ? undefined : read.problems[0];
};

it('a schema that is no object is refused in the language of the interface', () => {
  expect(problemOf('[]')).toMatchObject({ field: 'args', message: expect.stringMatching(/^A schema is an object\./) });
  spoken('de');
  expect(problemOf('[]')).toMatchObject({ message: expect.stringMatching(/^Ein Schema ist ein Objekt\./) });
  expect(problemOf('[]')?.lang).toBeUndefined();
});

it('a message of the kernel about a draft stays English, and says so', () => {
  spoken('de');
  expect(problemOf('{')).toMatchObject({ field: 'args', lang: 'en' });
});
