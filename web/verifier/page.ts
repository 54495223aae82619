import type { HtmlParts } from '../../core/index.ts';
import script from './main.ts?script';
import { pageWords, scriptOfWords } from './page-words.ts';

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:50rem;margin:2rem auto;padding:0 1rem}ul{padding:0;list-style:none}li{padding:.25rem 0}.pass,.good{color:light-dark(#17633a,#7fd6a2)}.own{color:light-dark(#0a5c78,#7cd0ea)}.wait{color:light-dark(#7a4b00,#f2c063)}.fail,.bad{color:light-dark(#a11b12,#ff9d93)}.story li{white-space:pre-wrap;overflow-wrap:anywhere}.not_run{opacity:.75}.mono,pre,summary{font-family:ui-monospace,monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap;padding:.75rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:.5rem}label{display:grid;gap:.25rem}textarea{font:inherit;padding:.5rem}`;

/** Code, words and looks of a saved page, in the language of the interface. */
export function pageParts(): HtmlParts {
  return { script: `${scriptOfWords(pageWords())}${script}`, style: STYLE };
}
