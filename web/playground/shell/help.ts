import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { View } from '../parts/view.ts';
import { BINDINGS, GOING } from './key-bindings.ts';

/** The keys, and a way to turn the single letters off. */
export class Help extends View {
  static override styles: CSSResult[] = [
    shared,
    dialogStyles,
    css`
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0.4375rem 1.5rem;
      }
      .letters {
        display: flex;
        align-items: center;
        gap: 0.625rem;
        min-height: 2.75rem;
        margin-top: 1rem;
      }
      .letters input {
        width: 1.5rem;
        min-height: 1.5rem;
        accent-color: var(--accent);
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { lettersOff, themes } = this.store;
    const toggle = (event: Event): void => {
      lettersOff.value = !(event.target as HTMLInputElement).checked;
    };
    return html`<dialog aria-labelledby="keys">
      <div class="head">
        <h2 id="keys">Keys</h2>
        <button type="button" class="plain" aria-label="Close" @click=${() => this.#dialog?.close()}>${icon('close')}</button>
      </div>
      <dl class="keys">
        ${[...BINDINGS, ...GOING].map(({ keys, word }) => html`<dt>${keys.map(keysOf)}</dt><dd>${word}</dd>`)}
        <dt><kbd>Esc</kbd></dt><dd>Close what is open; it never ends a run</dd>
        <dt><kbd>Ctrl</kbd> <kbd>Enter</kbd></dt><dd>Send your proposal</dd>
        <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>Move a column’s edge while it has the focus</dd>
      </dl>
      <label class="letters"><input type="checkbox" .checked=${!lettersOff.value} @change=${toggle} />Single letters act</label>
      <label class="letters"><input type="checkbox" .checked=${themes.projector.value} @change=${() => themes.project()} />Projector mode: larger text</label>
      <p class="soft">Approving has no key of its own, on purpose.</p>
      <p><a href="docs/index.html">Documentation</a> · <a href="docs/be-the-model.html">Be the model</a> · <a href="docs/walkthrough.html">What the page shows</a></p>
    </dialog>`;
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  open(): void {
    this.#dialog?.showModal();
  }
}

/** The keys of a binding, pressed together or in sequence. */
function keysOf(keys: string): TemplateResult {
  const held = keys.startsWith('Control+');
  const names = keys.split(/[+ ]/u).map((key) => ({ Control: 'Ctrl' })[key] ?? (held ? key.toUpperCase() : key));
  return html`${names.map((name) => html`<kbd>${name}</kbd> `)}`;
}

customElements.define('sp-help', Help);
