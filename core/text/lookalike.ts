import { demand, STRING } from '../option.ts';

const WORD = /[\p{L}\p{M}\p{N}\u24b6-\u24e9]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Of an alphabet that is not Latin. Chinese, Japanese and Korean do without spaces: Latin letters stand beside theirs. */
const FOREIGN =
  /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}])[\p{L}\p{M}\p{N}]/u;

/**
 * Single characters that stand for Latin letters: phonetic and small capital letters, letterlike signs, Roman numerals,
 * letters in circles, ligatures, full width, mathematical. The phonetic letters that languages write with are left out.
 */
const DISGUISED =
  /[\u0251\u0261\u0262\u0269-\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d22\u2100-\u2134\u2139-\u214e\u2160-\u2188\u24b6-\u24e9\ua730-\ua731\ua7ae\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u;

/** Words without a space between them. */
const TOKEN = /[\p{L}\p{M}\p{N}\u24b6-\u24e9_.@-]+/gu;
/** A name with dots or an `@`, as of a host, an address or a file. */
const NAME = /[^.@][.@][^.@]/u;
/** In a name: a whole word of Cyrillic, Greek, Armenian, Cherokee or Lisu letters that each look Latin, or a dotless i. */
const WHOLE =
  /^(?:[\u0430\u0435\u043a\u043c\u043e\u0440-\u0443\u0445\u0455\u0456\u0458\u04bb\u04cf\u0501\u051b\u051d\u0475\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0423\u0425\u0405\u0406\u0408\u04c0\u051a\u051c]+|[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u03f2\u03f3]+|[\u0563\u0566\u0570\u0578\u057d\u0581\u0584\u0585]+|\p{Script=Cherokee}+|\p{Script=Lisu}+)$|\u0131/u;

/**
 * Number of words whose letters may not be what they look like: Latin beside another alphabet, or a character that
 * stands for Latin letters. In names such as `bank.example`, also a word of another alphabet that could be read as Latin.
 */
export function countLookalike(text: string): number {
  demand('text', text, STRING);
  return (text.match(TOKEN) ?? []).flatMap((token) => {
    const isName = NAME.test(token);
    return (token.match(WORD) ?? []).filter((word) => isDisguised(word) || (isName && WHOLE.test(word)));
  }).length;
}

function isDisguised(word: string): boolean {
  return DISGUISED.test(word) || (LATIN.test(word) && FOREIGN.test(word));
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
