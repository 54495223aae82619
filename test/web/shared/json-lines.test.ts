import { expect, test } from 'vitest';
import { linesOf } from '../../../web/shared/json-lines.ts';

test.each([
  ['a line feed', '"a\\nb"', '"a\nb"'],
  ['two of them', '"\\n\\n"', '"\n\n"'],
  ['a backslash before an n', '"C:\\\\new"', '"C:\\\\new"'],
  ['a backslash before a line feed', '"C:\\\\\\nnew"', '"C:\\\\\nnew"'],
])('%s in JSON is shown as what it is', (_, json, shown) => expect(linesOf(json)).toBe(shown));
