import { type CSSResult, css, html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { shared } from '../../style/shared.ts';
import { count, shown } from '../parts/text.ts';
import { type LineChange, linesOf } from './line-changes.ts';
import type { Rewriting } from './rewriting.ts';

/** Unchanged lines shown around a change; a longer unchanged stretch is shown by its length only. */
const AROUND = 2;

const MARKS = {
  same: { sign: ' ', word: '' },
  gone: { sign: '−', word: 'goes: ' },
  new: { sign: '+', word: 'comes: ' },
};

/** The exact change of a WRITE: removed lines, added lines, and every invisible character written out. */
export class RewritingView extends LitElement {
  static override properties: PropertyDeclarations = { rewriting: { attribute: false } };
  static override styles: CSSResult[] = [
    shared,
    css`
      h3 .good,
      h3 .bad {
        margin-left: 0.5rem;
      }
      ol {
        margin-top: 0.25rem;
        padding: 0.5rem 0;
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
        background: var(--sunk);
        font: 1rem / 1.5 var(--mono);
        font-variant-ligatures: none;
      }
      li {
        display: grid;
        grid-template-columns: 1.25rem minmax(0, 1fr);
        padding: 0 0.75rem 0 0.5rem;
      }
      /* A right-to-left line must not reorder the text beside it. */
      .text {
        unicode-bidi: isolate;
        direction: ltr;
        min-height: 1.5em;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .gone {
        background: var(--bad-wash);
      }
      .new {
        background: var(--good-wash);
      }
      .gone .sign {
        color: var(--bad);
        font-weight: 650;
      }
      .new .sign {
        color: var(--good);
        font-weight: 650;
      }
      .rest {
        display: block;
        padding-left: 1.75rem;
        color: var(--soft);
        font-family: var(--font);
      }
    `,
  ];
  declare rewriting: Rewriting;

  protected override render(): TemplateResult {
    const { lines, content } = this.rewriting;
    if (lines === undefined)
      return html`<p class="bad">No current text has the hash that the model gives, so this write would be refused.</p>
        ${list('What would be written', asNew(content))}`;
    const [gone, fresh] = (['gone', 'new'] as const).map((kind) => lines.filter((line) => line.kind === kind).length);
    return html`<h3>Before and after<span class="bad">− ${count(gone ?? 0, 'line')}</span><span class="good">+ ${count(fresh ?? 0, 'line')}</span></h3>
      ${gone === 0 && fresh === 0 ? html`<p>The new text equals the old text.</p>` : list('Before and after', lines)}`;
  }
}

const asNew = (content: string): readonly LineChange[] => linesOf(content).map((text) => ({ kind: 'new', text }));

function list(label: string, lines: readonly LineChange[]): TemplateResult {
  const near = (at: number): boolean =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same');
  const items: TemplateResult[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as LineChange;
    let end = at;
    while (end < lines.length && !near(end)) end += 1;
    if (end - at > 1) items.push(html`<li class="rest">${count(end - at, 'line')} as they are</li>`);
    else items.push(one(line));
    at = Math.max(at, end - 1);
  }
  return html`<ol aria-label=${label}>${items}</ol>`;
}

function one({ kind, text }: LineChange): TemplateResult {
  const { sign, word } = MARKS[kind];
  const bare = text.replace(/\n$/u, '');
  const unended = bare === text;
  const blank = /[ \t]+$/u.exec(bare)?.[0] ?? '';
  return html`<li class=${kind}><span class="sign" aria-hidden="true">${sign}</span><span class="text"><span class="unseen">${word}</span>${shown(bare.slice(0, bare.length - blank.length))}${blank === '' ? '' : html`<span class="hidden">${count(blank.length, 'blank')}</span>`}${unended ? html`<span class="hidden">no line end</span>` : ''}</span></li>`;
}

customElements.define('sp-rewriting', RewritingView);
