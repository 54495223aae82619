import { demand, STRING } from '../option.ts';

/**
 * Everything a reader cannot see, or that reorders what they do see: controls, format and bidi characters,
 * lone surrogates, private use, tags, fillers, and blanks other than the plain space. Line feeds are kept.
 */
export const UNSEEN: RegExp = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A stranger's text as one that can be shown without deceiving: nothing is lost, nothing is hidden. */
export function visibleText(text: string): string {
  demand('text', text, STRING);
  return text.replace(UNSEEN, escapeOf);
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
  demand('text', text, STRING);
  return text.match(UNSEEN)?.length ?? 0;
}

export function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`;
}
