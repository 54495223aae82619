import { batch, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { parseExport, verifyExport } from '../../../core/index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { saveFile } from '../parts/save-file.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { DISCLOSURES, type DisclosedParts, type Disclosure, partsOf } from './disclosure.ts';
import { offerOf, type SendOffer } from './offer.ts';
import { sendStyles } from './send-style.ts';

const WORDS: { readonly [D in Disclosure]: readonly [name: string, what: string] } = {
  plain: ['Texts', 'task, proposals, arguments, results, replies, the definitions of the capabilities, and the grants'],
  private: ['Private texts', 'every text from the first reading of private content on'],
  secret: ['Secret texts', 'texts of secret capabilities with their salts, and the lines around those that were read'],
};

/** Sends the run that Audit shows, as a link, a file or a report. A person sees first what it discloses, and its size. */
export class SendDialog extends View {
  static override styles: CSSResult[] = [shared, dialogStyles, sendStyles];
  readonly #chosen: Signal<ReadonlySet<Disclosure>> = signal(new Set());
  readonly #parts: Signal<DisclosedParts | undefined> = signal(undefined);
  readonly #offer: Signal<SendOffer | undefined> = signal(undefined);
  readonly #link: Signal<string | undefined> = signal(undefined);
  readonly #said: Signal<string> = signal('');
  #records = 0;
  /** Of several choices, the last counts. */
  #turn = 0;

  /** Shows the disclosures of the open file. Private and secret texts are left out until they are chosen. */
  async open(): Promise<void> {
    batch(() => {
      this.#chosen.value = new Set(['plain']);
      this.#parts.value = undefined;
      this.#said.value = '';
    });
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
    await this.#attempt(async () => {
      const text = await this.store.audit.exported(true);
      this.#records = parseExport(text).records.length;
      this.#parts.value = partsOf(text);
      await this.#prepare();
    });
  }

  async #prepare(): Promise<void> {
    this.#turn += 1;
    const mine = this.#turn;
    batch(() => {
      this.#offer.value = undefined;
      this.#link.value = undefined;
    });
    const [chosen, parts] = [this.#chosen.peek(), this.#parts.peek()];
    if (parts === undefined) return;
    const offer = await offerOf(await this.store.audit.exported(chosen.has('secret')), chosen, parts);
    if (mine === this.#turn) this.#offer.value = offer;
  }

  protected override view(): TemplateResult {
    const offer = this.#offer.value;
    const link = this.#link.value;
    const waits = offer === undefined;
    return html`<dialog aria-labelledby="title">
      <div class="head">
        <h2 id="title">Send this run</h2>
        <button type="button" class="plain" aria-label="Close" @click=${() => this.#close()}>${icon('close')}</button>
      </div>
      ${this.#disclosure()}
      <div class="told" role="status">${waits ? html`<p class="soft">Looking at its size…</p>` : html`<p id="size">${offer.size}</p><p class="soft">${shown(offer.verdict)}</p>`}</div>
      ${link === undefined ? '' : this.#linked(link)}
      <div class="act">
        ${link === undefined ? html`<button type="button" class="primary" id="link-make" aria-disabled=${offer?.packed === undefined} @click=${() => void this.#make()}>${icon('link')}Make the link</button>` : ''}
        <button type="button" id="save" aria-disabled=${waits} @click=${() => this.#save()}>${icon('download')}Save as a file</button>
        <button type="button" id="report" aria-disabled=${waits} @click=${() => void this.#report()}>${icon('receipt')}Save a report</button>
        <span role="status">${this.#said.value}</span>
      </div>
      <p class="soft">A report is one file for reading and printing. It has no script, and it loads nothing.</p>
    </dialog>`;
  }

  #disclosure(): TemplateResult {
    const parts = this.#parts.value;
    return html`<fieldset>
      <legend>What it discloses</legend>
      <p>Always: ${count(this.#records, 'record')} with the names of the model and the capabilities, times, decisions, codes and hashes.</p>
      ${parts === undefined ? '' : DISCLOSURES.map((each) => this.#choice(each, parts[each]))}
    </fieldset>`;
  }

  #choice(name: Disclosure, { payloads, bytes }: DisclosedParts[Disclosure]): TemplateResult {
    const [word, what] = WORDS[name];
    if (payloads === 0) return html`<p class="soft">${word}: none in this run.</p>`;
    return html`<label class="check"><input type="checkbox" id=${name} .checked=${this.#chosen.value.has(name)} @change=${() => this.#toggle(name)} />
      <span>${word} <span class="soft">(${payloads.toLocaleString()}, ${count(bytes, 'byte')})</span>: ${what}</span></label>`;
  }

  #linked(link: string): TemplateResult {
    return html`<label class="field">The link<input id="link" class="mono" readonly .value=${link} @focus=${(event: Event) => (event.target as HTMLInputElement).select()} /></label>
      <p class="soft">The run is in the part after the #, which browsers never send to a server. It stays in the history of browsers that open it, and in each chat or mail that carries it.</p>
      <div class="act"><button type="button" class="primary" id="copy" @click=${() => void this.#copy(link)}>${icon('copy')}Copy the link</button></div>`;
  }

  #toggle(name: Disclosure): void {
    const chosen = new Set(this.#chosen.peek());
    if (!chosen.delete(name)) chosen.add(name);
    this.#chosen.value = chosen;
    void this.#attempt(() => this.#prepare());
  }

  async #make(): Promise<void> {
    const packed = this.#offer.peek()?.packed;
    if (packed === undefined) return;
    this.#link.value = `${location.href.split('#')[0] ?? ''}#run=${packed}`;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('#link')?.focus();
  }

  #save(): void {
    const offer = this.#offer.peek();
    if (offer === undefined) return;
    saveFile(`${offer.run_id.slice(0, 8)}.run.jsonl`, offer.text);
    this.#said.value = 'Saved.';
  }

  /** A run that a link brought is not decided anew for its report, until a person has asked for that in Audit. */
  #report(): Promise<void> {
    return this.#attempt(async () => {
      const offer = this.#offer.peek();
      if (offer === undefined) return;
      const { audit, runtime } = this.store;
      const anchor = audit.anchorText.peek().trim();
      const how = anchor === '' ? {} : { anchor };
      const held = audit.held.peek();
      const checks = held ? verifyExport(offer.text, how) : await runtime.ledger.check(offer.text, how);
      const { formatReport } = await import('./report.ts');
      saveFile(`${offer.run_id.slice(0, 8)}.report.html`, formatReport(offer.text, checks), 'text/html');
      this.#said.value = 'Saved.';
    });
  }

  async #copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link);
      this.#said.value = 'Copied.';
    } catch {
      // refused in some frames and browsers: the field is there to copy from by hand
      this.renderRoot.querySelector<HTMLInputElement>('#link')?.focus();
    }
  }

  #close(): void {
    this.renderRoot.querySelector('dialog')?.close();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      this.#said.value = sentenceOf(error);
    });
  }
}

customElements.define('sp-send', SendDialog);
