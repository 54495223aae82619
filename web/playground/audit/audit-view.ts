import './chain.ts';
import './checks.ts';
import './happened.ts';
import '../parts/json-text.ts';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, nothing, type ReactiveController, type TemplateResult } from 'lit';
import {
  anchorFault,
  decode,
  encodeText,
  isWhole,
  type JsonValue,
  parseCheckpoint,
  type Report,
} from '../../../core/index.ts';
import type { RunRow } from '../../../workers/api.ts';
import { type SpokenVerdict, spokenVerdict } from '../../shared/verdict.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { auditView } from '../../texts/en/audit-view.ts';
import { TAMPERINGS } from '../files/tampering.ts';
import { WindowedList } from '../parts/line-window.ts';
import { late, loading } from '../parts/loading.ts';
import { whyText } from '../parts/page-error.ts';
import { bringInSight } from '../parts/scroll.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { type ListedRun, runFilter, runLines, runRow, runRowStyles, runsWith } from '../run/run-row.ts';
import type { ImportDialog } from '../send/import-dialog.ts';
import { packedIn } from '../send/run-link.ts';
import { auditStyles } from './audit-style.ts';
import { firstDifference } from './first-difference.ts';

/** Examines a run, from this device or from a file: six checks, the chain, and a copy to falsify. */
class AuditView extends View {
  static override styles: CSSResult[] = [shared, quoted, runRowStyles, auditStyles];
  readonly #intake: FileIntake = new FileIntake(this);

  protected override view(): TemplateResult {
    const { audit } = this.store;
    const report = audit.report.value;
    return html`<div class="audit" @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${this.#intake.drop}>
      ${this.#sent()}
      ${this.#head(report)}
      ${this.store.audit.file.value === undefined ? this.#empty() : this.#body(report)}
    </div>`;
  }

  #head(report: Report | undefined): TemplateResult {
    const { audit } = this.store;
    const { name, trouble, edits, against } = audit;
    const verdict = report && spokenVerdict(report, against.value);
    const texts = auditView();
    const isOpen = audit.file.value !== undefined;
    return html`<header>
      <h1>${texts.title}${isOpen ? html` <span class="mono">${shown(name.value ?? '')}</span>` : ''}</h1>
      ${edits.value === 0 ? '' : html`<span class="badge wait">${icon('pen')}${texts.falsified}</span>`}
      <span class="space"></span>
      ${isOpen ? html`<button type="button" class="plain" title=${texts.savePageHint} @click=${() => this.#send('page')}>${icon('download')}<span class="word">${texts.savePage}</span></button>` : ''}
      ${isOpen ? html`<button type="button" class="plain" id="send" title=${texts.sendHint} @click=${() => this.#send()}>${icon('link')}<span class="word">${texts.send}</span></button>` : ''}
      <button type="button" class="plain" id="import" title=${texts.importHint} @click=${() => this.#import()}>${icon('inbox')}<span class="word">${texts.import}</span></button>
      <button type="button" class="plain" title=${texts.saveCheckpointHint} @click=${() => void audit.saveCheckpoint()}>${icon('seal')}<span class="word">${texts.saveCheckpoint}</span></button>
      <label class="file">${icon('open')}${texts.openFile}<input type="file" accept=".jsonl,.json,.txt,.html" @change=${this.#intake.pick} /></label>
    </header>
    <sp-import .store=${this.store}></sp-import>
    <div class="bar ${!isOpen && trouble.value === undefined && audit.under.value === undefined ? 'bare' : ''}">
      <p class="verdict ${verdict?.tone ?? ''}" role="status">${trouble.value === undefined ? this.#sentence(verdict) : html`<span class="bad">${whyText(trouble.value)}</span>`}</p>
      ${this.#under()}
      ${isOpen ? html`<p class="soft hint" role="status">${this.#hint()}</p>${this.#tools()}` : ''}
    </div>`;
  }

  #sentence(verdict: SpokenVerdict | undefined): TemplateResult | string {
    const { under, file, working } = this.store.audit;
    if (verdict !== undefined) return html`${icon(verdict.icon)}${verdict.sentence}`;
    if (under.value !== undefined) return '';
    return file.value === undefined || working.value !== undefined ? '' : auditView().stopped;
  }

  /** The work under way, with the share that is done where it is known. */
  #under(): TemplateResult | string {
    const { under } = this.store.audit;
    const texts = auditView();
    if (under.value === undefined) return '';
    const { what, share, stop } = under.value;
    const word = texts.tasks[what];
    const bar =
      share === undefined
        ? html`<progress aria-label=${word}></progress>`
        : html`<progress aria-label=${word} max="1" .value=${share}></progress>`;
    return html`<div class="under"><span role="status">${word}</span>${bar}<button type="button" class="small" id="stop" @click=${stop}>${icon('stop')}${texts.cancel}</button></div>`;
  }

  /** What the last falsification did. */
  #hint(): string {
    const { predict, falsify } = auditView();
    const last = this.store.audit.last.value;
    if (last === undefined) return predict;
    const { word, hint } = falsify.ways[last.way];
    return falsify.done(word, hint);
  }

  /** A run that a link brought. Its code is loaded with the first link. */
  #sent(): TemplateResult | string {
    const { sent } = this.store.place;
    if (sent.value === undefined) return '';
    return html`<sp-sent .store=${this.store} .packed=${sent.value}>${loading('sent', () => import('../send/sent-run.ts'))}</sp-sent>`;
  }

  /** The dialog stands in the page: Run asks for it, too. */
  #send(focus?: 'page'): void {
    this.dispatchEvent(new CustomEvent('sp-send', { detail: focus, bubbles: true, composed: true }));
  }

  #import(): void {
    const open = () => this.renderRoot.querySelector<ImportDialog>('sp-import')?.open();
    late(this.store.trouble, () => import('../send/import-dialog.ts'), open);
  }

  /** A run of this device takes the place of the run that a link brought. */
  #openRun(id: string): void {
    this.store.place.sent.value = undefined;
    void this.store.audit.openRun(id);
  }

  readonly #typed: Signal<string> = signal('');
  readonly #rows: WindowedList<ListedRun> = new WindowedList<ListedRun>(this, '.runs', { row: 88 });

  #empty(): TemplateResult {
    const runs = this.store.runs.value;
    const found = runsWith(runs, this.#typed.value);
    const { empty: texts } = auditView();
    const go = (): void => {
      this.store.view.value = 'run';
    };
    return html`<section class="empty">
      ${icon('seal')}
      <h2>${texts.title}</h2>
      <p>${texts.what}</p>
      ${runs.length === 0 ? html`<p class="soft">${texts.noRun}</p><button type="button" @click=${go}>${icon('run')}${texts.make}</button>` : html`<h3>${texts.runs}</h3>`}
      ${runFilter(this.#typed, found.length, runs.length)}
      <ul class="runs">${this.#rows.drawn(runLines(found), ({ run }) => this.#run(run))}</ul>
    </section>`;
  }

  #run(row: RunRow): TemplateResult {
    return html`<li class="row"><button type="button" @click=${() => this.#openRun(row.run_id)}>${runRow(row)}${icon('chevron')}</button></li>`;
  }

  #body(report: Report | undefined): TemplateResult {
    const { audit } = this.store;
    const { checks, chain } = auditView();
    const { compared = [], unproven } = (report && spokenVerdict(report, audit.against.value)) ?? {};
    return html`<section class="card" aria-labelledby="checks">
        <h2 id="checks">${checks.title}</h2>
        <sp-checks .report=${report} .working=${audit.working.value} ?held=${audit.held.value}></sp-checks>
        ${compared.map((each) => html`<p class="soft compared">${shown(each)}</p>`)}
        ${this.#replay(report)}
        ${this.#anchor()}
        ${report === undefined ? '' : this.#noted(report)}
        ${unproven === undefined ? nothing : html`<p class="soft">${unproven}</p>`}
        ${this.#command()}
      </section>
      <sp-happened class="card" .store=${this.store}></sp-happened>
      <section class="card" aria-labelledby="chain">
        <h2 id="chain">${chain.title}</h2>
        <sp-chain .store=${this.store}></sp-chain>
        ${this.#record()}
      </section>`;
  }

  #replay(report: Report | undefined): TemplateResult {
    const { audit } = this.store;
    const { checks: texts } = auditView();
    const isStopped = audit.working.value === undefined && audit.trouble.value === undefined;
    if (report === undefined)
      return isStopped
        ? html`<div><button type="button" id="again" @click=${() => audit.again()}>${icon('play')}${texts.makeChecks}</button></div>`
        : html``;
    if (audit.held.value)
      return html`<div><button type="button" id="decide" @click=${() => audit.release()}>${icon('play')}${texts.decide}</button></div>`;
    const [, , , , decisions, again] = report.checks;
    if (decisions?.status === 'not_run' && isWhole(report) && decisions.skipped === undefined && isStopped)
      return html`<div><button type="button" id="decide" @click=${() => audit.again()}>${icon('play')}${texts.decide}</button></div>`;
    if (decisions?.status === 'fail' || decisions?.status === 'not_run') return html``;
    const label = again?.status === 'not_run' ? texts.runAgain : texts.runOnceMore;
    return html`<div><button type="button" aria-disabled=${audit.working.value !== undefined} @click=${() => void audit.replay()}>${icon('play')}${label}</button></div>`;
  }

  #anchor(): TemplateResult {
    const { anchorText } = this.store.audit;
    const input = (event: Event): void => {
      anchorText.value = (event.target as HTMLInputElement).value;
    };
    return html`<label class="anchor">${auditView().checks.anchor}
      <input class="mono" spellcheck="false" autocomplete="off" placeholder=${auditView().checks.anchorForm} .value=${anchorText.value} @input=${input} />
    </label>`;
  }

  /** The head to keep outside this device: an altered file has no head worth noting. */
  #noted({ ok, records, head }: Report): TemplateResult {
    if (!ok) return html``;
    const { checks: texts } = auditView();
    return html`<p class="soft">${texts.noted}</p>
      ${this.#copyable(`${records}:${head}`, texts.head)}`;
  }

  #copyable(text: string, label: string): TemplateResult {
    const { checks: texts } = auditView();
    return html`<pre tabindex="0" role="region" aria-label=${label}>${text}</pre>
      <div><button type="button" class="plain" @click=${(event: Event) => void this.#copy(text, event)}>${icon('copy')}${texts.copy}</button>
        <span class="soft" role="status">${this.#copied.value === text ? texts.copied : ''}</span></div>`;
  }

  #record(): TemplateResult {
    const { seq, line } = this.store.audit;
    const { record: texts } = auditView();
    const title = texts.title(seq.value);
    if (line.value === undefined) return html`<h3>${title}</h3>`;
    const { is, was, stored, comes } = line.value;
    const difference = firstDifference(was, is);
    return html`<h3>${title}</h3>
      ${stored === comes ? '' : html`<p class="bad hashes">${texts.hashes(stored, comes)}</p>`}
      ${difference === undefined ? '' : html`<p class="bad">${icon('pen')}${texts.difference(difference.at, shown(difference.was), shown(difference.is))}</p>`}
      ${this.#json(is, title)}`;
  }

  /** The value of the line, where the gate would decode it: a tree shows no line that has two meanings. */
  readonly #value: ReadonlySignal<JsonValue | undefined> = computed(() => {
    const read = decode(encodeText(this.store.audit.line.value?.is ?? ''));
    return read.ok ? read.value : undefined;
  });
  readonly #asTree: Signal<boolean> = signal(false);

  #json(text: string, label: string): TemplateResult {
    const flat = html`<sp-json .text=${text} pretty label=${label}></sp-json>`;
    const value = this.#value.value;
    if (value === undefined) return flat;
    const isTree = this.#asTree.value;
    const turn = (): void => {
      this.#asTree.value = !isTree;
    };
    return html`<div><button type="button" id="tree" aria-pressed=${isTree} @click=${turn}>${auditView().record.tree}</button></div>
      ${isTree ? html`<sp-tree .value=${value} label=${label}>${loading('tree', () => import('../parts/json-tree.ts'))}</sp-tree>` : flat}`;
  }

  #tools(): TemplateResult {
    const { audit } = this.store;
    const last = audit.last.value?.way;
    const { falsify: texts } = auditView();
    return html`<div class="tools" role="group" aria-label=${texts.title} @focusin=${bringInSight}>
        <strong>${texts.title}</strong>
        ${TAMPERINGS.map((tampering) => html`<button type="button" class="plain ${last === tampering.way ? 'last' : ''}" title=${texts.ways[tampering.way].hint} @click=${() => void audit.tamper(tampering)}>${texts.ways[tampering.way].word}</button>`)}
        <span class="space"></span>
        <button type="button" class="plain" aria-disabled=${audit.edits.value === 0} @click=${() => audit.undo()}>${icon('reply')}${texts.undo}</button>
      </div>`;
  }

  #command(): TemplateResult {
    const { anchorText, name } = this.store.audit;
    const { checks: texts } = auditView();
    return html`<p class="soft">${texts.commandHint}</p>
      ${this.#copyable(verifyCommand(name.value ?? '', anchorText.value), texts.command)}`;
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
}

/** Takes what a person picks, drops or pastes into Audit: a file, the text of an export, or a link with a run in it. */
class FileIntake implements ReactiveController {
  readonly #host: View;

  constructor(host: View) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('paste', this.#onPaste);
  }

  hostDisconnected(): void {
    document.removeEventListener('paste', this.#onPaste);
  }

  readonly pick = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file !== undefined) this.#openFile(file);
    input.value = '';
  };

  readonly drop = (event: DragEvent): void => {
    event.preventDefault();
    this.#take(event.dataTransfer);
  };

  /** A paste into a field stays in the field. */
  readonly #onPaste = (event: ClipboardEvent): void => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) this.#take(event.clipboardData);
  };

  #take(data: DataTransfer | null): void {
    const text = data?.getData('text') ?? '';
    const pasted = text.trimStart().startsWith('{') ? new File([text], auditView().pasted) : undefined;
    const file = data?.files[0] ?? pasted;
    const packed = file === undefined ? packedIn(text) : undefined;
    if (file !== undefined) this.#openFile(file);
    else if (packed !== undefined) this.#host.store.place.sent.value = packed;
  }

  /** A file takes the place of the run that a link brought. */
  #openFile(file: File): void {
    const { place, audit } = this.#host.store;
    place.sent.value = undefined;
    void audit.openFile(file);
  }
}

/** The shell command that checks the open file elsewhere. The name and the anchor are a stranger's texts. */
function verifyCommand(name: string, anchor: string): string {
  return `npx sallyport verify ${fileWord(name)}${anchorOption(anchor)}`;
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

customElements.define('sp-audit', AuditView);
