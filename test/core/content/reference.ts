import { type Node, Parser } from 'commonmark';

export interface Found {
  readonly depth: number;
  readonly line: number;
}

/**
 * Headings at the root of a document, by the reference implementation; lines count from 0. A setext heading behind link
 * reference definitions starts at the definitions in the reference; this function moves it to its own line.
 */
export function referenceHeadings(text: string): readonly Found[] {
  const lines = text.split('\n');
  const found: Found[] = [];
  for (let node: Node | null = new Parser().parse(text).firstChild; node !== null; node = node.next) {
    if (node.type === 'heading')
      found.push({ depth: node.level, line: behindDefinitions(lines, node.sourcepos[0][0] - 1) });
  }
  return found;
}

function behindDefinitions(lines: readonly string[], start: number): number {
  let line = start;
  // The parser of the reference decides: while these lines alone make no node, they are definitions.
  for (let end = start + 1; /^ {0,3}\[/.test(lines[start] ?? '') && end < lines.length; end++) {
    if (new Parser().parse(lines.slice(start, end).join('\n')).firstChild === null) line = end;
  }
  return line;
}
