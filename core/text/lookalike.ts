import { demand, STRING } from '../option.ts';

/** Alphabets with letters that look like Latin letters, and Latin letters that look like other Latin letters. */
const TWINS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const DISGUISED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u;

/** Number of words that mix two alphabets, or whose letters only look like Latin letters. */
export function countLookalike(text: string): number {
  demand('text', text, STRING);
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.filter((word) => DISGUISED.test(word) || (/\p{Script=Latin}/u.test(word) && TWINS.test(word))).length;
}
