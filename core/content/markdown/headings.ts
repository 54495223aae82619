import {
  beginLine,
  type Container,
  continued,
  eatItem,
  eatQuote,
  isBlank,
  isBlankFrom,
  isBreak,
  type Line,
  runLength,
  trimmed,
} from './line.ts';

/** A heading at the root of a document; `offset` and `line` are where its first line begins. */
export interface Heading {
  readonly depth: number;
  readonly line: number;
  readonly offset: number;
  /** Raw text without markers and outer blanks; the lines of a setext heading are joined by a space. */
  readonly name: string;
}

/** The open block that holds lines, in the innermost open container. */
type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'code' }
  | { readonly kind: 'fence'; readonly code: number; readonly length: number }
  | { readonly kind: 'html'; readonly end: HtmlEnd }
  | Paragraph;

interface Paragraph {
  readonly kind: 'paragraph';
  readonly line: number;
  readonly offset: number;
  /** Its lines without leading blanks, where it may begin with definitions. */
  readonly lines: string[] | undefined;
}

interface Scan {
  readonly line: Line;
  /** Index of the line being read. */
  row: number;
  start: number;
  readonly containers: Container[];
  leaf: Leaf;
  readonly headings: Heading[];
}

const NONE: Leaf = { kind: 'none' };
const CODE: Leaf = { kind: 'code' };
const LF = 0x0a;

/** Units that may begin a block: a line that begins with any other unit is plain text of a paragraph. */
const SPECIAL = new Uint8Array(128);
for (const unit of '\t #>-*+_=`~<[0123456789') SPECIAL[unit.charCodeAt(0)] = 1;

/**
 * Every heading that is a child of the document, as CommonMark 0.31 has it: ATX and setext, not in code, HTML, quotes
 * or lists. Blocks only: inline syntax is never parsed. Linear time for any text.
 */
export function scanHeadings(text: string, from = 0, firstRow = 0): readonly Heading[] {
  const line: Line = { text, at: 0, end: 0, column: 0, indent: 0, next: 0 };
  const scan: Scan = { line, row: firstRow, start: from, containers: [], leaf: NONE, headings: [] };
  while (scan.start < text.length) {
    const found = text.indexOf('\n', scan.start);
    const end = found < 0 ? text.length : found;
    if (!isPlain(scan, text.charCodeAt(scan.start))) readLine(scan, end);
    scan.start = end + 1;
    scan.row++;
  }
  return scan.headings;
}

/** True for a line of text, or an empty line at the root, as most lines are: it needs no further parsing. */
function isPlain(scan: Scan, first: number): boolean {
  const { kind } = scan.leaf;
  // behind a container such a line continues the paragraph of the container, as a lazy continuation
  if (scan.containers.length > 0)
    return (
      kind === 'paragraph' && scan.leaf.lines === undefined && first !== LF && !(first < 128 && SPECIAL[first] === 1)
    );
  if (kind === 'fence') return first !== 0x20 && first !== scan.leaf.code;
  if (first < 128 && SPECIAL[first] === 1) return false;
  if (kind === 'paragraph') {
    if (first === LF) scan.leaf = NONE;
    else if (scan.leaf.lines !== undefined) return false;
    return true;
  }
  if (kind !== 'none') return false;
  if (first !== LF) scan.leaf = { kind: 'paragraph', line: scan.row, offset: scan.start, lines: undefined };
  return true;
}

function readLine(scan: Scan, end: number): void {
  const { line, containers } = scan;
  beginLine(line, scan.start, end);
  const depth = continued(containers, line);
  if (depth === containers.length && continueLeaf(scan)) return;
  const ended = openBlocks(scan, depth, depth === containers.length && scan.leaf.kind === 'paragraph');
  if (ended !== undefined) readText(scan, ended);
}

/** True when the line belongs to the open code or HTML, so that no other block is looked for in it. */
function continueLeaf(scan: Scan): boolean {
  const { line, leaf } = scan;
  const blank = line.next === line.end;
  switch (leaf.kind) {
    case 'fence':
      if (isClosing(line, leaf)) scan.leaf = NONE;
      return true;
    case 'code':
      if (line.indent >= 4 || blank) return true;
      scan.leaf = NONE;
      return false;
    case 'html':
      if (leaf.end === 'blank' && blank) scan.leaf = NONE;
      else if (leaf.end !== 'blank' && leaf.end.test(line.text.slice(line.at, line.end))) scan.leaf = NONE;
      return scan.leaf === leaf || !blank || leaf.end !== 'blank';
    case 'none':
    case 'paragraph':
      return false;
  }
}

function isClosing(line: Line, { code, length }: Extract<Leaf, { kind: 'fence' }>): boolean {
  const run = line.indent > 3 ? 0 : runLength(line, line.next, code);
  return run >= length && isBlankFrom(line, line.next + run);
}

/** Opens the blocks that begin in this line. The depth it ends at, where text is left to be read. */
function openBlocks(scan: Scan, matched: number, inParagraph: boolean): number | undefined {
  const { line, containers } = scan;
  let depth = matched;
  let interrupts = inParagraph;
  while (line.next < line.end) {
    if (line.indent > 3) {
      if (scan.leaf.kind === 'paragraph') break;
      close(scan, depth);
      adopt(scan, CODE);
      return undefined;
    }
    if (readHeading(scan, depth) || (interrupts && readUnderline(scan)) || openLeaf(scan, depth)) return undefined;
    const container = eatQuote(line) ? ({ quote: true } as const) : eatItem(line, interrupts);
    if (container === undefined) break;
    close(scan, depth);
    adopt(scan, NONE);
    containers.push(container);
    interrupts = false;
    depth++;
  }
  return depth;
}

/** Text of a paragraph, also of one in a container that this line is not in: a lazy continuation. */
function readText(scan: Scan, depth: number): void {
  const { line, leaf } = scan;
  if (line.next === line.end) return close(scan, depth);
  if (leaf.kind === 'paragraph') return void leaf.lines?.push(line.text.slice(line.next, line.end));
  close(scan, depth);
  const lines = line.text[line.next] === '[' ? [line.text.slice(line.next, line.end)] : undefined;
  adopt(scan, { kind: 'paragraph', line: scan.row, offset: scan.start, lines });
}

/** Closes the open leaf and every container beyond this depth. */
function close(scan: Scan, depth: number): void {
  const { leaf, containers } = scan;
  const holder = containers.at(-1);
  // a paragraph of definitions alone is no block, also not in the count of its item
  if (leaf.kind === 'paragraph' && holder?.quote === false && isDefinitions(leaf)) holder.children--;
  containers.length = depth;
  scan.leaf = NONE;
}

function isDefinitions({ lines }: Paragraph): boolean {
  return lines !== undefined && definitionLines(lines) === lines.length;
}

function adopt(scan: Scan, leaf: Leaf): void {
  const holder = scan.containers.at(-1);
  if (holder?.quote === false) holder.children++;
  scan.leaf = leaf;
}

/** CommonMark 0.31, ATX headings. */
function readHeading(scan: Scan, depth: number): boolean {
  const { line } = scan;
  const run = runLength(line, line.next, 0x23);
  const behind = line.next + run;
  if (run === 0 || run > 6 || (behind < line.end && !isBlank(line.text.charCodeAt(behind)))) return false;
  close(scan, depth);
  adopt(scan, NONE);
  if (depth > 0) return true;
  const name = withoutClosing(trimmed(line.text, behind, line.end));
  scan.headings.push({ depth: run, line: scan.row, offset: scan.start, name });
  return true;
}

function withoutClosing(name: string): string {
  let end = name.length;
  while (end > 0 && name.charCodeAt(end - 1) === 0x23) end--;
  if (end === name.length || (end > 0 && !isBlank(name.charCodeAt(end - 1)))) return name;
  return trimmed(name, 0, end);
}

/** CommonMark 0.31, Setext headings: the paragraph becomes a heading, unless it is definitions alone. */
function readUnderline(scan: Scan): boolean {
  const { line, leaf } = scan;
  const code = line.text.charCodeAt(line.next);
  if (leaf.kind !== 'paragraph' || (code !== 0x3d && code !== 0x2d)) return false;
  if (!isBlankFrom(line, line.next + runLength(line, line.next, code))) return false;
  const skipped = leaf.lines === undefined ? 0 : definitionLines(leaf.lines);
  if (skipped > 0 && skipped === leaf.lines?.length) return false;
  if (scan.containers.length === 0) scan.headings.push(underlined(scan, leaf, skipped, code === 0x3d ? 1 : 2));
  scan.leaf = NONE;
  return true;
}

function underlined({ line, start }: Scan, paragraph: Paragraph, skipped: number, depth: number): Heading {
  let { offset } = paragraph;
  for (let left = skipped; left > 0; left--) offset = line.text.indexOf('\n', offset) + 1;
  const lines = line.text.slice(offset, start - 1).split('\n');
  const name = lines.map((each) => trimmed(each, 0, each.length)).join(' ');
  return { depth, line: paragraph.line + skipped, offset, name };
}

/** Fences, HTML and thematic breaks. */
function openLeaf(scan: Scan, depth: number): boolean {
  const { line } = scan;
  switch (line.text[line.next]) {
    case '`':
    case '~':
      return openFence(scan, depth);
    case '<':
      return openHtml(scan, depth);
    case '-':
    case '*':
    case '_':
      if (!isBreak(line)) return false;
      close(scan, depth);
      adopt(scan, NONE);
      return true;
    default:
      return false;
  }
}

function openFence(scan: Scan, depth: number): boolean {
  const { line } = scan;
  const code = line.text.charCodeAt(line.next);
  const length = runLength(line, line.next, code);
  if (length < 3) return false;
  if (code === 0x60 && line.text.slice(line.next + length, line.end).includes('`')) return false;
  close(scan, depth);
  adopt(scan, { kind: 'fence', code, length });
  return true;
}

function openHtml(scan: Scan, depth: number): boolean {
  const { line } = scan;
  const text = line.text.slice(line.next, line.end);
  const end = htmlBlock(text, scan.leaf.kind === 'paragraph');
  if (end === undefined) return false;
  close(scan, depth);
  adopt(scan, end !== 'blank' && end.test(text) ? NONE : { kind: 'html', end });
  return true;
}

/**
 * Link reference definitions at the start of a paragraph: they are not part of it. So definitions alone are not a
 * paragraph, and a line of `===` behind them makes no heading. CommonMark 0.31, Link reference definitions.
 */

const LABEL_MAX = 999;
const NEWLINE = '\n';

/** Number of the paragraph's first lines that are definitions. The lines come without their leading blanks. */
function definitionLines(lines: readonly string[]): number {
  const text = lines.join(NEWLINE);
  let at = 0;
  let count = 0;
  while (text[at] === '[') {
    const end = definitionEnd(text, at);
    if (end === undefined) break;
    for (let index = at; index < end; index++) if (text[index] === NEWLINE) count++;
    at = end;
    if (at >= text.length) return lines.length;
  }
  return count;
}

/** Offset of the line behind the definition that begins here. */
function definitionEnd(text: string, start: number): number | undefined {
  const label = labelEnd(text, start);
  if (label === undefined || text[label] !== ':') return undefined;
  const destination = destinationEnd(text, skipSpace(text, label + 1));
  if (destination === undefined) return undefined;
  const gap = skipSpace(text, destination);
  const title = gap > destination ? titleEnd(text, gap) : undefined;
  return (title === undefined ? undefined : lineEnd(text, title)) ?? lineEnd(text, destination);
}

function labelEnd(text: string, start: number): number | undefined {
  let blank = true;
  for (let at = start + 1; at < text.length && at - start <= LABEL_MAX + 1; at++) {
    const unit = text[at];
    if (unit === ']') return blank ? undefined : at + 1;
    if (unit === '[') return undefined;
    if (unit === '\\') at++;
    if (unit !== ' ' && unit !== '\t' && unit !== NEWLINE) blank = false;
  }
  return undefined;
}

function destinationEnd(text: string, start: number): number | undefined {
  return text[start] === '<' ? bracketedEnd(text, start) : bareEnd(text, start);
}

function bracketedEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text[at];
    if (unit === '>') return at + 1;
    if (unit === '<' || unit === NEWLINE) return undefined;
    if (unit === '\\' && text[at + 1] !== NEWLINE) at++;
  }
  return undefined;
}

function bareEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let at = start;
  for (; at < text.length && text.charCodeAt(at) > 0x20; at++) {
    const unit = text[at];
    if (unit === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) at++;
    else if (unit === '(') depth++;
    else if (unit === ')' && --depth < 0) break;
  }
  return at > start && depth === 0 ? at : undefined;
}

function titleEnd(text: string, start: number): number | undefined {
  const open = text[start];
  if (open !== '"' && open !== "'" && open !== '(') return undefined;
  const close = open === '(' ? ')' : open;
  for (let at = start + 1; at < text.length; at++) {
    const unit = text[at];
    if (unit === close) return at + 1;
    if (unit === '(' && open === '(') return undefined;
    if (unit === '\\') at++;
  }
  return undefined;
}

/** Skips blanks, with at most a single line ending among them. */
function skipSpace(text: string, start: number): number {
  const at = skipBlanks(text, start);
  return text[at] === NEWLINE ? skipBlanks(text, at + 1) : at;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

/** Offset behind the line ending, if only blanks stand before it. */
function lineEnd(text: string, start: number): number | undefined {
  const at = skipBlanks(text, start);
  if (at >= text.length) return text.length;
  return text[at] === NEWLINE ? at + 1 : undefined;
}

const BLOCKS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|' +
  'track|ul';
const VALUE = `(?:[^"'=<>\`\\u0000-\\u0020]+|'[^']*'|"[^"]*")`;
const ATTRIBUTE = `[ \\t]+[A-Za-z_:][A-Za-z0-9:._-]*(?:[ \\t]*=[ \\t]*${VALUE})?`;

/** How an HTML block ends: with the line that matches this expression, or before the next blank line. */
type HtmlEnd = RegExp | 'blank';

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
function htmlBlock(line: string, interrupts: boolean): HtmlEnd | undefined {
  const known = STARTS.find(([start]) => start.test(line));
  if (known !== undefined) return known[1];
  return !interrupts && ALONE.test(line) ? 'blank' : undefined;
}
