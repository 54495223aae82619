import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import type { HeldAgainst, Report } from '../../../core/index.ts';
import { loadPart } from '../../../workers/load-part.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { spokenVerdict } from '../../shared/verdict.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { send } from '../../texts/en/send.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import { DISCLOSURES, type DisclosedParts, type Disclosure } from '../files/disclosures.ts';
import { type ExportBlob, exportBlob } from '../files/export-blob.ts';
import type { PreparedFile } from '../files/file-work.ts';
import { type FileWatch, withRests } from '../files/file-worker.ts';
import type { ReportedSteps } from '../files/reported-run.ts';
import { saveFile } from '../parts/save-file.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import { leftOutText, sizeText } from './offer.ts';
import { sendStyles } from './send-style.ts';

/** The run that is sent, and the verdict on it. */
export interface SentRunSource {
  /** The export; with its secret texts only where a person chose them. */
  exported(secrets: boolean): Promise<ExportBlob>;
  readonly report: ReadonlySignal<Report | undefined>;
  readonly against: ReadonlySignal<HeldAgainst>;
  /** A link brought it: none of its decisions is made before a person asks for that. */
  readonly held: ReadonlySignal<boolean>;
  /** A falsified copy says so in the names of its files. */
  readonly isFalsified: boolean;
  /** The whole run as an archive, whose hash the log notes. Only a file with every text is one. */
  archive?(): Promise<{ readonly jsonl: string; readonly sha256: string }>;
}

/** The run that Audit shows. */
export function auditedRun({ audit }: Playground): SentRunSource {
  return { ...audit, isFalsified: audit.edits.peek() > 0 || isNamedFalsified(audit.name.peek()) };
}

/** The run that Run shows: of this device, or of a file that is read. Undefined before there is a run. */
export function openedRun({ session, runtime }: Playground): SentRunSource | undefined {
  const own = session.peek();
  if (own === undefined) return undefined;
  const report = computed(() => {
    const checked = own.report.value;
    return typeof checked === 'object' && 'checks' in checked ? checked : undefined;
  });
  return {
    exported: async (secrets) => own.file ?? exportBlob(await runtime.ledger.export(own.id, { secrets })),
    report,
    against: signal({}),
    held: signal(false),
    isFalsified: isNamedFalsified(own.fileName),
  };
}

/** A run that the storage of this device archives. */
export function archivedRun(run: Pick<Required<SentRunSource>, 'exported' | 'archive'>): SentRunSource {
  return { ...run, report: signal(undefined), against: signal({}), held: signal(false), isFalsified: false };
}

/** A copy keeps the mark that its file came with. */
function isNamedFalsified(name = ''): boolean {
  return name.includes(FALSIFIED);
}

const FALSIFIED = '.falsified';

/** Sends a run as a link, a file, a page or a report. A person sees first what it discloses, and its size. */
export class SendDialog extends View {
  static override styles: CSSResult[] = [shared, dialogStyles, sendStyles];
  readonly #chosen: Signal<ReadonlySet<Disclosure>> = signal(new Set());
  readonly #parts: Signal<DisclosedParts | undefined> = signal(undefined);
  readonly #offer: Signal<SendOffer | undefined> = signal(undefined);
  readonly #link: Signal<string | undefined> = signal(undefined);
  readonly #said: Signal<string> = signal('');
  readonly #source: Signal<SentRunSource | undefined> = signal(undefined);
  readonly #isExport: Signal<boolean> = signal(false);
  /** Work that is under way: its share, and the button that ends it. */
  readonly #under: Signal<SendTask | undefined> = signal(undefined);
  readonly #steps: Signal<'all' | 'problems' | 'range'> = signal('all');
  #records = 0;
  /** Of several choices, the last counts. */
  #turn = 0;

  /** Shows the disclosures of the run, to send it or, with the focus on `save`, to export it. Private and secret texts are left out until they are chosen. */
  async open(source: SentRunSource, focus?: 'page' | 'save'): Promise<void> {
    batch(() => {
      this.#source.value = source;
      this.#isExport.value = focus === 'save';
      // an archive is for its own person, who sees what it holds
      this.#chosen.value = new Set(source.archive === undefined ? ['plain'] : DISCLOSURES);
      this.#parts.value = undefined;
      this.#withdraw();
      this.#said.value = '';
      this.#steps.value = 'all';
    });
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
    if (focus !== undefined) this.renderRoot.querySelector<HTMLElement>(`#${focus}`)?.focus();
    await this.#attempt(async (watch) => {
      const file = await source.exported(true);
      const { files } = this.store;
      this.#records = await files
        .call('open', [file], watch)
        .then((opened) => ('facts' in opened ? opened.facts.records : 0));
      this.#parts.value = await files.call('parts', [file], watch);
      await this.#prepare(watch);
    });
  }

  /** Nothing can be sent until the run is prepared anew: the last offer was of another run, or of other disclosures. */
  #withdraw(): number {
    batch(() => {
      this.#offer.value = undefined;
      this.#link.value = undefined;
    });
    this.#turn += 1;
    return this.#turn;
  }

  async #prepare(watch: FileWatch): Promise<void> {
    const mine = this.#withdraw();
    const [source, chosen] = [this.#source.peek(), this.#chosen.peek()];
    if (source === undefined || this.#parts.peek() === undefined) return;
    const file = await source.exported(chosen.has('secret'));
    const offer = await this.store.files.call('prepare', [file, [...chosen]], watch);
    if (mine === this.#turn) this.#offer.value = { ...offer, chosen };
  }

  protected override view(): TemplateResult {
    const offer = this.#offer.value;
    const link = this.#link.value;
    const waits = offer === undefined;
    const texts = send();
    return html`<dialog aria-labelledby="title">
      <div class="head">
        <h2 id="title">${this.#source.value?.archive !== undefined ? texts.archiveTitle : this.#isExport.value ? texts.exportTitle : texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.#close()}>${icon('close')}</button>
      </div>
      ${this.#disclosure()}
      <div class="told" role="status">${waits ? html`<p class="soft">${this.#under.value === undefined ? texts.cancelled : texts.looking}</p>` : this.#offered(offer)}</div>
      ${this.#progress()}
      ${link === undefined ? '' : this.#linked(link)}
      <div class="act">
        ${link === undefined ? html`<button type="button" class="primary" id="link-make" aria-disabled=${offer?.packed === undefined} @click=${() => void this.#make()}>${icon('link')}${texts.makeLink}</button>` : ''}
        <button type="button" id="save" aria-disabled=${waits} @click=${() => void this.#save()}>${icon('download')}${texts.saveFile}</button>
        <button type="button" id="page" aria-disabled=${waits} @click=${() => void this.#page()}>${icon('download')}${texts.savePage}</button>
        <button type="button" id="report" aria-disabled=${waits} @click=${() => void this.#report()}>${icon('receipt')}${texts.saveReport}</button>
        <span role="status">${this.#said.value}</span>
      </div>
      <p class="soft">${texts.pageIs} ${texts.reportIs}</p>
      ${this.#narrowed()}
    </dialog>`;
  }

  #offered({ file, packedLength, pageBytes, chosen }: SendOffer): TemplateResult {
    const parts = this.#parts.value;
    const sizes = { bytes: file.blob.size, packed: packedLength, pageBytes };
    return html`<p id="size">${sizeText(sizes)}</p>${this.#verdict()}<p class="soft">${parts === undefined ? '' : leftOutText(chosen, parts)}</p>`;
  }

  #progress(): TemplateResult | string {
    const under = this.#under.value;
    const texts = send();
    if (under === undefined) return '';
    const bar =
      under.share === undefined
        ? html`<progress aria-label=${texts.looking}></progress>`
        : html`<progress aria-label=${texts.looking} max="1" .value=${under.share}></progress>`;
    return html`<div class="act">${bar}<button type="button" id="stop" @click=${under.stop}>${icon('stop')}${texts.cancel}</button></div>`;
  }

  /** Which steps a report lists. */
  #narrowed(): TemplateResult {
    const { report: texts } = send();
    const choose = (event: Event): void => {
      this.#steps.value = (event.target as HTMLSelectElement).value as 'all';
    };
    const range = html`<label>${texts.from} <input id="from" type="number" min="1" value="1" /></label><label>${texts.to} <input id="to" type="number" min="1" value="500" /></label>`;
    return html`<div class="act">
      <label>${texts.steps} <select id="steps" @change=${choose}>
        <option value="all" ?selected=${this.#steps.value === 'all'}>${texts.all}</option>
        <option value="problems" ?selected=${this.#steps.value === 'problems'}>${texts.problems}</option>
        <option value="range" ?selected=${this.#steps.value === 'range'}>${texts.range}</option>
      </select></label>
      ${this.#steps.value === 'range' ? range : ''}
    </div>`;
  }

  #reported(): ReportedSteps {
    if (this.#steps.peek() === 'problems') return 'problems';
    if (this.#steps.peek() === 'all') return { from: 1 };
    const at = (id: string) => this.renderRoot.querySelector<HTMLInputElement>(id)?.valueAsNumber ?? Number.NaN;
    const [from, to] = [at('#from'), at('#to')];
    return { from: Number.isInteger(from) ? from : 1, ...(Number.isInteger(to) && { to }) };
  }

  /** The verdict on the run: a text that is left out changes no record. */
  #verdict(): TemplateResult | string {
    const { report, against } = this.#source.value ?? {};
    if (report?.value === undefined) return '';
    const { tone, icon: picture, sentence } = spokenVerdict(report.value, against?.value ?? {});
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
    void this.#attempt((watch) => this.#prepare(watch));
  }

  async #make(): Promise<void> {
    const packed = this.#offer.peek()?.packed;
    if (packed === undefined) return;
    this.#link.value = `${location.href.split('#')[0] ?? ''}#run=${packed}`;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('#link')?.focus();
  }

  /** `3f2a91c0.run.jsonl`; of a falsified copy `3f2a91c0.falsified.run.jsonl`. */
  #name(ending: string): string {
    return `${(this.#offer.peek()?.run_id ?? 'unnamed').slice(0, 8)}${this.#source.peek()?.isFalsified === true ? FALSIFIED : ''}.${ending}`;
  }

  #save(): Promise<void> {
    return this.#attempt(async () => {
      const [offer, source] = [this.#offer.peek(), this.#source.peek()];
      if (offer === undefined) return;
      const isWhole = DISCLOSURES.every((each) => offer.chosen.has(each));
      const archived = isWhole ? await source?.archive?.() : undefined;
      saveFile(this.#name('run.jsonl'), archived?.jsonl ?? offer.file.blob);
      this.#said.value =
        archived === undefined ? send().saved : storageDialog().tasks.archived(archived.sha256.slice(0, 16));
    });
  }

  #page(): Promise<void> {
    return this.#attempt(async (watch) => {
      const offer = this.#offer.peek();
      if (offer === undefined) return;
      const { pageParts } = await loadPart(() => import('../../verifier/page.ts'));
      saveFile(
        this.#name('run.html'),
        await this.store.files.call('page', [offer.file, pageParts()], watch),
        'text/html',
      );
      this.#said.value = send().saved;
    });
  }

  /** A run that a link brought is not decided anew for its report, until a person has asked for that in Audit. */
  #report(): Promise<void> {
    return this.#attempt(async (watch) => {
      const [offer, source] = [this.#offer.peek(), this.#source.peek()];
      if (offer === undefined || source === undefined) return;
      const { runtime, files } = this.store;
      const how = source.against.peek();
      const checks = source.held.peek()
        ? await files.call('verify', [offer.file, how], watch)
        : await runtime.ledger.check(offer.file.blob, { ...how, ...watch });
      const wanted = this.#reported();
      const run = await files.call('reported', [offer.file, wanted], watch);
      const { reportSlices } = await loadPart(() => import('./report.ts'));
      const html = await withRests(reportSlices(run, checks, how, wanted), watch);
      saveFile(this.#name('report.html'), html, 'text/html');
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

  /** A person's Cancel is no failure. */
  async #attempt(work: (watch: FileWatch) => Promise<void>): Promise<void> {
    const ending = new AbortController();
    this.#under.peek()?.stop();
    let mine: SendTask = { stop: () => ending.abort() };
    this.#under.value = mine;
    const onProgress = (share: number): void => {
      if (this.#under.peek() !== mine) return;
      mine = { ...mine, share };
      this.#under.value = mine;
    };
    try {
      await work({ signal: ending.signal, onProgress });
    } catch (error) {
      if (!ending.signal.aborted) this.#said.value = sentenceOf(error);
    } finally {
      if (this.#under.peek() === mine) this.#under.value = undefined;
    }
  }
}

interface SendTask {
  readonly share?: number;
  stop(): void;
}

/** An export as it would be sent, with the disclosures that it has: nothing has left the page. */
interface SendOffer extends PreparedFile {
  readonly chosen: ReadonlySet<Disclosure>;
}

customElements.define('sp-send', SendDialog);
