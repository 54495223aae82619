/** Tables of a text, which a measurement fills. */

/** A table: its lines, made from a measurement. */
export type Lines = () => readonly string[];

/**
 * The text with a table in the place of each mark: a line `[//]: # (WORD: NAME)`, which a reader of Markdown does not see.
 * Throws for a mark that no table has.
 */
export function fillPlaces(text: string, word: string, tables: Readonly<Record<string, Lines>>): string {
  return text.replace(new RegExp(`^\\[//\\]: # \\(${word}: (\\w+)\\)$`, 'gm'), (_, name: string) => {
    const lines = tables[name];
    if (lines === undefined) throw new Error(`There is no table of the name ${name}.`);
    return lines().join('\n');
  });
}

/** Lines of a table in Markdown. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const write = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [write(head), write(head.map(() => '---')), ...lines.map(write)];
}

/** First and last of a sorted list. */
export function span(sorted: readonly (string | number)[]): string {
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === last ? String(first) : `${first} to ${last}`;
}
