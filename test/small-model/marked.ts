/** The page with a text in place of the one between the lines `NAME begin` and `NAME end`. */
export function withMarked(page: string, name: string, text: string): string {
  const [begin, end] = [`[//]: # (${name} begin)`, `[//]: # (${name} end)`];
  const [before, rest] = split(page, begin);
  const [, after] = split(rest, end);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

function split(page: string, line: string): readonly [string, string] {
  const at = page.indexOf(line);
  if (at === -1) throw new Error(`The page on the small model lacks the line ${line}`);
  return [page.slice(0, at), page.slice(at + line.length)];
}
