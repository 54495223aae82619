/** Tables of a text, which a measurement fills. */

/** A table: its lines, made from a measurement. */
export type Lines = () => readonly string[];

/**
 * The text with each of its tables made anew. A place has marks that a reader of the page does not see: `[//]: # (WORD:
 * NAME)` before it and `[//]: # (WORD end)` behind it. Throws for a place that no table has.
 */
export function fillPlaces(text: string, word: string, tables: Readonly<Record<string, Lines>>): string {
  const place = new RegExp(`^\\[//\\]: # \\(${word}: (\\w+)\\)\\n[\\s\\S]*?^\\[//\\]: # \\(${word} end\\)$`, 'gm');
  return text.replace(place, (_, name: string) => {
    const lines = tables[name];
    if (lines === undefined) throw new Error(`There is no table of the name ${name}.`);
    return [`[//]: # (${word}: ${name})`, '', ...lines(), '', `[//]: # (${word} end)`].join('\n');
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
