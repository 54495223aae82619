import { demand, STRING } from '../option.ts';

/**
 * Characters that a reader cannot see, or that reorder the visible text: controls, format and bidi characters, lone
 * surrogates, private use, tags, fillers, and blanks other than the plain space. Line feeds are kept.
 */
const UNSEEN: RegExp = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A stranger's text in a form that can be shown without deceiving: no character is lost or hidden. */
export function visibleText(text: string): string {
  demand('text', text, STRING);
  return text.replace(UNSEEN, escapeOf);
}

/** As `visibleText`, in a single line: for places where a new line could be taken for our text. */
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

/** Number of unseen characters in a text. */
export function countUnseen(text: string): number {
  demand('text', text, STRING);
  return text.match(UNSEEN)?.length ?? 0;
}

export function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`;
}

/** A run of plain text, or a single unseen character with its escape. */
export type Piece = { readonly text: string } | { readonly escape: string; readonly name: string };

/** Cuts a stranger's text into pieces that can be shown without deceiving: no character is lost or hidden. */
export function visible(text: string): readonly Piece[] {
  demand('text', text, STRING);
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
