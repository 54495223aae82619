/**
 * Link reference definitions at the start of a paragraph: they are not part of it. So definitions alone are not a
 * paragraph, and a line of `===` behind them makes no heading. CommonMark 0.31, Link reference definitions.
 */

const LABEL_MAX = 999;
const LF = '\n';

/** Number of the paragraph's first lines that are definitions. The lines come without their leading blanks. */
export function definitionLines(lines: readonly string[]): number {
  const text = lines.join(LF);
  let at = 0;
  let count = 0;
  while (text[at] === '[') {
    const end = definitionEnd(text, at);
    if (end === undefined) break;
    for (let index = at; index < end; index++) if (text[index] === LF) count++;
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
    if (unit !== ' ' && unit !== '\t' && unit !== LF) blank = false;
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
    if (unit === '<' || unit === LF) return undefined;
    if (unit === '\\' && text[at + 1] !== LF) at++;
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
  return text[at] === LF ? skipBlanks(text, at + 1) : at;
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
  return text[at] === LF ? at + 1 : undefined;
}
