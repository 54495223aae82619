import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

const switchStyles: CSSResult = css`
  :host {
    display: grid;
    gap: 0.5rem;
  }
  label.switch {
    display: flex;
    gap: 0.625rem;
    align-items: baseline;
    cursor: pointer;
    font-weight: 650;
  }
  label.switch input {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    min-height: 0;
    margin: 0;
    align-self: start;
    translate: 0 0.2rem;
    accent-color: var(--accent);
  }
`;

/** The one switch by which runs may read the person's files, and its consequence. */
class FilesSwitch extends View {
  static override styles: CSSResult[] = [shared, switchStyles];

  protected override view(): TemplateResult {
    const { count, allowed, withheld, revoked, allow } = this.store.ownFiles;
    const { own: texts } = corpus();
    const means = allowed.value ? texts.on : revoked.value ? texts.revoked : withheld.value ? texts.off : texts.partly;
    const turn = (event: Event): void => void allow((event.target as HTMLInputElement).checked);
    return html`<label class="switch"><input id="may-read" type="checkbox" role="switch" aria-describedby="means" .checked=${allowed.value} @change=${turn} /><span>${texts.may(count.value)}</span></label>
      <p id="means" class="soft">${means}</p>`;
  }
}

/** The switch, and a question about the files: asked, it begins a run that reads them. */
class AskFiles extends View {
  static override styles: CSSResult[] = [
    shared,
    switchStyles,
    css`
      form {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      form label {
        flex: 1 1 16rem;
        min-width: 0;
      }
      input[type='text'] {
        width: 100%;
      }
    `,
  ];
  readonly #question: Signal<string> = signal('');

  protected override view(): TemplateResult {
    const { count, allowed, allow } = this.store.ownFiles;
    if (count.value === 0) return html``;
    const { own: texts } = corpus();
    const { ready } = this.store.models;
    const model = ready.value;
    const inert = this.#question.value.trim() === '' || this.store.session.value === undefined;
    return html`<form @submit=${(event: Event) => this.#ask(event, inert)}>
        <label><span class="unseen">${texts.question}</span><input type="text" id="question" autocomplete="off" maxlength="2000" placeholder=${texts.example} .value=${this.#question.value} @input=${this.#type} /></label>
        <button type="submit" id="ask-files" class="primary" aria-disabled=${inert}>${icon('run')}${texts.ask}</button>
      </form>
      <sp-files-switch .store=${this.store}></sp-files-switch>
      <p class="soft">${model === undefined || this.store.models.kind.value === 'small' ? texts.noModel : shown(texts.answers(model.name, model.place))}</p>
      ${allowed.value ? '' : html`<p class="wait">${texts.unreached(count.value)}</p><div><button type="button" id="mend" @click=${() => void allow(true)}>${icon('key')}${texts.mend}</button></div>`}`;
  }

  readonly #type = (event: InputEvent): void => {
    this.#question.value = (event.target as HTMLInputElement).value;
  };

  #ask(event: Event, inert: boolean): void {
    event.preventDefault();
    if (!inert) this.store.askFiles(this.#question.peek().trim());
  }
}

customElements.define('sp-files-switch', FilesSwitch);
customElements.define('sp-ask-files', AskFiles);
