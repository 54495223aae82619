import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { openDoor } from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { send } from '../../texts/en/send.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { type ImportedText, inputIn } from './run-link.ts';
import { sendStyles } from './send-style.ts';

/** Takes a run as a pasted export, as a link, or from an address that a person has the page ask. */
export class ImportDialog extends View {
  static override styles: CSSResult[] = [shared, dialogStyles, sendStyles];
  readonly #text: Signal<string> = signal('');
  readonly #said: Signal<string> = signal('');
  /** A request that is under way; closing the dialog ends it. */
  readonly #asking: Signal<AbortController | undefined> = signal(undefined);

  async open(): Promise<void> {
    this.#text.value = '';
    this.#said.value = '';
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  protected override view(): TemplateResult {
    const given = inputIn(this.#text.value);
    const asking = this.#asking.value !== undefined;
    const { import: texts } = send();
    const type = (event: Event): void => {
      this.#text.value = (event.target as HTMLTextAreaElement).value;
      this.#said.value = '';
    };
    return html`<dialog aria-labelledby="title" @close=${() => this.#asking.peek()?.abort()}>
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${send().close} @click=${() => this.#close()}>${icon('close')}</button>
      </div>
      <form @submit=${(event: Event) => void this.#submit(event)}>
        <label class="field">${texts.given}
          <textarea id="given" rows="5" spellcheck="false" autocomplete="off" .value=${this.#text.value} @input=${type}></textarea></label>
        <p role="status" class=${this.#said.value === '' ? 'soft' : 'bad'}>${shown(this.#said.value === '' ? hintOf(given) : this.#said.value)}</p>
        <div class="act"><button type="submit" class="primary" id="take" aria-disabled=${given === undefined || asking}>${icon(given?.kind === 'address' ? 'download' : 'open')}${asking ? texts.asking : shown(labelOf(given))}</button></div>
      </form>
    </dialog>`;
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const given = inputIn(this.#text.peek());
    if (given === undefined || this.#asking.peek() !== undefined) return;
    const { audit, place } = this.store;
    if (given.kind === 'link') {
      place.sent.value = given.packed;
      return this.#close();
    }
    const file = given.kind === 'text' ? new File([given.text], send().import.pasted) : await this.#ask(given.url);
    if (file === undefined) return;
    place.sent.value = undefined;
    this.#close();
    await audit.openFile(file);
  }

  async #ask(url: URL): Promise<File | undefined> {
    const asking = new AbortController();
    this.#asking.value = asking;
    this.store.traffic.note(url.href);
    try {
      return await fetchRun(url, asking.signal);
    } catch (error) {
      if (!asking.signal.aborted) this.#said.value = sentenceOf(error);
      return undefined;
    } finally {
      this.#asking.value = undefined;
    }
  }

  #close(): void {
    this.renderRoot.querySelector('dialog')?.close();
  }
}

function labelOf(given: ImportedText | undefined): string {
  const { import: texts } = send();
  if (given === undefined) return texts.open;
  if (given.kind === 'address') return texts.ask(given.url.host);
  return given.kind === 'link' ? texts.openLink : texts.openText;
}

function hintOf(given: ImportedText | undefined): string {
  if (given?.kind !== 'address') return send().import.noRequest;
  return send().import.request(given.url.host);
}

/**
 * An export from an address, through a door: a worker that asks this server alone. The request carries no cookies and
 * no referrer and follows no redirect. Rejects with the reason, also for an answer over 64 MB.
 */
async function fetchRun(url: URL, signal: AbortSignal): Promise<File> {
  const door = await openDoor({ kind: 'file', url: url.href });
  try {
    const answer = await door.fetch(url.href, { signal });
    if (!answer.ok) throw new Error(send().import.answered(answer.status));
    return new File([await answer.blob()], url.pathname.split('/').at(-1) || url.host);
  } finally {
    door.close();
  }
}

customElements.define('sp-import', ImportDialog);
