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

/**
 * True if a person may take the first name for the second: they differ only in case, or in `0` for `o`, `1` and `I` for
 * `l`. Names are ASCII (FemtoClaw Protocol 7: compared code unit by code unit), so no other alphabet can imitate a
 * name.
 */
export function readsLike(one: string, other: string): boolean {
  if (one === other || one.length !== other.length) return false;
  return isSameBy(lowered, one, other) || isSameBy(drawn, one, other);
}

/** Compares without new strings: a registration compares its name with all others. */
function isSameBy(fold: (code: number) => number, one: string, other: string): boolean {
  for (let at = 0; at < one.length; at++) if (fold(one.charCodeAt(at)) !== fold(other.charCodeAt(at))) return false;
  return true;
}

const code = (letter: string): number => letter.charCodeAt(0);

function lowered(unit: number): number {
  return unit >= code('A') && unit <= code('Z') ? unit + code('a') - code('A') : unit;
}

/** A single letter for letters that many typefaces draw alike. */
function drawn(unit: number): number {
  if (unit === code('1') || unit === code('I')) return code('l');
  return unit === code('0') || unit === code('O') ? code('o') : unit;
}
