import { demand, STRING } from '../option.ts';

/**
 * Characters that a reader cannot see, or that reorder the visible text: controls, format and bidi characters, lone
 * surrogates, private use, tags, fillers, and blanks other than the plain space. Line feeds are kept.
 */
export const UNSEEN: RegExp = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

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
