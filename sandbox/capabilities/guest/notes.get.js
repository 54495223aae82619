import { linesOf, textOf } from './lib/text.js';

/**
 * The outline of a note; with a heading, that section's text as well.
 *
 * @param {{ name: string, heading?: string }} args
 */
export default async function ({ name, heading }) {
  const path = `notes/${name}.md`;
  const lines = linesOf(textOf({ path }));
  const found = outline(lines);
  const sections = found.map(({ from, to, ...rest }) => ({ ...rest, slice: `lines[${from}:${to}]` }));
  if (heading === undefined) return { path, sections };
  const section = found.find((one) => one.heading === heading);
  if (section === undefined) throw new RangeError(`No heading ${JSON.stringify(heading)} in ${path}.`);
  return { path, sections, text: lines.slice(section.from, section.to).join('') };
}

/**
 * A section runs from its heading to the next heading of any level.
 *
 * @param {string[]} lines
 */
function outline(lines) {
  const headings = lines.flatMap((line, from) => {
    const match = /^(#{1,6}) +(.*\S) *\n?$/.exec(line);
    return match === null ? [] : [{ heading: match[2] ?? '', level: (match[1] ?? '').length, from }];
  });
  return headings.map((heading, at) => ({ ...heading, to: headings[at + 1]?.from ?? lines.length }));
}
