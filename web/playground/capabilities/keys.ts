import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { visibleText } from '../../../core/index.ts';
import { type KeptPasskey, PasskeyError, passkeyObstacle, signerOf } from '../../shared/passkey.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { capabilities } from '../../texts/en/capabilities.ts';
import { addKey, keptKeys, removeKey } from '../parts/kept-keys.ts';
import { reasonOf } from '../parts/page-error.ts';
import { View } from '../parts/view.ts';

/** The passkeys that this browser keeps for the page: to make one, to hand its record on, to remove it. */
class KeysView extends View {
  static override get styles(): CSSResult[] {
    return [shared, keysStyles];
  }
  readonly #said: Signal<{ readonly bad: boolean; readonly text: () => string } | undefined> = signal(undefined);
  /** Hash of the passkey that a person is asked about. */
  readonly #removing: Signal<string | undefined> = signal(undefined);

  protected override view(): TemplateResult {
    const { keys: texts } = capabilities().grants;
    const keys = keptKeys.value;
    const obstacle = passkeyObstacle();
    const said = this.#said.value;
    return html`<p class="soft">${texts.what}</p>
      ${keys.length === 0 ? '' : html`<ul aria-label=${texts.title}>${keys.map((key) => this.#key(key))}</ul>`}
      ${obstacle === undefined ? this.#form() : html`<p>${new PasskeyError(obstacle).text}</p>`}
      <p class="said ${said?.bad === true ? 'bad' : 'good'}" role="status">${said?.text() ?? ''}</p>`;
  }

  #form(): TemplateResult {
    const make = (event: SubmitEvent): void => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      const name = new FormData(form).get('name');
      if (typeof name === 'string') void this.#make(name.trim(), form);
    };
    const { keys: texts } = capabilities().grants;
    return html`<form @submit=${make}>
      <label>${texts.name}<input name="name" required maxlength="64" autocomplete="off" /></label>
      <button type="submit" id="make">${icon('key')}${texts.make}</button>
    </form>`;
  }

  #key(passkey: KeptPasskey): TemplateResult {
    const { name, key } = passkey;
    const { keys: texts } = capabilities().grants;
    const shown = visibleText(name);
    const copy = (): void =>
      void this.#do(
        () => texts.copied,
        () => navigator.clipboard.writeText(JSON.stringify(signerOf(passkey))),
      );
    const ask = (): void => void (this.#removing.value = key);
    const remove = (): void => {
      this.#removing.value = undefined;
      void this.#do(
        () => capabilities().grants.keys.removed(shown),
        async () => removeKey(key),
      );
    };
    return html`<li aria-label=${texts.of(shown)}>
      <p><strong>${shown}</strong> <span class="mono soft">${key}</span></p>
      <span class="acts">
        <button type="button" class="plain" @click=${copy}>${icon('copy')}${texts.copy}</button>
        ${
          this.#removing.value === key
            ? html`<button type="button" class="remove" @click=${remove}>${icon('cross')}${texts.removeNow}</button>`
            : html`<button type="button" class="plain remove" @click=${ask}>${texts.remove}</button>`
        }
      </span>
    </li>`;
  }

  async #make(name: string, form: HTMLFormElement): Promise<void> {
    this.#said.value = { bad: false, text: () => capabilities().grants.keys.making };
    const isMade = await this.#do(
      () => capabilities().grants.keys.made(visibleText(name)),
      () => addKey(name),
    );
    if (isMade) form.reset();
  }

  async #do(done: () => string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      this.#said.value = { bad: false, text: done };
      return true;
    } catch (error) {
      this.#said.value = { bad: true, text: () => (error instanceof PasskeyError ? error.text : reasonOf(error)) };
      return false;
    }
  }
}

const keysStyles: CSSResult = css`
  :host {
    container-type: inline-size;
  }
  li {
    padding: 0.375rem 0;
    border-top: 1px solid var(--line);
  }
  .acts {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
  }
  .acts button {
    padding-inline: 0.375rem;
  }
  form {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.5rem;
    padding-top: 0.5rem;
  }
  label {
    flex: 1 1 12rem;
    color: var(--soft);
  }
  input {
    margin-top: 0.25rem;
    color: var(--ink);
  }
  .said:not(:empty) {
    margin-top: 0.5rem;
    overflow-wrap: anywhere;
  }
`;

customElements.define('sp-keys', KeysView);
