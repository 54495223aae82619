import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import { parseScript } from './draft.ts';
import { packShared } from './share-link.ts';
import { WorkshopPart } from './workshop-part.ts';

/** A link that carries the draft and its script. Its reader reviews it first; opening it runs no code. */
export class Share extends WorkshopPart {
  static override styles: CSSResult[] = [
    shared,
    css`
      dialog {
        width: min(40rem, calc(100vw - 2rem));
        padding: 1.5rem;
        border: 1px solid var(--edge);
        border-radius: var(--radius);
        background: var(--panel);
        color: var(--ink);
        box-shadow: var(--lift);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      dialog > * + * {
        margin-top: 0.875rem;
      }
      h2 {
        font-size: 1.25rem;
      }
      .act {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
    `,
  ];
  readonly #link: Signal<string | undefined> = signal(undefined);
  readonly #copied: Signal<boolean> = signal(false);

  /** Makes the link anew and shows it. */
  async open(): Promise<void> {
    const read = this.workshop.reading.value;
    const script = parseScript(this.workshop.script.value);
    this.#copied.value = false;
    this.#link.value = read.ok
      ? `${location.href.split('#')[0] ?? ''}#s=${await packShared({ capability: read.definition, script })}`
      : undefined;
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  protected override view(): TemplateResult {
    const { share } = texts();
    const link = this.#link.value;
    return html`<dialog aria-labelledby="title">
      <h2 id="title">${share.title}</h2>
      ${link === undefined ? html`<p>${share.problem}</p>` : this.#body(link)}
      <form method="dialog" class="act">
        ${link === undefined ? '' : html`<button type="button" class="primary" @click=${() => void this.#copy(link)}>${icon('copy')}${share.copy}</button>`}
        <button>${share.close}</button>
        <span role="status">${this.#copied.value ? share.copied : ''}</span>
      </form>
    </dialog>`;
  }

  #body(link: string): TemplateResult {
    const { share } = texts();
    const { chat, most, tooLong } = share.fits;
    const fits = link.length <= 2000 ? chat : link.length <= 8000 ? most : tooLong;
    return html`<label>${share.link}<input id="link" class="mono" readonly .value=${link} @focus=${(event: Event) => (event.target as HTMLInputElement).select()} /></label>
      <p>${fits(link.length)}</p>
      <p class="soft">${share.what}</p>`;
  }

  async #copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link);
      this.#copied.value = true;
    } catch {
      // refused in some frames and browsers: the field is there to copy from by hand
      this.renderRoot.querySelector<HTMLInputElement>('#link')?.focus();
    }
  }
}

customElements.define('sp-share', Share);
