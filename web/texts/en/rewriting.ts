import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

const en = {
  /** Said before a line that goes, and before a line that comes. */
  goes: 'goes: ',
  comes: 'comes: ',
  noText: 'No current text has the hash that the model gives, so this write would be refused.',
  written: 'What would be written',
  title: 'Before and after',
  removed: (lines: number): string => `− ${plural(lines, { one: '# line', other: '# lines' })}`,
  added: (lines: number): string => `+ ${plural(lines, { one: '# line', other: '# lines' })}`,
  equal: 'The new text equals the old text.',
  rest: (lines: number): string => `${plural(lines, { one: '# line', other: '# lines' })} as they are`,
  blanks: (blanks: number): string => plural(blanks, { one: '# blank', other: '# blanks' }),
  noLineEnd: 'no line end',
};

export type RewritingTexts = typeof en;
export const rewriting: Area<RewritingTexts> = area('rewriting', en);
