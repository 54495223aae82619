import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { shared } from '../style/shared.ts';
import { browseStyles } from './browse-style.ts';
import { count, shown } from './text.ts';
import { View } from './view.ts';

/** The papers the demo is about, line by line. One of them tries to give orders; here it is only text. */
export class Corpus extends View {
  static override styles: CSSResult[] = [
    shared,
    browseStyles,
    css`
      ol {
        overflow-x: auto;
        padding: 0.75rem 0;
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
        background: var(--sunk);
        font: 1rem / 1.5 var(--mono);
      }
      ol li {
        display: grid;
        grid-template-columns: 3.5rem minmax(0, 1fr);
        gap: 1rem;
        padding-right: 1rem;
      }
      ol li span:first-child {
        color: var(--soft);
        text-align: right;
        user-select: none;
      }
      ol li span:last-child {
        min-height: 1.5em;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];
  readonly #open: Signal<string | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const { files } = this.store.scenario;
    const paths = Object.keys(files);
    const open = this.#open.value ?? paths[0];
    if (open === undefined) return html`<p class="empty">This scenario has no files.</p>`;
    return html`<div class="browse">
      <nav aria-label="Files"><ul>${paths.map((path) => this.#item(path, path === open))}</ul></nav>
      ${this.#file(open, files[open] ?? '')}
    </div>`;
  }

  #item(path: string, open: boolean): TemplateResult {
    const choose = (): void => {
      this.#open.value = path;
    };
    return html`<li><button type="button" class="plain" aria-current=${open} @click=${choose}><span>${path}</span></button></li>`;
  }

  #file(path: string, text: string): TemplateResult {
    const lines = text.replace(/\n$/u, '').split('\n');
    const bytes = new TextEncoder().encode(text).length;
    return html`<article aria-labelledby="path">
      <header><h1 id="path" class="mono">${path}</h1><span class="soft">${count(lines.length, 'line')}, ${count(bytes, 'byte')}</span></header>
      <ol tabindex="0" aria-label="Lines, counted from 0 as in slices">${lines.map((line, i) => html`<li><span>${i}</span><span>${shown(line)}</span></li>`)}</ol>
    </article>`;
  }
}

customElements.define('sp-corpus', Corpus);
