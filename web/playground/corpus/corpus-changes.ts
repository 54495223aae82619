import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { Bodies } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpusView } from '../../texts/en/corpus-view.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { corpusStyles } from './corpus-style.ts';

type Change = Bodies['content'];

/** The writes of the open run, step by step, the latest first. Undo takes back a whole step. */
export class CorpusChanges extends View {
  static override styles: CSSResult[] = [
    shared,
    corpusStyles,
    css`
      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.75rem;
      }
      .paths {
        min-width: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { id, records } = this.store.session.value ?? {};
    const changes = (records?.value ?? []).flatMap(({ kind, body }) => (kind === 'content' ? [body] : []));
    if (id === undefined || changes.length === 0) return html``;
    const steps = [...new Set(changes.map(({ step }) => step))].toReversed();
    return html`<section class="stack" aria-labelledby="changes"><h2 id="changes">${corpusView().changes.title}</h2>
      <ul>${steps.map((step) =>
        this.#step(
          id,
          step,
          changes.filter((change) => change.step === step),
        ),
      )}</ul></section>`;
  }

  #step(run_id: string, step: number, changes: readonly Change[]): TemplateResult {
    const { corpus } = this.store;
    const { changes: texts } = corpusView();
    const hashes = new Map(corpus.files.value.map(({ path, content_hash }) => [path, content_hash]));
    const paths = changes.map(({ path }) => path);
    const stands = changes.every(({ path, after }) => hashes.get(path) === after.sha256);
    return html`<li><span class="paths">${texts.step(step)}${changes.map(
      ({ path, before, after }) =>
        html`<span class="mono">${shown(path)}</span> ${shortHash(before.sha256)} → ${shortHash(after.sha256)} `,
    )}</span>${
      stands
        ? html`<button type="button" class="plain" @click=${() => void corpus.takeBack({ run_id, step, paths })}>${icon('reply')}${texts.takeBack}</button>`
        : html`<span class="soft">${texts.since}</span>`
    }</li>`;
  }
}

customElements.define('sp-corpus-changes', CorpusChanges);
