import { openAnchors } from './docs-anchors.ts';
import type { DocsPage } from './docs-page.ts';

/** A section as the search reads it: its place, the title of its page, its heading, and its words. */
interface Section {
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** The sections of a page, from each heading to the next. */
export function sectionsOf({ name, title, text }: DocsPage): Section[] {
  const anchorFor = openAnchors();
  return text
    .split(/^(?=#{1,3} )/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, heading = title, words = ''] = /^#{1,3} (.+)\n?([\s\S]*)/.exec(part) ?? ['', title, part];
      const anchor = heading === title ? '' : `#${anchorFor(heading)}`;
      return { href: `${name}.html${anchor}`, title, heading: heading.replaceAll('`', ''), text: plain(words) };
    });
}

/** The words of a text, without the marks of Markdown. */
export function plain(text: string): string {
  return text
    .replace(/^\[\/\/\]: # .*$/gm, '')
    .replace(/^```\w*$|^[\s|:-]+$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*/g, '')
    .replace(/(?<![\w*/])\*(?! )([^*\n]+)(?<! )\*(?![\w*/])/g, '$1')
    .replaceAll('`', '')
    .replace(/(?<!\|)\|(?!\|)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
