import { signal } from '@preact/signals-core';
import { type CSSResult, html, type TemplateResult } from 'lit';
import {
  anchorFault,
  parseCheckpoint,
  type Report,
  type Tone,
  toneOf,
  UNPROVEN,
  verdictOf,
} from '../../../core/index.ts';
import type { RunRow } from '../../../workers/api.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { loading } from '../parts/loading.ts';
import { bringInSight } from '../parts/scroll.ts';
import type { ImportDialog } from '../send/import-dialog.ts';
import { packedIn, stepIn } from '../send/run-link.ts';
import type { SendDialog } from '../send/send-dialog.ts';
import { auditStyles } from './audit-style.ts';
import { hashesOf } from './hash-uses.ts';
import { firstDifference, TAMPERINGS } from './tampering.ts';
import './chain.ts';
import './checks.ts';
import '../parts/json-text.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** Examines a run, from this device or from a file: six checks, the chain, and a copy to falsify. */
export class AuditView extends View {
  static override styles: CSSResult[] = [shared, quoted, auditStyles];

  protected override view(): TemplateResult {
    const { audit } = this.store;
    const report = audit.report.value;
    return html`<div class="audit" @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${(event: DragEvent) => this.#drop(event)}>
      ${this.#sent()}
      ${this.#head(report)}
      ${report === undefined ? this.#empty() : this.#body(report)}
    </div>`;
  }

  #head(report: Report | undefined): TemplateResult {
    const { audit } = this.store;
    const { name, trouble, edits, last } = audit;
    return html`<header>
      <h1>Audit${report === undefined ? '' : html` <span class="mono">${shown(name.value ?? '')}</span>`}</h1>
      ${edits.value === 0 ? '' : html`<span class="badge wait">${icon('pen')}falsified copy</span>`}
      <span class="space"></span>
      ${report === undefined ? '' : html`<button type="button" class="plain" title="A single file with the run and its checks. It needs no network" @click=${() => void audit.savePage()}>${icon('download')}<span class="word">Save as a page</span></button>`}
      ${report === undefined ? '' : html`<button type="button" class="plain" id="send" title="A link, a file or a report, after a look at what it discloses" @click=${() => void this.#send()}>${icon('link')}<span class="word">Send…</span></button>`}
      <button type="button" class="plain" id="import" title="A pasted export or link, or an address" @click=${() => void this.#import()}>${icon('inbox')}<span class="word">Import…</span></button>
      <button type="button" class="plain" title="The current head of every run on this device, signed. Keep it outside this device" @click=${() => void audit.saveCheckpoint()}>${icon('seal')}<span class="word">Save a checkpoint</span></button>
      <label class="file">${icon('open')}Open a file…<input type="file" accept=".jsonl,.json,.txt,.html" @change=${(event: Event) => this.#pick(event)} /></label>
    </header>
    <sp-send .store=${this.store}></sp-send>
    <sp-import .store=${this.store}></sp-import>
    <div class="bar ${report === undefined && trouble.value === undefined ? 'bare' : ''}">
      <p class="verdict ${report === undefined ? '' : toneOf(report)}" role="status">${trouble.value === undefined ? verdict(report) : html`<span class="bad">${trouble.value}</span>`}</p>
      ${report === undefined ? '' : html`<p class="soft hint" role="status">${last.value === undefined ? 'The stored run is never touched. Predict which check will notice, then try.' : `${last.value.word}: ${last.value.hint}`}</p>${this.#tools()}`}
    </div>`;
  }

  /** A run that a link brought. Its code is loaded with the first link. */
  #sent(): TemplateResult | string {
    const { sent } = this.store.place;
    if (sent.value === undefined) return '';
    return html`<sp-sent .store=${this.store} .packed=${sent.value}>${loading('sent', () => import('../send/sent-run.ts'))}</sp-sent>`;
  }

  async #send(): Promise<void> {
    await import('../send/send-dialog.ts');
    await this.renderRoot.querySelector<SendDialog>('sp-send')?.open();
  }

  async #import(): Promise<void> {
    await import('../send/import-dialog.ts');
    await this.renderRoot.querySelector<ImportDialog>('sp-import')?.open();
  }

  /** Another file takes the place of the run that a link brought. */
  #openFile(file: File): void {
    this.store.place.sent.value = undefined;
    void this.store.audit.openFile(file);
  }

  #openRun(id: string): void {
    this.store.place.sent.value = undefined;
    void this.store.audit.openRun(id);
  }

  #empty(): TemplateResult {
    const runs = this.store.runs.value;
    const go = (): void => {
      this.store.view.value = 'run';
    };
    return html`<section class="empty">
      ${icon('seal')}
      <h2>What happened, and can you rely on it?</h2>
      <p>Open a run of this device, or drop or paste an exported one anywhere here. Six checks show which of its records are intact, and name the first that is not. The file is read in this page and never leaves the device.</p>
      ${runs.length === 0 ? html`<p class="soft">No run is on this device yet.</p><button type="button" @click=${go}>${icon('run')}Make one</button>` : html`<h3>Runs on this device</h3>`}
      <ul>${runs.map((row) => this.#run(row))}</ul>
    </section>`;
  }

  #run({ run_id, at, dialect, records, sealed }: RunRow): TemplateResult {
    const when = new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
    return html`<li><button type="button" @click=${() => this.#openRun(run_id)}>
      <span><span class="mono">${run_id.slice(0, 8)}</span> <span class="soft">${when}</span></span>
      <span class="soft">${dialect}, ${count(records, 'record')}, ${sealed ? 'sealed' : 'open'}</span>${icon('chevron')}
    </button></li>`;
  }

  #body(report: Report): TemplateResult {
    return html`<section class="card" aria-labelledby="checks">
        <h2 id="checks">Checks</h2>
        <sp-checks .report=${report} .working=${this.store.audit.working.value} ?held=${this.store.audit.held.value}></sp-checks>
        ${this.#replay(report)}
        ${this.#anchor()}
        ${this.#noted(report)}
        <p class="soft">${UNPROVEN}</p>
        ${this.#command()}
      </section>
      <section class="card" aria-labelledby="chain">
        <h2 id="chain">Chain</h2>
        <sp-chain .store=${this.store}></sp-chain>
        ${this.#search()}
        ${this.#record()}
      </section>`;
  }

  #replay(report: Report): TemplateResult {
    const { audit } = this.store;
    if (audit.held.value)
      return html`<div><button type="button" id="decide" @click=${() => audit.release()}>${icon('play')}Check the decisions</button></div>`;
    const [, , , , decisions, again] = report.checks;
    if (decisions?.status === 'fail' || decisions?.status === 'not_run') return html``;
    const label = again?.status === 'not_run' ? 'Run it again' : 'Run it once more';
    return html`<div><button type="button" aria-disabled=${audit.working.value !== undefined} @click=${() => void audit.replay()}>${icon('play')}${label}</button></div>`;
  }

  #search(): TemplateResult {
    const { sought, found, seq } = this.store.audit;
    const input = (event: Event): void => {
      sought.value = (event.target as HTMLInputElement).value;
    };
    const hits = found.value;
    const text = sought.value.trim();
    return html`<label class="anchor">Find a hash
        <input class="mono" type="search" spellcheck="false" autocomplete="off" placeholder="how it begins" .value=${sought.value} @input=${input} />
      </label>
      <p class="soft" role="status">${text === '' ? '' : hits.length === 0 ? 'No hash here begins with this text.' : count(hits.length, 'place')}</p>
      <ul class="found">${hits.map(
        (hit) =>
          html`<li><button type="button" class="plain" @click=${() => this.#choose(hit.run_seq, seq)}><span class="mono">${hit.hash.slice(0, 16)}…</span> ${hit.over}</button></li>`,
      )}</ul>`;
  }

  #choose(run_seq: number, seq: { value: number }): void {
    seq.value = run_seq;
  }

  #anchor(): TemplateResult {
    const { anchorText } = this.store.audit;
    const input = (event: Event): void => {
      anchorText.value = (event.target as HTMLInputElement).value;
    };
    return html`<label class="anchor">Head you noted elsewhere, or open a checkpoint
      <input class="mono" spellcheck="false" autocomplete="off" placeholder="count:head, or the head alone" .value=${anchorText.value} @input=${input} />
    </label>`;
  }

  /** The head to keep outside this device: an altered file has no head worth noting. */
  #noted({ ok, records, head }: Report): TemplateResult {
    if (!ok) return html``;
    return html`<p class="soft">The head of this file, to keep somewhere else:</p>
      ${this.#copyable(`${records}:${head}`, 'Head')}`;
  }

  #copyable(text: string, label: string): TemplateResult {
    return html`<pre tabindex="0" role="region" aria-label=${label}>${text}</pre>
      <div><button type="button" class="plain" @click=${(event: Event) => void this.#copy(text, event)}>${icon('copy')}Copy</button>
        <span class="soft" role="status">${this.#copied.value === text ? 'Copied.' : ''}</span></div>`;
  }

  #record(): TemplateResult {
    const { text, original, seq } = this.store.audit;
    const is = text.value.split('\n')[seq.value + 1] ?? '';
    const difference = firstDifference(original.value.split('\n')[seq.value + 1] ?? '', is);
    const { stored, comes } = hashesOf(is) ?? {};
    return html`<h3>Record ${seq.value}</h3>
      ${stored === comes ? '' : html`<p class="bad hashes">Stored as <span class="mono">${stored}</span>, and comes to <span class="mono">${comes}</span></p>`}
      ${difference === undefined ? '' : html`<p class="bad">${icon('pen')} Byte ${difference.at}: was <span class="mono">${shown(difference.was)}</span>, is <span class="mono">${shown(difference.is)}</span></p>`}
      ${this.#fork(is)}
      <sp-json .text=${is} pretty label="Record ${seq.value}"></sp-json>`;
  }

  #fork(line: string): TemplateResult | string {
    const { text } = this.store.audit;
    const step = stepIn(line);
    if (step === undefined) return '';
    return html`<div><button type="button" id="fork" aria-describedby="forks" @click=${() => this.store.forkText(text.peek(), step)}>${icon('fork')}Fork here: step ${step}</button></div>
      <p class="soft" id="forks">A new run of this page with the task and the proposals before step ${step}. It brings no grant, capability or consent from the file, and waits before its first step.</p>`;
  }

  #tools(): TemplateResult {
    const { audit } = this.store;
    const last = audit.last.value?.word;
    return html`<div class="tools" role="group" aria-label="Falsify a copy" @focusin=${bringInSight}>
        <strong>Falsify a copy</strong>
        ${TAMPERINGS.map((tampering) => html`<button type="button" class="plain ${last === tampering.word ? 'last' : ''}" title=${tampering.hint} @click=${() => audit.tamper(tampering)}>${tampering.word}</button>`)}
        <span class="space"></span>
        <button type="button" class="plain" aria-disabled=${audit.edits.value === 0} @click=${() => audit.undo()}>${icon('reply')}Undo</button>
      </div>`;
  }

  #command(): TemplateResult {
    const { anchorText, name } = this.store.audit;
    const command = `npx sallyport verify ${fileWord(name.value ?? '')}${anchorOption(anchorText.value)}`;
    return html`<p class="soft">The same checks, on a machine that does not trust this page:</p>
      ${this.#copyable(command, 'Command')}`;
  }

  async #copy(text: string, { currentTarget }: Event): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#copied.value = text;
    } catch {
      // refused in some frames and browsers: it is there to copy by hand
      ((currentTarget as HTMLElement).closest('div')?.previousElementSibling as HTMLElement | null)?.focus();
    }
  }
  readonly #copied = signal('');

  #pick(event: Event): void {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file !== undefined) this.#openFile(file);
    input.value = '';
  }

  #drop(event: DragEvent): void {
    event.preventDefault();
    this.#take(event.dataTransfer);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('paste', this.#onPaste);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('paste', this.#onPaste);
  }

  /** A paste into a field stays in the field. */
  readonly #onPaste = (event: ClipboardEvent): void => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) this.#take(event.clipboardData);
  };

  #take(data: DataTransfer | null): void {
    const text = data?.getData('text') ?? '';
    const pasted = text.trimStart().startsWith('{') ? new File([text], 'what was pasted') : undefined;
    const file = data?.files[0] ?? pasted;
    const packed = file === undefined ? packedIn(text) : undefined;
    if (file !== undefined) this.#openFile(file);
    else if (packed !== undefined) this.store.place.sent.value = packed;
  }
}

/** The anchor's text may come from a link, so only its digits go into a shell command. */
function anchorOption(given: string): string {
  if (parseCheckpoint(given).ok) return ' --checkpoint checkpoint.txt';
  const head = /(?:\d+:)?[0-9a-f]{64}$/iu.exec(given.trim())?.[0];
  return head === undefined || anchorFault(given) !== undefined ? '' : ` --anchor ${head}`;
}

/** The file's name where it is plain enough for every shell; a placeholder for other names. */
function fileWord(name: string): string {
  return /^[\w][\w.-]{0,127}$/u.test(name) ? name : 'run.jsonl';
}

function verdict(report: Report | undefined): TemplateResult {
  return report === undefined ? html`` : html`${icon(TONE_ICONS[toneOf(report)])}${verdictOf(report)}`;
}

const TONE_ICONS: { readonly [T in Tone]: IconName } = { good: 'check', wait: 'help', bad: 'cross' };

customElements.define('sp-audit', AuditView);
