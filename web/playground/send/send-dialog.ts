import { batch, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import { parseExport, verifyExport } from '../../../core/index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { spokenVerdict } from '../../shared/verdict.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { send } from '../../texts/en/send.ts';
import { saveFile } from '../parts/save-file.ts';
import { View } from '../parts/view.ts';
import { DISCLOSURES, type DisclosedParts, type Disclosure, offerOf, partsOf, type SendOffer } from './offer.ts';
import { sendStyles } from './send-style.ts';

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
    const texts = send();
    return html`<dialog aria-labelledby="title">
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.#close()}>${icon('close')}</button>
      </div>
      ${this.#disclosure()}
      <div class="told" role="status">${waits ? html`<p class="soft">${texts.looking}</p>` : html`<p id="size">${offer.size}</p>${this.#verdict()}<p class="soft">${offer.leftOut}</p>`}</div>
      ${link === undefined ? '' : this.#linked(link)}
      <div class="act">
        ${link === undefined ? html`<button type="button" class="primary" id="link-make" aria-disabled=${offer?.packed === undefined} @click=${() => void this.#make()}>${icon('link')}${texts.makeLink}</button>` : ''}
        <button type="button" id="save" aria-disabled=${waits} @click=${() => this.#save()}>${icon('download')}${texts.saveFile}</button>
        <button type="button" id="report" aria-disabled=${waits} @click=${() => void this.#report()}>${icon('receipt')}${texts.saveReport}</button>
        <span role="status">${this.#said.value}</span>
      </div>
      <p class="soft">${texts.reportIs}</p>
    </dialog>`;
  }

  /** The verdict that Audit shows: a text that is left out changes no record. */
  #verdict(): TemplateResult | string {
    const { report, against } = this.store.audit;
    if (report.value === undefined) return '';
    const { tone, icon: picture, sentence } = spokenVerdict(report.value, against.value);
    return html`<p class=${tone} id="verdict">${icon(picture)} ${sentence}</p>`;
  }

  #disclosure(): TemplateResult {
    const parts = this.#parts.value;
    return html`<fieldset>
      <legend>${send().discloses}</legend>
      <p>${send().always(this.#records)}</p>
      ${parts === undefined ? '' : DISCLOSURES.map((each) => this.#choice(each, parts[each]))}
    </fieldset>`;
  }

  #choice(name: Disclosure, { payloads, bytes }: DisclosedParts[Disclosure]): TemplateResult {
    const { word, what } = send().disclosures[name];
    if (payloads === 0) return html`<p class="soft">${send().none(word)}</p>`;
    return html`<label class="check"><input type="checkbox" id=${name} .checked=${this.#chosen.value.has(name)} @change=${() => this.#toggle(name)} />
      <span>${word} <span class="soft">${send().amount(payloads, bytes)}</span>: ${what}</span></label>`;
  }

  #linked(link: string): TemplateResult {
    return html`<label class="field">${send().link}<input id="link" class="mono" readonly .value=${link} @focus=${(event: Event) => (event.target as HTMLInputElement).select()} /></label>
      <p class="soft">${send().linkIs}</p>
      <div class="act"><button type="button" class="primary" id="copy" @click=${() => void this.#copy(link)}>${icon('copy')}${send().copyLink}</button></div>`;
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
    this.#said.value = send().saved;
  }

  /** A run that a link brought is not decided anew for its report, until a person has asked for that in Audit. */
  #report(): Promise<void> {
    return this.#attempt(async () => {
      const offer = this.#offer.peek();
      if (offer === undefined) return;
      const { audit, runtime } = this.store;
      const how = audit.against.peek();
      const held = audit.held.peek();
      const checks = held ? verifyExport(offer.text, how) : await runtime.ledger.check(offer.text, how);
      const { formatReport } = await import('./report.ts');
      saveFile(`${offer.run_id.slice(0, 8)}.report.html`, formatReport(offer.text, checks, how), 'text/html');
      this.#said.value = send().saved;
    });
  }

  async #copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link);
      this.#said.value = send().copied;
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
