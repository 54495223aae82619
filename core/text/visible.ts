/** A run of plain text, or one character that would not be seen, with the escape that stands for it. */
export type Piece = { readonly text: string } | { readonly escape: string; readonly name: string };

/**
 * Everything a reader cannot see, or that reorders what they do see: controls, format and bidi characters,
 * lone surrogates, private use, tags, fillers, and blanks other than the plain space. Line feeds are kept.
 */
const UNSEEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Cuts a stranger's text into pieces that can be shown without deceiving: nothing is lost, nothing is hidden. */
export function visible(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push({ escape: escapeOf(match[0]), name: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** The same as one string, for places that take no markup (labels, announcements). */
export function visibleText(text: string): string {
  return visible(text)
    .map((piece) => ('text' in piece ? piece.text : piece.escape))
    .join('');
}

/** The same in one line: for places where a line of its own would look like one of ours. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', '\\n');
}

/** JSON text with every unseen character as an escape: another spelling of the same value. Line feeds are kept. */
export function visibleJson(text: string): string {
  return text.replace(UNSEEN, (character) => character.split('').map(unitEscape).join(''));
}

function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** How many characters of a text are unseen. */
export function countUnseen(text: string): number {
  return text.match(UNSEEN)?.length ?? 0;
}

/** Alphabets with letters that look like Latin ones, and Latin letters that look like others of their own. */
const TWINS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const DISGUISED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u;

/** How many words are written in two alphabets at once, or in letters that only look like Latin ones. */
export function countLookalike(text: string): number {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.filter((word) => DISGUISED.test(word) || (/\p{Script=Latin}/u.test(word) && TWINS.test(word))).length;
}

function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`;
}

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x00, 'null'],
  [0x09, 'tab'],
  [0x0d, 'carriage return'],
  [0x1b, 'escape'],
  [0xa0, 'no-break space'],
  [0xad, 'soft hyphen'],
  [0x200b, 'zero width space'],
  [0x200c, 'zero width non-joiner'],
  [0x200d, 'zero width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'pop directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2060, 'word joiner'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'pop directional isolate'],
  [0xfeff, 'byte order mark'],
]);

function nameOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const named = NAMES.get(point);
  if (named !== undefined) return named;
  if (point >= 0xe0000 && point <= 0xe007f) return 'tag character';
  if (point >= 0xd800 && point <= 0xdfff) return 'half of a surrogate pair';
  if (/\p{Cc}/u.test(character)) return 'control character';
  if (/\p{Co}/u.test(character)) return 'private use character';
  return /\p{Zs}/u.test(character) ? 'unusual blank' : 'invisible character';
}
