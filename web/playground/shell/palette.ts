import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { shared } from '../../style/shared.ts';
import { shell } from '../../texts/en/shell.ts';
import { View } from '../parts/view.ts';
import { commandsFor, commandsOf, type PaletteCommand } from './commands.ts';
import type { Face } from './key-bindings.ts';

/** Every command, found by typing a part of its name. */
export class Palette extends View {
  static override styles: CSSResult[] = [
    shared,
    dialogStyles,
    css`
      dialog {
        margin-top: 12dvh;
        padding: 0;
        overflow: hidden;
      }
      input {
        min-height: 3.25rem;
        padding: 0.5rem 1.25rem;
        border: 0;
        border-bottom: 1px solid var(--line);
        border-radius: 0;
        background: var(--panel);
        outline-offset: -3px;
      }
      ul {
        max-height: 50dvh;
        overflow-y: auto;
        padding: 0.375rem;
      }
      li {
        display: flex;
        justify-content: space-between;
        align-items: center;
        gap: 1rem;
        min-height: 2.25rem;
        padding: 0.125rem 0.875rem;
        border-radius: var(--radius-small);
        cursor: pointer;
      }
      li:hover {
        background: var(--sunk);
      }
      li[aria-selected='true'] {
        background: var(--accent-wash);
      }
      p {
        padding: 0.75rem 1.25rem 1rem;
      }
      @media (forced-colors: active) {
        li[aria-selected='true'] {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
      }
    `,
  ];
  readonly #text: Signal<string> = signal('');
  readonly #at: Signal<number> = signal(0);
  readonly #commands: Signal<readonly PaletteCommand[]> = signal([]);
  #face: Face | undefined;

  protected override view(): TemplateResult {
    const found = this.#found();
    const input = (event: InputEvent): void => {
      this.#text.value = (event.target as HTMLInputElement).value;
      this.#at.value = 0;
    };
    const { commands: texts } = shell();
    return html`<dialog aria-label=${texts.label}>
      <input role="combobox" aria-label=${texts.field} aria-expanded="true" aria-controls="commands" aria-autocomplete="list" aria-activedescendant=${found.length === 0 ? '' : `c${this.#at.value}`} placeholder=${texts.placeholder} autocomplete="off" spellcheck="false" .value=${this.#text.value} @input=${input} @keydown=${(event: KeyboardEvent) => this.#key(event)} />
      <ul role="listbox" id="commands" aria-label=${texts.label}>
        ${found.map(({ word, key }, i) => html`<li role="option" id="c${i}" aria-selected=${i === this.#at.value} @click=${() => this.#act(i)}><span>${word}</span>${key === '' ? '' : html`<kbd class="keyed">${key}</kbd>`}</li>`)}
      </ul>
      ${found.length === 0 ? html`<p class="soft" role="status">${texts.none}</p>` : ''}
    </dialog>`;
  }

  #found(): readonly PaletteCommand[] {
    return commandsFor(this.#commands.value, this.#text.value);
  }

  open(face: Face): void {
    this.#face = face;
    this.#commands.value = commandsOf(face);
    this.#text.value = '';
    this.#at.value = 0;
    this.#dialog?.showModal();
  }

  #key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const count = this.#found().length;
    if (by !== undefined && count > 0) this.#at.value = (this.#at.value + by + count) % count;
    if (event.key === 'Enter' && !event.isComposing) this.#act(this.#at.value);
    if (by !== undefined || event.key === 'Enter') event.preventDefault();
  }

  /** Closed first, so that the command may take the focus. */
  #act(i: number): void {
    const command = this.#found()[i];
    this.#dialog?.close();
    if (this.#face !== undefined) command?.act(this.#face);
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }
}

customElements.define('sp-palette', Palette);
