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
export function eat(line: Line, columns: number): void {
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
export function skipBlanks(line: Line): void {
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
