import type { Section } from '../../../core/content/section.ts';

/** The text of each section of a file, in order: together they are the file. */
export function sectionTexts(sections: readonly Section[], text: string): readonly string[] {
  let [line, at] = [0, 0];
  return sections.map(({ line_end }) => {
    const start = at;
    for (; line < line_end; line++) {
      const found = text.indexOf('\n', at);
      at = found < 0 ? text.length : found + 1;
    }
    return text.slice(start, at);
  });
}
