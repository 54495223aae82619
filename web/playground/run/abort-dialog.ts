import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { run } from '../../texts/en/run.ts';
import { View } from '../parts/view.ts';

/** Asks before a run is ended for good. The run rests while it is asked. */
export class Abort extends View {
  static override styles: CSSResult[] = [
    shared,
    dialogStyles,
    css`
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 0.75rem;
        margin-top: 1.25rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { aborting } = this.store;
    this.#asked = aborting.value !== undefined;
    const { abort: texts } = run();
    return html`<dialog aria-labelledby="abort-title" aria-describedby="abort-what" @close=${() => aborting.value?.keep()}>
      <h2 id="abort-title">${texts.title}</h2>
      <p id="abort-what">${texts.what}</p>
      <div class="actions">
        <button type="button" id="keep" autofocus @click=${() => aborting.value?.keep()}>${texts.keep}</button>
        <button type="button" id="end" class="bad" @click=${() => aborting.value?.end()}>${icon('stop')}${texts.end}</button>
      </div>
    </dialog>`;
  }
  #asked = false;

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const dialog = this.renderRoot.querySelector('dialog');
    if (this.#asked && dialog?.open === false) dialog.showModal();
    if (!this.#asked && dialog?.open === true) {
      dialog.close();
      this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
    }
  }
}

customElements.define('sp-abort', Abort);
