import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { help } from '../../texts/en/help.ts';
import { shell } from '../../texts/en/shell.ts';
import { language } from '../../texts/language.ts';
import { LANGUAGES } from '../../texts/languages.ts';
import { showGuideAgain } from '../guide/guide-state.ts';
import { View } from '../parts/view.ts';
import { BINDINGS, GOING } from './key-bindings.ts';
import { chooseLanguage, LANGUAGE_NAMES } from './languages.ts';

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
      .letters,
      .language {
        display: flex;
        align-items: center;
        gap: 0.625rem;
        min-height: 2.75rem;
        margin-top: 1rem;
      }
      .language {
        margin-bottom: 1rem;
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
    const choose = (event: Event): void => {
      const wanted = LANGUAGES.find((name) => name === (event.target as HTMLSelectElement).value);
      if (wanted !== undefined) void chooseLanguage(wanted);
    };
    const texts = help();
    const { commands, keys: names } = shell();
    return html`<dialog aria-labelledby="keys">
      <div class="head">
        <h2 id="keys"><span class="keyed">${texts.title}</span><span class="touched">${shell().status.help}</span></h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.#dialog?.close()}>${icon('close')}</button>
      </div>
      <dl class="keys keyed">
        ${[...BINDINGS, ...GOING].map(({ keys, word }) => html`<dt>${keys.map(keysOf)}</dt><dd>${word}</dd>`)}
        <dt><kbd>${names.Escape}</kbd></dt><dd>${texts.escape}</dd>
        <dt><kbd>${names.Control}</kbd> <kbd>${names.Enter}</kbd></dt><dd>${texts.send}</dd>
        <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>${texts.edge}</dd>
      </dl>
      <label class="letters keyed"><input type="checkbox" .checked=${!lettersOff.value} @change=${toggle} />${texts.letters}</label>
      <label class="letters"><input type="checkbox" .checked=${themes.projector.value} @change=${() => themes.project()} />${commands.projectorOn}</label>
      <p class="language"><label for="language">${shell().language}</label><select id="language" @change=${choose}>${LANGUAGES.map((name) => html`<option value=${name} lang=${name} ?selected=${name === language.value}>${LANGUAGE_NAMES[name]}</option>`)}</select></p>
      <p><button type="button" id="guide" @click=${() => this.#guide()}>${icon('flag')}${commands.guide}</button></p>
      <p class="soft keyed">${texts.noKey}</p>
      <p><a href="docs/index.html" hreflang="en">${texts.documentation}</a> · <a href="docs/be-the-model.html" hreflang="en">${texts.beTheModel}</a> · <a href="docs/walkthrough.html" hreflang="en">${texts.walkthrough}</a></p>
    </dialog>`;
  }

  /** Closed first, so that the guide may take the focus. */
  #guide(): void {
    this.#dialog?.close();
    showGuideAgain(this.store);
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
  const names = keys
    .split(/[+ ]/u)
    .map((key) => ({ Control: shell().keys.Control })[key] ?? (held ? key.toUpperCase() : key));
  return html`${names.map((name) => html`<kbd>${name}</kbd> `)}`;
}

customElements.define('sp-help', Help);
