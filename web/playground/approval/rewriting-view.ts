import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { shared } from '../../style/shared.ts';
import { rewriting } from '../../texts/en/rewriting.ts';
import { SignalView } from '../parts/signal-view.ts';
import { shown } from '../parts/text.ts';
import type { Rewriting } from './rewriting.ts';
import { type LineChange, linesOf } from './rewriting.ts';

/** Unchanged lines shown around a change; a longer unchanged stretch is shown by its length only. */
const AROUND = 2;

const SIGNS = { same: ' ', gone: '−', new: '+' };

/** The exact change of a WRITE: removed lines, added lines, and every invisible character written out. */
class RewritingView extends SignalView {
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

  protected override view(): TemplateResult {
    const { lines, content } = this.rewriting;
    const texts = rewriting();
    if (lines === undefined)
      return html`<p class="bad">${texts.noText}</p>
        ${list(texts.written, asNew(content))}`;
    const [gone, fresh] = (['gone', 'new'] as const).map((kind) => lines.filter((line) => line.kind === kind).length);
    return html`<h3>${texts.title}<span class="bad">${texts.removed(gone ?? 0)}</span><span class="good">${texts.added(fresh ?? 0)}</span></h3>
      ${gone === 0 && fresh === 0 ? html`<p>${texts.equal}</p>` : list(texts.title, lines)}`;
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
    if (end - at > 1) items.push(html`<li class="rest">${rewriting().rest(end - at)}</li>`);
    else items.push(one(line));
    at = Math.max(at, end - 1);
  }
  return html`<ol aria-label=${label}>${items}</ol>`;
}

function one({ kind, text }: LineChange): TemplateResult {
  const texts = rewriting();
  const word = { same: '', gone: texts.goes, new: texts.comes }[kind];
  const bare = text.replace(/\n$/u, '');
  const unended = bare === text;
  const blank = /[ \t]+$/u.exec(bare)?.[0] ?? '';
  return html`<li class=${kind}><span class="sign" aria-hidden="true">${SIGNS[kind]}</span><span class="text"><span class="unseen">${word}</span>${shown(bare.slice(0, bare.length - blank.length))}${blank === '' ? '' : html`<span class="hidden">${texts.blanks(blank.length)}</span>`}${unended ? html`<span class="hidden">${texts.noLineEnd}</span>` : ''}</span></li>`;
}

customElements.define('sp-rewriting', RewritingView);
