import { linesOf, textOf } from './lib/text.js';

/** @typedef {{ heading: string, level: number, from: number }} Heading */

/**
 * The outline of a note; with a heading, that section's text as well.
 *
 * @param {{ name: string, heading?: string }} args
 */
export default async function ({ name, heading }) {
  const path = `notes/${name}.md`;
  const lines = linesOf(textOf({ path }));
  const sections = outline(lines);
  return {
    path,
    sections: sections.map(({ from, to, ...rest }) => ({ ...rest, slice: `lines[${from}:${to}]` })),
    ...text(),
  };

  function text() {
    if (heading === undefined) return {};
    const section = sections.find((section) => section.heading === heading);
    if (section === undefined) throw new RangeError(`No heading ${JSON.stringify(heading)} in ${path}.`);
    return { text: lines.slice(section.from, section.to).join('') };
  }
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
