import { demand, STRING } from '../option.ts';

/** Alphabets with letters that look like Latin ones, and Latin letters that look like others of their own. */
const TWINS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const DISGUISED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u;

/** How many words are written in two alphabets at once, or in letters that only look like Latin ones. */
export function countLookalike(text: string): number {
  demand('text', text, STRING);
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.filter((word) => DISGUISED.test(word) || (/\p{Script=Latin}/u.test(word) && TWINS.test(word))).length;
}
