const BLOCKS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|' +
  'track|ul';
const VALUE = `(?:[^"'=<>\`\\u0000-\\u0020]+|'[^']*'|"[^"]*")`;
const ATTRIBUTE = `[ \\t]+[A-Za-z_:][A-Za-z0-9:._-]*(?:[ \\t]*=[ \\t]*${VALUE})?`;

/** How an HTML block ends: with the line that matches this expression, or before the next blank line. */
export type HtmlEnd = RegExp | 'blank';

/** CommonMark 0.31, HTML blocks, conditions 1 to 6. */
const STARTS: readonly (readonly [start: RegExp, end: HtmlEnd])[] = [
  [/^<(?:script|pre|textarea|style)(?:[ \t>]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<[?]/, /[?]>/],
  [/^<![A-Za-z]/, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCKS})(?:[ \\t]|/?>|$)`, 'i'), 'blank'],
];
/** Condition 7: a complete tag of any further name, alone on its line. */
const ALONE = new RegExp(
  `^<(?:[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*[ \\t]*/?|/[A-Za-z][A-Za-z0-9-]*[ \\t]*)>[ \\t]*$`,
);

/**
 * End of the HTML block that begins with this line; undefined if the line begins no HTML block. The line starts with
 * `<`.
 */
export function htmlBlock(line: string, interrupts: boolean): HtmlEnd | undefined {
  const known = STARTS.find(([start]) => start.test(line));
  if (known !== undefined) return known[1];
  return !interrupts && ALONE.test(line) ? 'blank' : undefined;
}
