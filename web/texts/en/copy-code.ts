import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';

const en = {
  title: 'Copy as code',
  intro:
    'The task, the tools, the grants and the proposer of the open run, as files that are complete. A key is never among them.',
  close: 'Close',
  where: 'Where it will run',
  places: { node: 'A Node program', page: 'A page with a bundler', embed: 'Embed this: a page with the element' },
  waits: 'Begin a run first: the code is made from its first records.',
  copy: 'Copy',
  copyFile: (name: string): string => `Copy ${name}`,
  save: 'Save',
  saveFile: (name: string): string => `Save ${name}`,
  copied: (name: string): string => `${name} is copied.`,
  notCopied: 'The browser did not let the page copy. Select the text and copy it.',
  saved: (name: string): string => `${name} is saved.`,
  person: 'A model of this page or device cannot be copied, so a person proposes in the code.',
  noScript: 'The element has no person in the model’s place: set its model by a script of your page.',
  papers: 'The file of a scenario holds no papers. Add them by a script of your page, or choose another wire form.',
  left: (names: string): string => `Not copied, because another program carries them out: ${names}`,
  headers: (): TemplateResult =>
    html`Serve the package’s <code>dist/</code> as <code>sallyport/</code> beside these files. The server must send its workers with this header: <code>Content-Security-Policy: default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'none'</code>. See <a href="docs/headers.html" hreflang="en">Headers for your host</a>.`,
};

export type CopyCodeTexts = typeof en;
export const copyCode: Area<CopyCodeTexts> = area('copy-code', en);
