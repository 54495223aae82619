import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocsPage } from './docs-page.ts';
import { WITHOUT_RUN } from './docs-without-run.ts';

/** A `<sallyport-run>` of an example, which a page of the documentation can show in place. */
interface ElementExample {
  /** Number of its block among the blocks of HTML of the page. */
  readonly block: number;
  readonly attributes: { readonly [name: string]: string };
  /** File of the example's own style sheet. */
  readonly sheet?: string;
}

/** Its file, copied from a complete page of the repository. */
const SCENARIO = 'web/examples/plain/scenario.json';

/** The elements of a page, each with the language of its own page. Their ledgers are in memory, so they leave no data. */
export function elementsOf({ name, text }: DocsPage): ElementExample[] {
  return [...text.matchAll(/^```html\n([\s\S]*?)^```$/gm)].flatMap(([, html = ''], block) => {
    const id = `element-${name}-${block}`;
    if (!html.includes('<sallyport-run') || WITHOUT_RUN[id] !== undefined) return [];
    const own = attributesIn(/<sallyport-run([^>]*)>/.exec(html)?.[1]);
    const { lang = 'en' } = attributesIn(/<html([^>]*)>/.exec(html)?.[1]);
    const attributes = { lang, ...own, src: `example-${own['src']}`, store: 'memory' };
    const sheet = /<link rel="stylesheet"/.test(html) ? { sheet: sheetOf(name) } : {};
    return [{ block, attributes, ...sheet }];
  });
}

/** Writes the files that the elements load: their scenario, and the style sheet that stands in the same text. */
export function writeElementFiles(root: string, pages: readonly DocsPage[]): void {
  const folder = join(root, 'dist/docs');
  copyFileSync(join(root, SCENARIO), join(folder, 'example-scenario.json'));
  for (const page of pages)
    for (const { sheet } of elementsOf(page)) if (sheet !== undefined) writeFileSync(join(folder, sheet), cssIn(page));
}

function sheetOf(page: string): string {
  return `example-${page}.css`;
}

function cssIn({ name, text }: DocsPage): string {
  const css = /^```css\n([\s\S]*?)^```$/m.exec(text)?.[1];
  if (css === undefined) throw new Error(`${name}.md has an example with a style sheet, and no style sheet.`);
  return css;
}

function attributesIn(tag = ''): { readonly [name: string]: string } {
  return Object.fromEntries(
    [...tag.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}
