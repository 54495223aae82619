/**
 * A line on its way through the blocks that contain it, with the reading position in UTF-16 units and in columns. A tab
 * reaches to the next multiple of four columns and may be eaten in part.
 */
export interface Line {
  readonly text: string;
  /** Offset behind the last unit of the line, its LF not included. */
  end: number;
  at: number;
  column: number;
  /** Columns of blanks between `at` and `next`. */
  indent: number;
  /** Offset of the first unit that is not blank; `end` for a blank rest. */
  next: number;
}

const SPACE = 0x20;
const TAB = 0x09;

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function beginLine(line: Line, start: number, end: number): void {
  line.at = start;
  line.end = end;
  line.column = 0;
  survey(line);
}

/** Eats this number of columns, of blanks and of any other unit. */
function eat(line: Line, columns: number): void {
  let left = columns;
  while (left > 0 && line.at < line.end) {
    const width = line.text.charCodeAt(line.at) === TAB ? 4 - (line.column % 4) : 1;
    line.column += Math.min(width, left);
    if (width <= left) line.at++;
    left -= width;
  }
  survey(line);
}

/** Goes to the first unit that is not blank. */
function skipBlanks(line: Line): void {
  line.at = line.next;
  line.column += line.indent;
  line.indent = 0;
}

function survey(line: Line): void {
  let next = line.at;
  let column = line.column;
  for (; next < line.end; next++) {
    const code = line.text.charCodeAt(next);
    if (code === TAB) column += 4 - (column % 4);
    else if (code === SPACE) column++;
    else break;
  }
  line.next = next;
  line.indent = column - line.column;
}

/** Length of the run of this unit that begins at `from`. */
export function runLength({ text, end }: Line, from: number, code: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === code) at++;
  return at - from;
}

/** True when only blanks are left from here on. */
export function isBlankFrom({ text, end }: Line, from: number): boolean {
  for (let at = from; at < end; at++) if (!isBlank(text.charCodeAt(at))) return false;
  return true;
}

/**
 * The stretch without the blanks around it. By hand: a pattern for trailing blanks takes quadratic time on a line of
 * blanks, and the line is the file author's.
 */
export function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/**
 * A block that holds blocks. A heading inside it is not a heading of the document, but decides where the block ends.
 */
export type Container = { readonly quote: true } | Item;

interface Item {
  readonly quote: false;
  /** Columns by which a line is inside. */
  readonly width: number;
  /** Blocks in it by now; an item without any ends at the second blank line. */
  children: number;
}

/** Number of open containers that the line continues. Eats their markers. */
export function continued(containers: readonly Container[], line: Line): number {
  if (line.next === line.end) return blankContinued(containers, line);
  let depth = 0;
  for (const container of containers) {
    if (container.quote ? !eatQuote(line) : line.indent < container.width) break;
    if (!container.quote) eat(line, container.width);
    depth++;
  }
  return depth;
}

/**
 * A blank line is inside every item and no quote. All items are handled at once: a file of deep items and blank lines
 * would take days.
 */
function blankContinued(containers: readonly Container[], line: Line): number {
  skipBlanks(line);
  const quote = containers.findIndex((container) => container.quote);
  const open = quote < 0 ? containers.length : quote;
  const last = containers[open - 1];
  return last !== undefined && !last.quote && last.children === 0 ? open - 1 : open;
}

/** CommonMark 0.31, Block quote markers. */
export function eatQuote(line: Line): boolean {
  if (line.indent > 3 || line.text[line.next] !== '>' || line.next >= line.end) return false;
  skipBlanks(line);
  eat(line, 1);
  if (line.at < line.end && isBlank(line.text.charCodeAt(line.at))) eat(line, 1);
  return true;
}

const DIGITS_MAX = 9;

/** CommonMark 0.31, List items; an item that interrupts a paragraph has content, and the number 1. */
export function eatItem(line: Line, interrupts: boolean): Item | undefined {
  const length = markerLength(line, interrupts);
  if (length === 0 || !isMarkerEnd(line, line.next + length)) return undefined;
  if (interrupts && isBlankFrom(line, line.next + length)) return undefined;
  const offset = line.indent;
  skipBlanks(line);
  eat(line, length);
  // more than four blanks count as a single blank, and the rest is the indent of code
  const padding = line.next === line.end || line.indent > 4 ? 1 : line.indent;
  eat(line, padding);
  return { quote: false, width: offset + length + padding, children: 0 };
}

function isMarkerEnd({ text, end }: Line, at: number): boolean {
  return at >= end || isBlank(text.charCodeAt(at));
}

function markerLength({ text, next, end }: Line, interrupts: boolean): number {
  const unit = text[next] ?? '';
  if (unit === '-' || unit === '+' || unit === '*') return 1;
  let at = next;
  while (at < end && at - next <= DIGITS_MAX && /[0-9]/.test(text[at] ?? '')) at++;
  const digits = at - next;
  if (digits === 0 || digits > DIGITS_MAX || at >= end || (text[at] !== '.' && text[at] !== ')')) return 0;
  return interrupts && Number(text.slice(next, at)) !== 1 ? 0 : digits + 1;
}

/** CommonMark 0.31, Thematic breaks. */
export function isBreak(line: Line): boolean {
  const code = line.text.charCodeAt(line.next);
  let count = 0;
  for (let at = line.next; at < line.end; at++) {
    const unit = line.text.charCodeAt(at);
    if (unit === code) count++;
    else if (!isBlank(unit)) return false;
  }
  return count >= 3;
}
